//! Going to an address and waiting for the document to load.

use std::time::Duration;

use serde_json::{Value, json};

use super::pages::is_allowed;
use crate::cdp::{CdpError, Session};
use crate::config::Config;

/// How long a page may take to load; the original's default.
pub const TIMEOUT: Duration = Duration::from_secs(10);

/// Layers of `view-source:` that are looked through for a `file:` address.
const VIEW_SOURCE_DEPTH: usize = 5;

/// Why an address was not reached. The texts before the hints are the original's.
#[derive(Debug, thiserror::Error)]
pub enum NavigationError {
    /// Not an address.
    #[error("Invalid URL: \"{url}\".")]
    Invalid { url: String },
    /// Switched off, or not for agents.
    #[error("Navigating to {scheme}: URLs is not allowed.")]
    NotAllowed { scheme: String },
    /// Chrome could not load it.
    #[error("{code} at {url}")]
    Failed { code: String, url: String },
    /// Not loaded in time; the page goes on loading.
    #[error("Navigation timeout of {milliseconds} ms exceeded")]
    Timeout { milliseconds: u128 },
    /// The page closed itself or crashed.
    #[error("the page was closed or crashed while it loaded")]
    Gone,
    /// The browser refused or lost a call.
    #[error(transparent)]
    Cdp(#[from] CdpError),
}

impl NavigationError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            NavigationError::Invalid { .. } => "give a full address with its scheme, for example https://example.org/",
            NavigationError::NotAllowed { .. } => {
                "use an http or https address; some schemes are switched by the server's options"
            }
            NavigationError::Failed { .. } => "check the address and whether its server is running; the tab stays open",
            NavigationError::Timeout { .. } => {
                "the page goes on loading; list_pages shows it, or give a longer timeout"
            }
            NavigationError::Gone | NavigationError::Cdp(_) => "list_pages shows which pages are left",
        }
    }
}

/// Checks an address before anything is sent.
pub fn check(url: &str, config: &Config) -> Result<(), NavigationError> {
    let parsed = url::Url::parse(url).map_err(|_| NavigationError::Invalid { url: url.into() })?;
    let refuse = |scheme: &str| Err(NavigationError::NotAllowed { scheme: scheme.into() });
    if !config.javascript_evaluation && ["javascript", "data", "vbscript"].contains(&parsed.scheme()) {
        return refuse(parsed.scheme());
    }
    let mut inner = url.trim();
    for _ in 0..VIEW_SOURCE_DEPTH {
        inner = match inner.get(..12) {
            Some(prefix) if prefix.eq_ignore_ascii_case("view-source:") => inner[12..].trim_start(),
            _ => break,
        };
    }
    let is_file = inner.get(..5).is_some_and(|prefix| prefix.eq_ignore_ascii_case("file:"));
    if !config.file_navigations && is_file {
        return refuse("file");
    }
    if is_allowed(&parsed) { Ok(()) } else { refuse(parsed.scheme()) }
}

/// Dialogs that a page opened while it loaded, as `type: message`; they were accepted, since they stop the loading.
pub type Dialogs = Vec<String>;

/// Goes to an address and waits for its `load` event. HTTP error pages count as loaded.
pub async fn go(page: &Session, url: &str, timeout: Duration) -> Result<Dialogs, NavigationError> {
    let mut events =
        page.subscribe(&["Page.loadEventFired", "Page.navigatedWithinDocument", "Page.javascriptDialogOpening"]);
    let mut dialogs = Dialogs::new();
    let load = async {
        let navigate = page.call::<Value>("Page.navigate", json!({"url": url}));
        tokio::pin!(navigate);
        let mut answered = false;
        loop {
            tokio::select! {
                answer = &mut navigate, if !answered => {
                    answered = true;
                    let answer = answer?;
                    match answer.get("errorText").and_then(Value::as_str) {
                        None | Some("net::ERR_HTTP_RESPONSE_CODE_FAILURE") => {}
                        Some(code) => return Err(NavigationError::Failed { code: code.into(), url: url.into() }),
                    }
                }
                event = events.next() => {
                    let event = event.ok_or(NavigationError::Gone)?;
                    match event.method.as_str() {
                        "Page.javascriptDialogOpening" => {
                            let details: Value = event.decode().unwrap_or_default();
                            let text = |key: &str| details[key].as_str().unwrap_or_default().to_owned();
                            dialogs.push(format!("{}: {}", text("type"), text("message")));
                            let _: Result<Value, _> = page.call("Page.handleJavaScriptDialog", json!({"accept": true})).await;
                        }
                        // An event that comes before the answer belongs to the document before.
                        _ if answered => return Ok(()),
                        _ => {}
                    }
                }
            }
        }
    };
    match tokio::time::timeout(timeout, load).await {
        Ok(result) => result.map(|()| dialogs),
        Err(_) => Err(NavigationError::Timeout { milliseconds: timeout.as_millis() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse;

    fn check_with(url: &str, flags: &str) -> Result<(), String> {
        let parsed = parse(flags.split_whitespace().map(str::to_owned)).unwrap();
        check(url, &Config::from_parsed(&parsed)).map_err(|e| e.to_string())
    }

    #[test]
    fn addresses_are_checked_first() {
        assert_eq!(check_with("example", ""), Err("Invalid URL: \"example\".".into()));
        assert_eq!(check_with("chrome://settings", ""), Err("Navigating to chrome: URLs is not allowed.".into()));
        for url in ["http://a.test", "data:text/html,x", "about:blank", "file:///x", "view-source:http://a.test"] {
            assert_eq!(check_with(url, ""), Ok(()), "{url}");
        }
        let strict = "--no-javascript-evaluation --no-file-navigations";
        for url in [
            "data:text/html,x",
            "javascript:1",
            "file:///x",
            "view-source:file:///x",
            "VIEW-SOURCE: view-source:FILE:///x",
        ] {
            assert!(check_with(url, strict).unwrap_err().ends_with("URLs is not allowed."), "{url}");
        }
    }
}
