//! Ways to the roots, and dominators.

use serde_json::{Value, json};

use super::HeapData;
use super::names::{Names, size};
use crate::devtools::heap::answers::{Dominator, RetainingEdge, RetainingPaths};

/// The steps with those that follow in `children`.
fn forest(edges: &[RetainingEdge]) -> Vec<Value> {
    // The lists that are open, outermost first.
    let mut open: Vec<Vec<Value>> = vec![Vec::new()];
    let close = |open: &mut Vec<Vec<Value>>| {
        let children = open.pop().unwrap_or_default();
        if let Some(parent) = open.last_mut().and_then(|list| list.last_mut()) {
            parent["children"] = children.into();
        }
    };
    for edge in edges {
        while open.len() > edge.depth + 1 {
            close(&mut open);
        }
        if let Some(list) = open.last_mut() {
            list.push(serde_json::to_value(edge).unwrap_or_default());
        }
        open.push(Vec::new());
    }
    while open.len() > 1 {
        close(&mut open);
    }
    open.pop().unwrap_or_default()
}

impl HeapData {
    /// Ways to the roots, one line per reference.
    pub fn retaining_paths(answer: &RetainingPaths, names: Names) -> Self {
        let mut data = HeapData::default();
        data.line("### Retaining Paths");
        if answer.edges.is_empty() {
            data.line("No retaining paths found.");
        }
        for edge in &answer.edges {
            data.lines.push(format!(
                "{:indent$}<- @{} {} via {} {} (distance: {})",
                "",
                edge.node_id,
                names.line(&edge.node_name),
                edge.edge_type,
                names.line(&edge.edge_name),
                edge.distance,
                indent = 2 * edge.depth
            ));
        }
        let limits = &answer.limits_reached;
        let reached: Vec<&str> =
            limits.iter().filter(|(_, hit)| hit.as_bool() == Some(true)).map(|(name, _)| name.as_str()).collect();
        if !reached.is_empty() {
            data.line(format!(
                "Note: results are truncated, the following limits were reached: {}.",
                reached.join(", ")
            ));
        }
        data.key("heapSnapshotRetainingPaths", json!({"paths": forest(&answer.edges), "limitsReached": limits}));
        data
    }

    /// From an object up to the root.
    pub fn dominators(answer: &[Dominator], names: Names) -> Self {
        let mut data = HeapData::default();
        data.line("### Dominator Chain");
        if answer.is_empty() {
            data.line("No dominators found.");
        } else {
            data.line("nodeId,nodeName,selfSize,retainedSize");
        }
        for node in answer {
            data.line(format!(
                "{},{},{},{}",
                node.node_id,
                names.line(&node.node_name),
                size(node.self_size),
                size(node.retained_size)
            ));
        }
        data.key("heapSnapshotDominators", answer);
        data
    }
}
