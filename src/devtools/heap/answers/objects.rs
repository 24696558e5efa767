//! Objects, and how they hang together.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One object.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the front-end's names")]
pub struct Node {
    pub id: u64,
    pub name: String,
    pub distance: i64,
    pub node_index: u64,
    pub retained_size: i64,
    pub self_size: i64,
    pub r#type: String,
    pub can_be_queried: bool,
    #[serde(rename = "detachedDOMTreeNode")]
    pub detached_dom_tree_node: bool,
    pub is_added_not_removed: Option<bool>,
    pub ignored: bool,
}

/// One reference, with the object at its other end.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the front-end's names")]
pub struct Edge {
    pub name: String,
    pub node: Node,
    pub r#type: String,
    pub edge_index: u64,
    pub is_added_not_removed: Option<bool>,
}

/// Ways to the roots, as a forest in depth-first order.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RetainingPaths {
    /// The steps. One that is deeper than the step before it continues that one.
    pub edges: Vec<RetainingEdge>,
    /// Which limits (`depth`, `nodes`, `siblings`) cut something off, in the order in which they did.
    pub limits_reached: serde_json::Map<String, Value>,
}

/// One step towards a root.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the front-end's names")]
pub struct RetainingEdge {
    #[serde(skip_serializing)]
    pub depth: usize,
    pub edge_index: u64,
    pub edge_name: String,
    pub edge_type: String,
    pub node_id: u64,
    pub node_index: u64,
    pub node_name: String,
    pub distance: i64,
}

/// One link of a dominator chain.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the front-end's names")]
pub struct Dominator {
    pub node_id: u64,
    pub node_index: u64,
    pub node_name: String,
    pub retained_size: i64,
    pub self_size: i64,
}

/// What is known about one object.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the front-end's names")]
pub struct ObjectDetails {
    pub id: u64,
    pub name: String,
    pub r#type: String,
    pub node_index: u64,
    /// 0 unknown, 1 attached, 2 detached.
    pub detachedness: u32,
    pub self_size: i64,
    pub retained_size: i64,
    pub distance: i64,
    pub edge_count: u64,
    pub retainer_count: u64,
}

/// Strings with one value.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the front-end's names")]
pub struct DuplicateString {
    pub value: String,
    pub count: u64,
    pub total_self_size: i64,
    pub total_retained_size: i64,
    pub nodes: Vec<DuplicateNode>,
    pub truncated: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<i64>,
}

/// One of them.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the front-end's names")]
pub struct DuplicateNode {
    pub id: u64,
    pub self_size: i64,
    pub retained_size: i64,
    pub distance: i64,
}
