//! Values of a page as the protocol describes them, and how they read on one line.
//!
//! Chrome sends a preview (one level deep) with each console argument, so a line can be made without asking the page
//! again. Source: `Runtime.RemoteObject` and `Runtime.ObjectPreview` of the protocol.

use serde::Deserialize;
use serde_json::Value;

use crate::browser::collect::allocated;

/// Characters of a function's head that are shown.
const FUNCTION_HEAD: usize = 80;

/// Characters of a structure that stands for a preview.
const STRUCTURE: usize = 120;

/// A value in the page. Pages that log much have tens of thousands of them: a preview is kept as the line that it makes.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RemoteObject {
    /// What it is.
    pub r#type: ValueType,
    /// `error`, `array`, `null`, …
    pub subtype: Option<Box<str>>,
    /// A primitive that JSON can hold.
    pub value: Option<Plain>,
    /// One that it cannot: `-0`, `NaN`, `10n`, …
    unserializable_value: Option<Box<str>>,
    /// Chrome's own words for it.
    description: Option<Box<str>>,
    /// Handle of an object, valid on the session that delivered it.
    pub object_id: Option<Box<str>>,
    preview: Option<Line>,
}

/// Types of values, as in the protocol.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the protocol's names")]
pub enum ValueType {
    #[default]
    Object,
    Function,
    Undefined,
    String,
    Number,
    Boolean,
    Symbol,
    Bigint,
    /// One that this version does not know.
    #[serde(other)]
    Other,
}

/// A primitive.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "Value")]
pub enum Plain {
    /// A string.
    Text(Box<str>),
    /// Anything else, as JSON.
    Json(Box<str>),
}

impl From<Value> for Plain {
    fn from(value: Value) -> Self {
        match value {
            Value::String(text) => Plain::Text(text.into()),
            other => Plain::Json(other.to_string().into()),
        }
    }
}

impl Plain {
    /// As JSON: strings in quotes.
    fn json(&self) -> String {
        match self {
            Plain::Text(text) => Value::from(&**text).to_string(),
            Plain::Json(json) => json.to_string(),
        }
    }

    fn text(&self) -> &str {
        let (Plain::Text(text) | Plain::Json(text)) = self;
        text
    }
}

/// The line of a preview.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "Preview")]
struct Line(Box<str>);

