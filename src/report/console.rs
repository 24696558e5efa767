//! Console sections: the list of messages, one message, one issue.

use serde_json::{Map, Value, json};

use super::Section;
use super::fence::fenced;
use super::paging::Part;
use crate::devtools::issues::IssueLink;

/// Longer lines of the list are clipped.
const MAX_LINE: usize = 300;

/// Lines of one stack trace.
const MAX_STACK: usize = 50;

/// A line of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct ConsoleLine {
    /// Its number.
    pub id: u32,
    /// `log`, …, or `issue`.
    pub kind: String,
    /// Its text, or an issue's title.
    pub text: String,
    /// Number of arguments; none for issues.
    pub arguments: Option<usize>,
    /// Neighbours alike that are shown as one, or the issue's occurrences.
    pub count: u64,
    /// The frame or worker it is from.
    pub place: Option<String>,
    /// Its stack; empty if all frames are ignored.
    pub stack: Option<Vec<String>>,
}

impl ConsoleLine {
    fn is_issue(&self) -> bool {
        self.arguments.is_none()
    }

    /// Its lines in the list.
    pub fn lines(&self) -> Vec<String> {
        let counted = match self.arguments {
            None => format!(" (count: {})", self.count),
            Some(n) if self.count > 1 => format!(" ({n} args) [{} times]", self.count),
            Some(n) => format!(" ({n} args)"),
        };
        let place = self.place.as_ref().map(|place| format!(" {place}")).unwrap_or_default();
        let mut lines = vec![format!("msgid={} [{}] {}{counted}{place}", self.id, self.kind, clip(&self.text))];
        lines.extend(limited(self.stack.as_deref().unwrap_or_default()).into_iter().map(|line| format!("  {line}")));
        lines
    }

    fn structured(&self) -> Value {
        let mut entry = json!({"type": self.kind, "id": self.id});
        if self.is_issue() {
            entry["title"] = self.text.as_str().into();
            entry["count"] = self.count.into();
            return entry;
        }
        entry["text"] = self.text.as_str().into();
        entry["argsCount"] = self.arguments.into();
        if self.count > 1 {
            entry["count"] = self.count.into();
        }
        if let Some(place) = &self.place {
            entry["place"] = place.as_str().into();
        }
        if let Some(stack) = &self.stack {
            entry["stackTrace"] = limited(stack).join("\n").into();
        }
        entry
    }
}

/// A line of the list at most this long, with its true length.
fn clip(text: &str) -> String {
    match text.char_indices().nth(MAX_LINE) {
        Some((at, _)) => format!("{}… ({} characters)", &text[..at], text.chars().count()),
        None => text.to_owned(),
    }
}

fn limited(stack: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = stack.iter().take(MAX_STACK).cloned().collect();
    if stack.len() > MAX_STACK {
        lines.push(format!("... and {} more frames", stack.len() - MAX_STACK));
    }
    lines
}

/// The list of a page's messages.
pub struct ConsoleList {
    /// What is shown of it.
    pub lines: Vec<ConsoleLine>,
    /// Which part that is.
    pub part: Part,
    /// What else there is to know: entries that are gone, positions that are not original.
    pub notes: Vec<String>,
    /// Whether the lines are marked as the page's.
    pub fenced: bool,
}

impl Section for ConsoleList {
    fn order(&self) -> u8 {
        19
    }

    fn text(&self) -> String {
        let mut lines = vec!["## Console messages".to_owned()];
        if self.part.total == 0 {
            lines.push("<no console messages found>".into());
        } else {
            lines.extend(self.part.lines());
            let list = self.lines.iter().flat_map(ConsoleLine::lines).collect::<Vec<_>>().join("\n");
            lines.push(if self.fenced { fenced(&list) } else { list });
            if self.lines.iter().any(|line| line.stack.is_some()) {
                lines.push("Note: stack trace line and column numbers use 1-based indexing".into());
            }
        }
        lines.extend(self.part.left_out("list_console_messages"));
        lines.extend(self.notes.iter().map(|note| format!("Note: {note}")));
        lines.join("\n")
    }

    fn structured(&self, content: &mut Map<String, Value>) {
        if self.part.total > 0 {
            content.insert("pagination".into(), self.part.structured());
            content.insert("consoleMessages".into(), self.lines.iter().map(ConsoleLine::structured).collect());
        }
        if !self.notes.is_empty() {
            content.insert("consoleNotes".into(), self.notes.clone().into());
        }
    }
}

/// One message in full.
pub struct ConsoleMessage {
    /// As in the list.
    pub line: ConsoleLine,
    /// Its arguments as text.
    pub arguments: Vec<String>,
    /// Text of the message, as far as it is shown.
    pub text: String,
    /// Positions that are not original, texts that are cut.
    pub notes: Vec<String>,
    /// The page's words are marked as such.
    pub fenced: bool,
}

