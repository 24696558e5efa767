//! From the texts that were given for an option to its value, with the original's coercions.

use std::collections::BTreeMap;

use url::Url;

use super::ParseError;
use super::options::{Kind, OptionSpec, range};
use super::urls::UrlPolicy;

/// A checked value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Bool(bool),
    Text(String),
    Number(u64),
    List(Vec<String>),
}

/// Checked values by option name.
pub(super) type Values = BTreeMap<&'static str, Value>;

/// The texts given for one option, in their order.
#[derive(Debug)]
pub(super) struct Given {
    pub option: &'static OptionSpec,
    pub texts: Vec<String>,
}

/// Checks what was given. A choice that does not exist is told after all other errors, and all such at once.
pub(super) fn check(given: Vec<Given>) -> Result<Values, ParseError> {
    let mut values = Values::new();
    let mut choices = String::new();
    for Given { option, mut texts } in given {
        let name = option.name;
        let value = if option.kind.takes_several() {
            list(option, texts)?
        } else {
            // Of an option that may be given once, the last counts.
            single(option, &texts.pop().unwrap_or_default(), &mut choices)?
        };
        if let Some(value) = value {
            values.insert(name, value);
        }
    }
    if choices.is_empty() { Ok(values) } else { Err(ParseError(format!("Invalid values:{choices}"))) }
}

/// `None` where an empty text means that the option was not given.
fn single(option: &OptionSpec, text: &str, wrong_choices: &mut String) -> Result<Option<Value>, ParseError> {
    let name = option.name;
    let text_value = || Some(Value::Text(text.to_owned()));
    Ok(match option.kind {
        Kind::Bool => Some(Value::Bool(text == "true")),
        Kind::HttpUrl | Kind::WebSocketUrl | Kind::Headers if text.is_empty() => None,
        Kind::HttpUrl => {
            address(name, text, &["http", "https"], "http://127.0.0.1:9222")?;
            text_value()
        }
        Kind::WebSocketUrl => {
            address(name, text, &["ws", "wss"], "ws://127.0.0.1:9222/devtools/browser/<id>")?;
            text_value()
        }
        Kind::Headers => {
            headers(text)?;
            text_value()
        }
        Kind::Size => {
            size(text).ok_or_else(|| {
                ParseError(format!(
                    "Invalid {name} {text}. Two whole numbers above 0 are expected.\nhint: for example --{name} 1280x720"
                ))
            })?;
            text_value()
        }
        Kind::Choice(choices) => {
            if !choices.contains(&text) {
                let choices: Vec<String> = choices.iter().map(|c| format!("\"{c}\"")).collect();
                wrong_choices
                    .push_str(&format!("\n  Argument: {name}, Given: \"{text}\", Choices: {}", choices.join(", ")));
            }
            text_value()
        }
        Kind::Integer { min, max } => Some(Value::Number(integer(name, text, min, max)?)),
        Kind::Text | Kind::List | Kind::Patterns => text_value(),
    })
}

fn list(option: &OptionSpec, texts: Vec<String>) -> Result<Option<Value>, ParseError> {
    if option.kind != Kind::Patterns {
        return Ok(Some(Value::List(texts)));
    }
    // The list that blocks nothing is no list; one that allows nothing is a mistake.
    if option.name == "blockedUrlPattern" {
        UrlPolicy::new(&texts, &[]).map_err(|e| ParseError(e.to_string()))?;
        return Ok(Some(Value::List(texts)).filter(|v| *v != Value::List(Vec::new())));
    }
    if texts.is_empty() {
        return Err(ParseError(format!(
            "Invalid --{}: it needs at least one pattern.\nhint: leave it out to allow all addresses",
            option.name
        )));
    }
    UrlPolicy::new(&[], &texts).map_err(|e| ParseError(e.to_string()))?;
    Ok(Some(Value::List(texts)))
}

