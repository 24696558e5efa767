//! `devtools-mcp` without a command: the MCP server.

use std::fs::{File, OpenOptions};
use std::process::ExitCode;
use std::sync::Arc;

use crate::config::Config;

/// Threads of the server's own work. Isolates and readers have threads of their own.
const WORKERS: usize = 2;

/// Serves until the client goes away.
pub fn run(arguments: Vec<String>, output: File) -> ExitCode {
    let (config, parsed) = match Config::load(arguments) {
        Ok(loaded) => loaded,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    if !parsed.unknown.is_empty() {
        eprintln!("Unknown arguments: {}", parsed.unknown.join(","));
    }
    let log = match config.log_file.as_deref().map(|path| OpenOptions::new().create(true).append(true).open(path)) {
        Some(Err(error)) => {
            let path = config.log_file.as_deref().unwrap_or(std::path::Path::new("")).display();
            eprintln!("cannot open the log file {path}: {error}");
            return ExitCode::FAILURE;
        }
        Some(Ok(file)) => Some(file),
        None => None,
    };
    notices(&config);
    super::start_log(log);
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    let result = runtime.block_on(crate::mcp::serve_stdio(Arc::new(config), output));
    // A read of standard input that never returns, or an isolate in the middle of its work, must not keep us.
    runtime.shutdown_background();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the MCP session failed: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What whoever sets the server up should know; no client needs it.
fn notices(config: &Config) {
    eprintln!(
        "devtools-mcp lets its client see and change everything in the browser it drives, also what is behind logins.\n\
         Do not let it near pages whose data the client and its model must not have; --isolated starts with an empty profile.\n\
         It has no telemetry and looks for no updates."
    );
    if config.performance_crux && config.category_performance && !config.slim {
        eprintln!(
            "Performance recordings send the addresses of public pages to the Chrome UX Report to show what real users see; --no-performance-crux turns that off."
        );
    }
}
