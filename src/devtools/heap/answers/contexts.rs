//! Contexts of functions with variables that nobody can read.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Listed;

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
