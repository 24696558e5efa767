//! MCP: the handler behind rmcp, the stdio transport, sessions with their roots, and what surrounds every tool call
//! (validation, path checks, cancellation, progress, panics). Must not know CDP or V8.

pub mod annotations;
mod calls;
mod server;
pub mod session;
mod stdio;

use std::sync::Arc;

use rmcp::ServiceExt;

use crate::config::Config;
use server::Server;

/// Serves MCP on standard input and output until the client goes away or a signal arrives.
pub async fn serve_stdio(config: Arc<Config>, output: std::fs::File) -> std::io::Result<()> {
    let transport = stdio::Stdio::new(output)?;
    let server = Server::new(config);
    let running = match server.serve(transport).await {
        Ok(running) => running,
        // The client closed its end before it had initialised: an orderly end.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(std::io::Error::other(error)),
    };
    let cancel = running.cancellation_token();
    tokio::select! {
        result = running.waiting() => {
            result.map_err(std::io::Error::other)?;
        }
        () = shutdown_signal() => cancel.cancel(),
    }
    Ok(())
}

/// SIGTERM, SIGINT and SIGHUP; on other systems Ctrl-C.
async fn shutdown_signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()];
        let mut signals: Vec<_> = kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect();
        let any = signals.iter_mut().map(|s| Box::pin(s.recv()));
        futures_util::future::select_all(any).await;
    }
    #[cfg(not(unix))]
    {
        let _ = tokio::signal::ctrl_c().await;
    }
}
