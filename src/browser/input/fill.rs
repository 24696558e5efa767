//! Filling fields of every kind. What the element can hold is checked before it is touched, and it is read afterwards:
//! success means that it holds the value.

use std::sync::atomic::AtomicUsize;

use serde::Deserialize;
use serde_json::{Value, json};

use super::keys;
use super::mouse::{aim, click};
use super::{InputError, RETRY, keyboard};
use crate::browser::elements::Element;
use crate::browser::page::Attached;

/// From this length on a text is inserted at once instead of being typed.
const INSERT_FROM: usize = 100;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Field {
    kind: String,
    tag: String,
    name: String,
    #[serde(default)]
    r#type: String,
    disabled: bool,
    read_only: bool,
    #[serde(default)]
    multiple: bool,
    #[serde(default)]
    value: String,
    #[serde(default)]
    held: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Selected {
    Missing { missing: String, options: Vec<String> },
    Disabled { disabled: String },
    Done { selected: Vec<String>, held: bool },
}

/// How many options an error lists.
const LISTED: usize = 20;

fn not_ready(element: &Element, why: String, hint: &'static str) -> InputError {
    InputError::NotReady { uid: element.uid, why, hint }
}

async fn describe(page: &Attached, element: &Element, value: &str) -> Result<Field, InputError> {
    Ok(element.call(page, include_str!("../scripts/describe.js"), &[value.into()]).await?)
}

/// Fills one element.
pub async fn fill(page: &Attached, element: &Element, value: &str) -> Result<(), InputError> {
    page.focus().await?;
    let field = describe(page, element, value).await?;
    if field.disabled {
        return Err(not_ready(
            element,
            format!("It is disabled; its value was not touched ({}).", field.name),
            "find out what enables it, take_snapshot shows the page",
        ));
    }
    if field.read_only {
        return Err(not_ready(
            element,
            format!("It is read-only; its value was not touched ({}).", field.name),
            "change it the way a user would, for example with the button beside it",
        ));
    }
    match field.kind.as_str() {
        "select" => select(page, element, Some(value), field.multiple).await,
        "option" => Err(not_ready(element, "It is an option.".into(), "click the option, or fill its select")),
        "toggle" => toggle(page, element, value, &field).await,
        "text" | "editable" => text(page, element, value, &field).await,
        "value" => set(page, element, value, &field).await,
        "file" => Err(not_ready(element, "It takes files.".into(), "use upload_file")),
        _ => Err(not_ready(
            element,
            format!("It is not a field but {}.", field.name),
            "use the uid of the field itself (textbox, combobox, checkbox, ...)",
        )),
    }
}

/// Selects an option by its own uid, if the element is an option of a usable single select. `false`: it is not.
pub async fn select_option(page: &Attached, element: &Element) -> Result<bool, InputError> {
    let field = describe(page, element, "").await?;
    if field.kind != "option" || field.disabled || field.multiple {
        return Ok(false);
    }
    select(page, element, None, false).await?;
    Ok(true)
}

async fn select(page: &Attached, element: &Element, value: Option<&str>, multiple: bool) -> Result<(), InputError> {
    let wanted = match value {
        None => Value::Null,
        Some(value) => {
            // A JSON list selects several; anything else is one option's text.
            let list = if multiple { serde_json::from_str::<Vec<String>>(value).ok() } else { None };
            json!(list.unwrap_or_else(|| vec![value.to_owned()]))
        }
    };
    match element.call(page, include_str!("../scripts/select.js"), &[wanted]).await? {
        Selected::Done { held: true, .. } => Ok(()),
        Selected::Done { selected, .. } => Err(InputError::Value {
            why: format!("The page changed the selection; selected is now: {}", selected.join(", ")),
            hint: "take_snapshot shows the field".into(),
        }),
        Selected::Disabled { disabled } => Err(not_ready(
            element,
            format!("Its option \"{disabled}\" is disabled."),
            "choose another option, or find out what enables it",
        )),
        Selected::Missing { missing, options } => {
            let mut listed: Vec<String> = options.iter().take(LISTED).map(|o| format!("\"{o}\"")).collect();
            if options.len() > LISTED {
                listed.push(format!("and {} more", options.len() - LISTED));
            }
            Err(not_ready(
                element,
                format!("Could not find option with text \"{missing}\". Options: {}.", listed.join(", ")),
                "use the text of one of these options",
            ))
        }
    }
}

async fn toggle(page: &Attached, element: &Element, value: &str, field: &Field) -> Result<(), InputError> {
    if value != "true" && value != "false" {
        return Err(InputError::Value {
            why: format!("A checkbox, radio button or switch takes \"true\" or \"false\", not \"{value}\"."),
            hint: "call fill again with one of them".into(),
        });
    }
    if field.value == value {
        return Ok(());
    }
    let point = aim(page, element, true).await?;
    click(page, point, false).await?;
    // The page may answer with a moment's delay.
    for _ in 0..5 {
        if describe(page, element, value).await?.value == value {
            return Ok(());
        }
        tokio::time::sleep(RETRY / 2).await;
    }
    let now = describe(page, element, value).await?.value;
    Err(InputError::Value {
        why: format!("The element with uid {} was clicked, but its state is {now}, not {value}.", element.uid),
        hint: if value == "false" && field.r#type == "radio" {
            "a radio button is switched off by choosing another one".into()
        } else {
            "take_snapshot shows what the page made of it".into()
        },
    })
}

