//! `select_page`: the page that later calls of this client work on.

use super::list_pages::add_page_list;
use super::schema::Param;
use super::{Arguments, Category, Context, Handler, Running, Tool};
use crate::report::Report;

/// See the module.
pub const TOOL: Tool = Tool {
    name: "select_page",
    description: "Make a page the one that later calls work on.",
    category: Category::Navigation,
    read_only: true,
    conditions: &[],
    params: &[
        Param::number("pageId", "Id from list_pages.").required().obvious(),
        Param::bool("bringToFront", "Also show the page to the user.").obvious(),
    ],
    handler: Handler::Plain(handler),
};

fn handler<'a>(context: &'a Context, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let live = context.session.browser(report).await?;
        let id = arguments.page_id("pageId");
        let page = context.session.page(&live, Some(id)).await?;
        context.session.select(page.id);
        if arguments.bool("bringToFront") {
            live.pages.show(&page).await?;
        }
        add_page_list(context, &live, report).await
    })
}
