//! The program; everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    devtools_mcp::cli::run(std::env::args().collect())
}
