//! What can be wrong with a heap snapshot, with position and reason.

use std::io;

/// Why a snapshot was refused. Offsets count bytes of JSON (after decompression) from 0.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The reader failed.
    #[error("reading failed after {offset} bytes: {source}")]
    Read {
        /// Bytes read before.
        offset: u64,
        /// The reader's error.
        source: io::Error,
    },
    /// Nothing in it.
    #[error("the file is empty")]
    Empty,
    /// The bytes are not JSON.
    #[error("not JSON: {what} at byte {offset}")]
    NotJson {
        /// Where.
        offset: u64,
        /// What is wrong there.
        what: String,
    },
    /// It ends in the middle.
    #[error("the file is cut off: it ends after {offset} bytes, {place}")]
    Truncated {
        /// Its length.
        offset: u64,
        /// What it ends in.
        place: &'static str,
    },
    /// JSON, but something else.
    #[error("not a heap snapshot: {what}")]
    NotASnapshot {
        /// What is missing or different.
        what: String,
    },
    /// A heap snapshot whose parts contradict each other.
    #[error("the heap snapshot is damaged: {what}")]
    Damaged {
        /// Where and what.
        what: String,
    },
    /// Analysing it needs more memory than there is.
    #[error("analysing {what} needs about {needed_mb} MB of memory, the limit is {limit_mb} MB")]
    TooLarge {
        /// How much of what.
        what: String,
        /// The estimate.
        needed_mb: u64,
        /// What is allowed.
        limit_mb: u64,
    },
    /// Whoever watches wanted it to end.
    #[error("loading was cancelled")]
    Cancelled,
}

pub(crate) fn not_json(offset: u64, what: impl Into<String>) -> LoadError {
    LoadError::NotJson { offset, what: what.into() }
}

pub(crate) fn damaged(what: impl Into<String>) -> LoadError {
    LoadError::Damaged { what: what.into() }
}

/// A byte for people.
pub(crate) fn shown(byte: u8) -> String {
    if byte.is_ascii_graphic() { format!("'{}'", byte as char) } else { format!("byte 0x{byte:02x}") }
}