/// Values that would be changed or dropped by the field itself are refused before anything is touched.
fn check_held(element: &Element, value: &str, field: &Field) -> Result<(), InputError> {
    if field.held == value || field.kind == "editable" || field.tag == "textarea" {
        return Ok(());
    }
    let expected = match field.r#type.as_str() {
        "number" | "range" => "a number within its limits, for example 12.5",
        "date" => "a date such as 2026-03-04",
        "time" => "a time such as 13:45",
        "month" => "a month such as 2026-03",
        "week" => "a week such as 2026-W10",
        "datetime-local" => "a date and time such as 2026-03-04T13:45",
        "color" => "a colour such as #ff0000",
        _ => "one line of text",
    };
    Err(InputError::Value {
        why: format!(
            "The {} field with uid {} cannot hold \"{value}\" (it would become \"{}\"); its value was not touched.",
            field.r#type, element.uid, field.held
        ),
        hint: format!("give {expected}"),
    })
}

async fn text(page: &Attached, element: &Element, value: &str, field: &Field) -> Result<(), InputError> {
    check_held(element, value, field)?;
    let value = if field.kind == "text" { field.held.as_str() } else { value };
    if field.value == value {
        return Ok(());
    }
    let append = !field.value.is_empty() && value.starts_with(&field.value);
    let rest = if append { &value[field.value.len()..] } else { value };
    let focus = include_str!("../scripts/focus.js");
    let mut focused: bool = element.call(page, focus, &[append.into()]).await?;
    let rest = if focused || !append { rest } else { value };
    if !focused {
        // A frame in another process, or a field that opens on a click: the mouse gives it the focus.
        let point = aim(page, element, true).await?;
        click(page, point, false).await?;
        focused = element.call(page, focus, &[(append && rest.len() != value.len()).into()]).await?;
    }
    if !focused {
        return Err(not_ready(element, "It does not take the focus.".into(), "click it first, then use type_text"));
    }
    if rest.is_empty() {
        if let Some(key) = keys::find("Backspace", false) {
            keyboard::stroke(page, &key, 0).await?;
        }
    } else if rest.chars().count() < INSERT_FROM {
        let multiline = field.tag == "textarea" || field.kind == "editable";
        if multiline || !rest.contains('\n') {
            keyboard::type_text(page, rest, &AtomicUsize::new(0)).await?;
        } else {
            keyboard::insert(page, rest).await?;
        }
    } else {
        keyboard::insert(page, rest).await?;
        // Nobody typed it, so a page may as well be told at once, as by the original.
        let tell = "e => { e.dispatchEvent(new Event('change', {bubbles: true})); return true; }";
        let _: bool = element.call(page, tell, &[]).await?;
    }
    let now: String = element.call(page, include_str!("../scripts/read_value.js"), &[]).await?;
    // The browser ends an editable text with a line break of its own.
    if now == value || (field.kind == "editable" && now.trim_end_matches('\n') == value.trim_end_matches('\n')) {
        return Ok(());
    }
    Err(InputError::Value {
        why: format!("The element with uid {} holds \"{now}\" after filling, not \"{value}\".", element.uid),
        hint: "the page or a length limit changed it; take_snapshot shows the field".into(),
    })
}

async fn set(page: &Attached, element: &Element, value: &str, field: &Field) -> Result<(), InputError> {
    check_held(element, value, field)?;
    let now: String = element.call(page, include_str!("../scripts/set_value.js"), &[value.into()]).await?;
    if now == value {
        return Ok(());
    }
    Err(InputError::Value {
        why: format!("The element with uid {} holds \"{now}\" after filling, not \"{value}\".", element.uid),
        hint: "the page changed it; take_snapshot shows the field".into(),
    })
}
