//! `get_network_request`: everything about one request, with its bodies.

use std::path::PathBuf;

use super::console::raw_stack;
use super::on_page::{OnPage, PageContext};
use super::schema::Param;
use super::{Arguments, Category, Handler, Running, Tool};
use crate::browser::devtools_window;
use crate::browser::network::{Body, Header, Initiator, Missing, Request};
use crate::devtools::frontend::Purpose;
use crate::devtools::headers;
use crate::files::with_extension;
use crate::report::{BodyPart, Failure, Hop, MessagePart, Report, RequestDetails, WINDOW, Window};

/// See the module.
pub const TOOL: Tool = Tool {
    name: "get_network_request",
    description: "Show one request (default: selected in DevTools) in full.",
    category: Category::Network,
    read_only: false,
    conditions: &[],
    params: &[
        Param::number("reqid", "From the list; default: the one selected in DevTools.").obvious(),
        Param::text("requestFilePath", "Write the request's body to this file.").file().obvious(),
        Param::text("responseFilePath", "Write the response's body to this file.").file().obvious(),
        Param::integer_from("offset", 0, "First character of bodies, or first message, to show.").obvious(),
        Param::positive("limit", "How many; default 10000 characters or 50 messages.").obvious(),
    ],
    handler: Handler::Page(OnPage::new(handler)),
};

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let log = &context.on.network;
        log.caught_up().await;
        let asked = arguments.optional_number("reqid").filter(|id| *id != 0.0);
        let id = match asked {
            Some(id) => exact(id),
            None => {
                let selection = devtools_window::selection(context.live.session(), &context.on).await;
                let selected = selection.request.and_then(|id| log.number_of(&id));
                if selected.is_none() {
                    report.line("Nothing is currently selected in the DevTools Network panel.");
                    return Ok(());
                }
                selected
            }
        };
        let Some(request) = id.and_then(|id| log.get(id)) else {
            return Err(Failure::whole(
                "Request not found for selected page",
                "list_network_requests with includePreservedRequests shows those that are kept",
            ));
        };
        let details = details(context, arguments, request).await?;
        report.section(details);
        Ok(())
    })
}

/// A number that can be a request's.
fn exact(id: f64) -> Option<u32> {
    (id.fract() == 0.0 && (1.0..=f64::from(u32::MAX)).contains(&id)).then_some(id as u32)
}

async fn details(context: &PageContext, arguments: &Arguments, request: Request) -> Result<RequestDetails, Failure> {
    let log = &context.on.network;
    let (offset, limit) = (arguments.optional_count("offset"), arguments.optional_count("limit"));
    let is_connection = request.messages.is_some();
    let window = match is_connection {
        false => Window { offset: offset.unwrap_or(0), limit: limit.unwrap_or(WINDOW) },
        // Offset and limit count messages.
        true => Window { offset: 0, limit: WINDOW },
    };
    let request_body = match log.sent_body(&request).await {
        Ok(None) => None,
        Ok(Some(bytes)) => {
            let mime = value_of(&request.request_headers(), "content-type");
            let body = Body { bytes, is_open: false };
            Some(part(context, arguments.optional_path("requestFilePath"), "network-request", &body, &mime, window)?)
        }
        Err(missing) => Some(missing_part(missing, arguments.optional_path("requestFilePath"))),
    };
    // The messages of a connection are shown in place of its body, which a file can still have.
    let response_file = arguments.optional_path("responseFilePath");
    let is_shown = !is_connection || (request.kind != "websocket" && response_file.is_some());
    let has_body = request.response.is_some() && is_shown;
    let mut response_size = None;
    let response_body = match has_body {
        false => None,
        true => Some(match log.received_body(&request).await {
            Ok(body) => {
                response_size = Some(body.bytes.len());
                let mime = request.response.as_ref().map(|response| response.mime().to_owned()).unwrap_or_default();
                let is_text = std::str::from_utf8(&body.bytes).is_ok();
                let decoded = request.response.as_ref().filter(|_| !is_text && response_file.is_none());
                let body = match decoded.and_then(|response| response.decoded(&body.bytes)) {
                    Some(text) => Body { bytes: text.into_bytes(), ..body },
                    None => body,
                };
                part(context, response_file, "network-response", &body, &mime, window)?
            }
            Err(missing) => missing_part(missing, response_file),
        }),
    };
    // It may have gone on while its body was waited for.
    let request = log.get(request.id).unwrap_or(request);
    let mut hops = Vec::new();
    for &id in &request.hops {
        let hop = log.get(id);
        let headers = hop.as_ref().and_then(Request::response_headers).unwrap_or_default();
        hops.push(Hop { id, headers: shown(context, headers).await?, summary: hop.map(|hop| hop.summary()) });
    }
    Ok(RequestDetails {
        request_headers: shown(context, request.request_headers()).await?,
        request_body,
        response_headers: match request.response_headers() {
            Some(headers) => Some(shown(context, headers).await?),
            None => None,
        },
        response_body,
        response_size,
        messages: request.messages.as_ref().map(|messages| MessagePart::of(messages, offset, limit, request.started)),
        hops,
        initiator: initiator(context, &request).await,
        next: request.next.and_then(|id| log.get(id)).map(|next| next.summary()),
        fenced: context.config.mark_page_content,
        request,
    })
}

/// Who made it, with the positions of the sources where the front-end knows them.
async fn initiator(context: &PageContext, request: &Request) -> Option<Initiator> {
    let initiator = Initiator::of(request)?;
    let Some(stack) = Initiator::stack(request) else { return Some(initiator) };
    let translated = match context.universe(Purpose::Stacks).await {
        Ok(universe) => universe.stacks(&[raw_stack(&request.origin, &stack)]).await,
        Err(error) => Err(error),
    };
    match translated.map(|translated| translated.stacks.into_iter().next()) {
        Ok(Some(lines)) if !lines.is_empty() => Some(initiator.with_lines(lines)),
        // Generated positions are better than none.
        _ => Some(initiator),
    }
}

fn value_of(headers: &[Header], name: &str) -> String {
    headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()).unwrap_or_default()
}

/// A body in the answer or in its file.
fn part(
    context: &PageContext,
    path: Option<PathBuf>,
    extension: &str,
    body: &Body,
    mime: &str,
    window: Window,
) -> Result<BodyPart, Failure> {
    let Some(path) = path else {
        let is_form = mime.starts_with("multipart/");
        return Ok(BodyPart::of(&body.bytes, mime, window, body.is_open, is_form));
    };
    let path = with_extension(path, extension);
    context.call.paths.write(&path, &body.bytes)?;
    Ok(BodyPart::Saved { path, is_open: body.is_open })
}

fn missing_part(missing: Missing, path: Option<PathBuf>) -> BodyPart {
    let not_written = if path.is_some() { "; no file was written" } else { "" };
    BodyPart::Missing(format!("{}{not_written}", missing.0))
}

/// Headers as they are to be shown under the options.
async fn shown(context: &PageContext, headers: Vec<Header>) -> Result<Vec<Header>, Failure> {
    if !context.config.redact_network_headers {
        return Ok(headers);
    }
    headers::sanitize(headers).await.map_err(|error| {
        Failure::new(
            format!("the headers could not be redacted: {error}"),
            "start the server without --redactNetworkHeaders",
        )
    })
}
