//! `hover`: moves the mouse over an element.

use super::click::INCLUDE_SNAPSHOT;
use super::on_page::{Acted, OnPage, PageContext};
use super::schema::Param;
use super::{Arguments, Category, Handler, Running, Tool};
use crate::browser::elements::Element;
use crate::browser::input::{InputError, mouse};
use crate::browser::settle::Waiting;
use crate::report::Report;

/// See the module.
pub const TOOL: Tool = Tool {
    name: "hover",
    description: "Move the mouse over an element.",
    category: Category::Input,
    read_only: false,
    conditions: &[],
    params: &[Param::text("uid", "Element, from take_snapshot.").required().obvious(), INCLUDE_SNAPSHOT],
    handler: Handler::Page(OnPage::new(handler)),
};

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let action = async {
            let element = Element::find(&context.on, context.page.id, arguments.text("uid")).await?;
            let point = mouse::aim(&context.on, &element, false).await?;
            mouse::move_to(&context.on, point).await?;
            Ok::<_, InputError>(())
        };
        match context.act(Waiting::default(), report, action).await? {
            Acted::Done(()) => report.line("Successfully hovered over the element"),
            Acted::Dialog(_) => report.line("The element was hovered and it opened a dialog."),
        }
        context.snapshot_if_wanted(arguments, report).await
    })
}
