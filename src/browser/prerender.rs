//! Prerendered documents. One that becomes a page's document has been loaded in a frame of its own, which replaces the
//! page's main frame: from then on the main frame's id is another one than the target's. To sessions of the page Chrome
//! tells only that its execution contexts are others; neither `Page.frameNavigated` nor any request of the document is
//! told. What is missing is told here, so that everybody else sees a navigation.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::page::Attached;
use crate::cdp::{CdpError, Event, Session};

/// How long a page may take to tell about its main frame once it has another one.
const ANSWER: Duration = Duration::from_secs(5);

/// Frames that are remembered during one navigation.
const FRAMES: usize = 64;

const EVENTS: &[&str] =
    &["Page.frameStartedLoading", "Page.frameStoppedLoading", "Page.frameNavigated", "Runtime.executionContextCreated"];

/// The main frame, as in `Page.frameNavigated`.
async fn ask(session: &Session) -> Result<Value, CdpError> {
    let mut answer: Value = session.call_within("Page.getFrameTree", json!({}), ANSWER).await?;
    Ok(answer["frameTree"]["frame"].take())
}

/// Id of the main frame of a session that nothing is known of yet.
pub(super) async fn main_frame_of(session: &Session) -> Result<String, CdpError> {
    let frame = ask(session).await?;
    let why = || CdpError::Shape { method: "Page.getFrameTree".into(), why: "no frame id".into() };
    frame["id"].as_str().map(str::to_owned).ok_or_else(why)
}

/// Notices when another frame becomes the main one, until the page's session ends.
pub(super) fn follow(page: &Arc<Attached>) {
    let mut events = page.session.subscribe(EVENTS);
    let weak = Arc::downgrade(page);
    tokio::spawn(async move {
        let mut load = Load::default();
        while let Some(event) = events.next().await {
            let Some(page) = weak.upgrade() else { return };
            let main_frame = page.main_frame();
            match load.note(&event, &main_frame) {
                Seen::Nothing => continue,
                Seen::Navigated(id) => {
                    page.set_main_frame(&id).await;
                    continue;
                }
                Seen::Stranger => {}
            }
            let Ok(frame) = ask(&page.session).await else { continue };
            // Chrome does tell of a document that comes back from its back/forward cache, before it answers.
            let mut told = None;
            while let Some(event) = events.try_next() {
                if let Seen::Navigated(id) = load.note(&event, &main_frame) {
                    told = Some(id);
                }
            }
            if let Some(id) = told {
                page.set_main_frame(&id).await;
                continue;
            }
            let Some(id) = frame["id"].as_str().filter(|id| **id != *main_frame) else { continue };
            page.set_main_frame(id).await;
            page.session.announce("Page.frameNavigated", &json!({"frame": frame, "type": "Navigation"}));
            if load.stopped.iter().any(|stopped| stopped == id) {
                page.session.announce("Page.frameStoppedLoading", &json!({"frameId": id}));
            }
            load = Load::default();
        }
    });
}

/// A document on its way to the page.
#[derive(Default)]
struct Load {
    is_under_way: bool,
    /// Frames other than the main one that have ended loading meanwhile.
    stopped: Vec<String>,
}

/// What an event means for the main frame.
#[derive(Debug, PartialEq)]
enum Seen {
    Nothing,
    /// A document has come, in this frame.
    Navigated(String),
    /// A frame other than the main one has moved while a document was on its way: one of the document before, or the
    /// main one now.
    Stranger,
}

impl Load {
    fn note(&mut self, event: &Event, main_frame: &str) -> Seen {
        let Ok(details) = event.decode::<Value>() else { return Seen::Nothing };
        let frame = match event.method.as_str() {
            "Page.frameNavigated" => {
                let frame = &details["frame"];
                return match frame["id"].as_str().filter(|_| frame.get("parentId").is_none()) {
                    Some(id) => {
                        *self = Load::default();
                        Seen::Navigated(id.to_owned())
                    }
                    None => Seen::Nothing,
                };
            }
            "Runtime.executionContextCreated" => details["context"]["auxData"]["frameId"].as_str(),
            _ => details["frameId"].as_str(),
        };
        let Some(frame) = frame else { return Seen::Nothing };
        match event.method.as_str() {
            "Runtime.executionContextCreated" => {}
            "Page.frameStartedLoading" if frame != main_frame => return Seen::Nothing,
            "Page.frameStartedLoading" => *self = Load { is_under_way: true, stopped: Vec::new() },
            _ if frame == main_frame => *self = Load::default(),
            _ if self.stopped.len() < FRAMES => self.stopped.push(frame.to_owned()),
            _ => {}
        }
        if self.is_under_way && frame != main_frame { Seen::Stranger } else { Seen::Nothing }
    }
}
