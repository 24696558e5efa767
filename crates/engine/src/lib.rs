//! V8 host of devtools-mcp.
//!
//! Owns everything that touches V8: the one extension list ([`extension`]), the ops behind it, isolates on their own
//! threads ([`host`], `isolate`), their heap limits, and the snapshot builder ([`snapshot`]) that `build.rs` links.
//! It must not know MCP, CDP, files or what a trace is: callers hand it a method name, JSON parameters and, for bulk
//! data, a stream of JSON pieces or tables of numbers, and get JSON back.
//!
//! Rules taken from deno_core 0.413, see `docs/architecture.md`:
//! - snapshot builder and runtime pass the *same* extensions in the same order ([`extension::extensions`]);
//! - a process makes snapshots or runs isolates, never both;
//! - every isolate thread descends from the thread that initialised the V8 platform.

pub mod bulk;
pub mod error;
pub mod extension;
pub mod host;
mod isolate;
mod link;
mod loader;
mod ops;
pub mod snapshot;
mod worker;

pub use error::EngineError;
pub use host::{Call, EngineHost, InputPiece, IsolateHandle, IsolateOptions, Progress, Work};
pub use isolate::release_memory;
pub use link::{Link, LinkRequest};
pub use snapshot::{Blob, Kind};

/// The deno_core this crate is pinned to.
pub const DENO_CORE_VERSION: &str = "0.413.0";

/// V8's version string.
pub fn v8_version() -> &'static str {
    deno_core::v8::VERSION_STRING
}
