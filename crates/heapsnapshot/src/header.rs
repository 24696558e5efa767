//! The section `snapshot`: which fields nodes and edges have, by name, and how many there are.

use serde_json::Value;

use crate::error::{LoadError, damaged};

/// Edge types whose "name" is a number and not a string.
const NUMBERED: [&str; 2] = ["element", "hidden"];
/// Edge types whose name is known to be a string. Of types that V8 may add nothing is known.
const NAMED: [&str; 5] = ["context", "property", "internal", "shortcut", "weak"];

/// The section, and where in a node and an edge the fields are.
#[derive(Debug, Clone)]
pub struct Header {
    /// As it is in the file.
    pub json: Value,
    /// Where the fields are.
    pub fields: Fields,
    /// Nodes that the header promises, if it does.
    pub node_count: Option<u64>,
    /// Edges that the header promises, if it does.
    pub edge_count: Option<u64>,
    /// Index of the root's first number among the nodes'.
    pub root_index: u64,
}

/// Positions of fields within a node and an edge.
#[derive(Debug, Clone)]
pub struct Fields {
    /// Numbers a node has.
    pub node: usize,
    /// Position of the node's type.
    pub node_type: usize,
    /// Position of the node's name.
    pub node_name: usize,
    /// Position of the node's id.
    pub node_id: usize,
    /// Position of its own size.
    pub node_self_size: usize,
    /// Position of its detachedness, which older files lack.
    pub node_detachedness: Option<usize>,
    /// Position of the number of edges.
    pub node_edge_count: usize,
    /// Numbers an edge has.
    pub edge: usize,
    /// Position of the edge's type.
    pub edge_type: usize,
    /// Position of its name or number.
    pub edge_name: usize,
    /// Position of the node it leads to.
    pub edge_to: usize,
    /// Number of node types.
    pub(crate) node_types: usize,
    /// For each edge type: whether its name is an index into the strings.
    pub(crate) edge_named: Vec<bool>,
}

impl Header {
    /// Reads the section's JSON.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, LoadError> {
        let json: Value = serde_json::from_slice(bytes)
            .map_err(|e| damaged(format!("the section \"snapshot\" is not valid JSON: {e}")))?;
        let meta = &json["meta"];
        if !meta.is_object() {
            return Err(LoadError::NotASnapshot { what: "\"snapshot\" has no \"meta\"".into() });
        }
        let node_fields = names(&meta["node_fields"], "node_fields")?;
        let edge_fields = names(&meta["edge_fields"], "edge_fields")?;
        let node = |name| position(&node_fields, "node_fields", name);
        let edge = |name| position(&edge_fields, "edge_fields", name);
        let node_type = node("type")?;
        let edge_type = edge("type")?;
        let node_types = names(&meta["node_types"][node_type], "node_types")?.len();
        let edge_named = names(&meta["edge_types"][edge_type], "edge_types")?
            .iter()
            .map(|name| !NUMBERED.contains(name) && NAMED.contains(name))
            .collect();
        let fields = Fields {
            node: node_fields.len(),
            node_type,
            node_name: node("name")?,
            node_id: node("id")?,
            node_self_size: node("self_size")?,
            node_detachedness: node_fields.iter().position(|name| *name == "detachedness"),
            node_edge_count: node("edge_count")?,
            edge: edge_fields.len(),
            edge_type,
            edge_name: edge("name_or_index")?,
            edge_to: edge("to_node")?,
            node_types,
            edge_named,
        };
        let count = |name: &str| match &json[name] {
            Value::Null => Ok(None),
            value => value.as_u64().map(Some).ok_or_else(|| damaged(format!("\"{name}\" is {value}, not a count"))),
        };
        let (node_count, edge_count) = (count("node_count")?, count("edge_count")?);
        let root_index = count("root_index")?.unwrap_or(0);
        Ok(Header { fields, node_count, edge_count, root_index, json })
    }

    /// Names of the node types.
    pub(crate) fn node_type_names(&self) -> Result<Vec<String>, LoadError> {
        owned(&self.json["meta"]["node_types"][self.fields.node_type], "node_types")
    }

    /// Names of the edge types.
    pub(crate) fn edge_type_names(&self) -> Result<Vec<String>, LoadError> {
        owned(&self.json["meta"]["edge_types"][self.fields.edge_type], "edge_types")
    }

    /// Names of the fields of another section, none if the header does not describe it.
    pub(crate) fn fields_of(&self, list: &str) -> Option<usize> {
        self.json["meta"][list].as_array().map(Vec::len)
    }
}

/// A list of names, which may not be empty.
fn names<'a>(value: &'a Value, what: &str) -> Result<Vec<&'a str>, LoadError> {
    let list: Option<Vec<&str>> = value.as_array().and_then(|list| list.iter().map(Value::as_str).collect());
    match list {
        Some(list) if !list.is_empty() => Ok(list),
        _ => Err(damaged(format!("\"{what}\" is not a list of names"))),
    }
}

fn owned(value: &Value, what: &str) -> Result<Vec<String>, LoadError> {
    Ok(names(value, what)?.into_iter().map(str::to_owned).collect())
}

fn position(names: &[&str], list: &str, name: &str) -> Result<usize, LoadError> {
    names.iter().position(|n| *n == name).ok_or_else(|| damaged(format!("\"{list}\" lacks \"{name}\"")))
}
