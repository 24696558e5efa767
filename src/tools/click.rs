//! `click`: clicks an element with the mouse, or selects an option.

use super::on_page::{Acted, OnPage, PageContext};
use super::schema::Param;
use super::{Arguments, Category, Handler, Running, Tool};
use crate::browser::elements::Element;
use crate::browser::input::{InputError, fill, mouse};
use crate::browser::settle::Waiting;
use crate::report::Report;

/// See the module.
pub const TOOL: Tool = Tool {
    name: "click",
    description: "Click an element.",
    category: Category::Input,
    read_only: false,
    conditions: &[],
    params: &[
        Param::text("uid", "Element, from take_snapshot.").required().obvious(),
        Param::bool("dblClick", "Double click.").obvious(),
        INCLUDE_SNAPSHOT,
    ],
    handler: Handler::Page(OnPage::new(handler)),
};

/// The parameter of most input tools.
pub(super) const INCLUDE_SNAPSHOT: Param = Param::bool("includeSnapshot", "Answer with a snapshot too.").obvious();

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let double = arguments.bool("dblClick");
        let action = async {
            let element = Element::find(&context.on, context.page.id, arguments.text("uid")).await?;
            if element.role == "option" && !double && fill::select_option(&context.on, &element).await? {
                return Ok(());
            }
            let point = mouse::aim(&context.on, &element, true).await?;
            mouse::click(&context.on, point, double).await?;
            Ok::<_, InputError>(())
        };
        match context.act(Waiting::default(), report, action).await? {
            Acted::Done(()) if double => report.line("Successfully double clicked on the element"),
            Acted::Done(()) => report.line("Successfully clicked on the element"),
            Acted::Dialog(_) => report.line("The element was clicked and it opened a dialog."),
        }
        context.snapshot_if_wanted(arguments, report).await
    })
}
