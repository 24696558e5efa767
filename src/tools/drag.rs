//! `drag`: drags an element onto another.

use super::click::INCLUDE_SNAPSHOT;
use super::on_page::{Acted, OnPage, PageContext};
use super::schema::Param;
use super::{Arguments, Category, Handler, Running, Tool};
use crate::browser::elements::Element;
use crate::browser::input::{InputError, drag};
use crate::browser::settle::Waiting;
use crate::report::Report;

/// See the module.
pub const TOOL: Tool = Tool {
    name: "drag",
    description: "Drag an element onto another.",
    category: Category::Input,
    read_only: false,
    conditions: &[],
    params: &[
        Param::text("from_uid", "Element to drag.").required().obvious(),
        Param::text("to_uid", "Element to drop it on.").required().obvious(),
        INCLUDE_SNAPSHOT,
    ],
    handler: Handler::Page(OnPage::new(handler)),
};

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let action = async {
            let id = context.page.id;
            let source = Element::find(&context.on, id, arguments.text("from_uid")).await?;
            let target = Element::find(&context.on, id, arguments.text("to_uid")).await?;
            drag::drag(&context.on, &source, &target).await
        };
        match context.act::<_, InputError>(Waiting::default(), report, action).await? {
            Acted::Done(Some(false)) => {
                report.line("The element was dragged, but the target did not accept the drop.");
            }
            Acted::Done(_) => report.line("Successfully dragged an element"),
            Acted::Dialog(_) => report.line("Dragging the element opened a dialog."),
        }
        context.snapshot_if_wanted(arguments, report).await
    })
}
