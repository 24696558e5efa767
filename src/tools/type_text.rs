//! `type_text`: types into whatever has the focus.

use std::sync::atomic::{AtomicUsize, Ordering};

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
        let typed = AtomicUsize::new(0);
        let action = async {
            keyboard::type_text(&context.on, text, &typed).await?;
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
            Acted::Dialog(_) => report.line(stopped(text, typed.load(Ordering::Relaxed), submit)),
        }
        Ok(())
    })
}

/// What was typed when a dialog opened. The key that opened it takes effect when the dialog is answered.
fn stopped(text: &str, typed: usize, submit: Option<&str>) -> String {
    let place = |count: usize| text.char_indices().nth(count).map_or(text.len(), |(at, _)| at);
    let (before, at, after) = (&text[..place(typed)], &text[place(typed)..place(typed + 1)], &text[place(typed + 1)..]);
    let cause = if at.is_empty() { submit.unwrap_or_default() } else { at };
    let rest = match (after, submit.filter(|_| !at.is_empty())) {
        ("", None) => "nothing is left".to_owned(),
        (rest, None) => format!("not typed: \"{rest}\""),
        (rest, Some(key)) => format!("not typed: \"{rest} + {key}\""),
    };
    format!("Typed \"{before}\", then \"{cause}\" opened a dialog; {rest}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_and_what_was_not() {
        let said = |typed, submit| stopped("größe", typed, submit);
        assert_eq!(said(2, None), "Typed \"gr\", then \"ö\" opened a dialog; not typed: \"ße\".");
        assert_eq!(said(4, Some("Enter")), "Typed \"größ\", then \"e\" opened a dialog; not typed: \" + Enter\".");
        assert_eq!(said(5, Some("Enter")), "Typed \"größe\", then \"Enter\" opened a dialog; nothing is left.");
    }
}
