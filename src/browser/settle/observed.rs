//! What an action on a page causes, as the page's events tell it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::Download;
use crate::browser::page::ERROR_PAGE;
use crate::cdp::Event;

/// An answer of which nothing more comes for so long is one that the page does not read.
const UNREAD: Duration = Duration::from_millis(300);

/// The events that are taken in.
pub(super) const EVENTS: &[&str] = &[
    "Page.frameStartedNavigating",
    "Page.frameRequestedNavigation",
    "Page.frameNavigated",
    "Page.navigatedWithinDocument",
    "Page.loadEventFired",
    "Page.frameStoppedLoading",
    "Page.frameDetached",
    "Page.windowOpen",
    "Page.downloadWillBegin",
    "Page.downloadProgress",
    "Network.requestWillBeSent",
    "Network.responseReceived",
    "Network.dataReceived",
    "Network.loadingFinished",
    "Network.loadingFailed",
    "Target.attachedToTarget",
];

/// What was seen so far on the page's event stream.
pub(super) struct Observed {
    main_frame: Arc<str>,
    /// A new document is on its way.
    navigating: bool,
    /// It has begun. A load event before that is the one of the document before.
    committed: bool,
    /// Only asked for by the page, not started by the browser yet.
    requested: Option<Instant>,
    /// Something happened at all.
    pub any: bool,
    pub url: Option<String>,
    /// Requests under way.
    pub requests: HashMap<String, Pending>,
    /// Addresses of workers that have started.
    workers: Vec<String>,
    /// Requests that start later belong to the page, not to the action.
    pub counting: bool,
    pub downloads: Vec<Download>,
    /// Windows that the page asked for.
    pub windows: usize,
}

/// A request under way.
pub(super) struct Pending {
    frame: String,
    url: String,
    /// When its answer, or the last piece of it, came.
    answered: Option<Instant>,
}

impl Observed {
    /// Nothing has been seen yet.
    pub fn new(main_frame: Arc<str>) -> Self {
        Observed {
            main_frame,
            navigating: false,
            committed: false,
            requested: None,
            any: false,
            url: None,
            requests: HashMap::new(),
            workers: Vec::new(),
            counting: true,
            downloads: Vec::new(),
            windows: 0,
        }
    }

    /// Takes in one of [`EVENTS`].
    pub fn note(&mut self, event: &Event) {
        let Ok(details) = event.decode::<Value>() else { return };
        let is_main = |key: &str| details[key] == *self.main_frame;
        match event.method.as_str() {
            "Page.frameStartedNavigating" => {
                let kind = details["navigationType"].as_str().unwrap_or_default();
                if is_main("frameId") && !["sameDocument", "historySameDocument"].contains(&kind) {
                    self.navigating = true;
                    self.committed = false;
                    self.requested = None;
                    self.any = true;
                }
            }
            "Page.frameRequestedNavigation" if is_main("frameId") && details["disposition"] == "currentTab" => {
                self.requested = Some(Instant::now());
                self.any = true;
            }
            "Page.frameNavigated" => {
                let frame = &details["frame"];
                if frame.get("parentId").is_none() {
                    self.main_frame = frame["id"].as_str().unwrap_or_default().into();
                    self.committed = true;
                    let unreachable = frame.get("unreachableUrl").is_some();
                    let fragment = frame["urlFragment"].as_str().unwrap_or_default();
                    let url = frame["url"].as_str().unwrap_or_default();
                    self.url = Some(if unreachable { ERROR_PAGE.into() } else { format!("{url}{fragment}") });
                    self.any = true;
                }
            }
            "Page.navigatedWithinDocument" if is_main("frameId") => {
                self.url = details["url"].as_str().map(str::to_owned);
                self.any = true;
            }
            "Page.loadEventFired" => self.navigating &= !self.committed,
            "Page.frameStoppedLoading" if is_main("frameId") => self.navigating = false,
            "Page.windowOpen" => {
                self.windows += 1;
                self.any = true;
            }
            "Page.downloadWillBegin" => {
                let name = details["suggestedFilename"].as_str().unwrap_or_default().to_owned();
                let id = details["guid"].as_str().unwrap_or_default().to_owned();
                self.downloads.push(Download { id, name, size: None });
                self.navigating = false;
                self.requested = None;
            }
            "Page.downloadProgress" => {
                let size = details["totalBytes"].as_f64().filter(|&n| n > 0.0);
                let download = self.downloads.iter_mut().find(|download| details["guid"] == download.id.as_str());
                if let (Some(download), Some(size)) = (download, size) {
                    download.size = Some(size as u64);
                }
            }
            "Network.requestWillBeSent" if self.counting => {
                let kind = details["type"].as_str().unwrap_or_default();
                if !["EventSource", "WebSocket", "Ping", "Media", "Prefetch"].contains(&kind)
                    && let Some(id) = details["requestId"].as_str()
                {
                    let frame = details["frameId"].as_str().unwrap_or_default().to_owned();
                    let url = details["request"]["url"].as_str().unwrap_or_default().to_owned();
                    self.any = true;
                    if !self.workers.contains(&url) {
                        self.requests.insert(id.to_owned(), Pending { frame, url, answered: None });
                    }
                }
            }
            "Network.responseReceived" | "Network.dataReceived" => {
                let id = details["requestId"].as_str().unwrap_or_default();
                if let Some(request) = self.requests.get_mut(id) {
                    request.answered = Some(Instant::now());
                }
            }
            // A worker's script is requested by the page, but its end is told on the worker's own session.
            "Target.attachedToTarget" => {
                let info = &details["targetInfo"];
                if info["type"] != "iframe" {
                    let url = info["url"].as_str().unwrap_or_default();
                    self.requests.retain(|_, request| request.url != url);
                    self.workers.push(url.to_owned());
                }
            }
            // A frame that moves to another process ends its requests there, where nobody listens.
            "Page.frameDetached" => {
                let frame = details["frameId"].as_str().unwrap_or_default();
                self.requests.retain(|_, request| request.frame != frame);
            }
            "Network.loadingFinished" | "Network.loadingFailed" => {
                self.requests.remove(details["requestId"].as_str().unwrap_or_default());
            }
            _ => {}
        }
    }

