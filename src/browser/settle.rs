//! What surrounds an action on a page: noticing what it causes, and waiting until that is done.
//!
//! An action is over when the page has been quiet for a moment: no navigation under way, no change of the document, no
//! request of the action still running. Every part has a limit, a dialog ends all of it at once, and a page that
//! changes without end (an animation) costs half a second, not three: only what the action caused is waited for.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::dialogs::Dialog;
use super::frames::{call_in_world, world};
use super::navigate::address;
use super::page::{Attached, ERROR_PAGE};
use super::pages::{PageInfo, Pages};
use crate::cdp::{CdpError, Event, Subscription};

/// Nothing at all has happened for so long: nothing will. Multiplied by the CPU slowdown, like all of these.
const IDLE: Duration = Duration::from_millis(80);
/// Something happened, and then nothing for so long.
const QUIET: Duration = Duration::from_millis(100);
/// The document goes on changing by itself.
const CHANGING: Duration = Duration::from_millis(500);
/// Requests of the action are waited for.
const REQUESTS: Duration = Duration::from_secs(2);
/// A navigation that the action caused; multiplied by the network's factor.
const LOAD: Duration = Duration::from_secs(3);
/// A popup's title.
const POPUP: Duration = Duration::from_millis(400);

const EVENTS: &[&str] = &[
    "Page.frameStartedNavigating",
    "Page.frameRequestedNavigation",
    "Page.frameNavigated",
    "Page.navigatedWithinDocument",
    "Page.loadEventFired",
    "Page.frameStoppedLoading",
    "Page.frameDetached",
    "Page.windowOpen",
    "Page.downloadWillBegin",
    "Page.downloadProgress",
    "Network.requestWillBeSent",
    "Network.loadingFinished",
    "Network.loadingFailed",
    "Target.attachedToTarget",
];

/// How to wait.
#[derive(Debug, Clone, Copy)]
pub struct Waiting {
    /// For the document of a navigation that the action caused; `None` for the default.
    pub load: Option<Duration>,
    /// Whether to wait for a quiet document.
    pub stable_dom: bool,
}

impl Default for Waiting {
    fn default() -> Self {
        Waiting { load: None, stable_dom: true }
    }
}

/// A download that an action started.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Download {
    /// Chrome's id of it.
    pub(crate) id: String,
    /// The suggested name of the file.
    pub name: String,
    /// Its size in bytes if that is known.
    pub size: Option<u64>,
}

/// What an action caused.
#[derive(Debug, Default)]
pub struct Effects {
    /// The page's address, if it is another one than before.
    pub navigated_to: Option<String>,
    /// Pages that it opened.
    pub opened: Vec<PageInfo>,
    /// The dialog that is open now.
    pub dialog: Option<Dialog>,
    /// Downloads that it started.
    pub downloads: Vec<Download>,
}

/// How the action itself ended.
pub enum Ending<T> {
    /// It ran to its end.
    Finished(T),
    /// A dialog opened in the middle of it; the rest of it happens when the dialog is answered.
    Dialog,
}

/// What was seen so far on the page's event stream.
struct Observed {
    main_frame: Arc<str>,
    /// A new document is on its way.
    navigating: bool,
    /// It has begun. A load event before that is the one of the document before.
    committed: bool,
    /// Only asked for by the page, not started by the browser yet.
    requested: Option<Instant>,
    /// Something happened at all.
    any: bool,
    url: Option<String>,
    /// Requests under way.
    requests: HashMap<String, Pending>,
    /// Addresses of workers that have started.
    workers: Vec<String>,
    /// Requests that start later belong to the page, not to the action.
    counting: bool,
    downloads: Vec<Download>,
    /// Windows that the page asked for.
    windows: usize,
}

/// A request under way.
struct Pending {
    frame: String,
    url: String,
}

