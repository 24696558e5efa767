//! The section about heap snapshots (order 15 of the composition table).
//!
//! Each answer of the heap service becomes one [`HeapData`]: lines under the fixed heading, and keys of `structuredContent`,
//! where names are never cut. Tables are comma-separated without quoting, as in the original.

mod changes;
mod contexts;
mod leaks;
mod lists;
mod names;
mod overview;
mod paths;

pub use leaks::{Notes, leaks};
pub use names::Names;

use serde::Serialize;
use serde_json::{Map, Value};

use super::Section;
use crate::devtools::heap::answers::Page;

/// One answer about a heap snapshot.
#[derive(Debug, Default)]
pub struct HeapData {
    lines: Vec<String>,
    keys: Map<String, Value>,
}

impl HeapData {
    fn line(&mut self, text: impl Into<String>) {
        self.lines.push(text.into());
    }

    fn key(&mut self, name: &str, value: impl Serialize) {
        self.keys.insert(name.into(), serde_json::to_value(value).unwrap_or_default());
    }

    /// A key of the object `heapSnapshot`.
    fn part(&mut self, name: &str, value: impl Serialize) {
        let value = serde_json::to_value(value).unwrap_or_default();
        if let Value::Object(parts) = self.keys.entry("heapSnapshot").or_insert_with(|| Value::Object(Map::new())) {
            parts.insert(name.into(), value);
        }
    }

    /// The lines about paging, and its key.
    fn paging(&mut self, page: &Page) {
        self.key("pagination", page);
        if page.invalid_page {
            self.line("Invalid page number provided. Showing first page.");
        }
        let first = if page.total == 0 { 0 } else { page.start_index + 1 };
        self.line(format!(
            "Showing {first}-{} of {} (Page {} of {}).",
            page.end_index,
            page.total,
            page.current_page + 1,
            page.total_pages
        ));
        if page.has_next_page {
            self.line(format!("Next page: {}", page.current_page + 1));
        }
        if page.has_previous_page {
            self.line(format!("Previous page: {}", page.current_page - 1));
        }
    }

    /// Without the heading, for the command line.
    pub fn body(&self) -> String {
        self.lines.join("\n")
    }

    /// The keys alone.
    pub fn into_keys(self) -> Map<String, Value> {
        self.keys
    }
}

impl Section for HeapData {
    fn order(&self) -> u8 {
        15
    }

    fn text(&self) -> String {
        format!("## Heap Snapshot Data\n{}", self.body())
    }

    fn structured(&self, content: &mut Map<String, Value>) {
        content.extend(self.keys.clone());
    }
}
