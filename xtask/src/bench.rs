//! `cargo xtask bench`: side by side with the original in one run. What counts are the ratios; absolute numbers are the
//! machine's.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::bench_servers::{Both, Server};
use crate::shell::{self, Result, root, step};
use crate::{bench_browser, bench_heap, bench_live, large_trace, setup};

const STARTS: usize = 7;
const LOADS: usize = 3;

/// Groups of rows; without one of these arguments all are measured.
const GROUPS: [&str; 5] = ["--start", "--browser", "--live", "--traces", "--heap"];

pub fn run(arguments: &[String]) -> Result {
    let is_known = |a: &String| GROUPS.contains(&a.as_str()) || a == "--quick" || a.starts_with("--binary=");
    if let Some(unknown) = arguments.iter().find(|a| !is_known(a)) {
        return Err(format!("unknown argument {unknown}; there are {}, --quick and --binary=PATH", GROUPS.join(", ")));
    }
    setup::run()?;
    // For measuring a binary that is there already.
    let ours = match arguments.iter().find_map(|a| a.strip_prefix("--binary=")) {
        Some(path) => PathBuf::from(path),
        None => shell::build()?,
    };
    let both = Both::new(ours);
    let quick = arguments.iter().any(|a| a == "--quick");
    let is_all = !arguments.iter().any(|a| GROUPS.contains(&a.as_str()));
    let has = |group: &str| is_all || arguments.iter().any(|a| a == group);
    println!("| Measure | devtools-mcp | chrome-devtools-mcp 1.11.0 | ratio |\n|---|---|---|---|");
    if has("--start") {
        starts(&both)?;
        engine_ready(&both.ours)?;
    }
    if both.chrome.is_none() && ["--browser", "--live", "--heap"].into_iter().any(has) {
        println!("| (no Chrome or Chromium: the rows that need one were not measured) | | | |");
    }
    if let (Some(chrome), true) = (&both.chrome, has("--browser")) {
        bench_browser::run(&both, chrome, quick)?;
    }
    if both.chrome.is_some() && has("--live") {
        bench_live::run(&both, quick)?;
    }
    let temp = std::env::temp_dir().join(format!("devtools-mcp-bench-{}", std::process::id()));
    std::fs::create_dir_all(&temp).map_err(|e| e.to_string())?;
    let result = on_files(&both, &temp, quick, has("--traces"), has("--heap"));
    let _ = std::fs::remove_dir_all(&temp);
    result
}

/// The rows about large files.
fn on_files(both: &Both, temp: &Path, quick: bool, has_traces: bool, has_heap: bool) -> Result {
    let sizes: &[(&str, u64)] = if quick { &[("small", 0)] } else { &[("small", 0), ("medium", 30), ("large", 200)] };
    for (name, megabytes) in sizes.iter().filter(|_| has_traces) {
        traces(name, *megabytes, temp, both)?;
    }
    if has_heap && both.chrome.is_some() {
        bench_heap::run(both, temp, if quick { &[1, 50] } else { &[1, 50, 300] })?;
    }
    Ok(())
}

fn starts(both: &Both) -> Result {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        a.push(start(Command::new(&both.ours))?);
        b.push(start(both.original(&[], &[]))?);
    }
    for (at, what, unit) in [
        (0, "spawn to `initialize` answered", "ms"),
        (1, "spawn to `tools/list` answered", "ms"),
        (2, "resident memory after it", "MB"),
    ] {
        let median = |rows: &[[f64; 3]]| median(rows.iter().map(|r| r[at]).collect());
        row(what, median(&a), median(&b), unit);
    }
    Ok(())
}

/// Milliseconds to both answers and megabytes resident.
fn start(command: Command) -> Result<[f64; 3]> {
    let begin = Instant::now();
    let mut server = Server::spawn(command)?;
    server.initialize()?;
    let initialized = begin.elapsed();
    server.request("tools/list", json!({}))?;
    let listed = begin.elapsed();
    Ok([milliseconds(initialized), milliseconds(listed), server.memory("VmRSS")? / 1024.0])
}

