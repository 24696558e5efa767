//! The rows of `cargo xtask bench` that need a browser: both servers drive Chrome of their own, one after the other.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use crate::bench::{median, milliseconds, row};
use crate::bench_servers::{Both, Server};
use crate::pages::Pages;
use crate::shell::{Result, root, step};

/// Starts that are measured, and calls of each kind.
const STARTS: usize = 5;
const CALLS: usize = 60;
const SNAPSHOTS: usize = 5;
const PAGES: usize = 10;
const RECORDINGS: usize = 3;

/// One server's figures.
struct Figures {
    first_list: f64,
    evaluate: Vec<f64>,
    click: Vec<f64>,
    snapshots: [f64; 2],
    memory: f64,
    /// From the end of a recording to its summary.
    summary: f64,
}

/// Runs the rows; `quick` with fewer starts and calls.
pub fn run(both: &Both, chrome: &Path, quick: bool) -> Result {
    let pages = Pages::start(root().join("tests/pages")).map_err(|e| e.to_string())?;
    step("browser: starts, round trips, snapshots, memory");
    let a = measure(&|| both.ours_with_browser(), &pages, quick)?;
    let b = measure(&|| both.original_with_browser(), &pages, quick)?;
    println!("| Chrome's own launch (part of the next row) | {:.0} ms | | |", launch(chrome)?);
    row("spawn to first `list_pages` answered", a.first_list, b.first_list, "ms");
    for (name, ours, theirs) in [("evaluate_script", a.evaluate, b.evaluate), ("click", a.click, b.click)] {
        row(&format!("`{name}`, p50"), percentile(&ours, 50), percentile(&theirs, 50), "ms");
        row(&format!("`{name}`, p95"), percentile(&ours, 95), percentile(&theirs, 95), "ms");
    }
    row("`take_snapshot` of 2 000 links", a.snapshots[0], b.snapshots[0], "ms");
    row("`take_snapshot` of 20 000 links", a.snapshots[1], b.snapshots[1], "ms");
    row("resident memory after ten pages (and those snapshots)", a.memory, b.memory, "MB");
    row("recording ended to summary answered", a.summary, b.summary, "ms");
    Ok(())
}

fn measure(command: &dyn Fn() -> Command, pages: &Pages, quick: bool) -> Result<Figures> {
    let (starts, calls, recordings) = if quick { (2, 15, 1) } else { (STARTS, CALLS, RECORDINGS) };
    let rounds = if quick { 1 } else { SNAPSHOTS };
    let mut firsts = Vec::new();
    for _ in 0..starts {
        let begin = Instant::now();
        let mut server = Server::spawn(command())?;
        server.initialize()?;
        server.call("list_pages", json!({}))?;
        firsts.push(milliseconds(begin.elapsed()));
        server.end();
    }
    let mut server = Server::spawn(command())?;
    server.initialize()?;
    server.call("navigate_page", json!({"pageId": 1, "url": pages.url("bench/static.html")}))?;
    let text = server.call("take_snapshot", json!({"pageId": 1}))?;
    let uid = text
        .lines()
        .find(|line| line.contains("button"))
        .and_then(|line| line.split("uid=").nth(1)?.split(' ').next())
        .ok_or("the page has no button")?
        .to_owned();
    let mut times = |tool: &str, arguments: Value, count: usize| {
        let mut times = Vec::with_capacity(count);
        for _ in 0..count {
            let begin = Instant::now();
            server.call(tool, arguments.clone())?;
            times.push(milliseconds(begin.elapsed()));
        }
        Ok::<_, String>(times)
    };
    let evaluate = times("evaluate_script", json!({"pageId": 1, "function": "() => document.title"}), calls)?;
    let click = times("click", json!({"pageId": 1, "uid": uid}), calls)?;
    let mut snapshots = [0.0; 2];
    for (result, count) in snapshots.iter_mut().zip([2_000, 20_000]) {
        let url = pages.url(&format!("bench/links.html#{count}"));
        times("navigate_page", json!({"pageId": 1, "url": "about:blank"}), 1)?;
        times("navigate_page", json!({"pageId": 1, "url": url, "timeout": 60_000}), 1)?;
        *result = median(times("take_snapshot", json!({"pageId": 1}), rounds)?);
    }
    for _ in 0..PAGES {
        times("new_page", json!({"url": pages.url("bench/static.html")}), 1)?;
    }
    let memory = server.memory("VmRSS")? / 1024.0;
    server.end();
    let summary = record(command, pages, recordings)?;
    Ok(Figures { first_list: median(firsts), evaluate, click, snapshots, memory, summary })
}

