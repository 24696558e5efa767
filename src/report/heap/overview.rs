//! The summary, and classes.

use serde::Serialize;
use serde_json::{Value, json};

use super::HeapData;
use super::names::{Names, size};
use crate::devtools::heap::answers::{Classes, Summary};

fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

impl HeapData {
    /// Sizes by kind, native contexts, what contexts retain.
    pub fn summary(answer: &Summary, names: Names) -> Self {
        let mut data = HeapData::default();
        data.line(format!("Statistics: {}", pretty(&answer.stats)));
        data.line(format!("Static Data: {}", pretty(&answer.static_data)));
        data.line("### Native Contexts");
        data.line("nodeId,nodeName,selfSize,retainedSize,attributedSize");
        let sizes = &answer.native_context_sizes;
        let mut contexts: Vec<_> = sizes.native_contexts.iter().collect();
        contexts.sort_by_key(|context| std::cmp::Reverse(context.attributed_size));
        for context in contexts {
            data.line(format!(
                "{},{},{},{},{}",
                context.node_id,
                names.line(&context.node_name),
                size(context.self_size),
                size(context.retained_size),
                size(context.attributed_size)
            ));
        }
        data.line(format!("Shared Size: {}", size(sizes.shared_size)));
        data.line(format!("Unattributed Size: {}", size(sizes.no_attribution_size)));
        let contexts = &answer.retained_by_context_summary;
        data.line("### Retained by Context Summary");
        data.line(format!("Context count: {}", contexts.context_count));
        data.line(format!(
            "Retained by context size: {} ({} objects)",
            size(contexts.retained_by_context_size),
            contexts.retained_by_context_count
        ));
        data.line(format!(
            "Not retained by context size: {} ({} objects)",
            size(contexts.not_retained_by_context_size),
            contexts.not_retained_by_context_count
        ));
        data.line(format!("Total size: {}", size(contexts.total_size)));
        data.part("stats", &answer.stats);
        data.part("staticData", &answer.static_data);
        data.part("nativeContextSizes", sizes);
        data.part("retainedByContextSummary", contexts);
        data
    }

    /// Classes by retained size.
    pub fn classes(answer: &Classes, names: Names) -> Self {
        let mut data = HeapData::default();
        data.line(format!("Objects: {}", answer.object_count));
        data.line(format!("Total shallow size: {}", size(answer.total_self_size)));
        let stats: Value = json!({"objectCount": answer.object_count, "totalSelfSize": answer.total_self_size});
        data.part("aggregateStats", stats);
        data.paging(&answer.listed.page);
        data.line("id,className,count,selfSize,retainedSize");
        for class in &answer.listed.items {
            data.line(format!(
                "{},{},{},{},{}",
                class.id,
                names.line(&class.class_name),
                class.count,
                size(class.self_size),
                size(class.retained_size)
            ));
        }
        data.key("heapSnapshotAggregates", &answer.listed.items);
        data
    }
}
