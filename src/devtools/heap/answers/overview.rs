//! Numbers about a whole snapshot, and its classes.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Listed;

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
