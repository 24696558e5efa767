//! `click_at`: clicks at a point of the viewport, for agents that see pictures.

use super::click::INCLUDE_SNAPSHOT;
use super::on_page::{Acted, OnPage, PageContext};
use super::schema::Param;
use super::{Arguments, Category, Condition, Handler, Running, Tool};
use crate::browser::input::mouse::{self, Point};
use crate::browser::settle::Waiting;
use crate::report::Report;

/// See the module.
pub const TOOL: Tool = Tool {
    name: "click_at",
    description: "Click at a point of the viewport.",
    category: Category::Input,
    read_only: false,
    conditions: &[Condition::Vision],
    params: &[
        Param::number("x", "CSS pixels from the left.").required().obvious(),
        Param::number("y", "CSS pixels from the top.").required().obvious(),
        Param::bool("dblClick", "Double click.").obvious(),
        INCLUDE_SNAPSHOT,
    ],
    handler: Handler::Page(OnPage::new(handler)),
};

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let point = Point { x: arguments.number("x"), y: arguments.number("y") };
        let double = arguments.bool("dblClick");
        let action = mouse::click(&context.on, point, double);
        match context.act(Waiting::default(), report, action).await? {
            Acted::Done(()) if double => report.line("Successfully double clicked at the coordinates"),
            Acted::Done(()) => report.line("Successfully clicked at the coordinates"),
            Acted::Dialog(_) => report.line("The click opened a dialog."),
        }
        context.snapshot_if_wanted(arguments, report).await
    })
}
