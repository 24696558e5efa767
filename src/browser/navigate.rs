//! Going to an address and waiting for the document to load.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::dialogs::Dialog;
use super::loading::{Begun, Loading};
use super::page::Attached;
use super::pages::is_allowed;
use crate::cdp::{CdpError, Event, Subscription};
use crate::config::Config;
use crate::files::{AccessError, PathPolicy};

/// How long a page may take to load; the original's default.
pub const TIMEOUT: Duration = Duration::from_secs(10);

/// How long what follows a failed navigation may take: a download that begins, Chrome's page about the failure.
const AFTERMATH: Duration = Duration::from_secs(5);

/// How often it is checked whether the page stays.
const STAY_CHECK: Duration = Duration::from_millis(100);

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
    /// A file that the client may not reach.
    #[error(transparent)]
    Denied(#[from] AccessError),
    /// Chrome could not load it.
    #[error("{code} at {url}")]
    Failed { code: String, url: String, download: bool },
    /// An address list forbids it.
    #[error("Navigation to {url} is blocked by the server's address lists.")]
    Blocked { url: String },
    /// There is nothing before or after.
    #[error("History entry to navigate to not found.")]
    NoEntry,
    /// A dialog holds it up.
    #[error("a dialog opened before the page had loaded ({}: {})", dialog.kind, dialog.message)]
    Dialog { dialog: Dialog },
    /// It asked not to be left, and was told to stay.
    #[error("the page asked to stay")]
    Stayed,
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
            NavigationError::Denied(_) => {
                "files are under the path rules: use one in these directories, or start the server with --workspace=<directory>"
            }
            NavigationError::Failed { download: true, .. } => "the address is a download, not a page",
            NavigationError::Failed { code, .. } if code == "net::ERR_ABORTED" => {
                "something stopped it: the page, a dialog, or a download"
            }
            NavigationError::Failed { .. } => "check the address and whether its server is running; the tab stays open",
            NavigationError::Blocked { .. } => "see --blockedUrlPattern and --allowedUrlPattern of the server",
            NavigationError::NoEntry => "list_pages shows where the page is; give a url instead",
            NavigationError::Dialog { .. } => "answer it with handle_dialog, the page goes on loading then",
            NavigationError::Stayed => "use handleBeforeUnload accept to leave",
            NavigationError::Timeout { .. } => {
                "the page goes on loading; list_pages shows it, or give a longer timeout"
            }
            NavigationError::Gone | NavigationError::Cdp(_) => "list_pages shows which pages are left",
        }
    }
}

/// Checks an address before anything is sent. Files are under the rules for paths.
pub fn check(url: &str, config: &Config, paths: &PathPolicy) -> Result<(), NavigationError> {
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
    if is_file {
        paths.check(inner.split(['?', '#']).next().unwrap_or_default())?;
    }
    if is_allowed(&parsed, config.category_extensions) { Ok(()) } else { refuse(parsed.scheme()) }
}

