//! Lists in pages, and what fits into an answer when no page was asked for.

use serde_json::{Value, json};

/// Longest list in characters unless a page is asked for.
pub const LIST_BUDGET: usize = 60_000;

/// Entries of a page when only its number was given.
const PAGE: usize = 20;

/// A part of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Paging {
    /// The first entry that is shown.
    pub start: usize,
    /// The entry after the last one.
    pub end: usize,
    total: usize,
    current: usize,
    pages: usize,
    invalid: bool,
    asked: bool,
}

impl Paging {
    /// Page `index` of pages with `size` entries. Without both, all entries, given by their lengths in characters, or the
    /// newest (last) ones that fit into the budget.
    pub fn new(lengths: &[usize], size: Option<usize>, index: Option<usize>) -> Self {
        let total = lengths.len();
        if size.is_none() && index.is_none() {
            let mut room = LIST_BUDGET;
            let fitting = lengths.iter().rev().take_while(|&&length| {
                let fits = length < room;
                room = room.saturating_sub(length + 1);
                fits
            });
            // One too long for the budget is better than nothing.
            let start = total - fitting.count().max(1).min(total);
            return Paging { start, end: total, total, current: 0, pages: 1, invalid: false, asked: false };
        }
        let size = size.unwrap_or(PAGE).max(1);
        let pages = total.div_ceil(size).max(1);
        let asked = index.unwrap_or(0);
        let current = if asked < pages { asked } else { 0 };
        let start = (current * size).min(total);
        let end = (start + size).min(total);
        Paging { start, end, total, current, pages, invalid: asked >= pages, asked: true }
    }

    /// The lines above the entries.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.invalid {
            lines.push("Invalid page number provided. Showing first page.".into());
        }
        let first = if self.total == 0 { 0 } else { self.start + 1 };
        lines.push(format!(
            "Showing {first}-{} of {} (Page {} of {}).",
            self.end,
            self.total,
            self.current + 1,
            self.pages
        ));
        if self.asked && self.has_next() {
            lines.push(format!("Next page: {}", self.current + 1));
        }
        if self.asked && self.current > 0 {
            lines.push(format!("Previous page: {}", self.current - 1));
        }
        lines
    }

    /// What was left out for lack of room, and how to get it from `tool`.
    pub fn left_out(&self, tool: &str) -> Option<String> {
        (!self.asked && self.start > 0).then(|| {
            format!(
                "{} older ones are left out to stay at {LIST_BUDGET} characters. hint: {tool} with pageSize {} and \
                 pageIdx 0 shows the oldest",
                self.start,
                self.total - self.start
            )
        })
    }

    fn has_next(&self) -> bool {
        self.current + 1 < self.pages
    }

    /// `pagination` of `structuredContent`.
    pub fn json(&self) -> Value {
        json!({
            "currentPage": self.current,
            "totalPages": self.pages,
            "hasNextPage": self.has_next(),
            "hasPreviousPage": self.current > 0,
            "startIndex": self.start,
            "endIndex": self.end,
            "invalidPage": self.invalid,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(total: usize, size: Option<usize>, index: Option<usize>) -> String {
        Paging::new(&vec![10; total], size, index).lines().join("\n")
    }

    #[test]
    fn pages_in_the_originals_words() {
        assert_eq!(lines(5, None, None), "Showing 1-5 of 5 (Page 1 of 1).");
        assert_eq!(lines(29, Some(3), Some(1)), "Showing 4-6 of 29 (Page 2 of 10).\nNext page: 2\nPrevious page: 0");
        assert_eq!(lines(29, None, Some(1)), "Showing 21-29 of 29 (Page 2 of 2).\nPrevious page: 0");
        assert_eq!(
            lines(3, Some(2), Some(9)),
            "Invalid page number provided. Showing first page.\nShowing 1-2 of 3 (Page 1 of 2).\nNext page: 1"
        );
        assert_eq!(lines(0, None, None), "Showing 0-0 of 0 (Page 1 of 1).");
        let page = Paging::new(&[1; 29], Some(3), Some(1)).json();
        assert_eq!(
            (&page["startIndex"], &page["endIndex"], &page["hasNextPage"]),
            (&json!(3), &json!(6), &json!(true))
        );
    }

    #[test]
    fn the_newest_that_fit_are_kept() {
        let long = LIST_BUDGET / 3;
        let page = Paging::new(&[long; 10], None, None);
        assert_eq!((page.start, page.end), (8, 10));
        assert_eq!(
            page.left_out("list").unwrap(),
            "8 older ones are left out to stay at 60000 characters. hint: list with pageSize 2 and pageIdx 0 shows the oldest"
        );
        assert_eq!(Paging::new(&[LIST_BUDGET * 2], None, None).start, 0);
        assert_eq!(Paging::new(&[long; 10], Some(10), None).left_out("list"), None);
    }
}
