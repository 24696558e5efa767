//! An answer in a form that can be compared: without what each run makes up anew (uids, folders) and with pictures as
//! their format and size.

use std::collections::HashMap;
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;

/// What both servers must agree on.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub text: String,
    pub is_error: bool,
    /// Null if there is none.
    pub structured: Value,
}

/// The uids of one server by the order of their first appearance.
#[derive(Clone, Default)]
pub struct Numbers(HashMap<String, usize>);

impl Numbers {
    /// A text with its uids replaced.
    pub fn renamed(&mut self, text: &str) -> String {
        let bytes = text.as_bytes();
        let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let mut result = String::with_capacity(text.len());
        let (mut at, mut copied) = (0, 0);
        while at < bytes.len() {
            let first = digits(at);
            let starts = first > 0 && (at == 0 || matches!(bytes[at - 1], b'=' | b'"' | b' '));
            let second = if starts && bytes.get(at + first) == Some(&b'_') { digits(at + first + 1) } else { 0 };
            let end = at + first + 1 + second;
            if second > 0 && bytes.get(end).is_none_or(|b| !b.is_ascii_alphanumeric()) {
                let next = self.0.len();
                let number = *self.0.entry(text[at..end].to_owned()).or_insert(next);
                result.push_str(&text[copied..at]);
                result.push_str(&format!("#{number}"));
                (at, copied) = (end, end);
            } else {
                at += first.max(1);
            }
        }
        result.push_str(&text[copied..]);
        result
    }

    fn renamed_value(&mut self, value: &mut Value, folder: &Path) {
        match value {
            Value::String(text) => *text = self.renamed(&without_folders(text, folder)),
            Value::Array(items) => items.iter_mut().for_each(|item| self.renamed_value(item, folder)),
            Value::Object(map) => {
                // Numbers of ours are numbers, ids of Chrome's in details are what is meant here.
                for key in IDS {
                    let is_ours = |value: &Value| *key == "requestId" && value.is_i64();
                    if let Some(value) = map.get_mut(*key).filter(|value| !is_ours(value)) {
                        *value = "#".into();
                    }
                }
                map.values_mut().for_each(|item| self.renamed_value(item, folder));
            }
            _ => {}
        }
    }
}

/// The side's own folder, and the folders that the servers make for files nobody named.
fn without_folders(text: &str, folder: &Path) -> String {
    let mut text = text.replace(&*folder.to_string_lossy(), "{tmp}");
    let temporary = std::env::temp_dir();
    for made in ["chrome-devtools-mcp-", "devtools-mcp-"] {
        let start = temporary.join(made).to_string_lossy().into_owned();
        while let Some((before, after)) = text.split_once(&start) {
            let rest = after.find('/').map_or("", |at| &after[at..]);
            text = format!("{before}{{made}}{rest}");
        }
    }
    text
}

impl Answer {
    /// Reads a message; also the snapshot in it, as the server gave it.
    pub fn read(message: &Value, folder: &Path, numbers: &mut Numbers) -> (Self, Option<String>) {
        let Some(result) = message.get("result") else {
            let text = format!("JSON-RPC error {}", message["error"]);
            return (Answer { text, is_error: true, structured: Value::Null }, None);
        };
        let mut parts = Vec::new();
        for item in result["content"].as_array().expect("content") {
            match item["text"].as_str() {
                Some(text) => parts.push(with_picture(text)),
                None => parts.push(picture(item)),
            }
        }
        let raw = parts.join("\n");
        let mut structured = result.get("structuredContent").cloned().unwrap_or(Value::Null);
        // First, since it holds every node where a text may be shortened.
        numbers.renamed_value(&mut structured, folder);
        let text = numbers.renamed(&without_ids(&without_folders(&raw, folder)));
        let tree = raw.split_once("## Latest page snapshot\n").map(|(_, tree)| tree.to_owned());
        (Answer { text, is_error: result["isError"] == true, structured }, tree)
    }

