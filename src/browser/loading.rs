//! How far a navigation is: which events end the waiting for it.

use serde_json::Value;

use crate::cdp::Event;

/// What Chrome answered when it was told to go somewhere, and the answer's place among the connection's messages.
#[derive(Debug)]
pub(super) enum Begun {
    /// It is done, within the document.
    Within,
    /// The document with this loader id is on its way.
    Document(String),
    /// The same document is, again.
    Again(u64),
    /// A document is, or a place within the present one.
    Either(u64),
}

/// How far a navigation is.
///
/// The answer comes before the new document does, and the document before may finish loading in between: its event says
/// nothing about the new one.
#[derive(Debug, Default)]
pub(super) struct Loading<'a> {
    main_frame: &'a str,
    /// The answer, once it is there.
    pub begun: Option<Begun>,
    /// Loader ids of the documents that have come since.
    documents: Vec<String>,
    /// Where the newest of them finished loading, or came back as it was, which does not load.
    done: Option<u64>,
    /// Something happened within the document. That may be told before the answer.
    within: bool,
}

impl<'a> Loading<'a> {
    /// Of the page with this main frame; nothing has happened yet.
    pub fn of(main_frame: &'a str) -> Self {
        Loading { main_frame, ..Loading::default() }
    }

    /// Whether Chrome has answered.
    pub fn is_answered(&self) -> bool {
        self.begun.is_some()
    }

    /// Notes an event of the page's session.
    pub fn note(&mut self, event: &Event) {
        let Ok(details) = event.decode::<Value>() else { return };
        match event.method.as_str() {
            "Page.loadEventFired" if !self.documents.is_empty() => self.done = Some(event.place),
            "Page.navigatedWithinDocument" => self.within |= details["frameId"] == self.main_frame,
            "Page.frameNavigated" => {
                let frame = &details["frame"];
                if frame.get("parentId").is_none() {
                    self.documents.push(frame["loaderId"].as_str().unwrap_or_default().to_owned());
                    self.done = (details["type"] == "BackForwardCacheRestore").then_some(event.place);
                }
            }
            _ => {}
        }
    }

    /// Whether the document, or the place within one, is there.
    pub fn is_done(&self) -> bool {
        // What Chrome said before the answer belongs to a document before.
        let since = |answer: u64| self.done.is_some_and(|place| place > answer);
        match &self.begun {
            None => false,
            Some(Begun::Within) => true,
            Some(Begun::Document(id)) => self.done.is_some() && self.documents.contains(id),
            Some(Begun::Again(answer)) => since(*answer),
            Some(Begun::Either(answer)) => since(*answer) || self.within,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(method: &str, params: &Value) -> Event {
        let params = serde_json::value::to_raw_value(params).unwrap();
        Event { method: method.into(), session: None, params, place: 1 }
    }

    fn document(loader: &str) -> Event {
        event("Page.frameNavigated", &json!({"frame": {"id": "main", "loaderId": loader}, "type": "Navigation"}))
    }

    #[test]
    fn the_end_of_the_document_before_is_not_the_end() {
        let loaded = event("Page.loadEventFired", &json!({"timestamp": 1}));
        let begun = Some(Begun::Document("new".into()));
        let mut loading = Loading { main_frame: "main", begun, ..Loading::default() };
        loading.note(&loaded);
        assert!(!loading.is_done());
        // Nor that of a document which came while the answer was on its way.
        for event in [document("old"), loaded, document("new")] {
            loading.note(&event);
            assert!(!loading.is_done(), "{loading:?}");
        }
        loading
            .note(&event("Page.frameNavigated", &json!({"frame": {"id": "x", "loaderId": "y", "parentId": "main"}})));
        loading.note(&event("Page.loadEventFired", &json!({"timestamp": 2})));
        assert!(loading.is_done());
    }

    #[test]
    fn a_document_that_goes_on_by_itself_is_waited_for() {
        let mut loading =
            Loading { main_frame: "main", begun: Some(Begun::Document("new".into())), ..Loading::default() };
        for event in [document("new"), document("further")] {
            loading.note(&event);
            assert!(!loading.is_done());
        }
        loading.note(&event("Page.loadEventFired", &json!({"timestamp": 2})));
        assert!(loading.is_done());
    }

    #[test]
    fn a_step_in_the_history_may_stay_within_the_document_and_be_done_before_the_answer() {
        let mut loading = Loading { main_frame: "main", ..Loading::default() };
        loading.note(&event("Page.navigatedWithinDocument", &json!({"frameId": "another", "url": ""})));
        loading.begun = Some(Begun::Either(0));
        assert!(!loading.is_done());
        loading.begun = None;
        loading.note(&event("Page.navigatedWithinDocument", &json!({"frameId": "main", "url": ""})));
        assert!(!loading.is_done());
        loading.begun = Some(Begun::Either(0));
        assert!(loading.is_done());
    }
}
