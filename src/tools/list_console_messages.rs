//! `list_console_messages`: what a page has said, uncaught errors, and issues.

use std::sync::Arc;

use super::console::{self, Numbered};
use super::on_page::{OnPage, PageContext};
use super::schema::{Param, ParamDefault};
use super::{Arguments, Category, Context, Handler, Running, Tool};
use crate::browser::console::{ConsoleLog, Entry, Kind, Message};
use crate::config::Config;
use crate::report::{ConsoleLine, ConsoleList, Paging, Part, Report};

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

/// Names an extension.
const WORKER: &str = "serviceWorkerId";

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
        Param::text(WORKER, "Of the service worker of the extension with this id instead, without stacks.").obvious(),
    ],
    handler: Handler::Page(OnPage::new(handler).while_dialog().at_once().unless(WORKER, of_worker)),
};

/// A line and the message it is of.
struct Shown {
    line: ConsoleLine,
    message: Option<Arc<Message>>,
}

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let (mut shown, part, mut notes) = chosen(&context.on.console, arguments, &context.config).await;
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

/// The same for the service workers of an extension. An id that is not known has said nothing.
fn of_worker<'a>(context: &'a Context, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let live = context.session.browser(report).await?;
        let config = &context.session.config;
        let workers = live.pages.extension_workers().await?;
        let log = workers.and_then(|workers| workers.log(arguments.text(WORKER)));
        let (shown, part, mut notes) = chosen(&log.unwrap_or_default(), arguments, config).await;
        if workers.is_none() {
            notes.push("service workers of extensions are recorded with --categoryExtensions".into());
        }
        // All of them are from there.
        let lines = shown.into_iter().map(|shown| ConsoleLine { place: None, ..shown.line }).collect();
        report.section(ConsoleList { lines, part, notes, fenced: config.mark_page_content });
        Ok(())
    })
}

/// The lines that are asked for, which part of all they are, and what is to be said about them.
async fn chosen(log: &ConsoleLog, arguments: &Arguments, config: &Config) -> (Vec<Shown>, Part, Vec<String>) {
    let numbered = console::numbered(log).await;
    let types = arguments.texts("types");
    let skipped = if arguments.bool("includePreservedMessages") { 0 } else { numbered.documents.len() - 1 };
    let entries = numbered.documents.iter().skip(skipped).flatten();
    let mut shown = merged(&numbered, entries.filter(|entry| fits(entry, &types)));
    let paging = Paging { size: arguments.optional_count("pageSize"), index: arguments.optional_count("pageIdx") };
    let lengths: Vec<usize> = shown.iter().map(|shown| length(&shown.line)).collect();
    let part = paging.fitting(&lengths, config.snapshot_budget);
    shown.truncate(part.range.end);
    shown.drain(..part.range.start);
    (shown, part, numbered.notes)
}

fn fits(entry: &Entry, types: &[String]) -> bool {
    let kind = match &entry.kind {
        Kind::Message(message) => &*message.kind,
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
