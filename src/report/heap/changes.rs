//! Comparisons.

use super::HeapData;
use super::names::{Names, signed, signed_size, size};
use crate::devtools::heap::answers::{ChangeDetail, Changes, Delta};

/// The head line of a comparison.
fn head(name: &str, delta: &Delta) -> String {
    format!(
        "{name}: # new: {}, # deleted: {}, # delta: {}, alloc size: {}, freed size: {}, size delta: {}",
        delta.added_count,
        delta.removed_count,
        signed(delta.count_delta),
        signed_size(delta.added_size),
        signed_size(delta.removed_size),
        signed_size(delta.size_delta)
    )
}

impl HeapData {
    /// The classes that changed.
    pub fn changes(answer: &Changes, names: Names) -> Self {
        let mut data = HeapData::default();
        data.line("### Heap Snapshot Diff");
        data.line(head("Total", &answer.totals));
        data.part("classDiffStats", &answer.totals);
        data.paging(&answer.listed.page);
        data.line("index,className,addedCount,removedCount,countDelta,addedSize,removedSize,sizeDelta");
        for change in &answer.listed.items {
            let delta = &change.delta;
            data.line(format!(
                "{},{},{},{},{},{},{},{}",
                change.index,
                names.line(&change.class_name),
                delta.added_count,
                delta.removed_count,
                delta.count_delta,
                size(delta.added_size),
                size(delta.removed_size),
                size(delta.size_delta)
            ));
        }
        data.key("heapSnapshotClassDiffs", &answer.listed.items);
        data
    }

    /// One class that changed, object by object.
    pub fn change_detail(answer: &ChangeDetail, names: Names) -> Self {
        let mut data = HeapData::default();
        data.line("### Heap Snapshot Detailed Diff");
        data.line(head(&names.line(&answer.change.class_name), &answer.change.delta));
        data.line("Objects:");
        let added = answer.added_ids.iter().zip(&answer.added_self_sizes).map(|pair| ('+', pair));
        let deleted = answer.deleted_ids.iter().zip(&answer.deleted_self_sizes).map(|pair| ('-', pair));
        for (sign, (id, self_size)) in added.chain(deleted) {
            data.line(format!("  {sign} @{id} (self_size: {})", size(*self_size)));
        }
        data.key("heapSnapshotDetailedClassDiff", answer);
        data
    }
}
