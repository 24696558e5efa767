//! The ways a protocol call fails. They are different things to tell an agent, and each names the method.

use std::time::Duration;

/// A failed protocol call.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CdpError {
    /// The page, frame or worker went away while the call was on its way.
    #[error("Protocol error ({method}): Target closed")]
    TargetClosed { method: String },
    /// Its process has crashed: nothing of it answers until it is loaded again.
    #[error("Protocol error ({method}): the page's process has crashed")]
    Crashed { method: String },
    /// The connection to the browser ended: it was closed or has crashed.
    #[error("Protocol error ({method}): the browser is gone")]
    Disconnected { method: String },
    /// The browser refused the call.
    #[error("Protocol error ({method}): {message}{}", data.as_ref().map(|d| format!(" {d}")).unwrap_or_default())]
    Protocol { method: String, code: i64, message: String, data: Option<String> },
    /// No answer in time.
    #[error("{method} timed out after {} s", after.as_secs())]
    Timeout { method: String, after: Duration },
    /// An answer that does not have the shape this program expects.
    #[error("{method} was answered in an unexpected shape: {why}")]
    Shape { method: String, why: String },
}
