//! What the console tools share: numbered entries with their issue groups, and the stacks of messages.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::on_page::PageContext;
use crate::browser::collect::{Origin, Part};
use crate::browser::console::{ConsoleLog, Details, Entry, ErrorDetails, Kind, Message};
use crate::devtools::frontend::Purpose;
use crate::devtools::issues::{self, IssueGroup};
use crate::devtools::live::stacks::RawStack;
use crate::report::ConsoleLine;

/// A page's entries as clients see them.
pub(super) struct Numbered {
    /// Of each document, oldest document first; without entries that have no number.
    pub documents: Vec<Vec<Entry>>,
    /// The groups of issues by the order of the entry that began them.
    pub groups: HashMap<u64, IssueGroup>,
    /// What could not be told.
    pub notes: Vec<String>,
}

/// Takes the entries that are there now and numbers those that have no number yet.
pub(super) async fn numbered(log: &ConsoleLog) -> Numbered {
    log.caught_up().await;
    let documents = log.documents();
    let last = documents.iter().flatten().map(|entry| entry.order).max().unwrap_or(0);
    let (mut groups, mut notes) = (HashMap::new(), Vec::new());
    for document in &documents {
        let found: Vec<(u64, &RawValue)> = document
            .iter()
            .filter_map(|entry| match &entry.kind {
                Kind::Issue(issue) => Some((entry.order, &*issue.raw)),
                Kind::Message(_) => None,
            })
            .collect();
        if found.is_empty() {
            continue;
        }
        match issues::group(&found.iter().map(|(_, raw)| *raw).collect::<Vec<_>>()).await {
            Ok(list) => groups.extend(list.into_iter().filter_map(|g| Some((found.get(g.first)?.0, g)))),
            Err(error) => notes.push(format!("{} issues are not shown: {error}", found.len())),
        }
    }
    log.number(last, |order| groups.contains_key(&order));
    let mut documents = log.documents();
    for document in &mut documents {
        document.retain(|entry| entry.id.is_some() && entry.order <= last);
    }
    let lost = log.lost();
    if lost > 0 {
        notes.push(format!("{lost} older entries were dropped to bound memory"));
    }
    Numbered { documents, groups, notes }
}

impl Numbered {
    /// The entry's line, without stack. `None` for issues that DevTools has no title for.
    pub fn line(&self, entry: &Entry) -> Option<ConsoleLine> {
        let id = entry.id?;
        match &entry.kind {
            Kind::Message(message) => Some(ConsoleLine {
                id,
                kind: message.kind.to_string(),
                text: message.shown_text(),
                arguments: Some(message.arguments.len()),
                count: 1,
                place: entry.place.as_deref().map(str::to_owned),
                stack: None,
            }),
            Kind::Issue(_) => {
                let group = self.groups.get(&entry.order)?;
                Some(ConsoleLine {
                    id,
                    kind: "issue".into(),
                    text: group.title.clone()?,
                    arguments: None,
                    count: group.count,
                    place: None,
                    stack: None,
                })
            }
        }
    }
}

/// Stacks of messages and of the errors among their arguments.
pub(super) struct MessageStacks {
    /// Of the call, or of the uncaught error with its causes.
    pub own: Option<Vec<String>>,
    /// Of each argument that is an error, with its causes.
    pub arguments: Vec<Option<Vec<String>>>,
}

/// A stack in the list that is translated at once, or a line between stacks.
enum Piece {
    Stack(usize),
    Line(String),
}

type Pieces = Vec<Piece>;

/// A stack that came from a part of the page.
pub(super) fn raw_stack<'a>(origin: &'a Origin, stack: &'a RawValue) -> RawStack<'a> {
    let target = (origin.part != Part::Page).then_some(origin.frame.as_str());
    RawStack { target, is_shared: origin.part == Part::SharedWorker, stack }
}

/// Collects raw stacks, so that all of an answer are translated together.
#[derive(Default)]
struct Plan<'a> {
    raw: Vec<RawStack<'a>>,
}

impl<'a> Plan<'a> {
    fn stack(&mut self, message: &'a Message, stack: &'a RawValue) -> Piece {
        self.raw.push(raw_stack(&message.origin, stack));
        Piece::Stack(self.raw.len() - 1)
    }

    fn error(
        &mut self,
        message: &'a Message,
        own: Option<&'a RawValue>,
        error: Option<&'a ErrorDetails>,
    ) -> Option<Pieces> {
        let mut pieces = Vec::new();
        pieces.extend(own.map(|stack| self.stack(message, stack)));
        for cause in error.map(|error| error.causes.as_slice()).unwrap_or_default() {
            pieces.push(Piece::Line(format!("Caused by: {}", cause.message)));
            pieces.extend(cause.stack.as_deref().map(|stack| self.stack(message, stack)));
        }
        (!pieces.is_empty()).then_some(pieces)
    }
}

fn error_of(details: &std::sync::OnceLock<Details>) -> Option<&ErrorDetails> {
    match details.get() {
        Some(Details::Error(error)) => Some(error),
        _ => None,
    }
}

/// Translates the stacks of these messages. Also notes about positions that are those of the generated code.
pub(super) async fn stacks(context: &PageContext, messages: &[Arc<Message>]) -> (Vec<MessageStacks>, Vec<String>) {
    context.on.console.details_read(messages).await;
    let mut plan = Plan::default();
    let pieces: Vec<(Option<Pieces>, Vec<Option<Pieces>>)> = messages
        .iter()
        .map(|message| {
            let thrown = message.thrown.is_some().then(|| message.details.first().and_then(error_of)).flatten();
            let own = plan.error(message, message.stack.as_deref(), thrown);
            let arguments = message.arguments.iter().enumerate().map(|(at, _)| {
                let error = message.details.get(at).and_then(error_of)?;
                plan.error(message, error.stack.as_deref(), Some(error))
            });
            (own, arguments.collect())
        })
        .collect();
    let (lines, mut notes) = match plan.raw.is_empty() {
        true => (Vec::new(), Vec::new()),
        false => match context.universe(Purpose::Stacks).await {
            Ok(universe) => match universe.stacks(&plan.raw).await {
                Ok(stacks) => (stacks.stacks, stacks.notes),
                Err(error) => (Vec::new(), vec![format!("stacks are missing: {error}")]),
            },
            Err(error) => (Vec::new(), vec![format!("stacks are missing: {error}")]),
        },
    };
    notes.sort();
    let text = |pieces: Option<Pieces>| -> Option<Vec<String>> {
        let mut all = Vec::new();
        for piece in pieces? {
            match piece {
                Piece::Stack(at) => all.extend(lines.get(at)?.iter().cloned()),
                Piece::Line(line) => all.push(line),
            }
        }
        Some(all)
    };
    let stacks = pieces
        .into_iter()
        .map(|(own, arguments)| MessageStacks { own: text(own), arguments: arguments.into_iter().map(text).collect() })
        .collect();
    (stacks, notes)
}
