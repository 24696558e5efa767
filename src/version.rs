//! The versions this binary was built from.

/// Our own version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The vendored chrome-devtools-frontend.
pub const FRONTEND: &str = env!("DEVTOOLS_FRONTEND_VERSION");
/// The server whose flags, tool names and answer shapes ours are compatible with.
pub const COMPATIBLE_WITH: &str = "chrome-devtools-mcp 1.11.0";

/// All pinned versions, one a line, for `--version --verbose`.
pub fn verbose() -> String {
    format!(
        "devtools-mcp {VERSION}\nchrome-devtools-frontend {FRONTEND}\nV8 {}\ndeno_core {}\ncompatible with {COMPATIBLE_WITH}",
        devtools_engine::v8_version(),
        devtools_engine::DENO_CORE_VERSION,
    )
}
