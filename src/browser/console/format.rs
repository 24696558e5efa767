//! Format directives of console calls (`%s`, `%d`, …).
//!
//! Source: the Console Standard, https://console.spec.whatwg.org/#formatter

use super::remote::{RemoteObject, ValueType};

/// The text of a console call: its arguments joined by blanks, after directives in the first one have taken theirs.
pub fn text(arguments: &[RemoteObject]) -> String {
    let mut parts = Vec::with_capacity(arguments.len());
    let rest = match arguments {
        [first, rest @ ..] if first.r#type == ValueType::String && !rest.is_empty() => {
            let (text, used) = substitute(&first.line(), rest);
            parts.push(text);
            &rest[used..]
        }
        all => all,
    };
    parts.extend(rest.iter().map(RemoteObject::line));
    parts.join(" ")
}

/// Replaces the directives; also how many values they took.
fn substitute(format: &str, values: &[RemoteObject]) -> (String, usize) {
    let (mut result, mut used) = (String::with_capacity(format.len()), 0);
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        result.push_str(&rest[..at]);
        let directive = rest[at + 1..].chars().next();
        let length = 1 + directive.map_or(0, char::len_utf8);
        match (directive, values.get(used)) {
            (Some('%'), _) => result.push('%'),
            // Styles have no meaning in text.
            (Some('c'), Some(_)) => used += 1,
            (Some('s'), Some(value)) => {
                result.push_str(&value.line());
                used += 1;
            }
            (Some('d' | 'i'), Some(value)) => {
                result.push_str(&number(value, true));
                used += 1;
            }
            (Some('f'), Some(value)) => {
                result.push_str(&number(value, false));
                used += 1;
            }
            (Some('o' | 'O'), Some(value)) => {
                result.push_str(&value.inspected());
                used += 1;
            }
            _ => result.push_str(&rest[at..at + length]),
        }
        rest = &rest[at + length..];
    }
    result.push_str(rest);
    (result, used)
}

/// `parseInt` or `parseFloat` of a value, as far as a console line needs it.
fn number(value: &RemoteObject, whole: bool) -> String {
    let text = value.line();
    let text = text.trim().trim_end_matches('n');
    if value.r#type == ValueType::Number {
        return match text.parse::<f64>() {
            Ok(number) if number.is_finite() && whole => number.trunc().to_string(),
            Ok(number) if number.is_finite() => number.to_string(),
            // `Infinity`, `-Infinity`, `NaN`
            _ => text.to_owned(),
        };
    }
    let mut end = 0;
    for (at, c) in text.char_indices() {
        let sign = at == 0 && matches!(c, '-' | '+');
        let point = !whole && c == '.' && !text[..at].contains('.');
        if !(c.is_ascii_digit() || sign || point) {
            break;
        }
        end = at + 1;
    }
    match text[..end].parse::<f64>() {
        Ok(_) if value.r#type == ValueType::Symbol => "NaN".into(),
        Ok(_) if whole => text[..end].trim_start_matches('+').to_owned(),
        Ok(number) => number.to_string(),
        Err(_) => "NaN".into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn of(arguments: Value) -> String {
        let objects: Vec<RemoteObject> = arguments
            .as_array()
            .unwrap()
            .iter()
            .map(|value| {
                let kind = if value.is_string() { "string" } else { "number" };
                serde_json::from_value(json!({"type": kind, "value": value})).unwrap()
            })
            .collect();
        text(&objects)
    }

    #[test]
    fn directives_take_their_values_and_the_rest_follows() {
        assert_eq!(of(json!(["%c styled %s %d", "color:red", "str", 42])), " styled str 42");
        assert_eq!(of(json!(["%i|%f|%d", "12.7px", "1.5x", "no", 3])), "12|1.5|NaN 3");
        assert_eq!(of(json!(["100%", 5])), "100% 5");
        assert_eq!(of(json!(["%% %s", "a"])), "% a");
        assert_eq!(of(json!(["%s %s", "a"])), "a %s");
        assert_eq!(of(json!(["%o", "a"])), "\"a\"");
        assert_eq!(of(json!(["%d only"])), "%d only");
        assert_eq!(of(json!([1, "%s", 2])), "1 %s 2");
        assert_eq!(of(json!(["", "second"])), " second");
        assert_eq!(of(json!(["%é", 1])), "%é 1");
        assert_eq!(of(json!(["%f %d %d", 2.5e-9, 5e-7, -3.9])), "0.0000000025 0 -3");
    }
}
