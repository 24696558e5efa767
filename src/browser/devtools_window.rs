//! What a user has selected in a DevTools window that is open for a page.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::page::Attached;
use crate::cdp::{CdpError, Session};

/// How long the window is asked: an answer must not depend on it.
const PATIENCE: Duration = Duration::from_secs(1);

/// What is selected; empty if there is no window, or it does not tell.
#[derive(Debug, Default, PartialEq, Deserialize)]
pub struct Selection {
    /// The request in the Network panel, by the id that DevTools has for it.
    pub request: Option<String>,
    /// The element in the Elements panel, by its backend node id.
    pub node: Option<i64>,
    /// The frame whose process the element is in, unless it is the page's: node ids count in each process.
    pub frame: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Window {
    target_id: Option<String>,
}

/// Looks into the window of a page, if there is one.
pub async fn selection(browser: &Session, page: &Attached) -> Selection {
    match tokio::time::timeout(PATIENCE, look(browser, &page.target)).await {
        Ok(Ok(selection)) => selection,
        Ok(Err(error)) => {
            tracing::debug!(%error, "the DevTools window does not tell what is selected");
            Selection::default()
        }
        Err(_) => Selection::default(),
    }
}

async fn look(browser: &Session, target: &str) -> Result<Selection, CdpError> {
    let window: Window = browser.call("Target.getDevToolsTarget", json!({"targetId": target})).await?;
    let Some(window) = window.target_id else { return Ok(Selection::default()) };
    let attached: Value = browser.call("Target.attachToTarget", json!({"targetId": window, "flatten": true})).await?;
    let id = attached["sessionId"].as_str().unwrap_or_default();
    let _detached = Detached { browser, id };
    let params = json!({
        "expression": include_str!("scripts/devtools_selection.js"),
        "awaitPromise": true,
        "returnByValue": true,
    });
    let evaluated: Value = browser.with_id(id).call("Runtime.evaluate", params).await?;
    Ok(serde_json::from_value(evaluated["result"]["value"].clone()).unwrap_or_default())
}

/// Leaves the window when it is dropped, also when the time is up.
struct Detached<'a> {
    browser: &'a Session,
    id: &'a str,
}

impl Drop for Detached<'_> {
    fn drop(&mut self) {
        self.browser.post("Target.detachFromTarget", json!({"sessionId": self.id}));
    }
}
