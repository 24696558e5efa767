//! The list of a page's requests (18).

use serde_json::{Map, Value, json};

use super::Section;
use super::fence::fenced;
use super::paging::Part;
use crate::browser::network::Summary;

/// Addresses in lists are cut after this many UTF-16 units, as in the original.
const LONGEST_URL: usize = 255;

/// Requests of a page.
pub struct RequestList {
    /// All of them.
    pub requests: Vec<Summary>,
    /// The part that is shown.
    pub part: Part,
    /// The one that is selected in the DevTools window.
    pub selected: Option<u32>,
    /// What is missing in the list, and why.
    pub notes: Vec<String>,
    /// Whether addresses are marked as the page's.
    pub fenced: bool,
}

/// The line of a request.
pub fn request_line(request: &Summary) -> String {
    let Summary { id, method, url, status, by } = request;
    let by = by.map(|by| format!(" by {by}")).unwrap_or_default();
    format!("reqid={id} {method} {} [{status}]{by}", shortened(url))
}

/// An address as lists have it, never cut inside a character.
fn shortened(url: &str) -> String {
    let mut units = 0;
    match url.char_indices().find(|(_, c)| {
        units += c.len_utf16();
        units > LONGEST_URL
    }) {
        Some((end, _)) => format!("{}... <truncated>", &url[..end]),
        None => url.to_owned(),
    }
}

impl RequestList {
    fn shown(&self) -> &[Summary] {
        &self.requests[self.part.range.clone()]
    }

    fn line(&self, request: &Summary) -> String {
        let mark = if self.selected == Some(request.id) { " [selected in the DevTools Network panel]" } else { "" };
        format!("{}{mark}", request_line(request))
    }
}

impl Section for RequestList {
    fn order(&self) -> u8 {
        18
    }

    fn text(&self) -> String {
        let mut lines = vec!["## Network requests".to_owned()];
        if self.requests.is_empty() {
            lines.push("No requests found.".into());
        } else {
            lines.extend(self.part.lines());
            let list = self.shown().iter().map(|request| self.line(request)).collect::<Vec<_>>().join("\n");
            lines.push(if self.fenced { fenced(&list) } else { list });
            lines.extend(self.part.left_out("list_network_requests"));
        }
        lines.extend(self.notes.iter().cloned());
        lines.join("\n")
    }

    fn structured(&self, content: &mut Map<String, Value>) {
        if self.requests.is_empty() {
            return;
        }
        let entry = |request: &Summary| {
            let Summary { id, method, url, status, by } = request;
            let selected = self.selected == Some(*id);
            let mut entry = json!({"requestId": id, "method": method, "url": url, "status": status, "selectedInDevToolsUI": selected});
            if let Some(by) = by {
                entry["by"] = (*by).into();
            }
            entry
        };
        content.insert("pagination".into(), self.part.structured());
        content.insert("networkRequests".into(), self.shown().iter().map(entry).collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Paging;

    fn summary(id: u32, url: &str) -> Summary {
        Summary { id, method: "GET".into(), url: url.into(), status: "200".into(), by: None }
    }

    #[test]
    fn long_addresses_are_cut_between_characters() {
        let fits = "x".repeat(255);
        assert_eq!(shortened(&fits), fits);
        let pair = format!("{}\u{1f600}", "x".repeat(254));
        assert_eq!(shortened(&pair), format!("{}... <truncated>", "x".repeat(254)));
    }

    #[test]
    fn a_list_marks_the_selected_one() {
        let requests = vec![summary(3, "http://a.test/"), summary(4, "http://a.test/x#y")];
        let list = RequestList {
            part: Paging::default().part(2),
            requests,
            selected: Some(4),
            notes: vec!["A note.".into()],
            fenced: false,
        };
        assert_eq!(
            list.text(),
            "## Network requests\nShowing 1-2 of 2 (Page 1 of 1).\nreqid=3 GET http://a.test/ [200]\n\
             reqid=4 GET http://a.test/x#y [200] [selected in the DevTools Network panel]\nA note."
        );
        let empty = RequestList { requests: Vec::new(), part: Paging::default().part(0), notes: Vec::new(), ..list };
        let mut content = Map::new();
        empty.structured(&mut content);
        assert_eq!((empty.text().as_str(), content.len()), ("## Network requests\nNo requests found.", 0));
    }
}
