//! What can be wrong with a trace file, in words for an agent.

use devtools_engine::EngineError;

/// Why a trace could not be analysed. `Display` is the problem with its cause, [`TraceError::hint`] the next step.
#[derive(Debug, Clone, thiserror::Error)]
pub enum TraceError {
    /// The file cannot be opened or read.
    #[error("cannot read {path}: {why}")]
    Read { path: String, why: String },
    /// A folder, a device, a pipe.
    #[error("{path} is not a regular file")]
    NotAFile { path: String },
    /// Nothing in it.
    #[error("the file is empty")]
    Empty,
    /// The bytes are not JSON. `offset` counts decompressed bytes from 0.
    #[error("the file is not JSON: {what} at byte {offset}")]
    NotJson { offset: u64, what: String },
    /// JSON, but not a trace.
    #[error("the file is JSON but not a trace: {what}")]
    NotATrace { what: String },
    /// A trace without a single event.
    #[error("the trace has no events")]
    NoEvents,
    /// JSON ended early.
    #[error("the file is truncated: it ends after {offset} bytes {place}")]
    Truncated { offset: u64, place: &'static str },
    /// The gzip stream is broken or incomplete.
    #[error("the gzip data is damaged after {offset} decompressed bytes: {why}")]
    Gzip { offset: u64, why: String },
    /// One event is not valid JSON although the brackets match.
    #[error("an event of the trace is not valid JSON: {why}")]
    BadEvent { why: String },
    /// The isolate ran out of memory.
    #[error("out of memory: analysing this trace needs more than the limit of {limit_mb} MB")]
    OutOfMemory { limit_mb: usize },
    /// The front-end's trace engine threw.
    #[error("the trace engine could not process this trace: {message}")]
    Analysis { message: String },
    /// Cancelled by the client.
    #[error("the analysis was cancelled")]
    Cancelled,
    /// Anything else of the engine.
    #[error(transparent)]
    Engine(EngineError),
}

impl TraceError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            TraceError::Read { .. } => "check the path; relative paths start at the server's working directory",
            TraceError::NotAFile { .. } => "give the path of a .json or .json.gz file",
            TraceError::Empty => "the recording was probably interrupted before anything was written; record it again",
            TraceError::NotJson { .. } => {
                "give a Chrome trace (.json or .json.gz), as saved by DevTools, Lighthouse, Puppeteer or `devtools-mcp trace record`"
            }
            TraceError::NotATrace { .. } => {
                "a trace is an array of events or an object with a \"traceEvents\" array; heap snapshots, HAR files and CPU profiles are not traces"
            }
            TraceError::NoEvents => {
                "record again with the default categories: `devtools-mcp trace record <url>` or the performance_start_trace tool"
            }
            TraceError::Truncated { .. } => {
                "the file was cut off while it was written or copied; get a complete copy or record again"
            }
            TraceError::Gzip { .. } => {
                "the file was cut off or changed after compression; get a complete copy (`gzip -t` tells) or record again"
            }
            TraceError::BadEvent { .. } => "the file was changed by hand or damaged; get a fresh copy or record again",
            TraceError::OutOfMemory { .. } => "raise the limit with --engineHeapLimit <MB>, or record a shorter trace",
            TraceError::Analysis { .. } => {
                "record the page again; if it happens again, the trace is worth a bug report"
            }
            TraceError::Cancelled => "call again to start over",
            TraceError::Engine(_) => "call again; a fresh engine is started for each trace",
        }
    }

    /// Stable name for `--json` output.
    pub fn code(&self) -> &'static str {
        match self {
            TraceError::Read { .. } => "read",
            TraceError::NotAFile { .. } => "not-a-file",
            TraceError::Empty => "empty",
            TraceError::NotJson { .. } => "not-json",
            TraceError::NotATrace { .. } => "not-a-trace",
            TraceError::NoEvents => "no-events",
            TraceError::Truncated { .. } => "truncated",
            TraceError::Gzip { .. } => "gzip",
            TraceError::BadEvent { .. } => "bad-event",
            TraceError::OutOfMemory { .. } => "out-of-memory",
            TraceError::Analysis { .. } => "analysis",
            TraceError::Cancelled => "cancelled",
            TraceError::Engine(_) => "engine",
        }
    }
}

impl From<EngineError> for TraceError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::OutOfMemory { limit_bytes } => {
                TraceError::OutOfMemory { limit_mb: limit_bytes / (1024 * 1024) }
            }
            EngineError::Cancelled => TraceError::Cancelled,
            EngineError::Js { name, message, .. } if name == "InputSyntaxError" => {
                TraceError::BadEvent { why: message }
            }
            EngineError::Js { name, message, stack } => {
                tracing::debug!("the trace engine threw {name}: {message}\n{stack}");
                TraceError::Analysis { message: if name == "Error" { message } else { format!("{name}: {message}") } }
            }
            other => TraceError::Engine(other),
        }
    }
}
