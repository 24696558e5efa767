//! Reports by users of browser-debugging servers, as regression tests: what should happen, whatever another server does.
//!
//! Each test is named after its report (`a1_…`); groups: A filling, B files, keys and dragging, C clicking, frames and
//! shadow roots, D uids, E dialogs and navigation, F console, G source maps, H network, I pictures, J traces, K heap
//! snapshots, L life cycle.

mod clicking;
mod console;
mod dialogs;
mod drills;
mod files_and_keys;
mod filling;
mod heap;
mod life;
pub mod network;
mod pictures;
mod source_maps;
mod traces;
mod uids;

pub use console::{id_of, list_with};
pub use pictures::{picture, size};

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{BINARY, Client, browser_arguments, pages};

/// Our server with a browser of its own, and shorthands for what nearly every test does.
pub struct Browser {
    pub client: Client,
}

impl Browser {
    pub fn start(more: &[&str]) -> Self {
        Self::start_with(more, |_| {})
    }

    /// `prepare` may set the directory or the environment.
    pub fn start_with(more: &[&str], prepare: impl FnOnce(&mut std::process::Command)) -> Self {
        let mut command = std::process::Command::new(BINARY);
        command.args(browser_arguments()).args(more);
        prepare(&mut command);
        let mut client = Client::spawn(command);
        client.initialize(json!({}));
        Browser { client }
    }

    /// With a profile of the test's own.
    pub fn start_in(profile: &std::path::Path) -> Self {
        let mut arguments = browser_arguments();
        arguments.retain(|argument| argument != "--isolated");
        arguments.push(format!("--userDataDir={}", profile.display()));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        Browser { client: Client::ready(&arguments) }
    }

    pub fn text(&mut self, tool: &str, arguments: Value) -> String {
        self.client.text(tool, arguments)
    }

    pub fn error(&mut self, tool: &str, arguments: Value) -> String {
        self.client.error(tool, arguments)
    }

    /// Shows a page with this content.
    pub fn open(&mut self, html: &str) {
        self.go(&data_url(html));
    }

    /// Shows the page at this address.
    pub fn go(&mut self, url: &str) {
        self.text("navigate_page", json!({"url": url}));
    }

    pub fn snapshot(&mut self) -> String {
        self.text("take_snapshot", json!({}))
    }

    /// The uid of the first node of a fresh snapshot whose line has this name.
    pub fn uid(&mut self, name: &str) -> String {
        let snapshot = self.snapshot();
        uid_in(&snapshot, name).unwrap_or_else(|| panic!("{name} in {snapshot}"))
    }

    pub fn click(&mut self, name: &str) -> String {
        let uid = self.uid(name);
        self.text("click", json!({"uid": uid}))
    }

    pub fn fill(&mut self, name: &str, value: &str) -> String {
        let uid = self.uid(name);
        self.text("fill", json!({"uid": uid, "value": value}))
    }

    /// Fills a field that must refuse it; the error.
    pub fn refused(&mut self, name: &str, value: &str) -> String {
        let uid = self.uid(name);
        self.error("fill", json!({"uid": uid, "value": value}))
    }

    /// The value of a function in the page; `undefined` is null.
    pub fn eval(&mut self, function: &str) -> Value {
        script_value(&self.text("evaluate_script", json!({"function": function, "waitForStableDom": false})))
    }

    /// Waits until a function in the page has this value.
    #[track_caller]
    pub fn until(&mut self, function: &str, expected: Value) {
        let end = Instant::now() + Duration::from_secs(15);
        loop {
            let value = self.eval(function);
            if value == expected {
                return;
            }
            assert!(Instant::now() < end, "{function} is {value}, not {expected}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Begins a call without waiting for its answer.
    pub fn begin(&mut self, tool: &str, arguments: Value) -> u64 {
        self.client.begin("tools/call", json!({"name": tool, "arguments": arguments}))
    }
}

/// The value in an answer of `evaluate_script`.
pub fn script_value(text: &str) -> Value {
    let json = text.split("```json\n").nth(1).and_then(|rest| rest.split("\n```").next());
    let json = json.unwrap_or_else(|| panic!("a script's value, not {text}"));
    if json == "undefined" { Value::Null } else { serde_json::from_str(json).unwrap() }
}

/// The uid on the first line of a snapshot with this name in quotes.
pub fn uid_in(snapshot: &str, name: &str) -> Option<String> {
    uids_in(snapshot, name).into_iter().next()
}

/// The uids on all lines of a snapshot with this name in quotes.
pub fn uids_in(snapshot: &str, name: &str) -> Vec<String> {
    let quoted = format!("\"{name}\"");
    let lines = snapshot.lines().filter(|line| line.contains(&quoted));
    lines.filter_map(|l| l.trim_start().strip_prefix("uid=")?.split(' ').next()).map(str::to_owned).collect()
}

/// A page as an address.
pub fn data_url(html: &str) -> String {
    let mut url = "data:text/html;charset=utf-8,".to_owned();
    for byte in html.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'<' | b'>' | b'=' | b'/' => {
                url.push(byte as char)
            }
            _ => url.push_str(&format!("%{byte:02X}")),
        }
    }
    url
}

/// A page of `tests/pages/cases`.
pub fn case(path: &str) -> String {
    pages().url(&format!("cases/{path}"))
}

/// The same page at another site.
pub fn other_site(url: &str) -> String {
    url.replace("127.0.0.1", "localhost")
}
