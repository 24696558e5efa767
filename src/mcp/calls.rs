//! What surrounds every tool call, once for all tools: validation, path checks, progress, cancellation, panics, and the
//! rendering of the report.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use devtools_engine::Progress;
use futures_util::FutureExt;
use rmcp::model::{CallToolResult, ContentBlock, ProgressNotificationParam};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use super::session::Session;
use crate::config::Config;
use crate::files::PathPolicy;
use crate::report::{Failure, Report};
use crate::tools::schema::PathUse;
use crate::tools::{Arguments, Context, Handler, Tool, validate};

/// Runs a tool. Whatever happens, the client gets a result.
pub async fn run(
    tool: &'static Tool,
    arguments: Map<String, Value>,
    session: &Arc<Session>,
    request: &RequestContext<RoleServer>,
) -> CallToolResult {
    tracing::debug!(tool = tool.name, "called");
    let arguments = match validate::validate(tool, &session.config, arguments) {
        Ok(arguments) => arguments,
        Err(text) => return CallToolResult::error(vec![ContentBlock::text(text)]),
    };
    let (progress, forwarding) = match request.meta.get_progress_token() {
        Some(token) => {
            let (sender, task) = forward_progress(request.peer.clone(), token);
            (Some(sender), Some(task))
        }
        None => (None, None),
    };
    let mut report = Report::default();
    let outcome = contain_panics(tool.name, async {
        let work = async {
            let roots_matter = super::server::has_roots(&request.peer) && names_files(tool, &arguments);
            let paths = session.path_policy(roots_matter).await;
            let arguments = check_paths(tool, arguments, &paths)?;
            let context = Context { session: session.clone(), cancel: request.ct.clone(), progress, paths };
            match &tool.handler {
                Handler::Plain(handler) | Handler::IgnoresPage(handler) => {
                    handler(&context, &arguments, &mut report).await
                }
                Handler::Page(on_page) => on_page.run(tool, context, &arguments, &mut report).await,
            }
        };
        tokio::select! {
            outcome = work => outcome,
            // Whatever the handler is waiting for ends with its future; nobody reads the answer.
            () = request.ct.cancelled() => Err(Failure::new("the call was cancelled", "call again to start over")),
        }
    })
    .await;
    if let Err(failure) = outcome {
        report.fail(failure);
    }
    // No progress after the answer.
    if let Some(mut task) = forwarding
        && tokio::time::timeout(PROGRESS_INTERVAL, &mut task).await.is_err()
    {
        task.abort();
    }
    render(&report, &session.config)
}

/// A panic in a handler would leave the client without any answer (rmcp does not catch it); it becomes a failure.
async fn contain_panics(tool: &str, work: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        let text = text.unwrap_or("no message");
        tracing::error!(tool, "panicked: {text}");
        Err(Failure::new(
            format!("internal error in {tool}: {text}"),
            "call it again; if it fails again, start the server with --logFile and report the log",
        ))
    })
}

fn render(report: &Report, config: &Config) -> CallToolResult {
    let text = if config.slim { report.slim_text() } else { report.text() };
    let mut content = vec![ContentBlock::text(text.clone())];
    if !config.slim {
        let images = report.images().iter();
        content.extend(images.map(|i| ContentBlock::image(STANDARD.encode(&i.bytes), i.mime.clone())));
    }
    let mut result = if report.is_error() { CallToolResult::error(content) } else { CallToolResult::success(content) };
    // Present only on failure, as in the original.
    if !report.is_error() {
        result.is_error = None;
    }
    if config.structured_content {
        let slim = || json!({"type": "text", "text": text});
        let structured = if config.slim { slim() } else { report.structured() };
        result.structured_content = Some(structured).filter(|structured| !structured.is_null());
    }
    result
}

fn names_files(tool: &Tool, arguments: &Map<String, Value>) -> bool {
    tool.params.iter().any(|param| param.path == PathUse::File && arguments.contains_key(param.name))
}

/// Checks the arguments that name files and replaces them by where they really are; blank ones count as not given.
fn check_paths(tool: &Tool, mut arguments: Map<String, Value>, paths: &PathPolicy) -> Result<Arguments, Failure> {
    let check = |given: &str| {
        let path = paths.check(given).map_err(|e| Failure::new(e.to_string(), e.hint()))?;
        Ok::<Value, Failure>(path.to_string_lossy().into())
    };
    for param in tool.params.iter().filter(|param| param.path == PathUse::File) {
        match arguments.get_mut(param.name) {
            Some(Value::String(given)) if given.trim().is_empty() => {
                if param.required {
                    return Err(Failure::new(format!("{} is empty", param.name), "give the path of a file"));
                }
                arguments.remove(param.name);
            }
            Some(Value::Array(items)) => {
                for item in items {
                    *item = check(item.as_str().unwrap_or_default())?;
                }
            }
            Some(value) => *value = check(value.as_str().unwrap_or_default())?,
            None => {}
        }
    }
    Ok(Arguments(arguments))
}

/// At most this often is progress sent.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// Sends progress notifications as percentages that only grow. What comes sooner than the interval waits for it, so that the
/// latest is told also when nothing follows; what is waiting when the work ends is told then.
fn forward_progress(
    peer: Peer<RoleServer>,
    token: rmcp::model::ProgressToken,
) -> (UnboundedSender<Progress>, JoinHandle<()>) {
    let (sender, mut receiver) = unbounded_channel::<Progress>();
    let task = tokio::spawn(async move {
        let (mut last, mut due, mut open) = (0.0, Instant::now(), true);
        let mut waiting = None::<Progress>;
        while open || waiting.is_some() {
            tokio::select! {
                news = receiver.recv(), if open => match news {
                    Some(news) => waiting = Some(news),
                    None => (open, due) = (false, Instant::now()),
                },
                () = tokio::time::sleep_until(due.into()), if waiting.is_some() => {
                    let Some(Progress { fraction, message }) = waiting.take() else { continue };
                    let percent = (fraction * 100.0).floor().clamp(0.0, 100.0);
                    if percent <= last {
                        continue;
                    }
                    (last, due) = (percent, Instant::now() + PROGRESS_INTERVAL);
                    let update = ProgressNotificationParam::new(token.clone(), percent).with_total(100.0);
                    if peer.notify_progress(update.with_message(message)).await.is_err() {
                        return;
                    }
                }
            }
        }
    });
    (sender, task)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_becomes_a_failure() {
        let failure = contain_panics("probe", async { panic!("out of {}", "cheese") }).await.unwrap_err();
        assert_eq!(failure.message, "internal error in probe: out of cheese");
        assert!(contain_panics("probe", async { Ok(()) }).await.is_ok());
    }
}
