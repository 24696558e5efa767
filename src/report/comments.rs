//! Comments made in DevTools.

use serde_json::{Map, Value, json};

use super::Section;

/// A comment with what it is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Comment {
    /// The thread.
    pub id: String,
    /// Its text; DevTools adds lines about its place.
    pub text: String,
    /// Uid of its element.
    pub element: Option<String>,
    /// Number of its request.
    pub request: Option<u32>,
}

/// All that are new.
pub struct CommentList {
    /// In the order in which they were made.
    pub comments: Vec<Comment>,
    /// The kind of the snapshot that had to be taken to name their elements.
    pub regenerated: Option<&'static str>,
}

impl Section for CommentList {
    fn order(&self) -> u8 {
        20
    }

    fn text(&self) -> String {
        if self.comments.is_empty() {
            return "No open DevTools comments found.".into();
        }
        let mut parts = vec![format!("Found {} DevTools comment thread(s):", self.comments.len())];
        for Comment { id, text, element, request } in &self.comments {
            let mut lines = vec![format!("### Thread: {id}"), format!("- Comment: {text}")];
            lines.extend(element.as_ref().map(|uid| format!("- Related element uid: {uid}")));
            lines.extend(request.map(|id| format!("- Related network reqid: {id}")));
            parts.push(lines.join("\n"));
        }
        if let Some(kind) = self.regenerated {
            parts.push(format!("Note: DevTools comments regenerated the {kind} text snapshot."));
        }
        parts.join("\n\n")
    }

    fn structured(&self, content: &mut Map<String, Value>) {
        let comments = self.comments.iter().map(|comment| {
            let mut item = json!({"id": comment.id, "text": comment.text});
            if let Some(uid) = &comment.element {
                item["elementUid"] = uid.as_str().into();
            }
            if let Some(id) = comment.request {
                item["reqid"] = id.into();
            }
            item
        });
        content.insert("comments".into(), comments.collect());
        if let Some(kind) = self.regenerated {
            content.insert("commentsSnapshotRegenerated".into(), kind.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_told_with_what_they_are_about() {
        let comment = |text: &str, element: Option<&str>, request| Comment {
            id: "a-1".into(),
            text: text.into(),
            element: element.map(str::to_owned),
            request,
        };
        let comments =
            vec![comment("Fix\n\n- DevTools element: h1", Some("1_1"), None), comment("Slow", None, Some(5))];
        let list = CommentList { comments, regenerated: Some("verbose") };
        let expected = "Found 2 DevTools comment thread(s):\n\n### Thread: a-1\n- Comment: Fix\n\n- DevTools element: \
                        h1\n- Related element uid: 1_1\n\n### Thread: a-1\n- Comment: Slow\n- Related network reqid: \
                        5\n\nNote: DevTools comments regenerated the verbose text snapshot.";
        assert_eq!(list.text(), expected);
        let mut content = Map::new();
        list.structured(&mut content);
        assert_eq!(content["comments"][1], json!({"id": "a-1", "text": "Slow", "reqid": 5}));
        assert_eq!(content["commentsSnapshotRegenerated"], "verbose");
    }
}
