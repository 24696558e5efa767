//! Dragging with the mouse, which also drives native drag-and-drop.

use serde::Deserialize;
use serde_json::Value;

use super::InputError;
use super::mouse::{PAUSE, Point, aim, drag_to, move_to, post_release, press, release};
use crate::browser::elements::Element;
use crate::browser::frames::{Frame, call_in_world};
use crate::browser::page::Attached;

/// Far enough for Chrome to begin a native drag.
const NUDGE: f64 = 5.0;

/// How often the frames are asked how the drag ended, with a pause between.
const QUESTIONS: usize = 10;

#[derive(Deserialize)]
struct Seen {
    started: bool,
    effect: Option<String>,
    dropped: bool,
}

/// Drags one element onto another. Returns whether the target took it; `None` if it was no native drag.
pub async fn drag(page: &Attached, source: &Element, target: &Element) -> Result<Option<bool>, InputError> {
    let from = aim(page, source, false).await?;
    for element in [source, target] {
        let _: Value = element.call(page, include_str!("../scripts/watch_drag.js"), &[]).await?;
    }
    move_to(page, from).await?;
    // From here on the button is held, and must not stay so: also not when a dialog or a cancellation ends this.
    let mut button = Button { page, at: Some(from) };
    press(page, from).await?;
    let moved = async {
        // A drag begins where it is noticed: a first move into another process's frame would begin nothing.
        drag_to(page, Point { x: from.x + NUDGE, y: from.y + NUDGE }).await?;
        let onto = aim(page, target, false).await?;
        drag_to(page, onto).await?;
        tokio::time::sleep(PAUSE).await;
        let onto = aim(page, target, false).await?;
        drag_to(page, onto).await?;
        Ok::<_, InputError>(onto)
    }
    .await;
    let onto = moved?;
    button.at = None;
    release(page, onto).await?;
    for _ in 0..QUESTIONS {
        // Without an answer the page has left its document, or never saw a drag.
        let Some(here) = seen(page, &source.frame).await.filter(|seen| seen.started) else { return Ok(None) };
        if seen(page, &target.frame).await.is_some_and(|seen| seen.dropped) {
            return Ok(Some(true));
        }
        match here.effect.as_deref() {
            Some(effect) => return Ok(Some(effect != "none")),
            None => tokio::time::sleep(PAUSE).await,
        }
    }
    Ok(Some(false))
}

/// A mouse button that is pressed; released where it was pressed when this is dropped with a place.
struct Button<'a> {
    page: &'a Attached,
    at: Option<Point>,
}

impl Drop for Button<'_> {
    fn drop(&mut self) {
        if let Some(point) = self.at.take() {
            post_release(self.page, point);
        }
    }
}

/// What a frame has seen of the drag. Asked of the frame, since the elements may be gone by now.
async fn seen(page: &Attached, frame: &Frame) -> Option<Seen> {
    let context = page.world(frame).await.ok()?;
    call_in_world(&frame.session, context, "() => globalThis.dragSeen ?? null", &[]).await.ok().flatten()
}
