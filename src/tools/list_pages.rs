//! `list_pages`: the pages of the browser, from target information alone.

use super::{Arguments, Category, Context, Handler, Running, Tool};
use crate::browser::host::LiveBrowser;
use crate::report::{ExtensionWorkerList, Failure, Report};

/// See the module.
pub const TOOL: Tool = Tool {
    name: "list_pages",
    description: "List the open pages with their ids.",
    category: Category::Navigation,
    read_only: true,
    conditions: &[],
    params: &[],
    handler: Handler::Plain(handler),
};

fn handler<'a>(context: &'a Context, _arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let live = context.session.browser(report).await?;
        add_page_list(context, &live, report).await
    })
}

/// Ends an answer with the current list of pages.
pub(super) async fn add_page_list(context: &Context, live: &LiveBrowser, report: &mut Report) -> Result<(), Failure> {
    let pages = live.pages.list().await?;
    report.section(context.session.page_list(pages));
    if let Some(workers) = live.pages.extension_workers().await? {
        let list = workers.list().into_iter().map(|worker| (worker.id, worker.url));
        report.section(ExtensionWorkerList(list.collect()));
    }
    Ok(())
}
