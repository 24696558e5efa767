//! The mouse: where an element can be hit, and clicks and moves there.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{InputError, RETRY, ready_limit};
use crate::browser::elements::Element;
use crate::browser::frames::Frame;
use crate::browser::page::Attached;
use crate::browser::snapshot::resolve;
use crate::cdp::CdpError;

/// A point in CSS pixels of the main frame's viewport.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Point {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
}

/// What our scripts answer: a point, or what is in its way.
#[derive(Deserialize)]
#[serde(untagged)]
enum Located {
    Problem { problem: String, cover: Option<String> },
    Point(Point),
}

/// Waits until the element can be hit by the mouse and returns where. `enabled`: it must also be enabled.
pub async fn aim(page: &Attached, element: &Element, enabled: bool) -> Result<Point, InputError> {
    page.focus().await?;
    let end = Instant::now() + ready_limit(page);
    loop {
        let located = locate(page, element, enabled).await?;
        let (problem, cover) = match located {
            Located::Point(point) => return Ok(point),
            Located::Problem { problem, cover } => (problem, cover),
        };
        if Instant::now() + RETRY < end {
            tokio::time::sleep(RETRY).await;
            continue;
        }
        let seconds = ready_limit(page).as_secs();
        let why = match &cover {
            Some(cover) => {
                let uid = element.uid_left_behind(page).await.map(|uid| format!(" uid={uid}")).unwrap_or_default();
                format!("It was covered by {cover}{uid} for {seconds} s, nothing was pressed.")
            }
            None => format!("It {problem}, also after {seconds} s."),
        };
        let hint = match (&cover, problem.as_str()) {
            (Some(_), _) => "close or move what covers it, then try again",
            (None, "is disabled") => "find out what enables it, take_snapshot shows the page",
            _ => "take_snapshot or take_screenshot shows what the page looks like",
        };
        return Err(InputError::NotReady { uid: element.uid, why, hint });
    }
}

async fn locate(page: &Attached, element: &Element, enabled: bool) -> Result<Located, InputError> {
    let script = include_str!("../scripts/locate.js");
    let inner: Located = element.call(page, script, &[enabled.into()]).await?;
    let Located::Point(point) = inner else { return Ok(inner) };
    if element.frame.parent.is_none() {
        return Ok(Located::Point(point));
    }
    through_frames(page, &element.frame, point, true).await
}

/// Takes a point of a frame's viewport to the main frame's, through every frame between them. `check`: the mouse must
/// reach the frame there.
async fn through_frames(page: &Attached, frame: &Frame, point: Point, check: bool) -> Result<Located, InputError> {
    let frames = page.frames().await?;
    let script = include_str!("../scripts/through_frame.js");
    let (mut frame, mut point) = (frame, point);
    while let Some(parent) = frames.iter().find(|f| Some(&f.id) == frame.parent.as_ref()) {
        let owner: Value = parent.session.call("DOM.getFrameOwner", json!({"frameId": frame.id})).await?;
        let backend = owner["backendNodeId"].as_i64().unwrap_or_default();
        let context = page.world(parent).await?;
        let object = resolve(&parent.session, backend, Some(context)).await?;
        let Some(object) = object else {
            return Ok(Located::Problem { problem: "is in a frame that is gone".into(), cover: None });
        };
        let located: Located = crate::browser::elements::call_on(
            &parent.session,
            &object,
            script,
            &[point.x.into(), point.y.into(), check.into()],
        )
        .await?;
        match located {
            Located::Point(outer) => point = outer,
            problem => return Ok(problem),
        }
        frame = parent;
    }
    Ok(Located::Point(point))
}

/// One event of the left button, or of none.
async fn event(page: &Attached, kind: &str, point: Point, pressed: bool, clicks: u32) -> Result<(), CdpError> {
    let params = event_params(kind, point, pressed, clicks);
    page.session.call::<Value>("Input.dispatchMouseEvent", params).await.map(|_| ())
}

/// Of `Input.dispatchMouseEvent`.
fn event_params(kind: &str, point: Point, pressed: bool, clicks: u32) -> Value {
    let is_move = kind == "mouseMoved";
    json!({
        "type": kind,
        "x": point.x,
        "y": point.y,
        "button": if is_move && !pressed { "none" } else { "left" },
        "buttons": u32::from(pressed),
        "clickCount": clicks,
        "pointerType": "mouse",
    })
}

/// Moves the mouse.
pub async fn move_to(page: &Attached, point: Point) -> Result<(), CdpError> {
    event(page, "mouseMoved", point, false, 0).await
}

/// Moves with the left button held.
pub(super) async fn drag_to(page: &Attached, point: Point) -> Result<(), CdpError> {
    event(page, "mouseMoved", point, true, 0).await
}

/// Presses the left button.
pub(super) async fn press(page: &Attached, point: Point) -> Result<(), CdpError> {
    event(page, "mousePressed", point, true, 1).await
}

/// Releases it without waiting for that.
pub(super) fn post_release(page: &Attached, point: Point) {
    page.session.post("Input.dispatchMouseEvent", event_params("mouseReleased", point, false, 1));
}

/// Releases it.
pub(super) async fn release(page: &Attached, point: Point) -> Result<(), CdpError> {
    event(page, "mouseReleased", point, false, 1).await
}

/// Clicks or double-clicks. All events are sent at once: if the first press opens a dialog, the release is already on
/// its way and is delivered when the dialog has gone.
pub async fn click(page: &Attached, point: Point, double: bool) -> Result<(), CdpError> {
    page.focus().await?;
    let first = async {
        tokio::try_join!(
            biased;
            move_to(page, point),
            event(page, "mousePressed", point, true, 1),
            event(page, "mouseReleased", point, false, 1),
        )
        .map(|_| ())
    };
    if !double {
        return first.await;
    }
    let second = async {
        tokio::try_join!(
            biased;
            event(page, "mousePressed", point, true, 2),
            event(page, "mouseReleased", point, false, 2),
        )
        .map(|_| ())
    };
    tokio::try_join!(biased; first, second).map(|_| ())
}

/// A short pause between the steps of a movement.
pub(super) const PAUSE: Duration = Duration::from_millis(50);

/// Where a frame's viewport lies in the main frame's, and how much it is scaled: left, top, horizontal, vertical.
pub async fn frame_offset(page: &Attached, frame: &Frame) -> Result<(f64, f64, f64, f64), CdpError> {
    let corner = |x, y| async move {
        match through_frames(page, frame, Point { x, y }, false).await {
            Ok(Located::Point(point)) => Ok(point),
            Err(InputError::Cdp(error)) => Err(error),
            _ => Ok(Point { x, y }),
        }
    };
    if frame.parent.is_none() {
        return Ok((0.0, 0.0, 1.0, 1.0));
    }
    let (origin, unit) = tokio::join!(corner(0.0, 0.0), corner(1.0, 1.0));
    let (origin, unit) = (origin?, unit?);
    Ok((origin.x, origin.y, unit.x - origin.x, unit.y - origin.y))
}