/// Milliseconds of `performance_stop_trace` after the sample page has been recorded: Chrome's handing the trace over, its
/// analysis, and for ours the start of an engine.
fn record(command: &dyn Fn() -> Command, pages: &Pages, count: usize) -> Result<f64> {
    let mut server = Server::spawn(command())?;
    server.initialize()?;
    server.call("navigate_page", json!({"pageId": 1, "url": pages.url("sample/index.html")}))?;
    let mut times = Vec::new();
    for _ in 0..count {
        server.call("performance_start_trace", json!({"pageId": 1, "autoStop": false}))?;
        // What is recorded lasts as long with both.
        let pause = "() => new Promise(done => setTimeout(done, 2000))";
        server.call("evaluate_script", json!({"pageId": 1, "function": pause}))?;
        let begin = Instant::now();
        let text = server.call("performance_stop_trace", json!({"pageId": 1}))?;
        times.push(milliseconds(begin.elapsed()));
        if !text.contains("## insight set id: NAVIGATION_0") {
            return Err(format!("the recording was not summarised: {text}"));
        }
    }
    server.end();
    Ok(median(times))
}

fn percentile(values: &[f64], percent: usize) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values[(values.len() - 1) * percent / 100]
}

/// What both servers are started with.
pub(crate) fn arguments(chrome: &Path) -> Vec<String> {
    let mut arguments = vec!["--headless".to_owned(), "--isolated".into()];
    arguments.push(format!("--executablePath={}", chrome.display()));
    arguments.extend(chrome_arguments().into_iter().map(|a| format!("--chromeArg={a}")));
    arguments
}

fn chrome_arguments() -> Vec<String> {
    let mut arguments = vec!["--disable-gpu".to_owned()];
    // The id of the user, without a dependency for one number.
    let root = std::fs::metadata("/proc/self").is_ok_and(|meta| {
        #[cfg(unix)]
        {
            std::os::unix::fs::MetadataExt::uid(&meta) == 0
        }
        #[cfg(not(unix))]
        {
            let _ = meta;
            false
        }
    });
    arguments.extend(root.then(|| "--no-sandbox".to_owned()));
    arguments
}

pub(crate) fn browser() -> Option<PathBuf> {
    let given = std::env::var_os("DEVTOOLS_MCP_CHROME").map(PathBuf::from);
    let places = ["/opt/google/chrome/chrome", "/usr/bin/chromium", "/usr/bin/chromium-browser"];
    given.into_iter().chain(places.map(PathBuf::from)).find(|path| path.is_file())
}

/// Milliseconds from spawning Chrome to its being ready for connections.
fn launch(chrome: &Path) -> Result<f64> {
    let mut times = Vec::new();
    for number in 0..STARTS {
        let profile = std::env::temp_dir().join(format!("devtools-mcp-bench-{}-{number}", std::process::id()));
        let begin = Instant::now();
        let mut child = Command::new(chrome)
            .args(["--headless=new", "--no-first-run", "--remote-debugging-port=0", "about:blank"])
            .args(chrome_arguments())
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| e.to_string())?;
        let stderr = child.stderr.take().ok_or("no standard error")?;
        let ready = BufReader::new(stderr).lines().map_while(|l| l.ok()).any(|l| l.contains("DevTools listening on"));
        times.push(milliseconds(begin.elapsed()));
        let _ = child.kill();
        let _ = child.wait();
        let _ = std::fs::remove_dir_all(&profile);
        if !ready {
            return Err("Chrome ended before it was ready".into());
        }
    }
    Ok(median(times))
}
