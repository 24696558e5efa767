//! The keyboard. Modifiers that were pressed are released in every case, also when a key in between fails.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::InputError;
use super::keys::{self, Key};
use crate::browser::page::Attached;
use crate::cdp::CdpError;

async fn event(page: &Attached, down: bool, key: &Key, modifiers: i64) -> Result<(), CdpError> {
    // Alt, Control and Meta make shortcuts of keys, which type nothing.
    let text = if modifiers & !keys::SHIFT == 0 { key.text.as_str() } else { "" };
    let kind = match (down, text.is_empty()) {
        (false, _) => "keyUp",
        (true, true) => "rawKeyDown",
        (true, false) => "keyDown",
    };
    let mut params = json!({
        "type": kind,
        "modifiers": modifiers,
        "windowsVirtualKeyCode": key.virtual_key,
        "code": key.code,
        "key": key.key,
        "location": key.location,
        "isKeypad": key.location == 3,
    });
    if down && !text.is_empty() {
        params["text"] = text.into();
        params["unmodifiedText"] = text.into();
    }
    page.session.call::<Value>("Input.dispatchKeyEvent", params).await.map(|_| ())
}

/// Presses and releases one key.
pub(super) async fn stroke(page: &Attached, key: &Key, modifiers: i64) -> Result<(), CdpError> {
    // Both at once: if the press opens a dialog, the release is already on its way.
    tokio::try_join!(biased; event(page, true, key, modifiers), event(page, false, key, modifiers)).map(|_| ())
}

/// Inserts a text as an input method does: one `input` event, no key events.
pub(super) async fn insert(page: &Attached, text: &str) -> Result<(), CdpError> {
    page.session.call::<Value>("Input.insertText", json!({"text": text})).await.map(|_| ())
}

/// Presses a combination such as `Control+A`.
pub async fn press(page: &Attached, combination: &[Key]) -> Result<(), InputError> {
    page.focus().await?;
    let Some((last, held)) = combination.split_last() else { return Ok(()) };
    if held.is_empty() && last.code.is_empty() {
        return Ok(insert(page, &last.text).await?);
    }
    let mut modifiers = 0;
    // Released when this is dropped: also when the call is cancelled or a dialog ends it.
    let mut down = Held { page, keys: Vec::new() };
    for key in held {
        modifiers |= keys::modifier(key);
        down.keys.push((key.clone(), modifiers));
        event(page, true, key, modifiers).await?;
    }
    stroke(page, last, modifiers | keys::modifier(last)).await?;
    while let Some((key, modifiers)) = down.keys.pop() {
        event(page, false, &key, modifiers & !keys::modifier(&key)).await?;
    }
    Ok(())
}

/// Keys that are held down, with the modifiers that were active.
struct Held<'a> {
    page: &'a Attached,
    keys: Vec<(Key, i64)>,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        for (key, modifiers) in self.keys.drain(..).rev() {
            let params = json!({
                "type": "keyUp",
                "modifiers": modifiers & !keys::modifier(&key),
                "windowsVirtualKeyCode": key.virtual_key,
                "code": key.code,
                "key": key.key,
                "location": key.location,
            });
            self.page.session.post("Input.dispatchKeyEvent", params);
        }
    }
}

/// Types a text into whatever has the focus: keys where there are some, insertion for other characters. `typed` counts
/// the characters that are done, for whoever stops it.
pub async fn type_text(page: &Attached, text: &str, typed: &AtomicUsize) -> Result<(), InputError> {
    page.focus().await?;
    for character in text.chars() {
        let mut name = [0; 4];
        match keys::find(character.encode_utf8(&mut name), false) {
            Some(key) => stroke(page, &key, 0).await?,
            None => insert(page, character.encode_utf8(&mut name)).await?,
        }
        typed.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}
