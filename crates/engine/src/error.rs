//! The failures a caller of the engine can see.
//!
//! Each variant is a different thing to tell the agent; nobody matches on texts.

use std::time::Duration;

/// Why a call into an isolate gave no answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum EngineError {
    /// JavaScript threw. `stack` has positions in our own sources (source-mapped), not in the bundle.
    #[error("{message}")]
    Js {
        /// `Error.prototype.name`, or `Error` when something else was thrown.
        name: String,
        /// The error's message without its name.
        message: String,
        /// Mapped stack, one frame a line; empty when the thrown value had none.
        stack: String,
    },
    /// The isolate reached its heap limit; the isolate is gone, the process is not.
    #[error("out of memory: the analysis needed more than its limit of {} MB", limit_bytes / (1024 * 1024))]
    OutOfMemory {
        /// The limit in bytes that was in force.
        limit_bytes: usize,
    },
    /// The call's deadline passed; the isolate was ended if it did not yield.
    #[error("no answer within {} s", deadline.as_secs())]
    Deadline {
        /// The deadline that was given.
        deadline: Duration,
    },
    /// The caller cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The isolate ended before this call was answered (an earlier call ran out of memory or was ended by force).
    #[error("the analysis engine ended: {why}")]
    Ended {
        /// What ended it.
        why: String,
    },
    /// The isolate could not be started.
    #[error("the analysis engine did not start: {why}")]
    Start {
        /// What deno_core reported.
        why: String,
    },
    /// The answer did not have the expected shape: a defect of ours.
    #[error("the engine's answer to {method} has an unexpected shape: {why}")]
    Shape {
        /// Method that was called.
        method: &'static str,
        /// The decoder's words.
        why: String,
    },
}

impl EngineError {
    /// Whether the isolate can still be used after this error.
    pub fn isolate_survives(&self) -> bool {
        matches!(self, EngineError::Js { .. } | EngineError::Shape { .. })
    }
}
