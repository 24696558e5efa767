//! What the heap service in `js/` answers. Field names and order are the front-end's; the same types are what
//! `structuredContent` shows.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Numbers about the whole snapshot.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Sizes by kind.
    pub stats: Value,
    /// Counts, and the largest id.
    pub static_data: Value,
    /// Sizes by native context.
    pub native_context_sizes: NativeContextSizes,
    /// What contexts retain.
    pub retained_by_context_summary: RetainedByContext,
}

/// Sizes by native context (one per frame or realm).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NativeContextSizes {
    /// Unsorted.
    pub native_contexts: Vec<NativeContext>,
    /// Bytes that several reach.
    pub shared_size: i64,
    /// Bytes that none reaches.
    pub no_attribution_size: i64,
}

/// One native context.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the front-end's names")]
pub struct NativeContext {
    pub node_id: u64,
    pub node_index: u64,
    pub node_name: String,
    pub attributed_size: i64,
    pub retained_size: i64,
    pub self_size: i64,
}

/// What contexts (the variables of closures) retain.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the front-end's names")]
pub struct RetainedByContext {
    pub context_count: u64,
    pub retained_by_context_size: i64,
    pub retained_by_context_count: u64,
    pub not_retained_by_context_size: i64,
    pub not_retained_by_context_count: u64,
    pub total_size: i64,
}

/// Which part of a list an answer has.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Page {
    /// From 0.
    pub current_page: u64,
    /// At least 1.
    pub total_pages: u64,
    /// Whether there is one.
    pub has_next_page: bool,
    /// Whether there is one.
    pub has_previous_page: bool,
    /// Of the first row, from 0.
    pub start_index: u64,
    /// Behind the last row.
    pub end_index: u64,
    /// The page that was asked for does not exist.
    pub invalid_page: bool,
    /// Rows of the whole list.
    #[serde(skip_serializing)]
    pub total: u64,
}

/// A part of a list.
#[derive(Debug, Clone, Deserialize)]
pub struct Listed<T> {
    /// Which.
    pub page: Page,
    /// The rows.
    pub items: Vec<T>,
}

/// Classes of objects, and sums over all of them.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Classes {
    /// Objects of all classes.
    pub object_count: u64,
    /// Their own size.
    pub total_self_size: i64,
    /// Classes by retained size.
    #[serde(flatten)]
    pub listed: Listed<Class>,
}

/// One class.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the front-end's names")]
pub struct Class {
    pub id: u64,
    pub class_name: String,
    pub count: u64,
    pub self_size: i64,
    pub retained_size: i64,
}

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

/// Contexts with variables that nobody can read any more.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Contexts {
    /// Each with its scope, the heaviest first.
    #[serde(flatten)]
    pub listed: Listed<ScopedContext>,
    /// Scripts that cannot be analysed.
    pub scripts_without_scopes: Vec<ScriptWithoutScopes>,
}

/// A context with the scope it belongs to.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the front-end's names")]
pub struct ScopedContext {
    pub scope: Scope,
    pub context: LiveContext,
}

/// Where a context was made.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the front-end's names")]
pub struct Scope {
    pub scope_info_node_index: u64,
    pub scope_info_node_id: u64,
    pub script_node_index: u64,
    pub script_node_id: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope_name: Option<String>,
    pub scope_start: i64,
    pub scope_end: i64,
    pub context_field_count: u64,
    pub contexts: Vec<LiveContext>,
}

/// A context and its dead variables.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the front-end's names")]
pub struct LiveContext {
    pub context_node_index: u64,
    pub context_node_id: u64,
    pub retained_size: i64,
    pub dead_fields_retained_size_sum: i64,
    pub dead_fields: Vec<DeadField>,
}

/// A variable that no live closure can read.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the front-end's names")]
pub struct DeadField {
    pub name: String,
    pub value_node_index: u64,
    pub value_node_id: u64,
    pub value_name: String,
    pub value_type: String,
    pub self_size: i64,
    pub retained_size: i64,
}

/// A script about whose scopes the snapshot says nothing.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the front-end's names")]
pub struct ScriptWithoutScopes {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script_name: Option<String>,
    pub script_node_id: u64,
    pub context_count: u64,
    /// Whatever else the front-end tells.
    #[serde(flatten)]
    pub more: serde_json::Map<String, Value>,
}

/// Sums of a comparison.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the front-end's names")]
pub struct Delta {
    pub added_count: u64,
    pub removed_count: u64,
    pub count_delta: i64,
    pub added_size: i64,
    pub removed_size: i64,
    pub size_delta: i64,
}

/// One changed class.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the front-end's names")]
pub struct ClassChange {
    pub index: u64,
    pub class_name: String,
    #[serde(flatten)]
    pub delta: Delta,
}

/// The changed classes, by size delta.
#[derive(Debug, Clone, Deserialize)]
pub struct Changes {
    /// Over all classes.
    pub totals: Delta,
    /// The classes.
    #[serde(flatten)]
    pub listed: Listed<ClassChange>,
}

/// One changed class, object by object.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the front-end's names")]
pub struct ChangeDetail {
    #[serde(flatten)]
    pub change: ClassChange,
    pub added_ids: Vec<u64>,
    pub added_self_sizes: Vec<i64>,
    pub deleted_ids: Vec<u64>,
    pub deleted_self_sizes: Vec<i64>,
}

/// What the three-snapshot method found.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Leaks {
    /// By retained size.
    pub classes: Vec<LeakedClass>,
    /// Classes that there are.
    pub class_count: u64,
    /// Internal groups of V8 that were left out.
    pub hidden: u64,
}

/// Objects of one class that are left.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LeakedClass {
    /// The class.
    pub class_name: String,
    /// Its objects.
    pub count: u64,
    /// Their own size.
    pub self_size: i64,
    /// What they retain.
    pub retained_size: i64,
    /// The one that retains most.
    pub example: LeakExample,
}

/// One object, and what holds it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the front-end's names")]
pub struct LeakExample {
    pub node_id: u64,
    pub node_name: String,
    pub retained_size: i64,
    /// From the object to a root.
    pub path: Vec<PathStep>,
}

/// One step of the shortest way to a root.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the front-end's names")]
pub struct PathStep {
    pub edge_type: String,
    pub edge_name: String,
    pub node_id: u64,
    pub node_name: String,
}
