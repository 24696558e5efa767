//! `close_page`: closes a page, except the last one.

use super::list_pages::{add_page_list, browser_failure, no_such_page};
use super::schema::{Param, ParamDefault, ParamKind, PathUse};
use super::{Arguments, Category, Context, Running, Tool};
use crate::report::Report;

/// See the module.
pub const TOOL: Tool = Tool {
    name: "close_page",
    description: "Close a page. The last open page stays.",
    category: Category::Navigation,
    read_only: false,
    page_scoped: false,
    params: &[Param {
        name: "pageId",
        kind: ParamKind::Number,
        required: true,
        default: ParamDefault::None,
        path: PathUse::None,
        description: "Id from list_pages.",
    }],
    handler,
};

fn handler<'a>(context: &'a Context, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let live = context.session.browser(report).await?;
        let id = arguments.page_id("pageId");
        let page = live.pages.find(id).await.map_err(|e| browser_failure(&e))?.ok_or_else(|| no_such_page(id))?;
        let pages = live.pages.list().await.map_err(|e| browser_failure(&e))?;
        if pages.len() > 1 {
            // Settles what is selected before the page is gone, so that the note is right.
            context.session.page_list(pages);
            live.pages.close(&page).await.map_err(|e| browser_failure(&e))?;
        } else {
            report.line("The last open page cannot be closed. It can be sent elsewhere instead.");
        }
        add_page_list(context, &live, report).await
    })
}
