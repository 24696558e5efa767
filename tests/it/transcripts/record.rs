//! Writes down what a real browser and our connection say to each other, without anything of this machine.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use devtools_mcp::cdp::transport::{BoxFuture, Reader, Writer};
use devtools_mcp::cdp::{Connection, pipe};
use serde_json::{Value, json};

use crate::support;

/// Where test pages are in a recording.
pub const BASE: &str = "http://127.0.0.1:8000/transcripts/";

/// Events that no scenario is about, and there are many of them.
const LEFT_OUT: &[&str] = &["Network.", "CSS.", "DOM.", "Log.", "Audits."];

/// Parameters longer than this are scripts of ours; which call it is, is told by its place.
const LONGEST_PARAMETERS: usize = 300;

type Lines = Arc<Mutex<Vec<(&'static str, Value)>>>;

/// A browser whose conversation is written down.
pub struct Recorder {
    pub connection: Arc<Connection>,
    lines: Lines,
    _browser: tokio::process::Child,
    _profile: tempfile::TempDir,
}

struct Tee<T>(T, Lines);

fn note(lines: &Lines, direction: &'static str, message: &[u8]) {
    let message = serde_json::from_slice(message).expect("Chrome and we speak JSON");
    lines.lock().unwrap().push((direction, message));
}

impl<R: Reader> Reader for Tee<R> {
    fn receive(&mut self) -> BoxFuture<'_, std::io::Result<Option<Vec<u8>>>> {
        Box::pin(async {
            let received = self.0.receive().await;
            if let Ok(Some(message)) = &received {
                note(&self.1, "in", message);
            }
            received
        })
    }
}

impl<W: Writer> Writer for Tee<W> {
    fn send<'a>(&'a mut self, message: &'a [u8]) -> BoxFuture<'a, std::io::Result<()>> {
        note(&self.1, "out", message);
        self.0.send(message)
    }
}

impl Recorder {
    pub fn start() -> Self {
        let chrome = support::chrome().expect("DEVTOOLS_MCP_CHROME names the browser to record");
        let profile = tempfile::tempdir().unwrap();
        // Chrome's ends of the pipes are the descriptors 3 and 4.
        let mut command = tokio::process::Command::new("/bin/sh");
        command.args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null", "sh", &chrome]);
        command.args(["--headless=new", "--remote-debugging-pipe", "--no-first-run", "--site-per-process"]);
        command.args(support::chrome_arguments()).arg(format!("--user-data-dir={}", profile.path().display()));
        command.arg("about:blank");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        let mut browser = command.spawn().unwrap();
        let (reader, writer) = pipe::pair(browser.stdout.take().unwrap(), browser.stdin.take().unwrap());
        let lines = Lines::default();
        let connection = Connection::start(Tee(reader, lines.clone()), Tee(writer, lines.clone()));
        Recorder { connection, lines, _browser: browser, _profile: profile }
    }

    pub fn write(self, file: &Path) {
        let mut scrub = Scrub::default();
        let mut text = String::new();
        let mut left_out = HashSet::new();
        for (direction, mut message) in self.lines.lock().unwrap().drain(..) {
            if direction == "in" && LEFT_OUT.iter().any(|p| message["method"].as_str().unwrap_or("").starts_with(p)) {
                continue;
            }
            // What the events that are left out make us ask.
            if message["method"] == "Network.getResponseBody" {
                left_out.insert(message["id"].clone());
            }
            if left_out.contains(&message["id"]) {
                continue;
            }
            if direction == "out" && message["params"].to_string().len() > LONGEST_PARAMETERS {
                message["params"] = Value::Null;
            }
            scrub.value(&mut message);
            text.push_str(&json!({direction: message}).to_string());
            text.push('\n');
        }
        std::fs::write(file, text).unwrap();
    }
}

/// Replaces what differs from one run to the next: ids, ports, times.
#[derive(Default)]
struct Scrub {
    names: HashMap<String, String>,
}

impl Scrub {
    fn value(&mut self, value: &mut Value) {
        match value {
            Value::Object(object) => {
                for (key, value) in object {
                    match key.as_str() {
                        "timestamp" | "wallTime" | "pid" | "processId" => *value = json!(1),
                        _ => self.value(value),
                    }
                }
            }
            Value::Array(list) => list.iter_mut().for_each(|value| self.value(value)),
            Value::String(text) => *text = self.text(text),
            _ => {}
        }
    }

    /// Ids are runs of 32 hexadecimal digits, and numbers with points.
    fn text(&mut self, text: &str) -> String {
        let text = text.replace(&format!(":{}", support::pages().port()), ":8000");
        let is_number = text.contains('.') && text.bytes().all(|b| b.is_ascii_digit() || b"-.".contains(&b));
        if is_number {
            return self.name("number", &text);
        }
        let mut result = String::new();
        let mut run = String::new();
        for c in text.chars().chain(['\n']) {
            if c.is_ascii_hexdigit() {
                run.push(c);
                continue;
            }
            let run = std::mem::take(&mut run);
            result.push_str(&if run.len() == 32 { self.name("id", &run) } else { run });
            result.push(c);
        }
        result.pop();
        result
    }

    fn name(&mut self, kind: &str, text: &str) -> String {
        let number = self.names.len() + 1;
        self.names.entry(text.to_owned()).or_insert_with(|| format!("{kind}-{number}")).clone()
    }
}