impl Observed {
    fn note(&mut self, event: &Event) {
        let Ok(details) = event.decode::<Value>() else { return };
        let is_main = |key: &str| details[key] == *self.main_frame;
        match event.method.as_str() {
            "Page.frameStartedNavigating" => {
                let kind = details["navigationType"].as_str().unwrap_or_default();
                if is_main("frameId") && !["sameDocument", "historySameDocument"].contains(&kind) {
                    self.navigating = true;
                    self.committed = false;
                    self.requested = None;
                    self.any = true;
                }
            }
            "Page.frameRequestedNavigation" if is_main("frameId") && details["disposition"] == "currentTab" => {
                self.requested = Some(Instant::now());
                self.any = true;
            }
            "Page.frameNavigated" => {
                let frame = &details["frame"];
                if frame.get("parentId").is_none() {
                    self.main_frame = frame["id"].as_str().unwrap_or_default().into();
                    self.committed = true;
                    let unreachable = frame.get("unreachableUrl").is_some();
                    let fragment = frame["urlFragment"].as_str().unwrap_or_default();
                    let url = frame["url"].as_str().unwrap_or_default();
                    self.url = Some(if unreachable { ERROR_PAGE.into() } else { format!("{url}{fragment}") });
                    self.any = true;
                }
            }
            "Page.navigatedWithinDocument" if is_main("frameId") => {
                self.url = details["url"].as_str().map(str::to_owned);
                self.any = true;
            }
            "Page.loadEventFired" => self.navigating &= !self.committed,
            "Page.frameStoppedLoading" if is_main("frameId") => self.navigating = false,
            "Page.windowOpen" => {
                self.windows += 1;
                self.any = true;
            }
            "Page.downloadWillBegin" => {
                let name = details["suggestedFilename"].as_str().unwrap_or_default().to_owned();
                let id = details["guid"].as_str().unwrap_or_default().to_owned();
                self.downloads.push(Download { id, name, size: None });
                self.navigating = false;
                self.requested = None;
            }
            "Page.downloadProgress" => {
                let size = details["totalBytes"].as_f64().filter(|&n| n > 0.0);
                let download = self.downloads.iter_mut().find(|download| details["guid"] == download.id.as_str());
                if let (Some(download), Some(size)) = (download, size) {
                    download.size = Some(size as u64);
                }
            }
            "Network.requestWillBeSent" if self.counting => {
                let kind = details["type"].as_str().unwrap_or_default();
                if !["EventSource", "WebSocket", "Ping", "Media", "Prefetch"].contains(&kind)
                    && let Some(id) = details["requestId"].as_str()
                {
                    let frame = details["frameId"].as_str().unwrap_or_default().to_owned();
                    let url = details["request"]["url"].as_str().unwrap_or_default().to_owned();
                    self.any = true;
                    if !self.workers.contains(&url) {
                        self.requests.insert(id.to_owned(), Pending { frame, url });
                    }
                }
            }
            // A worker's script is requested by the page, but its end is told on the worker's own session.
            "Target.attachedToTarget" => {
                let info = &details["targetInfo"];
                if info["type"] != "iframe" {
                    let url = info["url"].as_str().unwrap_or_default();
                    self.requests.retain(|_, request| request.url != url);
                    self.workers.push(url.to_owned());
                }
            }
            // A frame that moves to another process ends its requests there, where nobody listens.
            "Page.frameDetached" => {
                let frame = details["frameId"].as_str().unwrap_or_default();
                self.requests.retain(|_, request| request.frame != frame);
            }
            "Network.loadingFinished" | "Network.loadingFailed" => {
                self.requests.remove(details["requestId"].as_str().unwrap_or_default());
            }
            _ => {}
        }
    }

    fn on_its_way(&self) -> bool {
        // A request that the browser does not act upon at once (another application's scheme, say) comes to nothing.
        self.navigating || self.requested.is_some_and(|since| since.elapsed() < Duration::from_millis(500))
    }
}

/// Runs an action on a page and waits for what it causes.
pub async fn act<T, E>(
    pages: &Pages,
    page: &Attached,
    waiting: Waiting,
    action: impl Future<Output = Result<T, E>>,
) -> Result<(Ending<T>, Effects), E> {
    act_if(pages, page, waiting, |_| true, action).await
}

/// The same, waiting only for actions that ended so that there is something to wait for.
pub async fn act_if<T, E>(
    pages: &Pages,
    page: &Attached,
    waiting: Waiting,
    worth_waiting: impl Fn(&T) -> bool,
    action: impl Future<Output = Result<T, E>>,
) -> Result<(Ending<T>, Effects), E> {
    let mut events = page.session.subscribe(EVENTS);
    let mut targets = pages.browser().subscribe(&["Target.targetCreated"]);
    let before = if page.shows_error() { Some(ERROR_PAGE.to_owned()) } else { address(page).await.ok() };
    let mut observed = Observed {
        committed: false,
        main_frame: page.main_frame(),
        navigating: false,
        requested: None,
        any: false,
        url: None,
        requests: HashMap::new(),
        workers: Vec::new(),
        counting: true,
        downloads: Vec::new(),
        windows: 0,
    };
    tokio::pin!(action);
    let mut gone = false;
    let ending = loop {
        tokio::select! {
            biased;
            event = events.next(), if !gone => match event {
                Some(event) => observed.note(&event),
                None => gone = true,
            },
            result = &mut action => break Ending::Finished(result?),
            _ = page.dialogs.opened() => break Ending::Dialog,
        }
    };
    if let Ending::Finished(value) = &ending
        && worth_waiting(value)
    {
        tokio::select! {
            () = settle(page, waiting, &mut observed, &mut events) => {}
            _ = page.dialogs.opened() => {}
        }
    }
    // Given back by the event stream only now, but sent before.
    while let Some(event) = events.try_next() {
        observed.note(&event);
    }
    let opened = opened(page, &mut targets, observed.windows).await;
    let navigated_to = observed.url.take().filter(|url| Some(url) != before.as_ref());
    let effects = Effects {
        navigated_to,
        opened: describe(pages, &opened).await,
        dialog: page.dialogs.open(),
        downloads: observed.downloads,
    };
    Ok((ending, effects))
}