    /// A document is on its way.
    pub fn on_its_way(&self) -> bool {
        // A request that the browser does not act upon at once (another application's scheme, say) comes to nothing.
        self.navigating || self.requested.is_some_and(|since| since.elapsed() < Duration::from_millis(500))
    }

    /// Requests are under way. The end of an answer that the page does not read (one to its own report, say) is never
    /// told.
    pub fn is_requesting(&self) -> bool {
        self.requests.values().any(|request| request.answered.is_none_or(|since| since.elapsed() < UNREAD))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn note(observed: &mut Observed, method: &str, params: &Value) {
        let params = serde_json::value::to_raw_value(params).unwrap();
        observed.note(&Event { method: method.into(), session: None, params, place: 0 });
    }

    #[test]
    fn an_answer_that_the_page_does_not_read_is_not_waited_for() {
        let mut observed = Observed::new("F".into());
        let sent =
            |id: &str| json!({"requestId": id, "frameId": "F", "type": "Fetch", "request": {"url": "http://x/"}});
        note(&mut observed, "Network.requestWillBeSent", &sent("unread"));
        assert!(observed.is_requesting(), "no answer yet");
        note(&mut observed, "Network.responseReceived", &json!({"requestId": "unread"}));
        assert!(observed.is_requesting(), "the rest may come");
        let earlier = Instant::now().checked_sub(UNREAD);
        observed.requests.get_mut("unread").unwrap().answered = earlier;
        assert!(!observed.is_requesting());
        note(&mut observed, "Network.dataReceived", &json!({"requestId": "unread"}));
        assert!(observed.is_requesting(), "it does come");
        observed.requests.get_mut("unread").unwrap().answered = earlier;
        note(&mut observed, "Network.requestWillBeSent", &sent("slow"));
        assert!(observed.is_requesting(), "another one has no answer");
        note(&mut observed, "Network.loadingFailed", &json!({"requestId": "slow"}));
        assert!(!observed.is_requesting());
    }

    #[test]
    fn a_document_that_was_there_before_brings_its_frame() {
        let mut observed = Observed::new("F".into());
        let started = json!({"frameId": "F", "url": "http://x/", "navigationType": "differentDocument"});
        note(&mut observed, "Page.frameStartedNavigating", &started);
        note(&mut observed, "Page.frameStoppedLoading", &json!({"frameId": "G"}));
        assert!(observed.on_its_way());
        note(&mut observed, "Page.frameNavigated", &json!({"frame": {"id": "G", "url": "http://x/"}}));
        note(&mut observed, "Page.frameStoppedLoading", &json!({"frameId": "G"}));
        assert!(!observed.on_its_way());
        assert_eq!(observed.url.as_deref(), Some("http://x/"));
    }
}
