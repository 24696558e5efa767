//! Parameters as data, and the JSON Schema that `tools/list` shows for them (2020-12, closed objects, as the original).

use serde_json::{Map, Value, json};

use super::Tool;
use crate::config::Config;

/// Largest integer that every JSON client keeps exact.
const MAX_SAFE_INTEGER: i64 = 9_007_199_254_740_991;

/// The type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ParamKind {
    /// Any text.
    Text,
    /// `true` or `false`.
    Bool,
    /// Any finite number.
    Number,
    /// A whole number in this range; `None` for no bound but exactness.
    Integer { min: Option<i64>, max: Option<i64> },
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// A list of texts with at least this many entries.
    TextList { min_items: usize },
}

/// What a text parameter that names a file is checked for before the tool runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathUse {
    /// Not a path.
    None,
    /// A file that must be inside the allowed directories; replaced by its canonical path.
    File,
}

/// A default, shown in the schema and filled in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ParamDefault {
    /// Nothing is filled in.
    None,
    /// A truth value.
    Bool(bool),
    /// A text.
    Text(&'static str),
}

/// One parameter of a tool.
#[derive(Debug)]
pub struct Param {
    /// camelCase name.
    pub name: &'static str,
    /// Its type.
    pub kind: ParamKind,
    /// Whether it must be given.
    pub required: bool,
    /// Filled in when it is not given.
    pub default: ParamDefault,
    /// Whether it names a file.
    pub path: PathUse,
    /// For the agent.
    pub description: &'static str,
}

/// The parameter every page tool has unless routing is off. Optional, unlike in the original.
pub const PAGE_ID: Param = Param {
    name: "pageId",
    kind: ParamKind::Number,
    required: false,
    default: ParamDefault::None,
    path: PathUse::None,
    description: "Page to use, from list_pages. Default: the selected page.",
};

/// The `inputSchema` of a tool.
pub fn input_schema(tool: &Tool, config: &Config) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for param in tool.all_params(config) {
        let mut property = type_of(param.kind);
        property.insert("description".into(), param.description.into());
        match param.default {
            ParamDefault::None => {}
            ParamDefault::Bool(value) => _ = property.insert("default".into(), value.into()),
            ParamDefault::Text(value) => _ = property.insert("default".into(), value.into()),
        }
        properties.insert(param.name.into(), property.into());
        if param.required {
            required.push(Value::from(param.name));
        }
    }
    let mut schema = Map::new();
    schema.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties.into());
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
    schema.insert("additionalProperties".into(), false.into());
    schema
}

fn type_of(kind: ParamKind) -> Map<String, Value> {
    let value = match kind {
        ParamKind::Text => json!({"type": "string"}),
        ParamKind::Bool => json!({"type": "boolean"}),
        ParamKind::Number => json!({"type": "number"}),
        ParamKind::Integer { min, max } => {
            json!({"type": "integer", "minimum": min.unwrap_or(-MAX_SAFE_INTEGER), "maximum": max.unwrap_or(MAX_SAFE_INTEGER)})
        }
        ParamKind::Choice(choices) => json!({"type": "string", "enum": choices}),
        ParamKind::TextList { min_items: 0 } => json!({"type": "array", "items": {"type": "string"}}),
        ParamKind::TextList { min_items } => {
            json!({"type": "array", "items": {"type": "string"}, "minItems": min_items})
        }
    };
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
