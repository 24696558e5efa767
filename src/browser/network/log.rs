//! The log: follows the network events of a page's sessions and keeps its requests.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tokio::sync::Notify;

use super::body::Reading;
use super::entry::{Request, Summary};
use super::kept::Spool;
use super::state::{Since, State};
use crate::browser::collect::{Backlogs, Origin, Part};
use crate::cdp::{CdpError, Event, Session};

/// Events that may wait while others are being read.
const WAITING: usize = 10_000;

/// Bytes of bodies that the browser keeps for us: of a page in all, and of one.
const KEPT: u64 = 64 * 1024 * 1024;
const KEPT_EACH: u64 = 20 * 1024 * 1024;

/// How long a frame or worker that waits to be started is asked to report its requests. Chrome may answer only when it
/// has been started.
const PATIENCE: Duration = Duration::from_secs(2);

const EVENTS: &[&str] = &[
    "Network.requestWillBeSent",
    "Network.requestWillBeSentExtraInfo",
    "Network.responseReceived",
    "Network.responseReceivedExtraInfo",
    "Network.requestServedFromCache",
    "Network.loadingFinished",
    "Network.loadingFailed",
    "Network.webSocketCreated",
    "Network.webSocketWillSendHandshakeRequest",
    "Network.webSocketHandshakeResponseReceived",
    "Network.webSocketFrameSent",
    "Network.webSocketFrameReceived",
    "Network.webSocketFrameError",
    "Network.webSocketClosed",
    "Network.eventSourceMessageReceived",
    "Page.frameNavigated",
    "Runtime.executionContextsCleared",
];

/// Requests of one page.
pub struct NetworkLog {
    state: Mutex<State>,
    /// An answer has come or has ended.
    changed: Notify,
    backlogs: Backlogs,
    pub(super) spool: Spool,
    pub(super) reading: Reading,
}

impl Default for NetworkLog {
    fn default() -> Self {
        NetworkLog {
            state: Mutex::default(),
            changed: Notify::new(),
            backlogs: Backlogs::default(),
            spool: Spool::default(),
            reading: Reading::default(),
        }
    }
}

impl NetworkLog {
    /// Follows a session from now on; called before its events are switched on.
    pub fn follow(self: &Arc<Self>, origin: Origin) {
        let mut events = origin.session.connection().subscribe(origin.session.id(), EVENTS, WAITING);
        self.backlogs.add(events.backlog());
        if origin.part == Part::Page {
            let mut state = self.state();
            state.page = Some(origin.session.clone());
            state.main_frame = origin.frame.clone();
            drop(state);
            tokio::spawn(look(Arc::downgrade(self), origin.session.clone(), SystemTime::now()));
        }
        let log = Arc::downgrade(self);
        let origin = Arc::new(origin);
        tokio::spawn(async move {
            let mut lost = 0;
            while let Some(event) = events.next().await {
                let Some(log) = log.upgrade() else { return };
                match event.method.as_str() {
                    "Page.frameNavigated" => log.navigated(&event, &origin),
                    "Runtime.executionContextsCleared" if origin.part == Part::Page => log.state().contexts_cleared(),
                    "Runtime.executionContextsCleared" => {}
                    _ => log.note(event, &origin),
                }
                if events.lost() > lost {
                    log.state().lost += events.lost() - lost;
                    lost = events.lost();
                }
            }
        });
    }

