//! One entry of a page's console.

use std::sync::{Arc, OnceLock};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::details::{Cause, Details};
use super::format;
use super::remote::RemoteObject;
use crate::browser::collect::{Origin, Shared, Weight, allocated};
use crate::cdp::Event;

/// Longer texts are cut when they arrive.
const MAX_TEXT: usize = 1024 * 1024;

/// An entry as it is kept.
#[derive(Clone)]
pub struct Entry {
    /// Its number for clients, once it has one (see [`super::ConsoleLog::number`]).
    pub id: Option<u32>,
    /// Its place in the order of arrival, over all of the page's entries.
    pub order: u64,
    /// The frame, worker or resource that it is about, unless that is the page's main frame.
    pub place: Option<Arc<str>>,
    /// What it is.
    pub kind: Kind,
}

/// What an entry is.
#[derive(Clone)]
pub enum Kind {
    /// A console call, a log entry or an uncaught error.
    Message(Arc<Message>),
    /// An issue as the browser reports it; the front-end decides which of them are shown and how they are grouped.
    Issue(Arc<Issue>),
}

/// A message.
pub struct Message {
    /// `log`, `error`, `warn`, … as in the tool's filter.
    pub kind: Box<str>,
    /// Its text on as many lines as it has.
    pub text: Box<str>,
    /// The call's arguments; an uncaught error has none.
    pub arguments: Box<[RemoteObject]>,
    /// What was read of each object among the arguments, or of the thrown value.
    pub details: Box<[OnceLock<Details>]>,
    /// `Runtime.StackTrace` of the call.
    pub stack: Option<Arc<RawValue>>,
    /// The thrown value of an uncaught error.
    pub thrown: Option<Box<RemoteObject>>,
    /// Where it comes from.
    pub origin: Arc<Origin>,
}

/// An issue.
pub struct Issue {
    /// `Audits.InspectorIssue`.
    pub raw: Box<RawValue>,
}

