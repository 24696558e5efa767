//! Prerendered documents. One that becomes a page's document has been loaded in a frame of its own, which replaces the
//! page's main frame: from then on the main frame's id is another one than the target's. To sessions of the page Chrome
//! tells only that its execution contexts are others; neither `Page.frameNavigated` nor any request of the document is
//! told. What is missing is told here, so that everybody else sees a navigation.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::page::Attached;
use crate::cdp::{CdpError, Session};

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

/// Notices when a prerendered document becomes the page's, until the page's session ends.
pub(super) fn follow(page: &Arc<Attached>) {
    let mut events = page.session.subscribe(EVENTS);
    let weak = Arc::downgrade(page);
    tokio::spawn(async move {
        let mut navigating = false;
        let mut stopped: Vec<String> = Vec::new();
        while let Some(event) = events.next().await {
            let Some(page) = weak.upgrade() else { return };
            let Ok(details) = event.decode::<Value>() else { continue };
            let main_frame = page.main_frame();
            let stranger = match event.method.as_str() {
                "Page.frameNavigated" => {
                    navigating &= details["frame"].get("parentId").is_some();
                    false
                }
                "Runtime.executionContextCreated" => details["context"]["auxData"]["frameId"] != *main_frame,
                _ if details["frameId"] == *main_frame => {
                    navigating = event.method == "Page.frameStartedLoading";
                    stopped.clear();
                    false
                }
                "Page.frameStoppedLoading" => {
                    if let (Some(id), true) = (details["frameId"].as_str(), stopped.len() < FRAMES) {
                        stopped.push(id.to_owned());
                    }
                    true
                }
                _ => false,
            };
            // While a document is on its way, frames of the one before may move as well.
            if !navigating || !stranger {
                continue;
            }
            let Ok(frame) = ask(&page.session).await else { continue };
            let Some(id) = frame["id"].as_str().filter(|id| **id != *main_frame) else { continue };
            navigating = false;
            page.set_main_frame(id).await;
            page.session.announce("Page.frameNavigated", &json!({"frame": frame, "type": "Navigation"}));
            if stopped.iter().any(|stopped| stopped == id) {
                page.session.announce("Page.frameStoppedLoading", &json!({"frameId": id}));
            }
        }
    });
}
