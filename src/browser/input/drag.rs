//! Dragging with the mouse, which also drives native drag-and-drop.

use serde_json::Value;

use super::InputError;
use super::mouse::{PAUSE, aim, drag_to, move_to, press, release};
use crate::browser::elements::Element;
use crate::browser::page::Attached;

/// Drags one element onto another. Returns whether the target took it; `None` if it was no native drag.
pub async fn drag(page: &Attached, source: &Element, target: &Element) -> Result<Option<bool>, InputError> {
    let from = aim(page, source, false).await?;
    let _: Value = source.call(page, include_str!("../scripts/watch_drag.js"), &[]).await?;
    move_to(page, from).await?;
    press(page, from).await?;
    // From here on the button is held, and must not stay so.
    let moved = async {
        let onto = aim(page, target, false).await?;
        drag_to(page, onto).await?;
        tokio::time::sleep(PAUSE).await;
        let onto = aim(page, target, false).await?;
        drag_to(page, onto).await?;
        Ok::<_, InputError>(onto)
    }
    .await;
    match moved {
        Ok(onto) => release(page, onto).await?,
        Err(error) => {
            let _ = release(page, from).await;
            return Err(error);
        }
    }
    Ok(source.call(page, include_str!("../scripts/drag_result.js"), &[]).await?)
}
