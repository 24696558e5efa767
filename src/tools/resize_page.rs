//! `resize_page`: gives the page's content a size.

use serde_json::{Value, json};

use super::on_page::{OnPage, PageContext};
use super::schema::Param;
use super::{Arguments, Category, Handler, Running, Tool};
use crate::report::Report;

/// See the module.
pub const TOOL: Tool = Tool {
    name: "resize_page",
    description: "Give the page's content this size.",
    category: Category::Emulation,
    read_only: false,
    conditions: &[],
    params: &[
        Param::positive("width", "CSS pixels.").required().obvious(),
        Param::positive("height", "CSS pixels.").required().obvious(),
    ],
    handler: Handler::Page(OnPage::new(handler).while_dialog()),
};

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let browser = context.live.pages.browser();
        let target = json!({"targetId": context.page.target});
        let window: Value = browser.call("Browser.getWindowForTarget", target).await?;
        let id = &window["windowId"];
        // From full screen a window goes to maximised first; one that cannot change says so and stays.
        let times = match window["bounds"]["windowState"].as_str() {
            Some("fullscreen") => 2,
            Some("minimized" | "maximized") => 1,
            _ => 0,
        };
        for _ in 0..times {
            let normal = json!({"windowId": id, "bounds": {"windowState": "normal"}});
            let _: Result<Value, _> = browser.call("Browser.setWindowBounds", normal).await;
        }
        let size = |name: &str| arguments.number(name) as i64;
        let params = json!({"windowId": id, "width": size("width"), "height": size("height")});
        browser.call::<Value>("Browser.setContentsSize", params).await?;
        context.list_pages(report).await
    })
}
