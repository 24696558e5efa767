//! `fill_form`: gives several fields their values, in order.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use super::click::INCLUDE_SNAPSHOT;
use super::on_page::{Acted, OnPage, PageContext};
use super::schema::Param;
use super::{Arguments, Category, Handler, Running, Tool};
use crate::browser::elements::Element;
use crate::browser::input::{InputError, fill};
use crate::browser::settle::Waiting;
use crate::report::{Failure, Report};

/// See the module.
pub const TOOL: Tool = Tool {
    name: "fill_form",
    description: "Fill several fields in order, each as fill does. The first failure stops the rest.",
    category: Category::Input,
    read_only: false,
    conditions: &[],
    params: &[
        Param::objects("elements", &[("uid", ""), ("value", "")], "Fields and their values.").required().obvious(),
        INCLUDE_SNAPSHOT,
    ],
    handler: Handler::Page(OnPage::new(handler)),
};

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let items = arguments.0.get("elements").and_then(Value::as_array).cloned().unwrap_or_default();
        let text = |item: &Value, key: &str| item[key].as_str().unwrap_or_default().to_owned();
        let fields: Vec<(String, String)> = items.iter().map(|item| (text(item, "uid"), text(item, "value"))).collect();
        // How many are done; read after a dialog has ended the action in the middle.
        let done = AtomicUsize::new(0);
        let action = async {
            for (number, (uid, value)) in fields.iter().enumerate() {
                let fill_one = async {
                    let element = Element::find(&context.on, context.page.id, uid).await?;
                    fill::fill(&context.on, &element, value).await?;
                    Ok::<_, InputError>(())
                };
                fill_one.await.map_err(|error| after_others(error, number, fields.len()))?;
                done.store(number + 1, Ordering::Relaxed);
            }
            Ok::<_, Failure>(())
        };
        match context.act(Waiting::default(), report, action).await? {
            Acted::Done(()) => report.line("Successfully filled out the form"),
            Acted::Dialog(_) => {
                let at = done.load(Ordering::Relaxed);
                let uid = fields.get(at).map(|(uid, _)| uid.as_str()).unwrap_or_default();
                let rest = if at + 1 < fields.len() { " The remaining elements were not filled out." } else { "" };
                report.line(format!("Filling out the element with uid {uid} opened a dialog.{rest}"));
            }
        }
        context.snapshot_if_wanted(arguments, report).await
    })
}

/// Says how far it came.
fn after_others(error: InputError, done: usize, all: usize) -> Failure {
    let mut failure = Failure::from(error);
    if done > 0 {
        let hint = failure.hint.take().unwrap_or_default();
        failure.hint = Some(format!("{hint}; the first {done} of {all} fields are filled"));
    }
    failure
}
