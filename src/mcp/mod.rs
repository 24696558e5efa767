//! MCP: the handler behind rmcp, the stdio transport, sessions with their roots, and what surrounds every tool call
//! (validation, path checks, cancellation, progress, panics). Must not know CDP or V8.

pub mod annotations;
mod calls;
mod server;
pub mod session;
mod stdio;
pub mod traces;

use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt;
use tokio_util::sync::CancellationToken;

use crate::browser::host::BrowserHost;
use crate::config::Config;
use server::Server;

/// How long calls that are running when the client closes its end may go on.
const GRACE: Duration = Duration::from_millis(500);

/// Serves MCP on standard input and output until the client goes away or a signal arrives.
pub async fn serve_stdio(config: Arc<Config>, output: std::fs::File) -> std::io::Result<()> {
    let transport = stdio::Stdio::new(output)?;
    let input_ended = transport.ended();
    let browser = BrowserHost::new(config.browser.clone());
    let result = serve(Server::new(config, browser.clone()), transport, input_ended).await;
    browser.close().await;
    result
}

async fn serve(server: Server, transport: stdio::Stdio, input_ended: CancellationToken) -> std::io::Result<()> {
    let shutdown = shutdown_signal();
    tokio::pin!(shutdown);
    let served = tokio::select! {
        served = server.serve(transport) => served,
        () = &mut shutdown => return Ok(()),
    };
    let running = match served {
        Ok(running) => running,
        // The client closed its end before it had initialised: an orderly end.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(std::io::Error::other(error)),
    };
    let cancel = running.cancellation_token();
    let waiting = running.waiting();
    tokio::pin!(waiting);
    tokio::select! {
        result = &mut waiting => {
            result.map_err(std::io::Error::other)?;
        }
        () = input_ended.cancelled() => {
            // A client that has closed its end may still read what it asked for, but not for long.
            let _ = tokio::time::timeout(GRACE, waiting).await;
            cancel.cancel();
        }
        () = shutdown => cancel.cancel(),
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
