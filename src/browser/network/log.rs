//! The log: follows the network events of a page's sessions and keeps its requests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::body::Reading;
use super::chains::{Chains, Found};
use super::entry::{Failed, Request, Response, SentBody, Summary};
use super::kept::Spool;
use super::protocol::{
    About, At, ExtraInfo, Finished, Handshake, LoadingFailed, ResponseReceived, SocketCreated, SocketError,
    SocketFrame, WillBeSent,
};
use crate::browser::collect::{Buckets, Origin, Part};
use crate::cdp::{CdpError, Event, Session};

/// Requests of one document, and bytes of all of them together.
const ENTRIES: usize = 1000;
const BYTES: usize = 16 * 1024 * 1024;

/// Events that may wait while others are being read.
const WAITING: usize = 10_000;

/// Events that may wait for the announcement of their request, which another session can bring.
const ORPHANS: usize = 200;

/// Initiators with longer stacks are not kept.
const INITIATOR: usize = 64 * 1024;

/// Longer sent bodies go to disk.
const INLINE: usize = 2 * 1024;

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
];

/// Requests of one page.
pub struct NetworkLog {
    state: Mutex<State>,
    /// An answer has come or has ended.
    changed: Notify,
    pub(super) spool: Spool,
    pub(super) reading: Reading,
}

struct State {
    entries: Buckets<Request>,
    next_id: u32,
    chains: Chains,
    orphans: VecDeque<(String, Event)>,
    page: Option<Session>,
    since: Since,
    /// The browser keeps bodies beyond the end of their document.
    durable: bool,
    /// Events that came faster than they could be taken.
    lost: u64,
}

/// From when on the current document's requests are known.
enum Since {
    /// From its first one.
    Beginning,
    /// The page was served before we came.
    Attached(SystemTime),
}

/// What is read when an event has been noted.
pub(super) enum Read {
    /// A body that was sent.
    Sent(u32),
    /// A body that was received and that the browser will not keep.
    Received(u32),
}

impl Default for NetworkLog {
    fn default() -> Self {
        let state = State {
            entries: Buckets::new(ENTRIES, BYTES),
            next_id: 1,
            chains: Chains::default(),
            orphans: VecDeque::new(),
            page: None,
            since: Since::Beginning,
            durable: true,
            lost: 0,
        };
        NetworkLog {
            state: Mutex::new(state),
            changed: Notify::new(),
            spool: Spool::default(),
            reading: Reading::default(),
        }
    }
}

