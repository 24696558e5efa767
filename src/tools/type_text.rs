//! `type_text`: types into whatever has the focus.

use super::on_page::{Acted, OnPage, PageContext};
use super::schema::Param;
use super::{Arguments, Category, Handler, Running, Tool};
use crate::browser::input::{InputError, keyboard, keys};
use crate::browser::settle::Waiting;
use crate::report::Report;

/// See the module.
pub const TOOL: Tool = Tool {
    name: "type_text",
    description: "Type text into the focused element.",
    category: Category::Input,
    read_only: false,
    conditions: &[],
    params: &[
        Param::text("text", "The text.").required().obvious(),
        Param::text("submitKey", "Key to press afterwards, such as Enter or Tab.").obvious(),
    ],
    handler: Handler::Page(OnPage::new(handler)),
};

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let text = arguments.text("text");
        let submit = arguments.optional_text("submitKey");
        // Before anything is typed: a wrong key must not leave half of the work done.
        let key = match submit {
            Some(name) => {
                Some(keys::find(name, false).ok_or_else(|| InputError::Key(format!("Unknown key: \"{name}\"")))?)
            }
            None => None,
        };
        let action = async {
            keyboard::type_text(&context.on, text).await?;
            if let Some(key) = key {
                keyboard::press(&context.on, &[key]).await?;
            }
            Ok::<_, InputError>(())
        };
        match context.act(Waiting::default(), report, action).await? {
            Acted::Done(()) => {
                let submitted = submit.map(|key| format!(" + {key}")).unwrap_or_default();
                report.line(format!("Typed text \"{text}{submitted}\""));
            }
            Acted::Dialog(_) => report.line("Typing opened a dialog; the rest was not typed."),
        }
        Ok(())
    })
}
