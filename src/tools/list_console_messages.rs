//! `list_console_messages`: what a page has said, uncaught errors, and issues.

use std::sync::Arc;

use super::console::{self, Numbered};
use super::on_page::{OnPage, PageContext};
use super::schema::{Param, ParamDefault};
use super::{Arguments, Category, Handler, Running, Tool};
use crate::browser::console::{Entry, Kind, Message};
use crate::report::{ConsoleLine, ConsoleList, Failure, Paging, Report};

/// Types of messages, as in the protocol but `warn`; `issue` beside them.
const TYPES: &[&str] = &[
    "log",
    "debug",
    "info",
    "error",
    "warn",
    "dir",
    "dirxml",
    "table",
    "trace",
    "clear",
    "startGroup",
    "startGroupCollapsed",
    "endGroup",
    "assert",
    "profile",
    "profileEnd",
    "count",
    "timeEnd",
    "verbose",
    "issue",
];

/// See the module.
pub const TOOL: Tool = Tool {
    name: "list_console_messages",
    description: "List console messages, errors and issues.",
    category: Category::Debugging,
    read_only: true,
    conditions: &[],
    params: &[
        Param::positive("pageSize", "Messages of each page of the list; all if not given.").obvious(),
        Param::integer_from("pageIdx", 0, "Page of the list, from 0.").obvious(),
        Param::choices("types", TYPES, "Only these types.").obvious(),
        Param::bool("includePreservedMessages", "Also those of the two documents before.")
            .default(ParamDefault::Bool(false))
            .obvious(),
        Param::bool("includeStackTraces", "With source-mapped stacks.").default(ParamDefault::Bool(false)).obvious(),
        Param::text("serviceWorkerId", "Of this extension's service worker.").obvious(),
    ],
    handler: Handler::Page(OnPage::new(handler).while_dialog().at_once()),
};

/// A line and the message it is of.
struct Shown {
    line: ConsoleLine,
    message: Option<Arc<Message>>,
}

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        if arguments.0.contains_key("serviceWorkerId") {
            return Err(Failure::new(
                "Messages of extensions' service workers are not recorded by this server.",
                "leave serviceWorkerId out: the page's messages are listed then",
            ));
        }
        let numbered = console::numbered(context).await;
        let types = arguments.texts("types");
        let skipped = if arguments.bool("includePreservedMessages") { 0 } else { numbered.documents.len() - 1 };
        let entries = numbered.documents.iter().skip(skipped).flatten();
        let mut shown = merged(&numbered, entries.filter(|entry| fits(entry, &types)));
        let paging = Paging { size: arguments.optional_count("pageSize"), index: arguments.optional_count("pageIdx") };
        let lengths: Vec<usize> = shown.iter().map(|shown| length(&shown.line)).collect();
        let part = paging.fitting(&lengths, context.config.snapshot_budget);
        let mut notes = numbered.notes;
        shown.truncate(part.range.end);
        shown.drain(..part.range.start);
        if arguments.bool("includeStackTraces") {
            let messages: Vec<Arc<Message>> = shown.iter().filter_map(|shown| shown.message.clone()).collect();
            let (stacks, more) = console::stacks(context, &messages).await;
            let with_message = shown.iter_mut().filter(|shown| shown.message.is_some());
            for (shown, stacks) in with_message.zip(stacks) {
                shown.line.stack = stacks.own;
            }
            notes.extend(more);
        }
        let lines = shown.into_iter().map(|shown| shown.line).collect();
        report.section(ConsoleList { lines, part, notes, fenced: context.config.mark_page_content });
        Ok(())
    })
}

fn fits(entry: &Entry, types: &[String]) -> bool {
    let kind = match &entry.kind {
        Kind::Message(message) => message.kind.as_str(),
        Kind::Issue(_) => "issue",
    };
    types.is_empty() || types.iter().any(|wanted| wanted == kind)
}

/// The lines; neighbours that look alike become one, with the first one's number.
fn merged<'a>(numbered: &Numbered, entries: impl Iterator<Item = &'a Entry>) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    for entry in entries {
        let Some(line) = numbered.line(entry) else { continue };
        let alike = |last: &&mut Shown| {
            line.arguments.is_some()
                && (&last.line.kind, &last.line.text, last.line.arguments, &last.line.place)
                    == (&line.kind, &line.text, line.arguments, &line.place)
        };
        if let Some(last) = shown.last_mut().filter(alike) {
            last.line.count += 1;
            continue;
        }
        let message = match &entry.kind {
            Kind::Message(message) => Some(message.clone()),
            Kind::Issue(_) => None,
        };
        shown.push(Shown { line, message });
    }
    shown
}

/// Characters of a line without its stack.
fn length(line: &ConsoleLine) -> usize {
    line.lines().iter().map(|line| line.chars().count() + 1).sum()
}