impl NetworkLog {
    /// Follows a session from now on; called before its events are switched on.
    pub fn follow(self: &Arc<Self>, origin: Origin) {
        let mut events = origin.session.connection().subscribe(origin.session.id(), EVENTS, WAITING);
        if origin.part == Part::Page {
            self.state().page = Some(origin.session.clone());
            tokio::spawn(look(Arc::downgrade(self), origin.session.clone(), SystemTime::now()));
        }
        let log = Arc::downgrade(self);
        let origin = Arc::new(origin);
        tokio::spawn(async move {
            let mut lost = 0;
            while let Some(event) = events.next().await {
                let Some(log) = log.upgrade() else { return };
                if event.method == "Page.frameNavigated" {
                    log.navigated(&event, &origin);
                } else {
                    log.note(event, &origin);
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
            state.since = Since::Beginning;
            state.split();
        }
    }

    fn note(self: &Arc<Self>, event: Event, origin: &Arc<Origin>) {
        let reads = self.state().note(event, origin);
        for read in reads {
            self.read(read);
        }
        self.changed.notify_waiters();
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

    /// When recording began, if the current document is older than that.
    pub fn recorded_since(&self) -> Option<SystemTime> {
        match self.state().since {
            Since::Beginning => None,
            Since::Attached(at) => Some(at),
        }
    }

    /// Requests that fell out because there were more than is kept, and events that could not be taken.
    pub fn lost(&self) -> u64 {
        let state = self.state();
        state.lost + state.entries.dropped()
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

impl State {
    fn update(&mut self, id: u32, change: impl FnOnce(&mut Request)) {
        let Some(request) = self.entries.iter_mut().rev().find(|request| request.id == id) else { return };
        change(request);
        self.entries.recount(|request| request.id == id);
    }

    /// A new document: it takes over everything from the request that led to it on, all hops of that included.
    fn split(&mut self) {
        let position = |id: u32| self.entries.current().position(|request| request.id == id);
        let last = self.entries.current().rfind(|request| request.is_navigation);
        let first = last.and_then(|request| request.hops.iter().chain([&request.id]).find_map(|&id| position(id)));
        self.entries.split(first.unwrap_or(usize::MAX));
    }

    fn note(&mut self, event: Event, origin: &Arc<Origin>) -> Vec<Read> {
        let mut reads = Vec::new();
        let request_id = match event.method.as_str() {
            "Network.requestWillBeSent" => {
                let Ok(sent) = event.decode::<WillBeSent>() else { return reads };
                let request_id = sent.request_id.clone();
                reads.extend(self.sent(sent, origin));
                request_id
            }
            "Network.webSocketCreated" => {
                let Ok(created) = event.decode::<SocketCreated>() else { return reads };
                let request_id = created.request_id.clone();
                self.socket(created, origin);
                request_id
            }
            _ => {
                let Ok(About { request_id }) = event.decode() else { return reads };
                match self.chains.get(&request_id).and_then(|chain| chain.last()) {
                    Some(id) => reads.extend(self.apply(&event, &request_id, id)),
                    None => {
                        self.orphans.push_back((request_id, event));
                        if self.orphans.len() > ORPHANS {
                            self.orphans.pop_front();
                        }
                    }
                }
                return reads;
            }
        };
        self.assign(&request_id);
        // What came before the announcement.
        let (mine, others) = std::mem::take(&mut self.orphans).into_iter().partition(|(id, _)| *id == request_id);
        self.orphans = others;
        if let Some(id) = self.chains.get(&request_id).and_then(|chain| chain.last()) {
            let mine: VecDeque<(String, Event)> = mine;
            reads.extend(mine.into_iter().filter_map(|(_, event)| self.apply(&event, &request_id, id)));
        }
        reads
    }

    /// A request is announced.
    fn sent(&mut self, sent: WillBeSent, origin: &Arc<Origin>) -> Option<Read> {
        let last = self.chains.get(&sent.request_id).and_then(|chain| chain.last());
        let id = self.next_id;
        let mut hops = Vec::new();
        match (last, sent.redirect_response) {
            (Some(last), Some(received)) => {
                hops = self.chains.get(&sent.request_id).map(|chain| chain.ids()).unwrap_or_default();
                self.responded(&sent.request_id, last, sent.redirect_has_extra_info);
                self.update(last, |request| {
                    request.response = Some(Response { received });
                    request.ended = Some(sent.timestamp);
                    request.next = Some(id);
                });
            }
            (Some(last), None) => {
                // A second session tells of it too; what has ended may have its id used again.
                if self.entries.iter().rev().find(|request| request.id == last).is_some_and(Request::is_open) {
                    return None;
                }
                *self.chains.entry(&sent.request_id) = Default::default();
            }
            (None, _) => {}
        }
        self.next_id += 1;
        let kind = sent.r#type.map_or_else(|| "other".to_owned(), |kind| kind.to_lowercase());
        let is_navigation = kind == "document"
            && origin.part == Part::Page
            && sent.frame_id.as_deref() == Some(&origin.target)
            && sent.loader_id.as_deref() == Some(&sent.request_id);
        let inline = inline_body(&sent.request.post_data_entries);
        let sent_body = match inline {
            _ if !sent.request.has_post_data => SentBody::None,
            Some(bytes) => SentBody::Inline(bytes.into()),
            None => SentBody::Elsewhere,
        };
        let read = match &sent_body {
            SentBody::Elsewhere => Some(Read::Sent(id)),
            SentBody::Inline(bytes) if bytes.len() > INLINE => Some(Read::Sent(id)),
            _ => None,
        };
        self.chains.entry(&sent.request_id).push(id);
        self.entries.push(Request {
            id,
            request_id: sent.request_id,
            method: sent.request.method,
            url: format!("{}{}", sent.request.url, sent.request.url_fragment.unwrap_or_default()),
            kind,
            kind_of_response: None,
            is_navigation,
            hops,
            next: None,
            initiator: sent.initiator.filter(|raw| raw.get().len() <= INITIATOR),
            origin: origin.clone(),
            wall_time: sent.wall_time,
            started: sent.timestamp,
            ended: None,
            transferred: 0.0,
            from_memory_cache: false,
            response: None,
            failed: None,
            messages: None,
            headers: sent.request.headers,
            sent_extra: None,
            received_extra: None,
            sent_body,
            kept_body: None,
        });
        read
    }

    /// A WebSocket is announced.
    fn socket(&mut self, created: SocketCreated, origin: &Arc<Origin>) {
        let id = self.next_id;
        self.next_id += 1;
        self.chains.entry(&created.request_id).push(id);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        self.entries.push(Request {
            id,
            request_id: created.request_id,
            method: "GET".into(),
            url: created.url,
            kind: "websocket".into(),
            kind_of_response: None,
            is_navigation: false,
            hops: Vec::new(),
            next: None,
            initiator: created.initiator.filter(|raw| raw.get().len() <= INITIATOR),
            origin: origin.clone(),
            wall_time: now.as_secs_f64(),
            started: 0.0,
            ended: None,
            transferred: 0.0,
            from_memory_cache: false,
            response: None,
            failed: None,
            messages: Some(Default::default()),
            headers: serde_json::value::RawValue::NULL.to_owned(),
            sent_extra: None,
            received_extra: None,
            sent_body: SentBody::None,
            kept_body: None,
        });
    }

    /// Any other event of the newest hop of an id.
    fn apply(&mut self, event: &Event, request_id: &str, id: u32) -> Option<Read> {
        match event.method.as_str() {
            "Network.requestWillBeSentExtraInfo" => {
                let extra: ExtraInfo = event.decode().ok()?;
                self.chains.get_mut(request_id)?.sent(extra.headers);
                self.assign(request_id);
            }
            "Network.responseReceivedExtraInfo" => {
                self.chains.get_mut(request_id)?.received(event.decode().ok()?);
                self.assign(request_id);
            }
            "Network.responseReceived" => {
                let ResponseReceived { response, r#type, has_extra_info } = event.decode().ok()?;
                self.responded(request_id, id, has_extra_info);
                self.update(id, |request| {
                    request.response = Some(Response { received: response });
                    request.kind_of_response =
                        r#type.map(|kind| kind.to_lowercase()).filter(|kind| *kind != request.kind);
                    if request.kind == "eventsource" {
                        request.messages = Some(Default::default());
                    }
                });
            }
            "Network.requestServedFromCache" => self.update(id, |request| request.from_memory_cache = true),
            "Network.loadingFinished" => {
                let Finished { timestamp, encoded_data_length } = event.decode().ok()?;
                self.update(id, |request| {
                    request.ended = Some(timestamp);
                    request.transferred = encoded_data_length;
                });
                return Some(Read::Received(id));
            }
            "Network.loadingFailed" => {
                let failed: LoadingFailed = event.decode().ok()?;
                self.update(id, |request| {
                    request.ended = Some(failed.timestamp);
                    request.failed = Some(Failed {
                        text: failed.error_text,
                        blocked: failed.blocked_reason,
                        cors: failed.cors_error_status.map(|status| (status.cors_error, status.failed_parameter)),
                        canceled: failed.canceled,
                    });
                });
            }
            "Network.webSocketWillSendHandshakeRequest" => {
                let handshake: Handshake = event.decode().ok()?;
                self.update(id, |request| {
                    request.headers = handshake.request.headers;
                    request.started = handshake.timestamp;
                    request.wall_time = handshake.wall_time;
                });
            }
            "Network.webSocketHandshakeResponseReceived" => {
                let ResponseReceived { mut response, .. } = event.decode().ok()?;
                self.update(id, |request| {
                    if let Some(sent) = response.request_headers.take() {
                        request.headers = sent;
                    }
                    request.response = Some(Response { received: response });
                });
            }
            "Network.webSocketFrameSent" | "Network.webSocketFrameReceived" => {
                let frame: SocketFrame = event.decode().ok()?;
                let is_sent = event.method == "Network.webSocketFrameSent";
                self.update(id, |request| {
                    if let Some(messages) = &mut request.messages {
                        messages.frame(frame, is_sent);
                    }
                });
            }
            "Network.webSocketFrameError" => {
                let SocketError { error_message } = event.decode().ok()?;
                self.update(id, |request| {
                    request.failed = Some(Failed { text: error_message, blocked: None, cors: None, canceled: false });
                });
            }
            "Network.webSocketClosed" => {
                let At { timestamp } = event.decode().ok()?;
                self.update(id, |request| request.ended = Some(timestamp));
            }
            "Network.eventSourceMessageReceived" => {
                let message = event.decode().ok()?;
                self.update(id, |request| request.messages.get_or_insert_default().event(message));
            }
            _ => {}
        }
        None
    }

    /// The newest hop of an id has its response, and the browser has said whether there is extra info for it.
    fn responded(&mut self, request_id: &str, id: u32, has_extra_info: bool) {
        if has_extra_info {
            return;
        }
        let mut taken = (None, None);
        self.update(id, |request| taken = (request.sent_extra.take(), request.received_extra.take()));
        if let Some(chain) = self.chains.get_mut(request_id) {
            chain.without(taken);
        }
    }

    fn assign(&mut self, request_id: &str) {
        for found in self.chains.get_mut(request_id).map(|chain| chain.assign()).unwrap_or_default() {
            match found {
                Found::Sent(id, headers) => self.update(id, |request| request.sent_extra = Some(headers)),
                Found::Received(id, extra) => self.update(id, |request| request.received_extra = Some(extra)),
            }
        }
    }
}

/// The parts of a sent body; `None` if there are none or one of them is a file.
fn inline_body(parts: &[super::protocol::PostDataEntry]) -> Option<Vec<u8>> {
    if parts.is_empty() {
        return None;
    }
    let mut body = Vec::new();
    for part in parts {
        body.extend(BASE64_STANDARD.decode(part.bytes.as_ref()?).ok()?);
    }
    Some(body)
}
