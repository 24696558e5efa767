//! V8 heap snapshots as numbers: a streaming loader, and the two graph passes of the front-end that run beside its main
//! thread.
//!
//! A crate of its own so that it is compiled optimised whatever the server is compiled with, and knows neither V8 nor
//! files. [`load`] reads JSON from any reader; sections and fields are found by *name*, in any order. What it returns has been checked:
//! every index that the front-end will follow lies inside its table. [`graph`] computes retainers, dominators and
//! retained sizes by the front-end's own rules.
//!
//! Format: `HeapSnapshotJSONSerializer` in V8's `src/profiler/heap-snapshot-generator.cc`.

mod check;
mod error;
pub mod graph;
mod header;
mod input;
mod load;
mod numbers;
mod skip;
mod strings;

pub use error::LoadError;
pub use header::{Fields, Header};
pub use load::{Loaded, Watch, load};
