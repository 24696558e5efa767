//! First pass over a message: only the envelope is read, payloads stay raw until somebody needs them.
//!
//! Unknown methods, unknown enum values and unknown fields never drop an event: decoding happens in the consumer, and
//! leniently.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// A message's envelope.
#[derive(Deserialize)]
pub(super) struct Envelope<'a> {
    pub id: Option<u64>,
    #[serde(borrow)]
    pub method: Option<std::borrow::Cow<'a, str>>,
    #[serde(borrow, rename = "sessionId")]
    pub session: Option<std::borrow::Cow<'a, str>>,
    #[serde(borrow)]
    pub params: Option<&'a RawValue>,
    #[serde(borrow)]
    pub result: Option<&'a RawValue>,
    pub error: Option<RemoteError>,
}

/// The `error` of an answer. Chrome puts the useful part into `data`.
#[derive(Deserialize)]
pub(super) struct RemoteError {
    #[serde(default)]
    pub code: i64,
    #[serde(default)]
    pub message: String,
    pub data: Option<serde_json::Value>,
}

/// An event of the browser.
#[derive(Debug, Clone)]
pub struct Event {
    /// For example `Page.loadEventFired`.
    pub method: String,
    /// The flat session it belongs to; `None` for the browser's own.
    pub session: Option<String>,
    /// Its parameters, not yet decoded.
    pub params: Box<RawValue>,
    /// Its place among all messages of the connection: see [`super::Connection::call_placed`]. 0 if it is not the browser's.
    pub place: u64,
}

impl Event {
    /// Decodes the parameters.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        decode(self.params.get())
    }
}

/// Decodes JSON of the browser. Pages can put half a surrogate pair into any text; Chrome escapes it, and JSON libraries
/// refuse it. Such halves become U+FFFD.
pub fn decode<T: DeserializeOwned>(json: &str) -> Result<T, serde_json::Error> {
    match serde_json::from_str(json) {
        Err(error) if error.is_syntax() => match repair_surrogates(json) {
            Some(repaired) => serde_json::from_str(&repaired),
            None => Err(error),
        },
        result => result,
    }
}

/// Replaces `\uD800`–`\uDFFF` escapes that have no partner; `None` if there are none.
pub fn repair_surrogates(json: &str) -> Option<String> {
    let bytes = json.as_bytes();
    let unit = |at: usize| {
        (bytes.get(at) == Some(&b'\\') && bytes.get(at + 1) == Some(&b'u'))
            .then(|| json.get(at + 2..at + 6).and_then(|hex| u16::from_str_radix(hex, 16).ok()))
            .flatten()
    };
    let mut result = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(skip) = memchr::memchr(b'\\', &bytes[at..]) {
        at += skip;
        match unit(at) {
            Some(0xd800..=0xdbff) if matches!(unit(at + 6), Some(0xdc00..=0xdfff)) => at += 12,
            Some(0xd800..=0xdfff) => {
                result.push_str(&json[copied..at]);
                result.push_str("\\ufffd");
                at += 6;
                copied = at;
            }
            // Any other escape is two bytes, which also steps over `\\`.
            _ => at = (at + 2).min(bytes.len()),
        }
    }
    (copied > 0).then(|| {
        result.push_str(&json[copied..]);
        result
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_are_repaired_and_nothing_else() {
        let decoded: Vec<String> =
            decode(r#"["\ud83d","a\udc00b","\ud83d\ude00","\\ud83d","\ud83d\\ude00","x\n"]"#).unwrap();
        assert_eq!(decoded, ["\u{fffd}", "a\u{fffd}b", "\u{1f600}", "\\ud83d", "\u{fffd}\\ude00", "x\n"]);
        assert!(decode::<String>("nonsense").is_err());
    }

    #[test]
    fn envelopes_are_read_in_any_order_and_with_unknown_fields() {
        let text = r#"{"params":{"a":[1]},"sessionId":"S","future":{"x":1},"method":"New.thing"}"#;
        let envelope: Envelope = serde_json::from_str(text).unwrap();
        assert_eq!(envelope.params.unwrap().get(), r#"{"a":[1]}"#);
        assert_eq!(
            (envelope.method.as_deref(), envelope.session.as_deref(), envelope.id),
            (Some("New.thing"), Some("S"), None)
        );
    }
}
