//! What can go wrong with a heap snapshot, in words for an agent.

use devtools_engine::EngineError;
use devtools_heapsnapshot::LoadError;

/// Why a heap snapshot could not be loaded or a question about it not be answered.
#[derive(Debug, thiserror::Error)]
pub enum HeapError {
    /// The name does not end as heap snapshots do.
    #[error("File {path} must have one of the extensions {extensions}")]
    Extension {
        /// As given.
        path: String,
        /// Those that are read.
        extensions: String,
    },
    /// The file cannot be opened or read.
    #[error("cannot read {path}: {why}")]
    Read {
        /// The file.
        path: String,
        /// The system's words.
        why: String,
    },
    /// A folder, a device, a pipe.
    #[error("{path} is not a regular file")]
    NotAFile {
        /// The path.
        path: String,
    },
    /// The content was refused.
    #[error("{path}: {error}")]
    Content {
        /// The file.
        path: String,
        /// Where and why.
        error: LoadError,
    },
    /// The compressed data is damaged.
    #[error("{path}: the gzip data is damaged after {offset} decompressed bytes: {why}")]
    Gzip {
        /// The file.
        path: String,
        /// Bytes that could be decompressed.
        offset: u64,
        /// What is wrong.
        why: String,
    },
    /// The question does not fit the snapshot.
    #[error("{message}")]
    Question {
        /// Which kind, as named in `js/heap.ts`.
        kind: Question,
        /// The problem.
        message: String,
    },
    /// The isolate ran out of memory.
    #[error("out of memory: this needs more than the limit of {limit_mb} MB")]
    OutOfMemory {
        /// The limit that was in force.
        limit_mb: usize,
    },
    /// Cancelled by the client.
    #[error("the analysis was cancelled")]
    Cancelled,
    /// The front-end threw.
    #[error("the heap snapshot could not be analysed: {message}")]
    Analysis {
        /// Its words.
        message: String,
    },
    /// Closing something that is not open.
    #[error("Failed to close heap snapshot: {path} was not loaded.")]
    NotLoaded {
        /// The path.
        path: String,
    },
    /// Anything else of the engine.
    #[error(transparent)]
    Engine(EngineError),
}

/// What was asked wrongly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// A node id that no object has.
    UnknownNode,
    /// A class id that no class has.
    UnknownClass,
    /// A class without objects under the filter.
    EmptyClass,
    /// A filter that needs an object id.
    ObjectIdMissing,
    /// A text that is no regular expression.
    BadPattern,
    /// A position beyond the list of changed classes.
    UnknownIndex,
}

impl Question {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "UnknownNode" => Question::UnknownNode,
            "UnknownClass" => Question::UnknownClass,
            "EmptyClass" => Question::EmptyClass,
            "ObjectIdMissing" => Question::ObjectIdMissing,
            "BadPattern" => Question::BadPattern,
            "UnknownIndex" => Question::UnknownIndex,
            _ => return None,
        })
    }
}

impl HeapError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            HeapError::Extension { .. } => {
                "give a file saved by take_heapsnapshot, by DevTools' Memory panel or by Node's v8.writeHeapSnapshot"
            }
            HeapError::Read { .. } => "check the path; relative paths start at the server's working directory",
            HeapError::NotAFile { .. } => "give the path of a .heapsnapshot file",
            HeapError::Content { error: LoadError::TooLarge { .. }, .. } => {
                "raise --engineHeapLimit if the machine has more memory, or take the snapshot earlier"
            }
            HeapError::Content { error: LoadError::NotASnapshot { .. }, .. } => {
                "heap snapshots are saved by take_heapsnapshot, DevTools or Node; traces and HAR files are others"
            }
            HeapError::Content { .. } => {
                "the file was cut off or changed; get a complete copy or take the snapshot again"
            }
            HeapError::Gzip { .. } => "get a complete copy (`gzip -t` tells) or take the snapshot again",
            HeapError::Question { kind, .. } => match kind {
                Question::UnknownNode => {
                    "ids are the numbers after @ and in the columns nodeId of this very snapshot; query_heapsnapshot_objects finds some"
                }
                Question::UnknownClass => "ids of classes are in the column id of get_heapsnapshot_details",
                Question::EmptyClass => {
                    "get_heapsnapshot_details with the same filter lists the classes that have some"
                }
                Question::ObjectIdMissing => "take the nodeId of a native context from get_heapsnapshot_summary",
                Question::BadPattern => {
                    "escape characters such as ( [ * + ? . with a backslash to find them as they are"
                }
                Question::UnknownIndex => "indices are in the column index of compare_heapsnapshots without classIndex",
            },
            HeapError::OutOfMemory { .. } => "raise the limit with --engineHeapLimit <MB>, or ask for less at once",
            HeapError::Cancelled => "call again to start over",
            HeapError::Analysis { .. } => "if other snapshots work, this one is worth a bug report",
            HeapError::NotLoaded { .. } => "nothing needs to be done: it takes no memory",
            HeapError::Engine(_) => "call again; the file is loaded anew if necessary",
        }
    }

    /// Stable name for `--json` output.
    pub fn code(&self) -> &'static str {
        match self {
            HeapError::Extension { .. } => "extension",
            HeapError::Read { .. } => "read",
            HeapError::NotAFile { .. } => "not-a-file",
            HeapError::Content { error, .. } => match error {
                LoadError::Read { .. } => "read",
                LoadError::Empty => "empty",
                LoadError::NotJson { .. } => "not-json",
                LoadError::Truncated { .. } => "truncated",
                LoadError::NotASnapshot { .. } => "not-a-heap-snapshot",
                LoadError::Damaged { .. } => "damaged",
                LoadError::TooLarge { .. } => "too-large",
                LoadError::Cancelled => "cancelled",
            },
            HeapError::Gzip { .. } => "gzip",
            HeapError::Question { kind, .. } => match kind {
                Question::UnknownNode => "unknown-node",
                Question::UnknownClass => "unknown-class",
                Question::EmptyClass => "empty-class",
                Question::ObjectIdMissing => "object-id-missing",
                Question::BadPattern => "bad-pattern",
                Question::UnknownIndex => "unknown-index",
            },
            HeapError::OutOfMemory { .. } => "out-of-memory",
            HeapError::Cancelled => "cancelled",
            HeapError::Analysis { .. } => "analysis",
            HeapError::NotLoaded { .. } => "not-loaded",
            HeapError::Engine(_) => "engine",
        }
    }
}

impl From<EngineError> for HeapError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::OutOfMemory { limit_bytes } => HeapError::OutOfMemory { limit_mb: limit_bytes >> 20 },
            EngineError::Cancelled => HeapError::Cancelled,
            EngineError::Js { name, message, stack } => match Question::named(&name) {
                Some(kind) => HeapError::Question { kind, message },
                None => {
                    tracing::debug!("the heap snapshot code threw {name}: {message}\n{stack}");
                    HeapError::Analysis {
                        message: if name == "Error" { message } else { format!("{name}: {message}") },
                    }
                }
            },
            other => HeapError::Engine(other),
        }
    }
}
