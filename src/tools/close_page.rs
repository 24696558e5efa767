//! `close_page`: closes a page, except the last one.

use super::list_pages::add_page_list;
use super::schema::Param;
use super::{Arguments, Category, Context, Handler, Running, Tool};
use crate::mcp::session::no_such_page;
use crate::report::Report;

/// See the module.
pub const TOOL: Tool = Tool {
    name: "close_page",
    description: "Close a page. The last open page stays.",
    category: Category::Navigation,
    read_only: false,
    conditions: &[],
    params: &[Param::number("pageId", "Id from list_pages.").required().obvious()],
    handler: Handler::Plain(handler),
};

fn handler<'a>(context: &'a Context, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let live = context.session.browser(report).await?;
        let id = arguments.page_id("pageId");
        let pages = live.pages.list().await?;
        let page = live.pages.known().await.into_iter().find(|page| page.id == id).ok_or_else(|| no_such_page(id))?;
        if pages.len() > 1 {
            // Settles what is selected before the page is gone, so that the note is right.
            context.session.page_list(pages);
            live.pages.close(&page).await?;
        } else {
            report.line("The last open page cannot be closed. It can be sent elsewhere instead.");
        }
        add_page_list(context, &live, report).await
    })
}
