//! V8 heap snapshots as numbers: a streaming loader, and the passes over them that the front-end makes before it answers.
//!
//! A crate of its own so that it is compiled optimised whatever the server is compiled with, and knows neither V8 nor
//! files. [`load`] reads JSON from any reader; sections and fields are found by *name*, in any order. What it returns has been checked:
//! every index that the front-end will follow lies inside its table. [`prepare`] computes what the front-end's own initialisation
//! computes, by its rules: DOM states, flags, sizes, distances, names, contexts, and in [`graph`] retainers and dominators.
//!
//! Format: `HeapSnapshotJSONSerializer` in V8's `src/profiler/heap-snapshot-generator.cc`.

mod check;
mod error;
pub mod graph;
mod header;
mod input;
mod load;
mod numbers;
mod passes;
mod skip;
mod strings;
mod texts;

pub use error::LoadError;
pub use header::{Fields, Header};
pub use load::{Loaded, Watch, load};
pub use passes::{NativeContexts, Prepared, RetainedByContext, Statistics, prepare};
