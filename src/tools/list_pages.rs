//! `list_pages`: the pages of the browser, from target information alone.

use super::{Arguments, Category, Context, Running, Tool};
use crate::browser::host::LiveBrowser;
use crate::cdp::CdpError;
use crate::report::{Failure, Report};

/// See the module.
pub const TOOL: Tool = Tool {
    name: "list_pages",
    description: "List the open pages with their ids.",
    category: Category::Navigation,
    read_only: true,
    page_scoped: false,
    params: &[],
    handler,
};

fn handler<'a>(context: &'a Context, _arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let live = context.session.browser(report).await?;
        add_page_list(context, &live, report).await
    })
}

/// Ends an answer with the current list of pages.
pub(super) async fn add_page_list(context: &Context, live: &LiveBrowser, report: &mut Report) -> Result<(), Failure> {
    let pages = live.pages.list().await.map_err(|e| browser_failure(&e))?;
    report.section(context.session.page_list(pages));
    Ok(())
}

/// A failed protocol call as a tool's failure.
pub(super) fn browser_failure(error: &CdpError) -> Failure {
    let hint = match error {
        CdpError::Disconnected { .. } => "call list_pages: the browser is started again",
        _ => "call list_pages to see what is left",
    };
    Failure::new(error.to_string(), hint)
}

/// A page id that no page has.
pub(super) fn no_such_page(id: u32) -> Failure {
    Failure::new(
        "No page found",
        if id == 0 { "ids are whole numbers, see list_pages" } else { "see list_pages for the ids" },
    )
}
