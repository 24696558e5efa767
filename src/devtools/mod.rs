//! Typed requests to the front-end that runs in V8. Owns the embedded snapshot and the engine host; knows no V8 types,
//! no MCP, no browser.

pub mod blobs;
pub mod frontend;
pub mod headers;
pub mod heap;
mod input;
pub mod issues;
pub mod live;
pub mod trace;
