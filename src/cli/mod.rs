//! The command line: which command was asked for, exit codes, the log. Commands know how to print, not how to analyse.
//!
//! Without a command this is an MCP server with the original's flags; those are parsed by `config`, since their grammar
//! is not clap's. stdout carries data only.

mod doctor;
mod heap;
mod help;
mod output;
mod progress;
mod reference;
mod serve;
mod trace;

use std::fs::File;
use std::process::ExitCode;

use clap::Parser;
use output::print;

use crate::version;

/// Runs the program.
pub fn run(arguments: Vec<String>) -> ExitCode {
    let rest = arguments.get(1..).unwrap_or_default();
    let refused = match rest.first().map(String::as_str) {
        Some("trace") => trace::Command::try_parse_from(&arguments[1..]).err(),
        Some("heap") => heap::Command::try_parse_from(&arguments[1..]).err(),
        _ => None,
    };
    if let Some(error) = refused {
        // Before standard output is claimed: clap prints its help there.
        let _ = error.print();
        return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
    }
    let output = match output::claim() {
        Ok(output) => output,
        Err(error) => {
            return fail(
                &format!("cannot use standard output: {error}"),
                "do not close it when you start this program",
            );
        }
    };
    match rest.first().map(String::as_str) {
        Some("heap") => heap::run(heap::Command::parse_from(&arguments[1..]), &output),
        Some("trace") => trace::run(trace::Command::parse_from(&arguments[1..]), &output),
        // Its own help is the server's: they have the same options.
        Some("doctor") if !is_help(rest) => doctor::run(&rest[1..], &output),
        Some("notices") => print(&output, &crate::devtools::blobs::THIRD_PARTY_NOTICES.join("\n\n")),
        Some("reference") => reference::run(rest.get(1).map(String::as_str), &output),
        _ if is_help(rest) => print(&output, &help::text(output::width(&output))),
        _ if rest.iter().any(|a| a == "--version" || a == "-V") => {
            if rest.iter().any(|a| a == "--verbose") {
                print(&output, &version::verbose())
            } else {
                print(&output, version::VERSION)
            }
        }
        _ => serve::run(rest.to_vec(), output),
    }
}

fn is_help(arguments: &[String]) -> bool {
    arguments.iter().any(|a| a == "--help" || a == "-h")
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