impl From<Preview> for Line {
    fn from(preview: Preview) -> Self {
        Line(preview.line().into())
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Preview {
    r#type: String,
    subtype: Option<String>,
    description: Option<String>,
    #[serde(default)]
    overflow: bool,
    #[serde(default)]
    properties: Vec<Property>,
    entries: Option<Vec<Entry>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Property {
    name: String,
    r#type: String,
    value: Option<String>,
    value_preview: Option<Preview>,
    subtype: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
struct Entry {
    key: Option<Preview>,
    value: Preview,
}

impl RemoteObject {
    /// Whether it is an `Error`.
    pub fn is_error(&self) -> bool {
        self.subtype.as_deref() == Some("error")
    }

    /// Whether a line about it says nothing about its content: Chrome repeats old messages without previews.
    pub fn lacks_preview(&self) -> bool {
        let plain = matches!(self.subtype.as_deref(), Some("null" | "error" | "node" | "date" | "regexp"));
        self.r#type == ValueType::Object && !plain && self.preview.is_none()
    }

    /// The same with its structure in place of a preview.
    pub fn with_structure(&self, structure: &str) -> Self {
        let line = structure.replace(['\n', '\r'], " ");
        let cut = line.char_indices().nth(STRUCTURE).map(|(at, _)| format!("{}…", &line[..at]));
        RemoteObject { preview: Some(Line(cut.unwrap_or(line).into())), ..self.clone() }
    }

    /// Without what nobody asks for any more: primitives are described by their value.
    pub fn slim(mut self) -> Self {
        self.description.take_if(|_| self.value.is_some());
        self
    }

    /// On one line, as an argument of a console call: strings stand as they are.
    pub fn line(&self) -> String {
        match &self.value {
            Some(Plain::Text(text)) if self.r#type == ValueType::String => text.to_string(),
            _ => self.inspected(),
        }
    }

    /// On one line, strings in quotes.
    pub fn inspected(&self) -> String {
        if let Some(text) = &self.unserializable_value {
            return text.to_string();
        }
        let description = self.description.as_deref().unwrap_or_default();
        match (self.r#type, self.subtype.as_deref()) {
            (ValueType::Undefined, _) => "undefined".into(),
            (_, Some("null")) => "null".into(),
            (ValueType::String | ValueType::Number | ValueType::Boolean, _) => {
                self.value.as_ref().map(Plain::json).unwrap_or_default()
            }
            (ValueType::Function, _) => function_head(description),
            (_, Some("error")) => description.lines().next().unwrap_or_default().to_owned(),
            (_, Some("node")) => node(description),
            (_, Some("date" | "regexp")) | (ValueType::Symbol, _) => description.to_owned(),
            _ => self.preview.as_ref().map_or(description, |Line(line)| line).to_owned(),
        }
    }

    /// What an error says, without its stack; for any other value its line.
    pub fn message(&self) -> String {
        match &self.description {
            Some(description) if self.is_error() => {
                description.split("\n    at ").next().unwrap_or_default().to_owned()
            }
            _ => self.line(),
        }
    }

    /// About how many bytes it holds on to, beside itself.
    pub fn bytes(&self) -> usize {
        let texts = [
            self.subtype.as_deref(),
            self.value.as_ref().map(Plain::text),
            self.unserializable_value.as_deref(),
            self.description.as_deref(),
            self.object_id.as_deref(),
            self.preview.as_ref().map(|Line(line)| &**line),
        ];
        texts.into_iter().flatten().map(allocated).sum()
    }
}

impl Preview {
    fn line(&self) -> String {
        let description = self.description.as_deref().unwrap_or_default();
        let mut items: Vec<String> = match &self.entries {
            Some(entries) => entries.iter().map(Entry::line).collect(),
            None if self.is_list() => {
                // A typed array's length and buffer say nothing about its items.
                let typed = self.subtype.as_deref() == Some("typedarray");
                let items = self.properties.iter().filter(|p| !typed || p.is_index());
                items.map(Property::item).collect()
            }
            None => self.properties.iter().map(|p| format!("{}: {}", p.name, p.value())).collect(),
        };
        match (self.r#type.as_str(), self.subtype.as_deref()) {
            ("object", Some("null")) => return "null".into(),
            ("object", Some("node")) => return node(description),
            ("object", Some("error" | "date" | "regexp")) => {
                return description.lines().next().unwrap_or_default().to_owned();
            }
            ("object", _) => {}
            ("string", _) => return Value::from(description).to_string(),
            ("function", _) => return function_head(description),
            _ => return description.to_owned(),
        }
        if self.overflow {
            items.push("…".into());
        }
        let body = items.join(", ");
        if self.is_list() {
            // `Array(2)` says nothing that its items do not; `Uint8Array(2)` does.
            let name = if description.starts_with("Array(") { "" } else { description };
            let gap = if name.is_empty() { "" } else { " " };
            return format!("{name}{gap}[{body}]");
        }
        match description {
            "" | "Object" => format!("{{{body}}}"),
            name => format!("{name} {{{body}}}"),
        }
    }

    fn is_list(&self) -> bool {
        matches!(self.subtype.as_deref(), Some("array" | "typedarray"))
    }
}

impl Property {
    fn item(&self) -> String {
        // Anything but an index is a property that somebody gave the array.
        if self.is_index() { self.value() } else { format!("{}: {}", self.name, self.value()) }
    }

    fn is_index(&self) -> bool {
        self.name.bytes().all(|b| b.is_ascii_digit())
    }

    fn value(&self) -> String {
        if let Some(preview) = &self.value_preview {
            return preview.line();
        }
        let value = self.value.as_deref().unwrap_or_default();
        match (self.r#type.as_str(), self.subtype.as_deref()) {
            ("string", _) => Value::from(value).to_string(),
            ("function", _) => "function".into(),
            ("accessor", _) => "(…)".into(),
            ("object", Some("null")) => "null".into(),
            ("object", Some("node")) => node(value),
            ("object", None) if value == "Object" => "{…}".into(),
            _ => value.to_owned(),
        }
    }
}

impl Entry {
    fn line(&self) -> String {
        match &self.key {
            Some(key) => format!("{} => {}", key.line(), self.value.line()),
            None => self.value.line(),
        }
    }
}

/// Chrome describes elements by a selector and other nodes by their name.
fn node(description: &str) -> String {
    if description.starts_with(['#', '<']) { description.to_owned() } else { format!("<{description}>") }
}

/// A function's source up to its body.
fn function_head(source: &str) -> String {
    let head = source.split(['{', '\n']).next().unwrap_or_default();
    let head = match head.split_once("=>") {
        Some((parameters, _)) => format!("{}=> …", parameters),
        None => head.trim_end().to_owned(),
    };
    match head.char_indices().nth(FUNCTION_HEAD) {
        Some((at, _)) => format!("{}…", &head[..at]),
        None => head,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn line(value: Value) -> String {
        serde_json::from_value::<RemoteObject>(value).unwrap().line()
    }

    #[test]
    fn primitives_keep_their_kind() {
        assert_eq!(line(json!({"type": "string", "value": "a b"})), "a b");
        assert_eq!(line(json!({"type": "number", "value": 1.5, "description": "1.5"})), "1.5");
        for special in ["-0", "NaN", "10n", "Infinity"] {
            assert_eq!(line(json!({"type": "number", "unserializableValue": special, "description": "0"})), special);
        }
        assert_eq!(line(json!({"type": "undefined"})), "undefined");
        assert_eq!(line(json!({"type": "object", "subtype": "null", "value": null})), "null");
        assert_eq!(line(json!({"type": "symbol", "description": "Symbol(s)", "objectId": "1"})), "Symbol(s)");
        assert_eq!(line(json!({"type": "boolean", "value": false})), "false");
    }

    #[test]
    fn objects_read_as_previews() {
        let object = json!({"type": "object", "className": "Object", "description": "Object", "objectId": "1", "preview": {
            "type": "object", "description": "Object", "overflow": true, "properties": [
                {"name": "a", "type": "number", "value": "1"},
                {"name": "b", "type": "string", "value": "x\"y"},
                {"name": "c", "type": "object", "value": "Object"},
                {"name": "d", "type": "object", "subtype": "null", "value": "null"},
                {"name": "e", "type": "function", "value": ""},
                {"name": "f", "type": "accessor"}]}});
        assert_eq!(line(object), r#"{a: 1, b: "x\"y", c: {…}, d: null, e: function, f: (…), …}"#);
        let array = json!({"type": "object", "subtype": "array", "description": "Array(2)", "preview": {
            "type": "object", "subtype": "array", "description": "Array(2)", "overflow": false, "properties": [
                {"name": "0", "type": "number", "value": "1"}, {"name": "1", "type": "object", "subtype": "array", "value": "Array(3)"}]}});
        assert_eq!(line(array), "[1, Array(3)]");
        let map = json!({"type": "object", "subtype": "map", "description": "Map(1)", "preview": {
            "type": "object", "subtype": "map", "description": "Map(1)", "overflow": false, "properties": [], "entries": [
                {"key": {"type": "string", "description": "k", "overflow": false, "properties": []},
                 "value": {"type": "number", "description": "7", "overflow": false, "properties": []}}]}});
        assert_eq!(line(map), "Map(1) {\"k\" => 7}");
        let node = json!({"type": "object", "subtype": "node", "description": "div#a.b", "objectId": "1"});
        assert_eq!(line(node), "<div#a.b>");
        let error = json!({"type": "object", "subtype": "error", "description": "TypeError: no\n    at f (a.js:1:2)"});
        assert_eq!(line(error), "TypeError: no");
    }

    #[test]
    fn functions_are_cut_at_their_body() {
        for (source, head) in [
            ("function f(a, b) { return 1 }", "function f(a, b)"),
            ("class A extends B {\n}", "class A extends B"),
            ("(a) => a + 1", "(a) => …"),
            ("async x => {}", "async x => …"),
        ] {
            assert_eq!(function_head(source), head);
        }
    }
}
