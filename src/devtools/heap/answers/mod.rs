//! What the heap service in `js/` answers. Field names and order are the front-end's; the same types are what
//! `structuredContent` shows.

mod changes;
mod contexts;
mod objects;
mod overview;

use serde::{Deserialize, Serialize};

pub use changes::*;
pub use contexts::*;
pub use objects::*;
pub use overview::*;

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
