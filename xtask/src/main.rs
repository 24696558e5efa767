//! `cargo xtask …`: everything a developer or CI runs. Each command says what it does and skips what is done.

mod bench;
mod bench_browser;
mod bench_heap;
mod bench_live;
mod bench_servers;
mod demo;
mod gen_docs;
mod large_heap;
mod large_trace;
mod pages;
mod setup;
mod shell;
mod steady;
mod test;
mod tidy;
mod v8;
mod vendor;

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask <command>

  setup            fetch what building and testing need (V8 archive, npm packages, Chromium)
  demo             setup, build, record the bundled sample page and print DevTools' insights
  test [FILTER]    setup, build, run every check and test
  bench            setup, build, measure side by side with chrome-devtools-mcp (--start, --browser, --live, --traces and
                   --heap choose rows; --quick, --binary=PATH)
  gen [--check]    write the generated reference pages (or fail if they are stale)
  tidy             rules that a reviewer should not have to look for
  heap-file SHAPE OBJECTS PATH
                   write a heap snapshot of any size: chain, star, records, or texts of a megabyte each
  vendor           rewrite vendor/frontend.sha256 after changing the pinned front-end
  v8 --from-source build V8's static library from the v8 crate's own sources (hours)
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rest = arguments.get(1..).unwrap_or_default();
    let result = match arguments.first().map(String::as_str) {
        Some("setup") => setup::run(),
        Some("demo") => demo::run(rest),
        Some("test") => test::run(rest),
        Some("bench") => bench::run(rest),
        Some("gen") => gen_docs::run(rest),
        Some("tidy") => tidy::run(),
        Some("heap-file") => large_heap::run(rest),
        Some("vendor") => vendor::run(),
        Some("v8") => v8::run(rest),
        Some("--help" | "-h" | "help") | None => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Some(other) => Err(format!("unknown command {other}\n\n{HELP}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