fn address(name: &str, text: &str, schemes: &[&str], example: &str) -> Result<(), ParseError> {
    let wrong =
        |why: String| ParseError(format!("Invalid {name} {text}: {why}.\nhint: for example --{name} {example}"));
    let url = Url::parse(text).map_err(|e| wrong(format!("it is not a URL ({e})")))?;
    if schemes.contains(&url.scheme()) {
        Ok(())
    } else {
        let schemes: Vec<String> = schemes.iter().map(|s| format!("{s}://")).collect();
        Err(wrong(format!("it must begin with {}", schemes.join(" or "))))
    }
}

/// The headers of `--wsHeaders`.
pub(super) fn headers(text: &str) -> Result<Vec<(String, String)>, ParseError> {
    let wrong = |why: String| {
        ParseError(format!("Invalid JSON for wsHeaders: {why}\nhint: for example '{{\"Authorization\":\"Bearer x\"}}'"))
    };
    let value: serde_json::Value = serde_json::from_str(text).map_err(|e| wrong(e.to_string()))?;
    let serde_json::Value::Object(entries) = value else {
        return Err(wrong("an object with the headers' names and values is expected".into()));
    };
    entries
        .into_iter()
        .map(|(name, value)| match value {
            serde_json::Value::String(text) => Ok((name, text)),
            serde_json::Value::Number(number) => Ok((name, number.to_string())),
            _ => Err(wrong(format!("the value of {name} is no text"))),
        })
        .collect()
}

/// `1280x720`. More parts, such as a colour depth, are ignored like in the original.
pub(super) fn size(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.split('x').map(|part| number(part).and_then(whole));
    let mut next = || parts.next().flatten().and_then(|n| u32::try_from(n).ok()).filter(|&n| n > 0);
    Some((next()?, next()?))
}

fn integer(name: &str, text: &str, min: u64, max: u64) -> Result<u64, ParseError> {
    number(text).and_then(whole).filter(|n| (min..=max).contains(n)).ok_or_else(|| {
        // An example that is in every range of the table but the smallest.
        let example = if max <= 100 { 80 } else { 1000 };
        ParseError(format!(
            "Invalid {name} {text}. A whole number {} is expected.\nhint: for example --{name} {example}",
            range(min, max)
        ))
    })
}

/// A number as JavaScript reads it from a text: decimal, hexadecimal or with an exponent.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return u32::from_str_radix(digits, 16).ok().map(f64::from);
    }
    // Rust also knows words such as `inf`.
    if text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E')) {
        text.parse().ok()
    } else {
        None
    }
}

fn whole(number: f64) -> Option<u64> {
    // Above 2^53 not every whole number exists.
    const MAX: f64 = 9_007_199_254_740_992.0;
    (number.fract() == 0.0 && (0.0..=MAX).contains(&number)).then_some(number as u64)
}

/// Whether an argument is a negative number, and so a value in spite of its dash.
pub(super) fn is_negative_number(argument: &str) -> bool {
    argument.starts_with('-')
        && argument.as_bytes().get(1).is_some_and(u8::is_ascii_digit)
        && number(argument).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_by_javascript() {
        for (text, expected) in [
            ("16", Some(16)),
            ("0x10", Some(16)),
            ("1e3", Some(1000)),
            (" 7 ", Some(7)),
            ("1.5", None),
            ("-1", None),
            ("inf", None),
            ("nan", None),
            ("", None),
            ("12px", None),
            ("1e300", None),
        ] {
            assert_eq!(number(text).and_then(whole), expected, "{text}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(size("1280x720"), Some((1280, 720)));
        assert_eq!(size("1280x720x24"), Some((1280, 720)));
        for wrong in ["12", "0x10", "10.5x10", "x", "", "-1x5", "10x", "99999999999x1"] {
            assert_eq!(size(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn headers_are_one_flat_object() {
        assert_eq!(headers(r#"{"A":"b","C":1}"#).unwrap(), [("A".into(), "b".into()), ("C".into(), "1".into())]);
        assert_eq!(headers("{}").unwrap(), []);
        for wrong in ["[1]", "1", "{", r#"{"A":{}}"#, r#"{"A":null}"#] {
            assert!(headers(wrong).unwrap_err().0.starts_with("Invalid JSON for wsHeaders: "), "{wrong}");
        }
    }
}
