//! What surrounds every tool call, once for all tools: validation, path checks, progress, cancellation, panics, and the
//! rendering of the report.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use devtools_engine::Progress;
use futures_util::FutureExt;
use rmcp::model::{CallToolResult, ContentBlock, ProgressNotificationParam};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use serde_json::{Map, Value};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use super::session::Session;
use crate::report::{Failure, Report};
use crate::tools::schema::PathUse;
use crate::tools::{Arguments, Context, Tool, validate};

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
    let context = Context { session: session.clone(), cancel: request.ct.clone(), progress };
    let mut report = Report::default();
    let outcome = contain_panics(tool.name, async {
        tokio::select! {
            outcome = async {
                let arguments = check_paths(tool, arguments, session, &request.peer).await?;
                (tool.handler)(&context, &arguments, &mut report).await
            } => outcome,
            // Whatever the handler is waiting for ends with its future; nobody reads the answer.
            () = request.ct.cancelled() => Err(Failure::new("the call was cancelled", "call again to start over")),
        }
    })
    .await;
    if let Err(failure) = outcome {
        report.fail(failure);
    }
    drop(context);
    // No progress after the answer.
    if let Some(task) = forwarding {
        let _ = tokio::time::timeout(PROGRESS_INTERVAL, task).await;
    }
    render(&report, session.config.structured_content)
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

fn render(report: &Report, structured: bool) -> CallToolResult {
    let content = vec![ContentBlock::text(report.text())];
    let mut result = if report.is_error() { CallToolResult::error(content) } else { CallToolResult::success(content) };
    // Present only on failure, as in the original.
    if !report.is_error() {
        result.is_error = None;
    }
    if structured {
        result.structured_content = Some(report.structured());
    }
    result
}

/// Checks the arguments that name files and replaces them by where they really are; blank ones count as not given.
async fn check_paths(
    tool: &Tool,
    mut arguments: Map<String, Value>,
    session: &Session,
    peer: &Peer<RoleServer>,
) -> Result<Arguments, Failure> {
    let params: Vec<&str> = tool.params.iter().filter(|p| p.path == PathUse::File).map(|p| p.name).collect();
    if params.iter().any(|name| arguments.contains_key(*name)) {
        let policy = session.path_policy(super::server::has_roots(peer)).await;
        for name in params {
            let Some(given) = arguments.get(name).and_then(Value::as_str) else { continue };
            if given.trim().is_empty() {
                return Err(Failure::new(format!("{name} is empty"), "give the path of a file"));
            }
            let path = policy.check(given).map_err(|e| Failure::new(e.to_string(), e.hint()))?;
            arguments.insert(name.into(), path.to_string_lossy().into());
        }
    }
    Ok(Arguments(arguments))
}

/// At most this often is progress sent.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(250);

/// Sends progress notifications as percentages that only grow.
fn forward_progress(
    peer: Peer<RoleServer>,
    token: rmcp::model::ProgressToken,
) -> (UnboundedSender<Progress>, JoinHandle<()>) {
    let (sender, mut receiver) = unbounded_channel::<Progress>();
    let task = tokio::spawn(async move {
        let (mut last, mut sent) = (0.0, None::<Instant>);
        while let Some(Progress { fraction, message }) = receiver.recv().await {
            let percent = (fraction * 100.0).floor().clamp(0.0, 100.0);
            if percent <= last || sent.is_some_and(|s| s.elapsed() < PROGRESS_INTERVAL) {
                continue;
            }
            last = percent;
            sent = Some(Instant::now());
            let update = ProgressNotificationParam::new(token.clone(), percent).with_total(100.0).with_message(message);
            if peer.notify_progress(update).await.is_err() {
                return;
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
