//! The accessibility tree as Chrome tells it, one flat list per frame.
//!
//! Source: CDP `Accessibility.getFullAXTree`. Everything that is not needed is skipped while parsing; a tree of 100 000
//! nodes is tens of megabytes of JSON.

use std::collections::HashMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::browser::frames::Frame;
use crate::cdp::CdpError;

/// How long the page may take to compute its tree.
const TREE: Duration = Duration::from_secs(60);

/// How long a frame in it may take.
const FRAME_TREE: Duration = Duration::from_secs(20);

#[derive(Deserialize)]
struct Answer {
    nodes: Vec<Wire>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire {
    node_id: String,
    #[serde(default)]
    ignored: bool,
    role: Option<WireValue>,
    name: Option<WireValue>,
    description: Option<WireValue>,
    value: Option<WireValue>,
    #[serde(default)]
    properties: Vec<WireProperty>,
    #[serde(default)]
    child_ids: Vec<String>,
    #[serde(rename = "backendDOMNodeId")]
    backend: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireValue {
    value: Option<Value>,
    #[serde(default)]
    related_nodes: Vec<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct WireProperty {
    name: String,
    value: WireValue,
}

/// A kept property.
#[derive(Debug, Clone, PartialEq)]
pub enum Attribute {
    /// `true` is written as the bare key, `false` not at all.
    Bool(bool),
    /// A number.
    Number(serde_json::Number),
    /// A text.
    Text(String),
}

/// A node of one frame's tree.
#[derive(Debug, Default)]
pub struct AxNode {
    /// `Unknown` if Chrome tells none.
    pub role: String,
    /// Accessible name, empty if it has none.
    pub name: String,
    /// What is kept, by key, in alphabetical order.
    pub attributes: Vec<(&'static str, Attribute)>,
    /// Indexes in the same list.
    pub children: Vec<u32>,
    /// 0 for nodes without a DOM node.
    pub backend: i64,
    /// Not exposed to assistive technology.
    pub ignored: bool,
    /// Can take the focus.
    pub focusable: bool,
    /// `hidden` property.
    pub hidden: bool,
    /// `plaintext` or `richtext`, empty if not editable.
    pub editable: String,
    /// Something about it is announced or described: see `Interest` in `tree.rs`.
    pub notable: bool,
}

/// Text properties that are kept as they are, also when empty.
const TEXTS: &[&str] = &["keyshortcuts", "roledescription", "valuetext", "url"];
const BOOLS: &[&str] = &[
    "disabled",
    "expanded",
    "focused",
    "modal",
    "multiline",
    "multiselectable",
    "readonly",
    "required",
    "selected",
    "busy",
    "atomic",
];
const NUMBERS: &[&str] = &["level", "valuemax", "valuemin"];
/// Texts that are dropped when they are empty or `false`.
const TOKENS: &[&str] =
    &["autocomplete", "haspopup", "invalid", "orientation", "live", "relevant", "errormessage", "details"];

fn known(list: &[&'static str], name: &str) -> Option<&'static str> {
    list.iter().find(|k| **k == name).copied()
}

/// The tree of a frame; the first node is the root.
pub async fn fetch(frame: &Frame) -> Result<Vec<AxNode>, CdpError> {
    let params = json!({"frameId": frame.id});
    let limit = if frame.depth == 0 { TREE } else { FRAME_TREE };
    let answer: Answer = frame.session.call_within("Accessibility.getFullAXTree", params, limit).await?;
    let numbers: HashMap<String, u32> =
        answer.nodes.iter().zip(0..).map(|(node, number)| (node.node_id.clone(), number)).collect();
    Ok(answer.nodes.into_iter().map(|node| convert(node, &numbers)).collect())
}

fn text(value: Option<WireValue>) -> Option<String> {
    match value?.value? {
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}

fn convert(wire: Wire, numbers: &HashMap<String, u32>) -> AxNode {
    let mut node = AxNode {
        role: text(wire.role).unwrap_or_else(|| "Unknown".into()),
        name: text(wire.name).unwrap_or_default(),
        children: wire.child_ids.iter().filter_map(|id| numbers.get(id).copied()).collect(),
        backend: wire.backend.unwrap_or(0),
        ignored: wire.ignored,
        ..AxNode::default()
    };
    let is_root = node.role == "RootWebArea";
    for (key, value) in [("description", wire.description), ("value", wire.value)] {
        match value.and_then(|v| v.value) {
            Some(Value::String(text)) => node.attributes.push((key, Attribute::Text(text))),
            Some(Value::Number(number)) => node.attributes.push((key, Attribute::Number(number))),
            _ => {}
        }
    }
    for WireProperty { name, value: WireValue { value, related_nodes } } in wire.properties {
        // CDP writes `hasPopup`, the original `haspopup`.
        let name = name.to_ascii_lowercase();
        let name = name.as_str();
        // Chrome tells some truth values as 0 and 1 (`busy`).
        let truth = match &value {
            Some(Value::Number(number)) => number.as_f64() != Some(0.0),
            other => other.as_ref().and_then(Value::as_bool).unwrap_or(false),
        };
        let word = value.as_ref().and_then(Value::as_str).unwrap_or_default();
        let told = !word.is_empty() || !related_nodes.is_empty();
        match name {
            "focusable" => node.focusable = truth,
            "hidden" => node.hidden = truth,
            "editable" => node.editable = word.to_owned(),
            "busy" | "modal" => node.notable |= truth,
            "live" => node.notable |= !word.is_empty() && word != "off",
            "errormessage" | "details" | "roledescription" => node.notable |= told,
            _ => {}
        }
        if let Some(key) = known(TEXTS, name) {
            node.attributes.push((key, Attribute::Text(word.to_owned())));
        } else if let Some(key) = known(BOOLS, name) {
            if !(key == "focused" && is_root) {
                node.attributes.push((key, Attribute::Bool(truth)));
            }
        } else if let Some(key) = known(&["checked", "pressed"], name) {
            let attribute = match value {
                Some(Value::Bool(state)) => Attribute::Bool(state),
                Some(Value::String(state)) if state == "mixed" => Attribute::Text(state),
                Some(Value::String(state)) => Attribute::Bool(state == "true"),
                _ => continue,
            };
            node.attributes.push((key, attribute));
        } else if let Some(key) = known(NUMBERS, name) {
            if let Some(Value::Number(number)) = value {
                node.attributes.push((key, Attribute::Number(number)));
            }
        } else if let Some(key) = known(TOKENS, name)
            && !word.is_empty()
            && word != "false"
        {
            node.attributes.push((key, Attribute::Text(word.to_owned())));
        }
    }
    if node.role == "option" && !node.name.is_empty() {
        node.attributes.retain(|(key, _)| *key != "value");
        node.attributes.push(("value", Attribute::Text(node.name.clone())));
    }
    node.attributes.sort_by_key(|(key, _)| *key);
    node
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_keeps_what_is_told_and_skips_the_rest() {
        let wire = json!({"nodeId": "7", "ignored": false, "role": {"type": "role", "value": "combobox"},
            "name": {"type": "computedString", "value": "Color", "sources": [{"type": "attribute"}]},
            "value": {"type": "string", "value": "Green"}, "chromeRole": {"type": "internalRole", "value": 5},
            "properties": [
                {"name": "focusable", "value": {"type": "booleanOrUndefined", "value": true}},
                {"name": "expanded", "value": {"type": "booleanOrUndefined", "value": false}},
                {"name": "hasPopup", "value": {"type": "token", "value": "menu"}},
                {"name": "invalid", "value": {"type": "token", "value": "false"}},
                {"name": "busy", "value": {"type": "boolean", "value": 1}},
                {"name": "checked", "value": {"type": "tristate", "value": "mixed"}},
                {"name": "somethingNew", "value": {"type": "x", "value": {"y": 1}}}],
            "childIds": ["8", "9", "404"], "backendDOMNodeId": 12});
        let numbers = HashMap::from([("8".to_owned(), 1), ("9".to_owned(), 2)]);
        let node = convert(serde_json::from_value(wire).unwrap(), &numbers);
        assert_eq!((node.role.as_str(), node.name.as_str(), node.backend), ("combobox", "Color", 12));
        assert_eq!(node.children, [1, 2]);
        assert!(node.focusable && node.notable && !node.ignored);
        assert_eq!(
            node.attributes,
            [
                ("busy", Attribute::Bool(true)),
                ("checked", Attribute::Text("mixed".into())),
                ("expanded", Attribute::Bool(false)),
                ("haspopup", Attribute::Text("menu".into())),
                ("value", Attribute::Text("Green".into())),
            ]
        );
    }
}