    /// Removes lines of text, also where `structuredContent` repeats them. Whether there were any.
    pub fn remove_lines(&mut self, unwanted: impl Fn(&str) -> bool) -> bool {
        let kept = |text: &str| text.split('\n').filter(|line| !unwanted(line)).collect::<Vec<_>>().join("\n");
        let text = kept(&self.text);
        let removed = text.len() != self.text.len();
        self.text = text;
        for key in ["message", "errorMessage"] {
            let Some(before) = self.structured.get(key).and_then(Value::as_str) else { continue };
            let after = kept(before);
            if after.is_empty() && !before.is_empty() {
                self.remove_key(key);
            } else {
                self.structured[key] = after.into();
            }
        }
        if let Some(text) = self.structured.get("text").and_then(Value::as_str) {
            self.structured["text"] = kept(text).into();
        }
        removed
    }

    /// Replaces lines of the text. Whether there were any.
    pub fn map_lines(&mut self, mut replace: impl FnMut(&str) -> Option<String>) -> bool {
        let mut changed = false;
        let lines = self.text.split('\n').map(|line| match replace(line) {
            Some(other) => {
                changed = true;
                other
            }
            None => line.to_owned(),
        });
        self.text = lines.collect::<Vec<_>>().join("\n");
        changed
    }

    pub fn remove_key(&mut self, key: &str) {
        if let Some(map) = self.structured.as_object_mut() {
            map.shift_remove(key);
        }
    }

    pub fn has_line(&self, start: &str) -> bool {
        self.text.lines().any(|line| line.starts_with(start))
    }
}

fn picture(item: &Value) -> String {
    let bytes = BASE64_STANDARD.decode(item["data"].as_str().expect("a picture")).unwrap();
    let size = imagesize::blob_size(&bytes).expect("a picture that can be read");
    let kind = imagesize::image_type(&bytes).expect("a kind of picture");
    format!("[{} {} {kind:?} {}x{}]", item["type"], item["mimeType"], size.width, size.height)
}

/// Keys of details whose values each browser makes up: requests, documents, nodes.
const IDS: &[&str] = &["requestId", "loaderId", "violatingNodeId", "nodeId", "documentNodeId", "frameId", "scriptId"];

/// Such values in details that are shown as JSON.
fn without_ids(text: &str) -> String {
    let mut text = text.to_owned();
    for key in IDS {
        let key = format!("\"{key}\":");
        let mut parts = text.split(key.as_str());
        let mut result = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let rest = part.trim_start_matches(|c: char| c.is_ascii_hexdigit() || c == '.' || c == '"');
            result.push_str(&format!("{key}#{rest}"));
        }
        text = result;
    }
    text
}

/// A text that is nothing but the path of a picture gets the picture's size.
fn with_picture(text: &str) -> String {
    match imagesize::size(text) {
        Ok(size) if text.ends_with(".png") => format!("{text} {}x{}", size.width, size.height),
        _ => text.to_owned(),
    }
}

/// Where two answers differ, after the rules, and both as they were.
pub fn difference(a: &Answer, b: &Answer, shown_a: &Answer, shown_b: &Answer) -> String {
    let cut = |text: &str| text.chars().take(1500).collect::<String>();
    let line = |x: &str, y: &str| x.split('\n').zip(y.split('\n')).take_while(|(x, y)| x == y).count();
    if a.text != b.text {
        let at = line(&a.text, &b.text);
        let rest = |text: &str| cut(&text.split('\n').skip(at).take(8).collect::<Vec<_>>().join("\n"));
        return format!("text from line {at}\n ours: {}\n peer: {}", rest(&a.text), rest(&b.text));
    }
    if a.is_error != b.is_error {
        return format!("isError\n ours: {}\n peer: {}", cut(&shown_a.text), cut(&shown_b.text));
    }
    let (x, y) = (format!("{:#}", a.structured), format!("{:#}", b.structured));
    let at = line(&x, &y).saturating_sub(3);
    let rest = |text: &str| cut(&text.split('\n').skip(at).take(14).collect::<Vec<_>>().join("\n"));
    format!("structuredContent from line {at}\n ours: {}\n peer: {}", rest(&x), rest(&y))
}
