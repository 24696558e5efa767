//! The MCP handler: forty lines of protocol over the tool table.
#![expect(deprecated, reason = "logging is deprecated by SEP-2577, but today's clients speak versions that have it")]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorCode, Implementation, ListToolsResult, LoggingLevel,
    LoggingMessageNotificationParam, PaginatedRequestParams, ServerCapabilities, ServerConfig, SetLevelRequestParams,
    Tool as McpTool,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, Peer, RoleServer, ServerHandler};

use super::calls;
use super::session::Session;
use crate::browser::host::BrowserHost;
use crate::config::Config;
use crate::tools::{self, schema};
use crate::version;

/// One client's server.
pub struct Server {
    session: Arc<Session>,
    roots_asked: Arc<AtomicBool>,
}

impl Server {
    /// A server with a session of its own.
    pub fn new(config: Arc<Config>, browser: Arc<BrowserHost>) -> Self {
        Server { session: Session::new(config, browser), roots_asked: Arc::new(AtomicBool::new(false)) }
    }

    /// Asks the client for its roots in the background, if it has said that it has some.
    fn ask_for_roots(&self, peer: &Peer<RoleServer>) {
        if !has_roots(peer) {
            return;
        }
        self.roots_asked.store(true, Ordering::Relaxed);
        let (peer, session) = (peer.clone(), self.session.clone());
        tokio::spawn(async move {
            match peer.list_roots().await {
                Ok(result) => session.set_roots(result.roots.iter().filter_map(|r| path_of(&r.uri)).collect()),
                Err(error) => tracing::warn!("the client did not tell its roots: {error}"),
            }
        });
    }
}

/// Sends messages to the client as they come.
fn forward_log(peer: Peer<RoleServer>) -> tokio::sync::mpsc::UnboundedSender<&'static str> {
    let (sender, mut messages) = tokio::sync::mpsc::unbounded_channel::<&'static str>();
    tokio::spawn(async move {
        while let Some(text) = messages.recv().await {
            let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, text.into());
            if peer.notify_logging_message(message).await.is_err() {
                break;
            }
        }
    });
    sender
}

pub(super) fn has_roots(peer: &Peer<RoleServer>) -> bool {
    peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some())
}

fn path_of(uri: &str) -> Option<PathBuf> {
    url::Url::parse(uri).ok().filter(|u| u.scheme() == "file")?.to_file_path().ok()
}

/// `tools/list` under these options.
pub fn listed(config: &Config) -> Vec<McpTool> {
    tools::TOOLS
        .iter()
        .filter(|t| t.enabled(config))
        .map(|t| McpTool::new(t.name, t.description, Arc::new(schema::input_schema(t, config))))
        .collect()
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_logging().enable_tools().enable_tool_list_changed().build();
        ServerConfig::new(capabilities).with_server_info(
            Implementation::new("devtools-mcp", version::VERSION).with_title("Chrome DevTools (devtools-mcp)"),
        )
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(listed(&self.session.config)))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.as_ref();
        let refuse = |what: &str| ErrorData::new(ErrorCode::INVALID_PARAMS, format!("Tool {name} {what}"), None);
        let exists = |tool: &&tools::Tool| tool.exists(&self.session.config);
        let tool = tools::find(name).filter(exists).ok_or_else(|| refuse("not found"))?;
        if !tool.enabled(&self.session.config) {
            return Err(refuse("disabled"));
        }
        if has_roots(&context.peer) && !self.roots_asked.load(Ordering::Relaxed) {
            self.ask_for_roots(&context.peer);
        }
        self.session.log_to(|| forward_log(context.peer.clone()));
        let arguments = request.arguments.unwrap_or_default();
        Ok(CallToolResponse::Complete(calls::run(tool, arguments, &self.session, &context).await))
    }

    async fn set_level(
        &self,
        _request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.ask_for_roots(&context.peer);
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.ask_for_roots(&context.peer);
    }
}
