//! What changed between snapshots, and what should have gone.

use serde::{Deserialize, Serialize};

use super::Listed;

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