/// Targets of the pages that this page has opened; of `windows` that it asked for, some may have been refused.
async fn opened(page: &Attached, targets: &mut Subscription, windows: usize) -> Vec<String> {
    let end = Instant::now() + POPUP;
    let mut opened = Vec::new();
    loop {
        let event = match targets.try_next() {
            None if opened.len() < windows => tokio::time::timeout_at(end, targets.next()).await.ok().flatten(),
            event => event,
        };
        let Some(event) = event else { return opened };
        let Ok(details) = event.decode::<Value>() else { continue };
        let info = &details["targetInfo"];
        // One without a way back to its opener is known only by its time.
        let ours = info["openerId"] == page.target.as_str() || (info["openerId"].is_null() && opened.len() < windows);
        if info["type"] == "page" && ours {
            opened.extend(info["targetId"].as_str().map(str::to_owned));
        }
    }
}

async fn settle(page: &Attached, waiting: Waiting, observed: &mut Observed, events: &mut Subscription) {
    let (slow_cpu, slow_network) = {
        let emulation = page.emulation();
        (emulation.cpu_factor(), emulation.network_factor())
    };
    let load = waiting.load.unwrap_or(LOAD.mul_f64(slow_network));
    let end = Instant::now() + load;
    if !waiting.stable_dom {
        follow(observed, events, Instant::now() + IDLE.mul_f64(slow_cpu), |o| o.on_its_way()).await;
    }
    loop {
        if observed.on_its_way() {
            follow(observed, events, end, |o| !o.on_its_way()).await;
        }
        if !waiting.stable_dom {
            return;
        }
        let quiet = quiet_document(page, slow_cpu, observed.any);
        tokio::pin!(quiet);
        let interrupted = loop {
            tokio::select! {
                biased;
                event = events.next() => match event {
                    Some(event) => {
                        observed.note(&event);
                        if observed.on_its_way() && Instant::now() < end {
                            break true;
                        }
                    }
                    None => return,
                },
                () = &mut quiet => break false,
            }
        };
        if interrupted {
            continue;
        }
        observed.counting = false;
        if observed.requests.is_empty() {
            return;
        }
        follow(observed, events, Instant::now() + REQUESTS, |o| o.requests.is_empty() || o.on_its_way()).await;
        observed.requests.clear();
        observed.any = true;
    }
}

/// Takes events until `done` or the end.
async fn follow(observed: &mut Observed, events: &mut Subscription, end: Instant, done: impl Fn(&Observed) -> bool) {
    while !done(observed) {
        let tick = Instant::now() + Duration::from_millis(100);
        match tokio::time::timeout_at(end.min(tick), events.next()).await {
            Ok(Some(event)) => observed.note(&event),
            Ok(None) => return,
            Err(_) if Instant::now() >= end => return,
            // A requested navigation expires by time, not by an event.
            Err(_) => {}
        }
    }
}

/// Resolves when the main document has not changed for a while, or does not stop changing. Never fails: a document that
/// is replaced meanwhile is noticed by its events.
async fn quiet_document(page: &Attached, slow_cpu: f64, something_happened: bool) {
    let limit = CHANGING.mul_f64(slow_cpu) + Duration::from_millis(300);
    let milliseconds = |d: Duration| Value::from(d.mul_f64(slow_cpu).as_millis() as u64);
    let idle = if something_happened { QUIET } else { IDLE };
    let arguments = [milliseconds(idle), milliseconds(QUIET), milliseconds(CHANGING)];
    let started = Instant::now();
    let watch = async {
        let context = world(&page.session, &page.main_frame()).await?;
        call_in_world::<bool>(&page.session, context, include_str!("scripts/quiet.js"), &arguments).await
    };
    if !matches!(tokio::time::timeout(limit, watch).await, Ok(Ok(_))) {
        // No document to ask just now: the same moment without it.
        tokio::time::sleep_until(started + idle.mul_f64(slow_cpu)).await;
    }
}

/// The pages of these targets, as soon as they have an address and a title, or as they are after a moment.
async fn describe(pages: &Pages, targets: &[String]) -> Vec<PageInfo> {
    if targets.is_empty() {
        return Vec::new();
    }
    let end = Instant::now() + POPUP;
    loop {
        let found = match pages.list_targets(targets).await {
            Ok(found) => found,
            Err(CdpError::Disconnected { .. }) => return Vec::new(),
            Err(_) => Vec::new(),
        };
        let ready = found.len() == targets.len() && found.iter().all(|p| !p.title.is_empty() || p.url == "about:blank");
        if ready || Instant::now() >= end {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
}
