//! `open_devtools`: opens the DevTools window of a page.

use super::on_page::PageContext;
use super::{Arguments, Running, Tool, comments};
use crate::browser::devtools_comments;
use crate::report::Report;

/// See the module.
pub const TOOL: Tool = comments::tool("open_devtools", "Open the DevTools window of a page.", handler);

fn handler<'a>(context: &'a PageContext, _: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        match devtools_comments::open(context.live.session(), &context.on).await {
            Ok(()) => {
                report.line("DevTools window opened successfully.");
                // Comments that are made before the next call are to be heard of. A window without them is fine.
                if let Err(error) = comments::follow(context).await {
                    tracing::debug!(%error, "no comments yet");
                }
            }
            Err(error) => report.line(format!("Failed to open DevTools: {error}")),
        }
        context.list_pages(report).await
    })
}
