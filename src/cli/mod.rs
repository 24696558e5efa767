//! The command line: which command was asked for, exit codes, the log. Commands know how to print, not how to analyse.
//!
//! Without a command this is an MCP server with the original's flags; those are parsed by `config`, since their grammar
//! is not clap's. stdout carries data only.

mod help;
mod progress;
mod serve;
mod trace;

use std::fs::File;
use std::process::ExitCode;

use clap::Parser;

use crate::version;

/// Runs the program.
pub fn run(arguments: Vec<String>) -> ExitCode {
    let rest = arguments.get(1..).unwrap_or_default();
    match rest.first().map(String::as_str) {
        Some("trace") => match trace::Command::try_parse_from(&arguments[1..]) {
            Ok(command) => trace::run(command),
            Err(error) => {
                let _ = error.print();
                ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
            }
        },
        Some("notices") => print(crate::devtools::blobs::THIRD_PARTY_NOTICES),
        _ if rest.iter().any(|a| a == "--help" || a == "-h") => print(&help::text()),
        _ if rest.iter().any(|a| a == "--version" || a == "-V") => {
            if rest.iter().any(|a| a == "--verbose") { print(&version::verbose()) } else { print(version::VERSION) }
        }
        _ => serve::run(rest.to_vec()),
    }
}

/// Prints data to stdout. A reader that has gone is not an error.
fn print(text: &str) -> ExitCode {
    use std::io::Write;
    let mut stdout = std::io::stdout().lock();
    match writeln!(stdout, "{}", text.trim_end_matches('\n')).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            eprintln!("error: cannot write to standard output: {error}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Prints an error with its hint to stderr.
fn fail(message: &str, hint: &str) -> ExitCode {
    eprintln!("error: {message}\n\nhint: {hint}");
    ExitCode::FAILURE
}

/// Logs to stderr, or to a file; `RUST_LOG` selects. Never to stdout.
fn start_log(file: Option<File>) {
    use tracing_subscriber::{EnvFilter, fmt};
    let default = if file.is_some() { "debug" } else { "warn" };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default));
    let builder = fmt().with_env_filter(filter).with_ansi(false);
    match file {
        Some(file) => builder.with_writer(std::sync::Mutex::new(file)).init(),
        None => builder.with_writer(std::io::stderr).init(),
    }
}
