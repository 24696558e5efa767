//! A body or the messages of a connection in an answer: a window of a long one, what is known of one that is not text,
//! why there is none, or the file it is in.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::fence::fenced;

/// Characters of a body that are shown at once, as in the original.
pub const WINDOW: usize = 10_000;

/// The part of a long body that is wanted, in characters.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    /// Where it begins.
    pub offset: usize,
    /// How long it is at most.
    pub limit: usize,
}

/// A body in an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum BodyPart {
    /// A window of a text.
    Text { shown: String, offset: usize, end: usize, total: usize, is_open: bool },
    /// There is one, and it is empty.
    Empty { is_open: bool },
    /// Not text.
    Binary { mime: String, size: usize, is_open: bool },
    /// There is none, and why.
    Missing(String),
    /// It is in a file.
    Saved { path: PathBuf, is_open: bool },
}

impl BodyPart {
    /// Of a body; `lenient`: bytes that are not text are replaced, which forms with files in them need to be readable.
    pub fn of(bytes: &[u8], mime: &str, window: Window, is_open: bool, lenient: bool) -> Self {
        if bytes.is_empty() {
            return BodyPart::Empty { is_open };
        }
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text.into(),
            // What has arrived may end inside a character.
            Err(error) if is_open && error.error_len().is_none() => {
                String::from_utf8_lossy(&bytes[..error.valid_up_to()])
            }
            Err(_) if lenient => String::from_utf8_lossy(bytes),
            Err(_) => return BodyPart::Binary { mime: mime.into(), size: bytes.len(), is_open },
        };
        let total = text.chars().count();
        let offset = window.offset.min(total);
        let shown: String = text.chars().skip(offset).take(window.limit).collect();
        let end = offset + shown.chars().count();
        BodyPart::Text { shown, offset, end, total, is_open }
    }

    /// As text. `more`: the call that shows the rest, without the offset.
    pub fn text(&self, more: &str, is_fenced: bool) -> String {
        let still_open = |is_open: bool| if is_open { "\n<still open: more may come>" } else { "" };
        match self {
            BodyPart::Text { shown, offset, end, total, is_open } => {
                let cut = if end < total { "... <truncated>" } else { "" };
                let shown = format!("{shown}{cut}");
                let mut text = if is_fenced { fenced(&shown) } else { shown };
                if end < total || *offset > 0 {
                    text.push_str(&format!("\n<characters {offset} to {end} of {total}"));
                    if end < total {
                        text.push_str(&format!("; go on with {more} and offset {end}"));
                    }
                    text.push('>');
                }
                text + still_open(*is_open)
            }
            BodyPart::Empty { is_open } => format!("<empty response>{}", still_open(*is_open)),
            BodyPart::Binary { mime, size, is_open } => {
                let mime = if mime.is_empty() { "unknown type" } else { mime };
                format!("<binary data: {mime}, {size} bytes>{}", still_open(*is_open))
            }
            BodyPart::Missing(why) => format!("<not available: {why}>"),
            BodyPart::Saved { path, is_open } => format!("Saved to {}.{}", path.display(), still_open(*is_open)),
        }
    }

    /// Adds `<prefix>Body` or `<prefix>BodyFilePath`, and what is known beside it.
    pub fn structured(&self, prefix: &str, content: &mut Map<String, Value>) {
        let mut set = |key: &str, value: Value| _ = content.insert(format!("{prefix}{key}"), value);
        match self {
            BodyPart::Text { shown, offset, end, total, .. } => {
                let cut = if end < total { "... <truncated>" } else { "" };
                set("Body", format!("{shown}{cut}").into());
                if end < total || *offset > 0 {
                    set("BodyPart", json!({"offset": offset, "end": end, "total": total}));
                }
            }
            BodyPart::Saved { path, .. } => set("BodyFilePath", path.to_string_lossy().into()),
            BodyPart::Binary { .. } | BodyPart::Empty { .. } | BodyPart::Missing(_) => {
                set("Body", self.text("", false).lines().next().unwrap_or_default().into());
            }
        }
        let is_open = match self {
            BodyPart::Text { is_open, .. }
            | BodyPart::Empty { is_open }
            | BodyPart::Binary { is_open, .. }
            | BodyPart::Saved { is_open, .. } => *is_open,
            BodyPart::Missing(_) => false,
        };
        if is_open {
            set("BodyIsOpen", true.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Window = Window { offset: 0, limit: WINDOW };

    fn text(bytes: &[u8], window: Window, is_open: bool) -> String {
        BodyPart::of(bytes, "a/b", window, is_open, false).text("get 5", false)
    }

    #[test]
    fn long_bodies_are_shown_in_windows_of_whole_characters() {
        let body = format!("{}\u{1f600}{}", "x".repeat(9_999), "y".repeat(100));
        assert_eq!(
            text(body.as_bytes(), ALL, false),
            format!(
                "{}\u{1f600}... <truncated>\n<characters 0 to 10000 of 10100; go on with get 5 and offset 10000>",
                "x".repeat(9_999)
            )
        );
        assert_eq!(
            text(body.as_bytes(), Window { offset: 9_999, limit: 3 }, false),
            "\u{1f600}yy... <truncated>\n<characters 9999 to 10002 of 10100; go on with get 5 and offset 10002>"
        );
        assert_eq!(
            text(body.as_bytes(), Window { offset: 10_098, limit: WINDOW }, false),
            "yy\n<characters 10098 to 10100 of 10100>"
        );
        assert_eq!(text(b"abc", Window { offset: 9, limit: 1 }, false), "\n<characters 3 to 3 of 3>");
    }

    #[test]
    fn what_is_not_text() {
        assert_eq!(text(b"", ALL, false), "<empty response>");
        assert_eq!(text(&[1, 0xff, 0xfe], ALL, false), "<binary data: a/b, 3 bytes>");
        assert_eq!(text("aé".as_bytes().split_last().unwrap().1, ALL, true), "a\n<still open: more may come>");
        assert_eq!(BodyPart::of(b"a\xffb", "", ALL, false, true).text("", false), "a\u{fffd}b");
        assert_eq!(BodyPart::Missing("why".into()).text("", false), "<not available: why>");
    }

    #[test]
    fn the_same_as_data() {
        let mut content = Map::new();
        BodyPart::of(b"abcdef", "", Window { offset: 1, limit: 2 }, true, false).structured("response", &mut content);
        let expected = json!({
            "responseBody": "bc... <truncated>", "responseBodyPart": {"offset": 1, "end": 3, "total": 6},
            "responseBodyIsOpen": true,
        });
        assert_eq!(Value::Object(content), expected);
    }
}
