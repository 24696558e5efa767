//! What surrounds an action on a page: noticing what it causes, and waiting until that is done.
//!
//! An action is over when the page has been quiet for a moment: no navigation under way, no change of the document, no
//! request of the action still running. Every part has a limit, a dialog ends all of it at once, and a page that
//! changes without end (an animation) costs half a second, not three: only what the action caused is waited for.

mod observed;

use std::future::Future;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use self::observed::{EVENTS, Observed};
use super::dialogs::Dialog;
use super::frames::{ScriptError, call_in_world, world};
use super::navigate::address;
use super::page::{Attached, ERROR_PAGE};
use super::pages::{PageInfo, Pages};
use crate::cdp::{CdpError, Subscription};

/// Nothing at all has happened for so long: nothing will. Multiplied by the CPU slowdown, like all of these.
const IDLE: Duration = Duration::from_millis(80);
/// Something happened, and then nothing for so long.
const QUIET: Duration = Duration::from_millis(100);
/// The document goes on changing by itself.
const CHANGING: Duration = Duration::from_millis(500);
/// A page that does not answer is not asked any more.
const ANSWER: Duration = Duration::from_millis(300);
/// Requests of the action are waited for.
const REQUESTS: Duration = Duration::from_secs(2);
/// A navigation that the action caused; multiplied by the network's factor.
const LOAD: Duration = Duration::from_secs(3);
/// A popup's title.
const POPUP: Duration = Duration::from_millis(400);

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
    let mut observed = Observed::new(page.main_frame());
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
        if !observed.is_requesting() {
            return;
        }
        follow(observed, events, Instant::now() + REQUESTS, |o| !o.is_requesting() || o.on_its_way()).await;
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
            // A requested navigation and an answer that nobody reads expire by time, not by an event.
            Err(_) => {}
        }
    }
}

/// Resolves when the main document has not changed for a while, or does not stop changing. Never fails: a document that
/// is replaced meanwhile is noticed by its events.
async fn quiet_document(page: &Attached, slow_cpu: f64, something_happened: bool) {
    let idle = if something_happened { QUIET } else { IDLE }.mul_f64(slow_cpu);
    let quiet = QUIET.mul_f64(slow_cpu);
    let started = Instant::now();
    let end = started + CHANGING.mul_f64(slow_cpu);
    let watch = async {
        let context = world(&page.session, &page.main_frame()).await?;
        let ask = async |begin: bool| {
            let arguments = [begin.into(), (quiet.as_millis() as u64).into(), (Instant::now() >= end).into()];
            let left: f64 = call_in_world(&page.session, context, include_str!("scripts/quiet.js"), &arguments).await?;
            Ok::<_, ScriptError>(Duration::from_secs_f64(left.max(0.0) / 1000.0))
        };
        ask(true).await?;
        let mut next = started + idle;
        loop {
            tokio::time::sleep_until(next.min(end)).await;
            match ask(false).await? {
                Duration::ZERO => return Ok::<_, ScriptError>(()),
                left => next = Instant::now() + left,
            }
        }
    };
    if !matches!(tokio::time::timeout_at(end + ANSWER, watch).await, Ok(Ok(()))) {
        // No document to ask just now: the same moment without it.
        tokio::time::sleep_until(started + idle).await;
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