    /// Switches a session's network events on.
    pub async fn enable(&self, session: &Session, part: Part) -> Result<(), CdpError> {
        // Older browsers do not know the last one and ignore it.
        let params = json!({
            "maxTotalBufferSize": KEPT, "maxResourceBufferSize": KEPT_EACH, "enableDurableMessages": true,
        });
        if part == Part::Page {
            return session.call::<Value>("Network.enable", params).await.map(drop);
        }
        match session.call_within::<Value>("Network.enable", params, PATIENCE).await {
            Ok(_) | Err(CdpError::Timeout { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn navigated(&self, event: &Event, origin: &Origin) {
        let Ok(details) = event.decode::<Value>() else { return };
        if origin.part == Part::Page && details["frame"].get("parentId").is_none() {
            let mut state = self.state();
            let frame = details["frame"]["id"].as_str().unwrap_or_default();
            if frame == state.main_frame {
                state.since = Since::Beginning;
                state.split();
            } else {
                // Nobody has seen what it requested before it became the page's.
                state.main_frame = frame.to_owned();
                state.since = Since::Attached(SystemTime::now());
                state.split_at_contexts();
            }
        }
    }

    fn note(self: &Arc<Self>, event: Event, origin: &Arc<Origin>) {
        let reads = self.state().note(event, origin);
        for read in reads {
            self.read(read);
        }
        self.changed.notify_waiters();
    }

    /// Waits until the events that have arrived are in the log; a page that never stops may go on.
    pub async fn caught_up(&self) {
        self.backlogs.caught_up().await;
    }

    /// Waits until the answer to a request has come to its end, or until that has taken too long.
    pub(super) async fn ended(&self, id: u32, limit: Duration) {
        let ended = async {
            loop {
                let notified = self.changed.notified();
                tokio::pin!(notified);
                notified.as_mut().enable();
                if self.state().entries.iter().rev().find(|request| request.id == id).is_none_or(|r| !r.is_open()) {
                    return;
                }
                notified.await;
            }
        };
        let _ = tokio::time::timeout(limit, ended).await;
    }

    /// Answers that have ended and have at most so many bytes, newest first, without `except`.
    pub(super) fn short_bodies(&self, except: u32, bytes: f64, most: usize) -> Vec<Request> {
        let state = self.state();
        let is_short = |request: &&Request| {
            let is_whole = request.ended.is_some() && request.failed.is_none() && request.next.is_none();
            is_whole && request.id != except && request.kept_body.is_none() && request.transferred <= bytes
        };
        state.entries.iter().rev().filter(is_short).take(most).cloned().collect()
    }

    /// Changes a request that is still kept.
    pub(super) fn update(&self, id: u32, change: impl FnOnce(&mut Request)) {
        self.state().update(id, change);
    }

    /// The page's session.
    pub(super) fn page(&self) -> Option<Session> {
        self.state().page.clone()
    }

    /// Whether the browser keeps bodies beyond the end of their document.
    pub(super) fn is_durable(&self) -> bool {
        self.state().durable
    }

    /// Requests of the current document, or of all that are kept, oldest first.
    pub fn summaries(&self, with_earlier_documents: bool, wanted: impl Fn(&Request) -> bool) -> Vec<Summary> {
        let state = self.state();
        let summaries = |requests: &mut dyn Iterator<Item = &Request>| {
            requests.filter(|request| wanted(request)).map(Request::summary).collect()
        };
        if with_earlier_documents {
            summaries(&mut state.entries.iter())
        } else {
            summaries(&mut state.entries.current())
        }
    }

    /// A request by its number.
    pub fn get(&self, id: u32) -> Option<Request> {
        self.state().entries.iter().rev().find(|request| request.id == id).cloned()
    }

    /// The number of a request by the id that DevTools has for it, which names a hop as `<id>:redirected.<n>`.
    pub fn number_of(&self, request_id: &str) -> Option<u32> {
        let state = self.state();
        let (request_id, hop) = match request_id.split_once(":redirected.") {
            Some((request_id, hop)) => (request_id, hop.parse().ok()),
            None => (request_id, None),
        };
        let ids = state.chains.get(request_id)?.ids();
        let id = hop.map_or(ids.last(), |hop: usize| ids.get(hop)).copied()?;
        state.entries.iter().any(|request| request.id == id).then_some(id)
    }

    /// The CDP id of a request; its hops have the same one.
    pub fn request_id(&self, number: u32) -> Option<String> {
        let state = self.state();
        state.entries.iter().find(|request| request.id == number).map(|request| request.request_id.clone())
    }

    /// When recording began, if the current document is older than that.
    pub fn recorded_since(&self) -> Option<SystemTime> {
        match self.state().since {
            Since::Beginning => None,
            Since::Attached(at) => Some(at),
        }
    }

    /// Requests that fell out because there were more than is kept, and events that could not be taken.
    pub fn lost(&self) -> (u64, u64) {
        let state = self.state();
        (state.entries.dropped(), state.lost)
    }
}

/// Looks at what the page is, once: a document that is there already has requests that nobody recorded; an old browser
/// keeps bodies only as long as their document.
async fn look(log: std::sync::Weak<NetworkLog>, session: Session, at: SystemTime) {
    let info: Result<Value, _> = session.call("Target.getTargetInfo", json!({})).await;
    let url = info.ok().and_then(|info| info["targetInfo"]["url"].as_str().map(str::to_owned)).unwrap_or_default();
    // Arguments of the wrong type change nothing, but are refused as such only where the method exists.
    let refused: Result<Value, _> =
        session.call("Network.configureDurableMessages", json!({"maxTotalBufferSize": "unchanged"})).await;
    let Some(log) = log.upgrade() else { return };
    let mut state = log.state();
    state.durable = !matches!(refused, Err(CdpError::Protocol { code: -32601, .. }));
    let is_empty = url.is_empty() || url == "about:blank";
    // A navigation that came in between has been recorded.
    if !is_empty && state.entries.iter().all(|request| !request.is_navigation) {
        state.since = Since::Attached(at);
    }
}
