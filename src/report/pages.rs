//! Sections about pages: the notes on the browser (order 1) and the page list with its selection note (7 and 8).

use serde_json::{Map, Value, json};

use super::Section;
use crate::browser::pages::PageInfo;

/// Longest title in UTF-16 units, as the original counts.
const MAX_TITLE: usize = 50;

/// Fixed beginning of the note, clients look for it.
const RECONNECTED: &str = "Note: the browser was restarted or reconnected since the last call.";

/// The browser is another one than at the last call.
pub struct Reconnected;

impl Section for Reconnected {
    fn order(&self) -> u8 {
        1
    }

    fn text(&self) -> String {
        format!("{RECONNECTED} Pages have new ids.")
    }

    fn structured(&self, content: &mut Map<String, Value>) {
        content.insert("reconnected".into(), true.into());
    }
}

/// Something about the browser that is said once.
pub struct BrowserNote(pub String);

impl Section for BrowserNote {
    fn order(&self) -> u8 {
        1
    }

    fn text(&self) -> String {
        self.0.clone()
    }

    fn structured(&self, _content: &mut Map<String, Value>) {}
}

/// The pages, and which one is selected.
pub struct PageList {
    /// In the order of their ids.
    pub pages: Vec<PageInfo>,
    /// The selected one.
    pub selected: Option<u32>,
    /// The page that was selected has gone.
    pub selection_lost: bool,
}

impl Section for PageList {
    fn order(&self) -> u8 {
        8
    }

    fn text(&self) -> String {
        let mut lines = Vec::new();
        if self.selection_lost {
            let now = self.selected.map(|id| format!(" Page {id} is now selected.")).unwrap_or_default();
            lines.push(format!("Note: the previously selected page was closed.{now}"));
        }
        if !self.pages.is_empty() {
            lines.push("## Pages".into());
        }
        for page in &self.pages {
            let mut line = title_and_url(page);
            if self.selected == Some(page.id) {
                line.push_str(" [selected]");
            }
            if let Some(context) = page.isolated_context.as_deref().filter(|name| !name.is_empty()) {
                line.push_str(&format!(" isolatedContext={context}"));
            }
            if page.asleep {
                line.push_str(" [asleep: wake it with select_page and bringToFront, or reload it]");
            }
            lines.push(line);
        }
        lines.join("\n")
    }

    fn structured(&self, content: &mut Map<String, Value>) {
        let pages = self.pages.iter().map(|page| {
            let mut entry = json!({
                "id": page.id,
                "url": page.url,
                "title": shorten(&page.title),
                "selected": self.selected == Some(page.id),
            });
            if let Some(context) = &page.isolated_context {
                entry["isolatedContext"] = context.as_str().into();
            }
            entry
        });
        content.insert("pages".into(), pages.collect());
    }
}

/// A page without anything about its state.
pub(super) fn title_and_url(page: &PageInfo) -> String {
    let title = shorten(&page.title);
    if title.is_empty() { format!("{}: {}", page.id, page.url) } else { format!("{}: {title} ({})", page.id, page.url) }
}

/// Cuts a long title to 47 units and dots, never inside a character.
fn shorten(title: &str) -> String {
    if title.encode_utf16().count() <= MAX_TITLE {
        return title.to_owned();
    }
    let mut result = String::new();
    let mut units = 0;
    for c in title.chars() {
        units += c.len_utf16();
        if units > MAX_TITLE - 3 {
            break;
        }
        result.push(c);
    }
    result + "..."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_cut_at_whole_characters() {
        assert_eq!(shorten(&"a".repeat(50)), "a".repeat(50));
        assert_eq!(shorten(&"a".repeat(51)), format!("{}...", "a".repeat(47)));
        assert_eq!(shorten(&"\u{1f600}".repeat(26)), format!("{}...", "\u{1f600}".repeat(23)));
    }

    #[test]
    fn the_list_as_the_original_writes_it() {
        let page = |id, title: &str, context: Option<&str>| PageInfo {
            id,
            url: "http://127.0.0.1:8123/b.html".into(),
            title: title.into(),
            isolated_context: context.map(Into::into),
            asleep: false,
        };
        let list = PageList {
            pages: vec![page(1, "", None), page(3, "Page B", Some("iso1"))],
            selected: Some(3),
            selection_lost: true,
        };
        assert_eq!(
            list.text(),
            "Note: the previously selected page was closed. Page 3 is now selected.\n## Pages\n\
             1: http://127.0.0.1:8123/b.html\n3: Page B (http://127.0.0.1:8123/b.html) [selected] isolatedContext=iso1"
        );
    }
}
