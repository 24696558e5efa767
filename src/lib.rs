//! devtools-mcp: the real Chrome DevTools for coding agents.
//!
//! The modules, outermost first; each module's doc says what it owns and what it must not know. `docs/architecture.md`
//! has the picture.

pub mod browser;
pub mod cdp;
pub mod cli;
pub mod config;
pub mod devtools;
pub mod files;
pub mod mcp;
pub mod progress;
pub mod report;
pub mod tools;
pub mod version;