/// A duration as the log writes it.
fn logged_milliseconds(text: &str) -> Option<f64> {
    match text.strip_suffix("ms") {
        Some(milliseconds) => milliseconds.parse().ok(),
        None => text.strip_suffix('s')?.parse::<f64>().ok().map(|seconds| seconds * 1000.0),
    }
}

fn engine_ready(ours: &Path) -> Result {
    let sample = root().join("tests/fixtures/warmup.json.gz");
    let mut times = Vec::new();
    for _ in 0..STARTS {
        let output = Command::new(ours)
            .args(["trace", "summary"])
            .arg(&sample)
            .env("RUST_LOG", "devtools_engine=debug")
            .output()
            .map_err(|e| e.to_string())?;
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        let elapsed = log
            .lines()
            .find(|l| l.contains("isolate ready"))
            .and_then(|l| l.split("elapsed=").nth(1))
            .and_then(|rest| rest.split_whitespace().next())
            .and_then(logged_milliseconds)
            .ok_or("the log does not tell when the engine was ready")?;
        times.push(elapsed);
    }
    println!("| engine ready from the snapshot | {:.0} ms | n/a | |", median(times));
    Ok(())
}

fn traces(name: &str, megabytes: u64, temp: &Path, both: &Both) -> Result {
    let sample = root().join("tests/fixtures/warmup.json.gz");
    let file = temp.join(format!("{name}.json"));
    let events = large_trace::write(&sample, &file, megabytes).map_err(|e| e.to_string())?;
    let size = std::fs::metadata(&file).map_err(|e| e.to_string())?.len() / 1_000_000;
    step(&format!("{name}: {events} events, {size} MB"));
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for _ in 0..LOADS {
        a.push(load(&both.ours, &file)?);
        let output = Command::new(&both.node)
            .arg("--max-old-space-size=16000")
            .arg(root().join("tests/oracle/peer.mjs"))
            .arg(&file)
            .stderr(Stdio::null())
            .output()
            .map_err(|e| e.to_string())?;
        let answer: Value =
            serde_json::from_slice(&output.stdout).map_err(|e| format!("the original's modules: {e}"))?;
        let number =
            |key: &str| answer[key].as_f64().ok_or_else(|| format!("the original's modules gave no {key}: {answer}"));
        b.push([number("milliseconds")?, number("maxRssKb")? / 1024.0]);
    }
    let median = |rows: &[[f64; 2]], at: usize| median(rows.iter().map(|r| r[at]).collect());
    row(&format!("{name} trace ({events} events, {size} MB): parse + summary"), median(&a, 0), median(&b, 0), "ms");
    row(&format!("{name} trace: peak memory"), median(&a, 1), median(&b, 1), "MB");
    Ok(())
}

/// Ours is the whole tool call of a fresh server, with starting the engine, reading the file and sending the answer; the
/// original's is its own modules at work on bytes that are in memory, since its tools cannot load a file.
fn load(ours: &Path, file: &Path) -> Result<[f64; 2]> {
    let mut command = Command::new(ours);
    command.arg("--workspace=/");
    let mut server = Server::spawn(command)?;
    server.initialize()?;
    let begin = Instant::now();
    let answer =
        server.request("tools/call", json!({"name": "performance_load_trace", "arguments": {"filePath": file}}))?;
    let elapsed = begin.elapsed();
    if answer["result"].get("isError").is_some() {
        return Err(format!("loading failed: {answer}"));
    }
    Ok([milliseconds(elapsed), server.memory("VmHWM")? / 1024.0])
}

pub(crate) fn row(what: &str, ours: f64, theirs: f64, unit: &str) {
    println!("| {what} | {} {unit} | {} {unit} | {:.3} |", digits(ours), digits(theirs), ours / theirs);
}

fn digits(value: f64) -> String {
    if value < 100.0 { format!("{value:.1}") } else { format!("{value:.0}") }
}

pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
