//! `select_page`: the page that later calls of this client work on.

use serde_json::{Value, json};

use super::list_pages::{add_page_list, browser_failure, no_such_page};
use super::schema::{Param, ParamDefault, ParamKind, PathUse};
use super::{Arguments, Category, Context, Running, Tool};
use crate::report::Report;

/// See the module.
pub const TOOL: Tool = Tool {
    name: "select_page",
    description: "Make a page the one that later calls work on.",
    category: Category::Navigation,
    read_only: true,
    page_scoped: false,
    params: &[
        Param {
            name: "pageId",
            kind: ParamKind::Number,
            required: true,
            default: ParamDefault::None,
            path: PathUse::None,
            description: "Id from list_pages.",
        },
        Param {
            name: "bringToFront",
            kind: ParamKind::Bool,
            required: false,
            default: ParamDefault::None,
            path: PathUse::None,
            description: "Also show the page to the user.",
        },
    ],
    handler,
};

fn handler<'a>(context: &'a Context, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let live = context.session.browser(report).await?;
        let id = arguments.page_id("pageId");
        let page = live.pages.find(id).await.map_err(|e| browser_failure(&e))?.ok_or_else(|| no_such_page(id))?;
        context.session.select(page.id);
        if arguments.bool("bringToFront") {
            let session = page.session(live.pages.browser()).await.map_err(|e| browser_failure(&e))?;
            let _: Value = session.call("Page.bringToFront", json!({})).await.map_err(|e| browser_failure(&e))?;
        }
        add_page_list(context, &live, report).await
    })
}
