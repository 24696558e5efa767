//! The typed answer of a tool and its two renderings, text and structured.
//!
//! A handler fills a [`Report`] and never concatenates an answer itself; a section knows how it looks and where it
//! stands ([`Section::ORDER`]), so the order of the answer does not depend on the order of the handler's steps.
//! Composition rules: responses of chrome-devtools-mcp 1.11.0.

mod body;
mod comments;
mod console;
mod extension_workers;
mod fence;
pub mod heap;
mod messages;
mod page;
mod pages;
mod paging;
mod request;
mod requests;
mod styles;
mod trace;

pub use body::{BodyPart, WINDOW, Window};
pub use comments::{Comment, CommentList};
pub use console::{
    AffectedRequest, AffectedResource, ConsoleIssue, ConsoleLine, ConsoleList, ConsoleMessage, stack_text,
};
pub use extension_workers::ExtensionWorkerList;
pub use fence::fenced;
pub use heap::HeapData;
pub use messages::MessagePart;
pub use page::{Downloads, Emulating, NavigatedTo, OpenDialog, OpenedPages, SnapshotSection};
pub use pages::{BrowserNote, PageList, Reconnected};
pub use paging::{Paging, Part};
pub use request::{Hop, RequestDetails, clock};
pub use requests::{RequestList, request_line};
pub use styles::ElementStyles;
pub use trace::{TraceInsight, TraceSummary};

use serde_json::{Map, Value};

/// A part of an answer below the tool's own lines.
pub trait Section: Send {
    /// Position among the sections, ascending. The numbers are those of the composition table in `docs/responses.md`.
    fn order(&self) -> u8;
    /// The section's text, without a line break at its end. Empty: there is nothing to say.
    fn text(&self) -> String;
    /// Adds the section's keys to `structuredContent`.
    fn structured(&self, content: &mut Map<String, Value>);
}

/// What a tool answers.
#[derive(Default)]
pub struct Report {
    lines: Vec<String>,
    sections: Vec<Box<dyn Section>>,
    images: Vec<Image>,
    failure: Option<Failure>,
}

/// A picture that goes with an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    /// For example `image/png`.
    pub mime: String,
    /// The file's content.
    pub bytes: Vec<u8>,
}

/// A tool's failure, worded for an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// Problem and cause.
    pub message: String,
    /// What to call or change next.
    pub hint: Option<String>,
    /// It is the whole answer, as where the original fails while it puts an answer together.
    whole: bool,
}

impl Failure {
    /// A failure with a hint.
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Failure { message: message.into(), hint: Some(hint.into()), whole: false }
    }

    /// A failure that is the whole answer: no `Error: ` before it, nothing beside it.
    pub fn whole(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Failure { whole: true, ..Failure::new(message, hint) }
    }

    /// The text after `Error: `.
    pub fn text(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{}\nhint: {hint}", self.message),
            None => self.message.clone(),
        }
    }
}

impl Report {
    /// Adds a line of the tool's own.
    pub fn line(&mut self, text: impl Into<String>) {
        self.lines.push(text.into());
    }

    /// Adds a section.
    pub fn section(&mut self, section: impl Section + 'static) {
        self.sections.push(Box::new(section));
    }

    /// Adds a picture.
    pub fn image(&mut self, image: Image) {
        self.images.push(image);
    }

    /// The pictures.
    pub fn images(&self) -> &[Image] {
        &self.images
    }

    /// Marks the call as failed; what was reported before stays.
    pub fn fail(&mut self, failure: Failure) {
        self.failure = Some(failure);
    }

    /// Whether the call failed.
    pub fn is_error(&self) -> bool {
        self.failure.is_some()
    }

    /// Puts the sections in order; needed once before rendering.
    fn sorted(&self) -> Vec<&dyn Section> {
        let mut sections: Vec<&dyn Section> = self.sections.iter().map(Box::as_ref).collect();
        sections.sort_by_key(|s| s.order());
        sections
    }

    /// The text item.
    pub fn text(&self) -> String {
        if let Some(failure) = self.failure.as_ref().filter(|failure| failure.whole) {
            return failure.text();
        }
        let mut parts = self.lines.clone();
        parts.extend(self.sorted().iter().map(|s| s.text()).filter(|text| !text.is_empty()));
        parts.extend(self.failure.as_ref().map(|f| format!("Error: {}", f.text())));
        parts.join("\n")
    }

    /// The text item in slim mode: the tool's lines and the error, nothing else.
    pub fn slim_text(&self) -> String {
        let mut parts = self.lines.clone();
        parts.extend(self.failure.as_ref().map(|f| format!("Error: {}", f.text())));
        parts.join("\n")
    }

    /// `structuredContent`: nothing beside a failure that is the whole answer, else an object; a key is there only when its section is.
    pub fn structured(&self) -> Value {
        let mut content = Map::new();
        if self.failure.as_ref().is_some_and(|failure| failure.whole) {
            return Value::Null;
        }
        if !self.lines.is_empty() {
            content.insert("message".into(), self.lines.join("\n").into());
        }
        for section in self.sorted() {
            section.structured(&mut content);
        }
        if let Some(failure) = &self.failure {
            content.insert("errorMessage".into(), failure.text().into());
        }
        Value::Object(content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Named(u8, &'static str);

    impl Section for Named {
        fn order(&self) -> u8 {
            self.0
        }
        fn text(&self) -> String {
            format!("## {}", self.1)
        }
        fn structured(&self, content: &mut Map<String, Value>) {
            content.insert(self.1.into(), true.into());
        }
    }

    #[test]
    fn sections_stand_in_their_order_and_the_error_last() {
        let mut report = Report::default();
        report.section(Named(14, "snapshot"));
        report.line("one");
        report.fail(Failure::new("it broke", "call list_pages"));
        report.section(Named(8, "pages"));
        report.line("two");
        assert_eq!(report.text(), "one\ntwo\n## pages\n## snapshot\nError: it broke\nhint: call list_pages");
        assert_eq!(
            report.structured().to_string(),
            r#"{"message":"one\ntwo","pages":true,"snapshot":true,"errorMessage":"it broke\nhint: call list_pages"}"#
        );
    }

    #[test]
    fn an_empty_report_is_empty() {
        assert_eq!(
            (Report::default().text().as_str(), Report::default().structured().to_string().as_str()),
            ("", "{}")
        );
    }
}
