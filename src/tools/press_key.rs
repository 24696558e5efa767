//! `press_key`: presses a key or a combination.

use super::click::INCLUDE_SNAPSHOT;
use super::on_page::{Acted, OnPage, PageContext};
use super::schema::Param;
use super::{Arguments, Category, Handler, Running, Tool};
use crate::browser::input::{keyboard, keys};
use crate::browser::settle::Waiting;
use crate::report::Report;

/// See the module.
pub const TOOL: Tool = Tool {
    name: "press_key",
    description: "Press a key or combination. For text: fill or type_text.",
    category: Category::Input,
    read_only: false,
    conditions: &[],
    params: &[Param::text("key", "Such as Enter, Control+Shift+R, Control++.").required(), INCLUDE_SNAPSHOT],
    handler: Handler::Page(OnPage::new(handler)),
};

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let name = arguments.text("key");
        let combination = keys::combination(name)?;
        let action = keyboard::press(&context.on, &combination);
        match context.act(Waiting::default(), report, action).await? {
            Acted::Done(()) => report.line(format!("Successfully pressed key: {name}")),
            Acted::Dialog(_) => report.line(format!("The key {name} was pressed and it opened a dialog.")),
        }
        context.snapshot_if_wanted(arguments, report).await
    })
}