impl Weight for Entry {
    fn bytes(&self) -> usize {
        let kind = match &self.kind {
            Kind::Issue(issue) => 200 + issue.raw.get().len(),
            Kind::Message(message) => message.bytes(),
        };
        kind + self.place.as_deref().map_or(0, allocated)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ConsoleCall {
    r#type: String,
    args: Vec<RemoteObject>,
    stack_trace: Option<Box<RawValue>>,
    execution_context_id: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Thrown {
    exception_details: ExceptionDetails,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExceptionDetails {
    text: String,
    exception: Option<RemoteObject>,
    stack_trace: Option<Box<RawValue>>,
    url: Option<String>,
    #[serde(default)]
    line_number: i64,
    #[serde(default)]
    column_number: i64,
    execution_context_id: Option<i64>,
}

#[derive(Deserialize)]
struct Logged {
    entry: LogEntry,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LogEntry {
    source: String,
    level: String,
    text: String,
    stack_trace: Option<Box<RawValue>>,
    url: Option<String>,
    #[serde(default)]
    args: Vec<RemoteObject>,
}

/// A message and the execution context it was made in.
pub(super) struct Read {
    pub message: Message,
    pub context: Option<i64>,
    /// The address that it is about.
    pub about: Option<String>,
    /// Handles that nobody needs.
    pub release: Vec<Box<str>>,
}

impl Message {
    /// From an event; `None` if there is nothing in it to show.
    pub(super) fn read(event: &Event, origin: &Arc<Origin>, stacks: &mut Shared) -> Option<Read> {
        match event.method.as_str() {
            "Runtime.consoleAPICalled" => {
                let call: ConsoleCall = event.decode().ok()?;
                let kind = if call.r#type == "warning" { "warn".into() } else { call.r#type };
                let text = format::text(&call.args);
                let stack = call.stack_trace.map(|stack| stacks.of(stack));
                let message = Message::new(kind, text, call.args, stack, None, origin);
                Some(Read { message, context: Some(call.execution_context_id), about: None, release: Vec::new() })
            }
            "Runtime.exceptionThrown" => {
                let Thrown { exception_details: details } = event.decode().ok()?;
                let text = uncaught(&details);
                let place = details.url.as_deref().filter(|url| !url.is_empty());
                let stack =
                    details.stack_trace.or_else(|| place_only(place?, details.line_number, details.column_number));
                let stack = stack.map(|stack| stacks.of(stack));
                let message = Message::new("error".into(), text, Vec::new(), stack, details.exception, origin);
                Some(Read { message, context: details.execution_context_id, about: None, release: Vec::new() })
            }
            "Log.entryAdded" => {
                let Logged { entry } = event.decode().ok()?;
                // Workers report on their own sessions.
                if entry.source == "worker" || !origin.part.logs_itself() {
                    return None;
                }
                let kind = if entry.level == "warning" { "warn".into() } else { entry.level };
                let stack = entry.stack_trace.map(|stack| stacks.of(stack));
                let message = Message::new(kind, entry.text, Vec::new(), stack, None, origin);
                let release = entry.args.into_iter().filter_map(|argument| argument.object_id).collect();
                let about = entry.url.filter(|url| !url.is_empty());
                Some(Read { message, context: None, about, release })
            }
            _ => None,
        }
    }

    fn new(
        kind: String,
        text: String,
        arguments: Vec<RemoteObject>,
        stack: Option<Arc<RawValue>>,
        thrown: Option<RemoteObject>,
        origin: &Arc<Origin>,
    ) -> Self {
        let values = arguments.len().max(usize::from(thrown.is_some()));
        Message {
            kind: kind.into(),
            text: cut(text).into(),
            details: (0..values).map(|_| OnceLock::new()).collect(),
            arguments: arguments.into_iter().map(RemoteObject::slim).collect(),
            stack,
            thrown: thrown.map(Box::new),
            origin: origin.clone(),
        }
    }

    /// Its text, with what has been read of its arguments where Chrome sent no previews.
    pub fn shown_text(&self) -> String {
        if !self.arguments.iter().any(RemoteObject::lacks_preview) {
            return self.text.to_string();
        }
        let with_structure = |(argument, details): (&RemoteObject, &OnceLock<Details>)| match details.get() {
            Some(Details::Structure(structure)) if argument.lacks_preview() => argument.with_structure(structure),
            _ => argument.clone(),
        };
        cut(format::text(&self.arguments.iter().zip(&self.details).map(with_structure).collect::<Vec<_>>()))
    }

    /// The values that details can be read of, as many as there are slots for them.
    pub fn values(&self) -> &[RemoteObject] {
        match &self.thrown {
            Some(thrown) => std::slice::from_ref(&**thrown),
            None => &self.arguments,
        }
    }

    fn bytes(&self) -> usize {
        let raw = |raw: &Option<Box<RawValue>>| raw.as_ref().map_or(0, |raw| allocated(raw.get()));
        let details = self.details.iter().filter_map(OnceLock::get).map(|details| match details {
            Details::Structure(text) => allocated(text),
            Details::Error(error) => {
                let cause = |cause: &Cause| size_of::<Cause>() + allocated(&cause.message) + raw(&cause.stack);
                size_of_val(&**error) + raw(&error.stack) + error.causes.iter().map(cause).sum::<usize>()
            }
            Details::None => 0,
        });
        let texts = [&*self.text, &*self.kind].into_iter();
        // Also if the next one shares it.
        let stack = self.stack.as_ref().map_or(0, |stack| allocated(stack.get()));
        let values = self.values();
        size_of::<Self>()
            + texts.map(allocated).sum::<usize>()
            + stack
            + size_of_val(values)
            + values.iter().map(RemoteObject::bytes).sum::<usize>()
            + size_of_val(&*self.details)
            + details.sum::<usize>()
    }
}

/// What was thrown, in words: the original leaves out everything that is not an error.
fn uncaught(details: &ExceptionDetails) -> String {
    match &details.exception {
        Some(thrown) if details.text.starts_with("Uncaught") => format!("{} {}", details.text, thrown.message()),
        _ => details.text.clone(),
    }
}

/// Where there is a place but no stack. Counted from 0, like the frames of a stack.
fn place_only(url: &str, line: i64, column: i64) -> Option<Box<RawValue>> {
    let frame =
        serde_json::json!({"functionName": "", "scriptId": "", "url": url, "lineNumber": line, "columnNumber": column});
    serde_json::value::to_raw_value(&serde_json::json!({"callFrames": [frame]})).ok()
}

fn cut(mut text: String) -> String {
    if text.len() > MAX_TEXT {
        let length = text.len();
        let end = (0..=MAX_TEXT).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        text.truncate(end);
        text.push_str(&format!("… ({length} bytes)"));
    }
    text
}

impl Issue {
    pub(super) fn read(event: &Event) -> Option<Self> {
        #[derive(Deserialize)]
        struct Added {
            issue: Box<RawValue>,
        }
        let added: Added = event.decode().ok()?;
        Some(Issue { raw: added.issue })
    }

    /// The browser's code of it.
    pub fn code(&self) -> String {
        let value: Value = crate::cdp::decode(self.raw.get()).unwrap_or_default();
        value["code"].as_str().unwrap_or_default().to_owned()
    }
}
