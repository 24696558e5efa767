//! `new_page`: opens a page, selects it and waits until it has loaded.

use super::list_pages::{add_page_list, browser_failure};
use super::schema::{Param, ParamDefault, ParamKind, PathUse};
use super::{Arguments, Category, Context, Running, Tool};
use crate::browser::navigate::{self, NavigationError};
use crate::report::{Failure, Report};

/// See the module.
pub const TOOL: Tool = Tool {
    name: "new_page",
    description: "Open a new page at an address and select it.",
    category: Category::Navigation,
    read_only: false,
    page_scoped: false,
    params: &[
        Param {
            name: "url",
            kind: ParamKind::Text,
            required: true,
            default: ParamDefault::None,
            path: PathUse::None,
            description: "The address.",
        },
        Param {
            name: "background",
            kind: ParamKind::Bool,
            required: false,
            default: ParamDefault::None,
            path: PathUse::None,
            description: "Do not bring the page to the front of the user's window.",
        },
        Param {
            name: "isolatedContext",
            kind: ParamKind::Text,
            required: false,
            default: ParamDefault::None,
            path: PathUse::None,
            description: "Name of a context with cookies and storage of its own; pages that name the same one share it.",
        },
        Param {
            name: "timeout",
            kind: ParamKind::Integer { min: None, max: None },
            required: false,
            default: ParamDefault::None,
            path: PathUse::None,
            description: "Milliseconds to wait for the page to load. 0: the default of 10000.",
        },
    ],
    handler,
};

fn handler<'a>(context: &'a Context, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let url = arguments.text("url");
        navigate::check(url, &context.session.config).map_err(|e| failure(&e))?;
        let live = context.session.browser(report).await?;
        let isolated = arguments.optional_text("isolatedContext");
        let page = live.pages.create(arguments.bool("background"), isolated).await.map_err(|e| browser_failure(&e))?;
        context.session.select(page.id);
        let session = page.session(live.pages.browser()).await.map_err(|e| browser_failure(&e))?;
        let timeout = arguments.timeout("timeout", navigate::TIMEOUT);
        let dialogs = navigate::go(&session, url, timeout).await.map_err(|e| failure(&e))?;
        for dialog in dialogs {
            report.line(format!("Accepted a dialog that the page opened while it loaded ({dialog})."));
        }
        add_page_list(context, &live, report).await
    })
}

/// A failed navigation as a tool's failure.
fn failure(error: &NavigationError) -> Failure {
    Failure::new(error.to_string(), error.hint())
}
