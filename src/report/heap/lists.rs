//! Lists of objects, references and strings, and one object.

use super::HeapData;
use super::names::{Names, size};
use crate::devtools::heap::answers::{DuplicateString, Edge, Listed, Node, ObjectDetails};

/// Ids of equal strings that a line shows; `structuredContent` has all.
const SHOWN_IDS: usize = 50;

impl HeapData {
    /// Objects, the paging below them.
    pub fn nodes(answer: &Listed<Node>, names: Names) -> Self {
        let rows = answer.items.iter().map(|node| {
            format!(
                "{},{},{},{},{},{}",
                node.id,
                names.line(&node.name),
                node.r#type,
                node.distance,
                size(node.self_size),
                size(node.retained_size)
            )
        });
        let mut data = Self::table("nodeId,nodeName,type,distance,selfSize,retainedSize", rows);
        data.paging(&answer.page);
        data.key("heapSnapshotNodes", &answer.items);
        data
    }

    /// References of an object or to it, the paging below them.
    pub fn edges(answer: &Listed<Edge>, names: Names) -> Self {
        let rows = answer.items.iter().map(|edge| {
            format!(
                "{},{},{},{},{},{}",
                names.line(&edge.name),
                edge.r#type,
                edge.node.id,
                names.line(&edge.node.name),
                size(edge.node.self_size),
                size(edge.node.retained_size)
            )
        });
        let mut data = Self::table("name,type,nodeId,nodeName,selfSize,retainedSize", rows);
        data.paging(&answer.page);
        data.key("heapSnapshotNodes", &answer.items);
        data
    }

    /// Without rows a table is an empty line.
    fn table(header: &str, rows: impl Iterator<Item = String>) -> Self {
        let mut data = HeapData::default();
        let rows: Vec<String> = rows.collect();
        data.line(if rows.is_empty() { "" } else { header });
        data.lines.extend(rows);
        data
    }

    /// Strings that are there more than once.
    pub fn duplicate_strings(answer: &Listed<DuplicateString>, names: Names) -> Self {
        let mut data = HeapData::default();
        data.line("### Duplicate Strings");
        data.paging(&answer.page);
        data.line("value,count,totalSelfSize,totalRetainedSize,truncated,nodeIds");
        for string in &answer.items {
            let mut ids: Vec<String> =
                string.nodes.iter().take(SHOWN_IDS).map(|node| format!("@{}", node.id)).collect();
            if string.nodes.len() > SHOWN_IDS {
                ids.push(format!("(and {} more)", string.nodes.len() - SHOWN_IDS));
            }
            data.line(format!(
                "{},{},{},{},{},{}",
                serde_json::Value::from(names.cut(&string.value)),
                string.count,
                size(string.total_self_size),
                size(string.total_retained_size),
                string.truncated,
                ids.join(" ")
            ));
        }
        data.key("heapSnapshotDuplicateStrings", &answer.items);
        data
    }

    /// One object.
    pub fn object_details(answer: &ObjectDetails, names: Names) -> Self {
        let mut data = HeapData::default();
        let detachedness = match answer.detachedness {
            1 => "attached",
            2 => "detached",
            _ => "unknown",
        };
        data.line("### Object Details");
        data.line(format!("id: @{}", answer.id));
        data.line(format!("name: {}", names.line(&answer.name)));
        data.line(format!("type: {}", answer.r#type));
        data.line(format!("detachedness: {detachedness}"));
        data.line(format!("selfSize: {}", size(answer.self_size)));
        data.line(format!("retainedSize: {}", size(answer.retained_size)));
        data.line(format!("distance: {}", answer.distance));
        data.line(format!("edgeCount: {}", answer.edge_count));
        data.line(format!("retainerCount: {}", answer.retainer_count));
        data.key("heapSnapshotObjectDetails", answer);
        data
    }
}