/// Where a navigation goes.
#[derive(Debug, Clone, Copy)]
pub enum Destination<'a> {
    /// To an address.
    Url(&'a str),
    /// In the history: -1 back, 1 forward.
    History(i32),
    /// The same document again.
    Reload { ignore_cache: bool },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct History {
    current_index: i64,
    entries: Vec<HistoryEntry>,
}

#[derive(Deserialize)]
struct HistoryEntry {
    id: i64,
    url: String,
    #[serde(default, rename = "transitionType")]
    transition: String,
}

/// The page's address as its tab shows it. Answered by the browser, so also while the page itself is held up.
pub async fn address(page: &Attached) -> Result<String, CdpError> {
    let history: History = page.session.call("Page.getNavigationHistory", json!({})).await?;
    let at = usize::try_from(history.current_index).unwrap_or(0);
    Ok(history.entries.into_iter().nth(at).map(|entry| entry.url).unwrap_or_default())
}

/// Whether the document came from a form: reloading it by hand would ask.
pub async fn came_from_form(page: &Attached) -> Result<bool, CdpError> {
    let history: History = page.session.call("Page.getNavigationHistory", json!({})).await?;
    let at = usize::try_from(history.current_index).unwrap_or(0);
    Ok(history.entries.get(at).is_some_and(|entry| entry.transition == "form_submit"))
}

/// Goes somewhere and waits until the document has loaded. HTTP error pages count as loaded. A dialog that nobody
/// answers ends the waiting: the load goes on when it is answered.
pub async fn go(page: &Attached, destination: Destination<'_>, timeout: Duration) -> Result<(), NavigationError> {
    let mut events = page.session.subscribe(&[
        "Page.loadEventFired",
        "Page.navigatedWithinDocument",
        "Page.frameNavigated",
        "Page.downloadWillBegin",
        "Page.downloadProgress",
        "Inspector.targetCrashed",
    ]);
    let load = async {
        let start = start(page, destination);
        tokio::pin!(start);
        let main_frame = page.main_frame();
        let mut loading = Loading::of(&main_frame);
        // This navigation's download; the events of an earlier one may still come in.
        let mut download = DownloadSeen::default();
        loop {
            tokio::select! {
                biased;
                event = events.next() => {
                    let event = event.ok_or(NavigationError::Gone)?;
                    match event.method.as_str() {
                        "Inspector.targetCrashed" => return Err(NavigationError::Gone),
                        "Page.downloadWillBegin" | "Page.downloadProgress" => download.note(&event),
                        _ => loading.note(&event),
                    }
                }
                result = &mut start, if !loading.is_answered() => {
                    match result {
                        Ok(begun) => loading.begun = Some(begun),
                        Err(error) => {
                            match &error {
                                NavigationError::Failed { download: true, .. } => {
                                    download.wait(&mut events).await;
                                }
                                // Chrome's own page about it, which is what the tab shows then; it sets a title.
                                NavigationError::Failed { code, .. } if code != "net::ERR_ABORTED" => {
                                    wait_until(&mut events, &["Page.frameNavigated", "Page.loadEventFired"]).await;
                                }
                                _ => {}
                            }
                            return Err(error);
                        }
                    }
                }
                // Chrome tells this for addresses only, not for reloads and the history.
                () = tokio::time::sleep(STAY_CHECK), if loading.is_answered() => {
                    if page.dialogs.stays() {
                        return Err(NavigationError::Stayed);
                    }
                }
                dialog = page.dialogs.opened() => return Err(NavigationError::Dialog { dialog }),
            }
            if loading.is_done() {
                return Ok(());
            }
        }
    };
    match tokio::time::timeout(timeout, load).await {
        Ok(result) => result,
        Err(_) => Err(NavigationError::Timeout { milliseconds: timeout.as_millis() }),
    }
}

/// How much has been told of the download that a navigation became.
#[derive(Default)]
struct DownloadSeen {
    /// Its id, once it has begun.
    id: Option<String>,
    /// Whether its size has been told.
    progressed: bool,
}

impl DownloadSeen {
    fn note(&mut self, event: &Event) {
        let Ok(details) = event.decode::<Value>() else { return };
        let Some(id) = details["guid"].as_str() else { return };
        match event.method.as_str() {
            "Page.downloadWillBegin" => self.id = Some(id.to_owned()),
            "Page.downloadProgress" => self.progressed |= self.id.as_deref() == Some(id),
            _ => {}
        }
    }

    /// Waits until it has begun and its size is known, or for the time that this may take.
    async fn wait(&mut self, events: &mut Subscription) {
        let all = async {
            while !self.progressed {
                match events.next().await {
                    Some(event) => self.note(&event),
                    None => return,
                }
            }
        };
        let _ = tokio::time::timeout(AFTERMATH, all).await;
    }
}

/// Waits for events of the main frame, in this order: what follows a navigation that failed.
async fn wait_until(events: &mut Subscription, methods: &[&str]) {
    let all = async {
        let mut left = methods.iter();
        let Some(mut wanted) = left.next() else { return };
        while let Some(event) = events.next().await {
            let main = |details: Value| details["frame"].get("parentId").is_none();
            if event.method == *wanted && event.decode().is_ok_and(main) {
                let Some(next) = left.next() else { return };
                wanted = next;
            }
        }
    };
    let _ = tokio::time::timeout(AFTERMATH, all).await;
}

/// Sends the call.
async fn start(page: &Attached, destination: Destination<'_>) -> Result<Begun, NavigationError> {
    match destination {
        Destination::Url(url) => {
            if !url::Url::parse(url).is_ok_and(|url| page.urls().permits(&url)) {
                return Err(NavigationError::Blocked { url: url.into() });
            }
            let answer: Value = page.session.call("Page.navigate", json!({"url": url})).await?;
            match answer.get("errorText").and_then(Value::as_str) {
                None | Some("" | "net::ERR_HTTP_RESPONSE_CODE_FAILURE") => {}
                Some(code) => {
                    let download = answer["isDownload"] == true;
                    return Err(NavigationError::Failed { code: code.into(), url: url.into(), download });
                }
            }
            let loader = answer.get("loaderId").and_then(Value::as_str);
            Ok(loader.map_or(Begun::Within, |id| Begun::Document(id.to_owned())))
        }
        Destination::History(steps) => {
            let history: History = page.session.call("Page.getNavigationHistory", json!({})).await?;
            let at = usize::try_from(history.current_index + i64::from(steps)).ok();
            let entry = at.and_then(|at| history.entries.get(at)).ok_or(NavigationError::NoEntry)?;
            let params = json!({"entryId": entry.id});
            let answer = page.session.call_placed::<Value>("Page.navigateToHistoryEntry", params).await?;
            Ok(Begun::Either(answer.1))
        }
        Destination::Reload { ignore_cache } => {
            let params = json!({"ignoreCache": ignore_cache});
            Ok(Begun::Again(page.session.call_placed::<Value>("Page.reload", params).await?.1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse;

    fn check_with(url: &str, flags: &str) -> Result<(), String> {
        let parsed = parse(flags.split_whitespace().map(str::to_owned)).unwrap();
        let config = Config::from_parsed(&parsed);
        check(url, &config, &PathPolicy::new(&config, None)).map_err(|e| e.to_string())
    }

    #[test]
    fn addresses_are_checked_first() {
        assert_eq!(check_with("example", ""), Err("Invalid URL: \"example\".".into()));
        assert_eq!(check_with("chrome://settings", ""), Err("Navigating to chrome: URLs is not allowed.".into()));
        for url in ["http://a.test", "data:text/html,x", "about:blank", "view-source:http://a.test"] {
            assert_eq!(check_with(url, ""), Ok(()), "{url}");
        }
        let inside = format!("file://{}/page.html?x#y", std::env::temp_dir().display());
        for url in ["file:///x", "view-source:file:///x", "view-source: FILE:///x?y"] {
            assert!(check_with(url, "").unwrap_err().starts_with("Access denied: path "), "{url}");
            assert_eq!(check_with(url, "--allow-unrestricted-paths"), Ok(()), "{url}");
        }
        assert_eq!(check_with(&inside, ""), Ok(()), "{inside}");
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
