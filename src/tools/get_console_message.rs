//! `get_console_message`: one message with its arguments and stack, or one issue with what it is about.

use std::sync::Arc;

use serde_json::Value;

use super::console::{self, Numbered};
use super::on_page::{OnPage, PageContext};
use super::schema::Param;
use super::{Arguments, Category, Handler, Running, Tool};
use crate::browser::console::{Details, Entry, Kind, Message};
use crate::report::{AffectedRequest, AffectedResource, ConsoleIssue, ConsoleMessage, Failure, Report, stack_text};

/// Characters of a text that are shown at once.
const MAX_TEXT: usize = 10_000;

/// See the module.
pub const TOOL: Tool = Tool {
    name: "get_console_message",
    description: "Get a listed console message or issue in full.",
    category: Category::Debugging,
    read_only: true,
    conditions: &[],
    params: &[
        Param::number("msgid", "Number of the message in the list.").required().obvious(),
        Param::integer_from("offset", 0, "Where to start in a long text.").obvious(),
    ],
    handler: Handler::Page(OnPage::new(handler).while_dialog().at_once()),
};

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let numbered = console::numbered(&context.on.console).await;
        let id = arguments.page_id("msgid");
        let found = numbered.documents.iter().flatten().find(|entry| entry.id == Some(id));
        let not_found = || {
            // The original's words, for requests and messages alike.
            Failure::whole(
                "Request not found for selected page",
                "list_console_messages shows the numbers that there are",
            )
        };
        let entry = found.ok_or_else(not_found)?;
        match &entry.kind {
            Kind::Message(message) => {
                let offset = arguments.optional_count("offset").unwrap_or(0);
                report.section(message_section(context, &numbered, entry, message, offset).await?);
            }
            Kind::Issue(_) => report.section(issue_section(context, &numbered, entry).ok_or_else(|| {
                let why =
                    format!("Can't provide details for the msgid {id}: DevTools has no description of this issue.");
                Failure::whole(why, "list_console_messages shows the others")
            })?),
        }
        Ok(())
    })
}

async fn message_section(
    context: &PageContext,
    numbered: &Numbered,
    entry: &Entry,
    message: &Arc<Message>,
    offset: usize,
) -> Result<ConsoleMessage, Failure> {
    let (stacks, mut notes) = console::stacks(context, std::slice::from_ref(message)).await;
    let stacks = stacks.into_iter().next();
    let mut line =
        numbered.line(entry).ok_or_else(|| Failure::whole("The message has no number.", "list them anew"))?;
    let of_arguments = stacks.as_ref().map(|stacks| stacks.arguments.as_slice()).unwrap_or_default();
    let mut arguments: Vec<String> = message
        .arguments
        .iter()
        .enumerate()
        .map(|(at, argument)| {
            let stack = of_arguments.get(at).and_then(Option::as_ref);
            match message.details.get(at).and_then(|details| details.get()) {
                Some(Details::Structure(text)) => text.to_string(),
                _ if argument.is_error() => match stack {
                    Some(stack) => format!("{}\n{}", argument.message(), stack_text(stack)),
                    None => argument.message(),
                },
                _ => argument.line(),
            }
        })
        .collect();
    if message.text.is_empty() && !arguments.is_empty() {
        arguments.remove(0);
    }
    for argument in &mut arguments {
        let length = argument.chars().count();
        if length > MAX_TEXT {
            *argument = format!("{}… ({length} characters)", argument.chars().take(MAX_TEXT).collect::<String>());
        }
    }
    let length = line.text.chars().count();
    let text: String = line.text.chars().skip(offset).take(MAX_TEXT).collect();
    let end = offset + text.chars().count();
    if end < length || offset > 0 {
        let next = if end < length { format!("; the rest with offset {end}") } else { String::new() };
        notes.push(format!("characters {offset} to {end} of {length} are shown{next}"));
    }
    line.stack = stacks.and_then(|stacks| stacks.own);
    Ok(ConsoleMessage { line, arguments, text, notes, fenced: context.config.mark_page_content })
}

fn issue_section(context: &PageContext, numbered: &Numbered, entry: &Entry) -> Option<ConsoleIssue> {
    let line = numbered.line(entry)?;
    let group = numbered.groups.get(&entry.order)?;
    let affected = group.details.iter().map(|details| affected(context, details)).collect();
    Some(ConsoleIssue { line, description: group.description.clone()?, links: group.links.clone(), affected })
}

/// The browser's details, with nodes and requests by the names that other tools know them by.
fn affected(context: &PageContext, details: &Value) -> AffectedResource {
    let mut data = details.clone();
    let mut resource = AffectedResource { uid: None, request: None, data: Value::Null };
    let snapshot = context.on.snapshots().last.clone();
    if let (Some(map), Some(snapshot)) = (data.as_object_mut(), snapshot) {
        for key in ["violatingNodeId", "nodeId", "documentNodeId"] {
            let Some(backend) = map.get(key).and_then(Value::as_i64) else { continue };
            map.shift_remove(key);
            let node = snapshot.nodes.iter().find(|node| node.backend == backend);
            resource.uid = node.map(|node| node.uid.to_string()).or(resource.uid);
        }
    }
    if let Some(map) = data.as_object_mut() {
        let request = map.get("request").cloned().unwrap_or_default();
        let number = request["requestId"].as_str().and_then(|id| context.on.network.number_of(id));
        if let Some(number) = number {
            resource.request = Some(AffectedRequest::Known(number));
            if let Some(request) = map.get_mut("request").and_then(Value::as_object_mut) {
                request.shift_remove("requestId");
            }
        } else if let Some(url) = request["url"].as_str() {
            resource.request = Some(AffectedRequest::Url(url.to_owned()));
        }
        map.shift_remove("errorType");
        map.shift_remove("frameId");
    }
    resource.data = data;
    resource
}