/// What follows a stack.
const ONE_BASED: &str = "Note: line and column numbers use 1-based indexing";

/// A stack with the note below it.
pub fn stack_text(stack: &[String]) -> String {
    let mut lines = limited(stack);
    lines.push(ONE_BASED.into());
    lines.join("\n")
}

impl Section for ConsoleMessage {
    fn order(&self) -> u8 {
        17
    }

    fn text(&self) -> String {
        let line = &self.line;
        let mark = |text: String| if self.fenced { fenced(&text) } else { text };
        let mut lines = vec![format!("ID: {}", line.id), mark(format!("Message: {}> {}", line.kind, self.text))];
        if let Some(place) = &line.place {
            lines.push(format!("Place: {place}"));
        }
        if !self.arguments.is_empty() {
            lines.push("### Arguments".into());
            let arguments = self.arguments.iter().enumerate().map(|(n, argument)| format!("Arg #{n}: {argument}"));
            lines.push(mark(arguments.collect::<Vec<_>>().join("\n")));
        }
        if let Some(stack) = &line.stack {
            lines.push("### Stack trace".into());
            lines.push(stack_text(stack));
        }
        lines.extend(self.notes.iter().map(|note| format!("Note: {note}")));
        lines.join("\n")
    }

    fn structured(&self, content: &mut Map<String, Value>) {
        let line = &self.line;
        let mut entry = json!({
            "id": line.id, "type": line.kind, "text": self.text,
            "argsCount": line.arguments.unwrap_or(0), "args": self.arguments,
        });
        if let Some(place) = &line.place {
            entry["place"] = place.as_str().into();
        }
        if let Some(stack) = &line.stack {
            entry["stackTrace"] = stack_text(stack).into();
        }
        content.insert("consoleMessage".into(), entry);
    }
}

/// Something that an issue is about.
#[derive(Debug, Clone, PartialEq)]
pub struct AffectedResource {
    /// Of the node, if the page's snapshot has it.
    pub uid: Option<String>,
    /// The request: its number, or its address.
    pub request: Option<AffectedRequest>,
    /// What the browser said about it.
    pub data: Value,
}

/// A request that an issue is about.
#[derive(Debug, Clone, PartialEq)]
pub enum AffectedRequest {
    /// In the list of requests.
    Known(u32),
    /// Not in the list.
    Url(String),
}

/// One issue in full.
pub struct ConsoleIssue {
    /// As in the list.
    pub line: ConsoleLine,
    /// Markdown with its heading.
    pub description: String,
    /// Where to read on.
    pub links: Vec<IssueLink>,
    /// One for each occurrence that has details.
    pub affected: Vec<AffectedResource>,
}

impl Section for ConsoleIssue {
    fn order(&self) -> u8 {
        17
    }

    fn text(&self) -> String {
        let description = self.description.trim();
        let body = description.strip_prefix("# ").unwrap_or(description);
        let mut lines = vec![format!("ID: {}", self.line.id), format!("Message: issue> {body}")];
        if !self.links.is_empty() {
            lines.push("Learn more:".into());
            lines.extend(self.links.iter().map(|link| format!("[{}]({})", link.title, link.link)));
        }
        if !self.affected.is_empty() {
            lines.push("### Affected resources".into());
            lines.extend(self.affected.iter().map(AffectedResource::line));
        }
        lines.join("\n")
    }

    fn structured(&self, content: &mut Map<String, Value>) {
        let affected: Vec<Value> = self.affected.iter().map(AffectedResource::structured).collect();
        let links: Vec<Value> =
            self.links.iter().map(|link| json!({"link": link.link, "linkTitle": link.title})).collect();
        let entry = json!({
            "id": self.line.id, "type": "issue", "count": self.line.count, "title": self.line.text,
            "description": self.description, "links": links, "affectedResources": affected,
        });
        content.insert("consoleMessage".into(), entry);
    }
}

impl AffectedResource {
    fn line(&self) -> String {
        let mut line = String::new();
        if let Some(uid) = &self.uid {
            line.push_str(&format!("uid={uid} "));
        }
        match &self.request {
            Some(AffectedRequest::Known(id)) => line.push_str(&format!("reqid={id} ")),
            Some(AffectedRequest::Url(url)) => line.push_str(&format!("url={url} ")),
            None => {}
        }
        format!("{line}data={}", self.data)
    }

    fn structured(&self) -> Value {
        let mut entry = Map::new();
        if let Some(uid) = &self.uid {
            entry.insert("uid".into(), uid.as_str().into());
        }
        entry.insert("data".into(), self.data.clone());
        match &self.request {
            Some(AffectedRequest::Known(id)) => _ = entry.insert("request".into(), (*id).into()),
            Some(AffectedRequest::Url(url)) => _ = entry.insert("request".into(), url.as_str().into()),
            None => {}
        }
        entry.into()
    }
}
