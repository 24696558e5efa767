//! Waiting for a text to appear in any frame of a page: as an accessible name, or inside an element.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::dialogs::Dialog;
use super::frames::{Frame, call_in_world, evaluate};
use super::page::Attached;
use crate::cdp::CdpError;

/// Accessible names change without a mutation that could be watched; they are asked for this often.
const AGAIN: Duration = Duration::from_millis(200);

/// How the waiting ended.
pub enum Waited {
    /// One of the texts is there.
    Found,
    /// Not in time.
    Timeout,
    /// A dialog holds the page up.
    Dialog(Dialog),
}

/// Waits until one of the texts appears.
pub async fn wait_for_text(page: &Attached, texts: &[String], timeout: Duration) -> Result<Waited, CdpError> {
    let search = async {
        loop {
            let started = Instant::now();
            // Frames that come later are searched too; one that does not answer is tried again.
            let frames = match page.frames().await {
                Ok(frames) => frames,
                Err(gone @ (CdpError::Disconnected { .. } | CdpError::TargetClosed { .. })) => return Err(gone),
                Err(_) => Vec::new(),
            };
            let searches = frames.iter().filter(|frame| !frame.silent).map(|frame| is_there(page, frame, texts));
            if futures_util::future::join_all(searches).await.contains(&true) {
                return Ok(());
            }
            tokio::time::sleep_until(started + AGAIN).await;
        }
    };
    tokio::select! {
        result = tokio::time::timeout(timeout, search) => match result {
            Ok(found) => found.map(|()| Waited::Found),
            Err(_) => Ok(Waited::Timeout),
        },
        dialog = page.dialogs.opened() => Ok(Waited::Dialog(dialog)),
    }
}

async fn is_there(page: &Attached, frame: &Frame, texts: &[String]) -> bool {
    let look = async {
        let context = page.world(frame).await.ok()?;
        // Watches for a moment, so that a text that comes and goes is seen.
        let script = include_str!("scripts/find_text.js");
        let arguments = [json!(texts), json!(AGAIN.as_millis() as u64)];
        call_in_world::<bool>(&frame.session, context, script, &arguments).await.ok()
    };
    if tokio::time::timeout(Duration::from_secs(5), look).await.ok().flatten() == Some(true) {
        return true;
    }
    for text in texts {
        if has_name(frame, text).await {
            return true;
        }
    }
    false
}

/// Whether an element (not a text) has exactly this accessible name.
async fn has_name(frame: &Frame, text: &str) -> bool {
    let ask = async {
        // The frame's own: frames of one process share a session, whose document is the outermost one's.
        let document = evaluate(&frame.session, &frame.id, "document").await.ok()?;
        let params = json!({"objectId": document, "accessibleName": text});
        let found: Result<Value, _> = frame.session.call("Accessibility.queryAXTree", params).await;
        frame.session.post("Runtime.releaseObject", json!({"objectId": document}));
        let found = found.ok()?;
        Some(found["nodes"].as_array().into_iter().flatten().any(|node| {
            !matches!(node["role"]["value"].as_str(), Some("StaticText" | "InlineTextBox") | None)
                && node["ignored"] != true
        }))
    };
    tokio::time::timeout(Duration::from_secs(2), ask).await.ok().flatten() == Some(true)
}
