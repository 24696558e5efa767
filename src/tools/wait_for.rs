//! `wait_for`: waits for a text on the page.

use std::time::Duration;

use super::on_page::{OnPage, PageContext};
use super::schema::Param;
use super::{Arguments, Category, Handler, Running, Tool};
use crate::browser::wait_text::{Waited, wait_for_text};
use crate::report::{Failure, Report};

/// See the module.
pub const TOOL: Tool = Tool {
    name: "wait_for",
    description: "Wait until one of these texts is on the page.",
    category: Category::Navigation,
    read_only: true,
    conditions: &[],
    params: &[
        Param::texts("text", 1, "Texts; one suffices.").required().obvious(),
        Param::integer("timeout", "Default 30000 ms."),
    ],
    handler: Handler::Page(OnPage::new(handler)),
};

/// The original's default.
const TIMEOUT: Duration = Duration::from_secs(30);

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let texts = arguments.texts("text");
        let timeout = arguments.timeout("timeout", TIMEOUT);
        match wait_for_text(&context.on, &texts, timeout).await? {
            Waited::Found => {
                let list = serde_json::to_string(&texts).unwrap_or_default();
                report.line(format!("Element matching one of {list} found."));
                context.snapshot(report).await
            }
            Waited::Timeout => Err(Failure::new(
                format!("Timed out after waiting {}ms", timeout.as_millis()),
                "take_snapshot shows what is there now",
            )),
            Waited::Dialog(dialog) => Err(Failure::new(
                format!("A dialog opened while waiting ({}: {}).", dialog.kind, dialog.message),
                "answer it with handle_dialog, then wait again",
            )),
        }
    })
}
