//! `list_network_requests`: what the page has requested.

use super::on_page::{OnPage, PageContext};
use super::schema::{Param, ParamDefault};
use super::{Arguments, Category, Handler, Running, Tool};
use crate::browser::devtools_window;
use crate::report::{Paging, Report, RequestList, clock, request_line};

/// See the module.
pub const TOOL: Tool = Tool {
    name: "list_network_requests",
    description: "List the page's requests.",
    category: Category::Network,
    read_only: true,
    conditions: &[],
    params: &[
        Param::positive("pageSize", "Requests on a page of the list; default: all.").obvious(),
        Param::integer_from("pageIdx", 0, "Page of the list, from 0.").obvious(),
        Param::choices("resourceTypes", RESOURCE_TYPES, "Only these.").obvious(),
        Param::bool("includePreservedRequests", "Also of the two documents before.")
            .default(ParamDefault::Bool(false))
            .obvious(),
    ],
    handler: Handler::Page(OnPage::new(handler).while_dialog().at_once()),
};

const RESOURCE_TYPES: &[&str] = &[
    "document",
    "stylesheet",
    "image",
    "media",
    "font",
    "script",
    "texttrack",
    "xhr",
    "fetch",
    "prefetch",
    "eventsource",
    "websocket",
    "manifest",
    "signedexchange",
    "ping",
    "cspviolationreport",
    "preflight",
    "fedcm",
    "other",
];

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let log = &context.on.network;
        let selection = devtools_window::selection(context.live.session(), &context.on).await;
        log.caught_up().await;
        let kinds = arguments.texts("resourceTypes");
        let preserved = arguments.bool("includePreservedRequests");
        let requests = log.summaries(preserved, |request| kinds.is_empty() || request.is_of(&kinds));
        let lengths: Vec<usize> = requests.iter().map(|request| request_line(request).chars().count()).collect();
        let paging = Paging { size: arguments.optional_count("pageSize"), index: arguments.optional_count("pageIdx") };
        let part = paging.fitting(&lengths, context.config.snapshot_budget);
        let mut notes = Vec::new();
        if let Some(since) = log.recorded_since() {
            let since = since.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
            notes.push(format!(
                "Requests are recorded since {}; those that the page made before are not known. hint: navigate_page \
                 with type reload records all",
                clock(since.as_secs_f64())
            ));
        }
        let (dropped, events) = log.lost();
        if dropped > 0 {
            notes.push(format!("{dropped} older requests are no longer kept."));
        }
        if events > 0 {
            notes.push(format!(
                "{events} events came too fast to be read: requests may be missing, or wrongly pending. hint: navigate_page \
                 with type reload records anew"
            ));
        }
        report.section(RequestList {
            requests,
            part,
            selected: selection.request.and_then(|id| log.number_of(&id)),
            notes,
            fenced: context.config.mark_page_content,
        });
        Ok(())
    })
}
