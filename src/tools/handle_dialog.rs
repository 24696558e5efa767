//! `handle_dialog`: answers the dialog that holds a page up.

use super::on_page::{OnPage, PageContext};
use super::schema::Param;
use super::{Arguments, Category, Handler, Running, Tool};
use crate::report::{Failure, Report};

/// See the module.
pub const TOOL: Tool = Tool {
    name: "handle_dialog",
    description: "Accept or dismiss the open dialog.",
    category: Category::Input,
    read_only: false,
    conditions: &[],
    params: &[
        Param::choice("action", &["accept", "dismiss"], "What to do.").required().obvious(),
        Param::text("promptText", "Text for a prompt.").obvious(),
    ],
    handler: Handler::Page(OnPage::new(handler).while_dialog().at_once()),
};

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        if context.on.dialogs.open().is_none() {
            return Err(Failure::new("No open dialog found", "it was answered already, or the page closed it"));
        }
        let accept = arguments.text("action") == "accept";
        let text = arguments.optional_text("promptText").filter(|_| accept);
        context.on.dialogs.answer(&context.on.session, accept, text).await?;
        report.line(if accept { "Successfully accepted the dialog" } else { "Successfully dismissed the dialog" });
        if let Some(count) = context.on.dialogs.keep_coming() {
            report.line(format!(
                "Note: this document has opened {count} dialogs. navigate_page leaves it, if need be by ending its process."
            ));
        }
        context.list_pages(report).await
    })
}
