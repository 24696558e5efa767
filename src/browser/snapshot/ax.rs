//! The accessibility tree as Chrome tells it, one flat list per frame.
//!
//! Source: CDP `Accessibility.getFullAXTree`. Everything that is not needed is skipped while parsing; a tree of 100 000
//! nodes is tens of megabytes of JSON.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::browser::frames::Frame;
use crate::cdp::CdpError;

/// How long the page may take to compute its tree.
const TREE: Duration = Duration::from_secs(60);

/// How long a frame in it may take.
const FRAME_TREE: Duration = Duration::from_secs(20);

#[derive(Deserialize)]
struct Answer {
    nodes: Nodes,
}

/// The nodes, converted one after the other while they are read: what is kept of a tree lies close together then, and
/// what is not kept is free for the next node. Only their children's numbers wait for the whole.
#[derive(Default)]
struct Nodes {
    nodes: Vec<AxNode>,
    ids: Vec<Id>,
    /// Of all nodes.
    child_ids: Vec<Id>,
    /// Where those of each node end.
    ends: Vec<usize>,
    roles: HashSet<Arc<str>>,
}

/// `Accessibility.AXNodeId`: a text, which is a number in every Chrome so far.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Id {
    Number(i64),
    Text(Box<str>),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire {
    node_id: Id,
    #[serde(default)]
    ignored: bool,
    role: Option<WireValue>,
    name: Option<WireValue>,
    description: Option<WireValue>,
    value: Option<WireValue>,
    #[serde(default)]
    properties: Vec<WireProperty>,
    #[serde(default)]
    child_ids: Vec<Id>,
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
    Text(Box<str>),
}

/// Attributes by key, in alphabetical order.
pub type Attributes = Box<[(&'static str, Attribute)]>;

/// Adds an attribute in its place.
pub fn add(attributes: &mut Attributes, key: &'static str, value: Attribute) {
    let mut all = std::mem::take(attributes).into_vec();
    all.push((key, value));
    all.sort_by_key(|(key, _)| *key);
    *attributes = all.into();
}

/// A node of one frame's tree.
#[derive(Debug, Default)]
pub struct AxNode {
    /// `Unknown` if Chrome tells none.
    pub role: Arc<str>,
    /// Accessible name, empty if it has none.
    pub name: Box<str>,
    /// What is kept.
    pub attributes: Attributes,
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
    Ok(answer.nodes.finish())
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Id;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a node id")
            }

            fn visit_str<E>(self, text: &str) -> Result<Id, E> {
                Ok(text.parse().map_or_else(|_| Id::Text(text.into()), Id::Number))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

impl<'de> Deserialize<'de> for Nodes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = Nodes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of nodes")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Nodes, A::Error> {
                let mut nodes = Nodes::default();
                while let Some(wire) = list.next_element::<Wire>()? {
                    nodes.push(wire);
                }
                Ok(nodes)
            }
        }
        deserializer.deserialize_seq(List)
    }
}

impl Nodes {
    fn push(&mut self, mut wire: Wire) {
        let role = text(wire.role.take()).unwrap_or_else(|| "Unknown".into());
        let role = match self.roles.get(role.as_str()) {
            Some(known) => known.clone(),
            None => {
                let role = Arc::<str>::from(role);
                self.roles.insert(role.clone());
                role
            }
        };
        self.ids.push(wire.node_id.clone());
        self.child_ids.append(&mut wire.child_ids);
        self.ends.push(self.child_ids.len());
        self.nodes.push(convert(wire, role));
    }

    /// The nodes with their children. Ids that name no node are left out.
    fn finish(mut self) -> Vec<AxNode> {
        let numbers: HashMap<Id, u32> = self.ids.into_iter().zip(0..).collect();
        let mut start = 0;
        for (node, end) in self.nodes.iter_mut().zip(self.ends) {
            let known = self.child_ids[start..end].iter().filter_map(|id| numbers.get(id).copied());
            node.children = Vec::with_capacity(end - start);
            node.children.extend(known);
            start = end;
        }
        self.nodes
    }
}

fn text(value: Option<WireValue>) -> Option<String> {
    match value?.value? {
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}

fn convert(wire: Wire, role: Arc<str>) -> AxNode {
    let mut attributes = Vec::new();
    let mut node = AxNode {
        role,
        name: text(wire.name).unwrap_or_default().into(),
        backend: wire.backend.unwrap_or(0),
        ignored: wire.ignored,
        ..AxNode::default()
    };
    let is_root = &*node.role == "RootWebArea";
    for (key, value) in [("description", wire.description), ("value", wire.value)] {
        match value.and_then(|v| v.value) {
            Some(Value::String(text)) => attributes.push((key, Attribute::Text(text.into()))),
            Some(Value::Number(number)) => attributes.push((key, Attribute::Number(number))),
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
            attributes.push((key, Attribute::Text(word.into())));
        } else if let Some(key) = known(BOOLS, name) {
            if !(key == "focused" && is_root) {
                attributes.push((key, Attribute::Bool(truth)));
            }
        } else if let Some(key) = known(&["checked", "pressed"], name) {
            let attribute = match value {
                Some(Value::Bool(state)) => Attribute::Bool(state),
                Some(Value::String(state)) if state == "mixed" => Attribute::Text(state.into()),
                Some(Value::String(state)) => Attribute::Bool(state == "true"),
                _ => continue,
            };
            attributes.push((key, attribute));
        } else if let Some(key) = known(NUMBERS, name) {
            if let Some(Value::Number(number)) = value {
                attributes.push((key, Attribute::Number(number)));
            }
        } else if let Some(key) = known(TOKENS, name)
            && !word.is_empty()
            && word != "false"
        {
            attributes.push((key, Attribute::Text(word.into())));
        }
    }
    if &*node.role == "option" && !node.name.is_empty() {
        attributes.retain(|(key, _)| *key != "value");
        attributes.push(("value", Attribute::Text(node.name.clone())));
    }
    attributes.sort_by_key(|(key, _)| *key);
    node.attributes = attributes.into();
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
            "childIds": ["8", "nine", "404"], "backendDOMNodeId": 12});
        let option = |id: &str| json!({"nodeId": id, "role": {"value": "option"}});
        let answer: Answer =
            serde_json::from_value(json!({"nodes": [wire, option("8"), option("nine"), option("")]})).unwrap();
        let nodes = answer.nodes.finish();
        let node = &nodes[0];
        assert_eq!((&*node.role, &*node.name, node.backend), ("combobox", "Color", 12));
        assert_eq!(node.children, [1, 2]);
        assert!(Arc::ptr_eq(&nodes[1].role, &nodes[3].role) && nodes[3].children.is_empty());
        assert!(node.focusable && node.notable && !node.ignored);
        assert_eq!(
            *node.attributes,
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
