//! `fill`: gives one field its value.

use super::click::INCLUDE_SNAPSHOT;
use super::on_page::{Acted, OnPage, PageContext};
use super::schema::Param;
use super::{Arguments, Category, Handler, Running, Tool};
use crate::browser::elements::Element;
use crate::browser::input::{InputError, fill};
use crate::browser::settle::Waiting;
use crate::report::Report;

/// See the module.
pub const TOOL: Tool = Tool {
    name: "fill",
    description: "Fill a field of any kind. Select: option text. Checkbox, radio, switch: true or false.",
    category: Category::Input,
    read_only: false,
    conditions: &[],
    params: &[
        Param::text("uid", "Field, from take_snapshot.").required().obvious(),
        Param::text("value", "Several options of a list: JSON array.").required(),
        INCLUDE_SNAPSHOT,
    ],
    handler: Handler::Page(OnPage::new(handler)),
};

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let action = async {
            let element = Element::find(&context.on, context.page.id, arguments.text("uid")).await?;
            fill::fill(&context.on, &element, arguments.text("value")).await?;
            Ok::<_, InputError>(())
        };
        match context.act(Waiting::default(), report, action).await? {
            Acted::Done(()) => report.line("Successfully filled out the element"),
            Acted::Dialog(_) => {
                report.line("The element was filled out and it opened a dialog.");
                // Typing ends with the first dialog.
                report.line("hint: after handle_dialog, take_snapshot shows whether the field holds the whole value");
            }
        }
        context.snapshot_if_wanted(arguments, report).await
    })
}
