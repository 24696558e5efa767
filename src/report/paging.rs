//! Parts of long lists: which items are shown, and the lines that say so.

use serde_json::{Value, json};

/// Items of a page if only its number was given.
const DEFAULT_SIZE: usize = 20;

/// What the client asked for. Nothing: everything is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Paging {
    /// Items of each page.
    pub size: Option<usize>,
    /// Counted from 0.
    pub index: Option<usize>,
}

/// The part of a list that is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Counted from 0.
    pub page: usize,
    /// At least 1.
    pub pages: usize,
    /// Indexes of the items.
    pub range: std::ops::Range<usize>,
    /// Items of the whole list.
    pub total: usize,
    /// The page that was asked for does not exist; the first one is shown.
    pub invalid: bool,
    asked: bool,
}

impl Paging {
    /// Whether a part was asked for.
    pub fn is_asked(self) -> bool {
        self.size.is_some() || self.index.is_some()
    }

    /// The part of a list whose items have these lengths in characters: what was asked for, else all of it, or the last
    /// items that fit into the budget (0: no limit).
    pub fn fitting(self, lengths: &[usize], budget: usize) -> Part {
        let mut part = self.part(lengths.len());
        if !self.is_asked() && budget > 0 {
            let mut room = budget;
            let fitting = lengths.iter().rev().take_while(|&&length| {
                let fits = length < room;
                room = room.saturating_sub(length + 1);
                fits
            });
            // One too long for the budget is better than nothing.
            part.range.start = part.total - fitting.count().max(1).min(part.total);
        }
        part
    }

    /// The part of a list of `total` items.
    pub fn part(self, total: usize) -> Part {
        if !self.is_asked() {
            return Part { page: 0, pages: 1, range: 0..total, total, invalid: false, asked: false };
        }
        let size = self.size.unwrap_or(DEFAULT_SIZE).max(1);
        let pages = total.div_ceil(size).max(1);
        let wanted = self.index.unwrap_or(0);
        let invalid = wanted >= pages;
        let page = if invalid { 0 } else { wanted };
        let start = (page * size).min(total);
        Part { page, pages, range: start..(start + size).min(total), total, invalid, asked: true }
    }
}

impl Part {
    /// The lines above or below the list.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.invalid {
            lines.push("Invalid page number provided. Showing first page.".to_owned());
        }
        let first = if self.range.is_empty() { 0 } else { self.range.start + 1 };
        lines.push(format!(
            "Showing {first}-{} of {} (Page {} of {}).",
            self.range.end,
            self.total,
            self.page + 1,
            self.pages
        ));
        if self.asked && self.page + 1 < self.pages {
            lines.push(format!("Next page: {}", self.page + 1));
        }
        if self.asked && self.page > 0 {
            lines.push(format!("Previous page: {}", self.page - 1));
        }
        lines
    }

    /// What was left out for lack of room, and how to get it from `tool`.
    pub fn left_out(&self, tool: &str) -> Option<String> {
        let start = self.range.start;
        (!self.asked && start > 0).then(|| {
            let shown = self.total - start;
            format!(
                "{start} older ones are left out to keep the answer short. hint: {tool} with pageSize {shown} and pageIdx 0 \
                 shows the oldest"
            )
        })
    }

    /// `structuredContent.pagination`.
    pub fn structured(&self) -> Value {
        json!({
            "currentPage": self.page,
            "totalPages": self.pages,
            "hasNextPage": self.page + 1 < self.pages,
            "hasPreviousPage": self.page > 0,
            "startIndex": self.range.start,
            "endIndex": self.range.end,
            "invalidPage": self.invalid,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(size: Option<usize>, index: Option<usize>, total: usize) -> String {
        Paging { size, index }.part(total).lines().join("|")
    }

    #[test]
    fn pages_are_counted_from_one_in_words_and_from_zero_as_arguments() {
        assert_eq!(lines(None, None, 8), "Showing 1-8 of 8 (Page 1 of 1).");
        assert_eq!(lines(Some(3), None, 29), "Showing 1-3 of 29 (Page 1 of 10).|Next page: 1");
        assert_eq!(lines(Some(3), Some(1), 29), "Showing 4-6 of 29 (Page 2 of 10).|Next page: 2|Previous page: 0");
        assert_eq!(lines(None, Some(1), 29), "Showing 21-29 of 29 (Page 2 of 2).|Previous page: 0");
        assert_eq!(
            lines(Some(3), Some(99), 4),
            "Invalid page number provided. Showing first page.|Showing 1-3 of 4 (Page 1 of 2).|Next page: 1"
        );
        assert_eq!(lines(Some(10), Some(0), 0), "Showing 0-0 of 0 (Page 1 of 1).");
    }

    #[test]
    fn the_newest_that_fit_are_kept() {
        let all = Paging::default();
        let part = all.fitting(&[20_000; 10], 60_000);
        assert_eq!(part.range, 8..10);
        assert!(part.left_out("list").unwrap().starts_with("8 older ones are left out"));
        assert_eq!(all.fitting(&[120_000], 60_000).range, 0..1);
        assert_eq!(all.fitting(&[20_000; 10], 0).range, 0..10);
        let asked = Paging { size: Some(10), index: None }.fitting(&[20_000; 10], 60_000);
        assert_eq!((asked.range.clone(), asked.left_out("list")), (0..10, None));
    }
}
