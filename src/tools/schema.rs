//! Parameters as data, and the JSON Schema that `tools/list` shows for them (2020-12, which is MCP's default and not named
//! each time; closed objects, as the original).

use serde_json::{Map, Value, json};

use super::Tool;
use crate::config::Config;

/// The type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ParamKind {
    /// Any text.
    Text,
    /// A range of sizes, see [`super::size_range`].
    SizeRange,
    /// `true` or `false`.
    Bool,
    /// A finite number in this range; `None` for no bound.
    Number { min: Option<i64>, max: Option<i64> },
    /// A whole number in this range; `None` for no bound but exactness.
    Integer { min: Option<i64>, max: Option<i64> },
    /// A whole number above 0.
    Positive,
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// A list of texts with at least this many entries.
    TextList { min_items: usize },
    /// A list of these texts.
    ChoiceList(&'static [&'static str]),
    /// A list of objects that all have these texts.
    ObjectList(&'static [(&'static str, &'static str)]),
}

/// What a parameter that names files is checked for before the tool runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathUse {
    /// Not a path.
    None,
    /// A file that must be inside the allowed directories; replaced by its canonical path. In a list: each of them.
    File,
}

/// A default, shown in the schema and filled in.
#[derive(Debug, Clone, Copy)]
pub enum ParamDefault {
    /// Nothing is filled in.
    None,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Number(u32),
    /// A text of the server's options.
    Configured(fn(&Config) -> &str),
}

/// A further check of a text; the error is the whole answer.
pub type Check = fn(&str) -> Result<(), String>;

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
    /// Only offered under these options.
    pub only_if: Option<fn(&Config) -> bool>,
    /// Further check of a text.
    pub check: Option<Check>,
    /// For the agent, and for the reference page.
    pub description: &'static str,
    /// Its name says it all to an agent: the description is only in the reference page. `tools/list` is part of every
    /// conversation with a model, so its size counts.
    pub obvious: bool,
}

impl Param {
    const fn new(name: &'static str, kind: ParamKind, description: &'static str) -> Self {
        Param {
            name,
            kind,
            required: false,
            default: ParamDefault::None,
            path: PathUse::None,
            only_if: None,
            check: None,
            description,
            obvious: false,
        }
    }

    /// An optional text.
    pub const fn text(name: &'static str, description: &'static str) -> Self {
        Self::new(name, ParamKind::Text, description)
    }

    /// An optional truth value.
    pub const fn bool(name: &'static str, description: &'static str) -> Self {
        Self::new(name, ParamKind::Bool, description)
    }

    /// An optional number.
    pub const fn number(name: &'static str, description: &'static str) -> Self {
        Self::new(name, ParamKind::Number { min: None, max: None }, description)
    }

    /// An optional number in a range.
    pub const fn number_in(name: &'static str, min: i64, max: i64, description: &'static str) -> Self {
        Self::new(name, ParamKind::Number { min: Some(min), max: Some(max) }, description)
    }

    /// An optional whole number.
    pub const fn integer(name: &'static str, description: &'static str) -> Self {
        Self::new(name, ParamKind::Integer { min: None, max: None }, description)
    }

    /// An optional whole number from `min` on.
    pub const fn integer_from(name: &'static str, min: i64, description: &'static str) -> Self {
        Self::new(name, ParamKind::Integer { min: Some(min), max: None }, description)
    }

    /// An optional range of sizes.
    pub const fn size_range(name: &'static str, description: &'static str) -> Self {
        Self::new(name, ParamKind::SizeRange, description)
    }

    /// An optional whole number above 0.
    pub const fn positive(name: &'static str, description: &'static str) -> Self {
        Self::new(name, ParamKind::Positive, description)
    }

    /// Optionally one of some texts.
    pub const fn choice(name: &'static str, choices: &'static [&'static str], description: &'static str) -> Self {
        Self::new(name, ParamKind::Choice(choices), description)
    }

    /// An optional list of texts.
    pub const fn texts(name: &'static str, min_items: usize, description: &'static str) -> Self {
        Self::new(name, ParamKind::TextList { min_items }, description)
    }

    /// An optional list of some texts.
    pub const fn choices(name: &'static str, choices: &'static [&'static str], description: &'static str) -> Self {
        Self::new(name, ParamKind::ChoiceList(choices), description)
    }

    /// An optional list of objects with these texts.
    pub const fn objects(
        name: &'static str,
        keys: &'static [(&'static str, &'static str)],
        description: &'static str,
    ) -> Self {
        Self::new(name, ParamKind::ObjectList(keys), description)
    }

    /// Must be given.
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Names a file, or files.
    pub const fn file(mut self) -> Self {
        self.path = PathUse::File;
        self
    }

    /// Is filled in when it is not given.
    pub const fn default(mut self, default: ParamDefault) -> Self {
        self.default = default;
        self
    }

    /// Is only offered under these options.
    pub const fn only_if(mut self, holds: fn(&Config) -> bool) -> Self {
        self.only_if = Some(holds);
        self
    }

    /// Needs no description in `tools/list`.
    pub const fn obvious(mut self) -> Self {
        self.obvious = true;
        self
    }

    /// Is checked further.
    pub const fn check(mut self, check: Check) -> Self {
        self.check = Some(check);
        self
    }
}

/// The parameter every page tool has unless routing is off. Optional, unlike in the original.
pub const PAGE_ID: Param = Param::number("pageId", "Page to use; default: the selected one.").obvious();

/// The `inputSchema` of a tool.
pub fn input_schema(tool: &Tool, config: &Config) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for param in tool.all_params(config) {
        let mut property = type_of(param.kind);
        if !param.obvious {
            property.insert("description".into(), param.description.into());
        }
        match param.default {
            ParamDefault::None => {}
            ParamDefault::Bool(value) => _ = property.insert("default".into(), value.into()),
            ParamDefault::Number(value) => _ = property.insert("default".into(), value.into()),
            ParamDefault::Configured(value) => _ = property.insert("default".into(), value(config).into()),
        }
        properties.insert(param.name.into(), property.into());
        if param.required {
            required.push(Value::from(param.name));
        }
    }
    let mut schema = Map::new();
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
        ParamKind::Text | ParamKind::SizeRange => json!({"type": "string"}),
        ParamKind::Bool => json!({"type": "boolean"}),
        ParamKind::Number { min, max } => {
            let mut value = json!({"type": "number"});
            if let Some(min) = min {
                value["minimum"] = min.into();
            }
            if let Some(max) = max {
                value["maximum"] = max.into();
            }
            value
        }
        ParamKind::Integer { min, max } => {
            let mut value = json!({"type": "integer"});
            if let Some(min) = min {
                value["minimum"] = min.into();
            }
            if let Some(max) = max {
                value["maximum"] = max.into();
            }
            value
        }
        ParamKind::Positive => json!({"type": "integer", "exclusiveMinimum": 0}),
        ParamKind::ObjectList(keys) => {
            let properties: Map<String, Value> = keys
                .iter()
                .map(|(name, description)| {
                    let mut property = json!({"type": "string"});
                    if !description.is_empty() {
                        property["description"] = (*description).into();
                    }
                    ((*name).to_owned(), property)
                })
                .collect();
            let required: Vec<&str> = keys.iter().map(|(name, _)| *name).collect();
            json!({"type": "array", "items": {"type": "object", "properties": properties, "required": required}})
        }
        ParamKind::Choice(choices) => json!({"type": "string", "enum": choices}),
        ParamKind::ChoiceList(choices) => json!({"type": "array", "items": {"type": "string", "enum": choices}}),
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
