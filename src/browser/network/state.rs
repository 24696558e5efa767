//! What a log knows, and what each event changes in it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::SystemTime;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::chains::{Chains, Found};
use super::entry::{Failed, Request, Response, SentBody};
use super::protocol::{
    About, At, ExtraInfo, Finished, Handshake, LoadingFailed, PostDataEntry, ResponseReceived, SocketCreated,
    SocketError, SocketFrame, WillBeSent,
};
use crate::browser::collect::{Buckets, Origin, Part, Shared};
use crate::cdp::{Event, Session};

/// Requests of one document, and bytes of all of them together.
const ENTRIES: usize = 1000;
const BYTES: usize = 16 * 1024 * 1024;

/// Events that may wait for the announcement of their request, which another session can bring.
const ORPHANS: usize = 200;

/// Initiators with longer stacks are not kept.
const INITIATOR: usize = 64 * 1024;

/// Longer sent bodies go to disk.
const INLINE: usize = 2 * 1024;

/// The requests and what belongs to them.
pub(super) struct State {
    pub entries: Buckets<Request>,
    shared: Shared,
    next_id: u32,
    pub chains: Chains,
    orphans: VecDeque<(String, Event)>,
    pub page: Option<Session>,
    pub main_frame: String,
    /// The first request since the page's execution contexts are others.
    first_of_contexts: u32,
    pub since: Since,
    /// The browser keeps bodies beyond the end of their document.
    pub durable: bool,
    /// Events that came faster than they could be taken.
    pub lost: u64,
}

/// From when on the current document's requests are known.
pub(super) enum Since {
    /// From its first one.
    Beginning,
    /// The page was served before we came.
    Attached(SystemTime),
}

/// Answers that announce more bytes than this may push other bodies out of what the browser keeps.
const LARGE: u64 = 16 * 1024 * 1024;

/// What is read when an event has been noted.
pub(super) enum Read {
    /// A body that was sent.
    Sent(u32),
    /// A body that was received and that the browser will not keep.
    Received(u32),
    /// The bodies of others: a large one comes, for which the browser will drop them.
    Others(u32),
}

impl Default for State {
    fn default() -> Self {
        State {
            entries: Buckets::new(ENTRIES, BYTES),
            shared: Shared::default(),
            next_id: 1,
            chains: Chains::default(),
            orphans: VecDeque::new(),
            page: None,
            main_frame: String::new(),
            first_of_contexts: 1,
            since: Since::Beginning,
            durable: true,
            lost: 0,
        }
    }
}

impl State {
    /// Changes a request that is still kept.
    pub fn update(&mut self, id: u32, change: impl FnOnce(&mut Request)) {
        let Some(request) = self.entries.iter_mut().rev().find(|request| request.id == id) else { return };
        change(request);
        self.entries.recount(|request| request.id == id);
    }

    /// A new document: it takes over everything from the request that led to it on, all hops of that included.
    pub fn split(&mut self) {
        let position = |id: u32| self.entries.current().position(|request| request.id == id);
        let last = self.entries.current().rfind(|request| request.is_navigation);
        let first = last.and_then(|request| request.hops.iter().chain([&request.id]).find_map(|&id| position(id)));
        self.entries.split(first.unwrap_or(usize::MAX));
    }

    /// The page's execution contexts are gone.
    pub fn contexts_cleared(&mut self) {
        self.first_of_contexts = self.next_id;
    }

    /// A document that was there before has become the page's; it was noticed some time after its execution contexts.
    pub fn split_at_contexts(&mut self) {
        let first = self.entries.current().position(|request| request.id >= self.first_of_contexts);
        self.entries.split(first.unwrap_or(usize::MAX));
    }

    /// Notes an event; what is to be read because of it.
    pub fn note(&mut self, event: Event, origin: &Arc<Origin>) -> Vec<Read> {
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
                    // Their connection was announced before them on the same session, or never will be.
                    None if ["Network.webSocket", "Network.eventSource"]
                        .iter()
                        .any(|of| event.method.starts_with(of)) => {}
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
            && sent.frame_id.as_deref() == Some(&self.main_frame)
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
            initiator: sent.initiator.filter(|raw| raw.get().len() <= INITIATOR).map(|raw| self.shared.of(raw)),
            origin: origin.clone(),
            wall_time: sent.wall_time,
            started: sent.timestamp,
            ended: None,
            transferred: 0.0,
            from_memory_cache: false,
            response: None,
            failed: None,
            messages: None,
            headers: self.shared.of(sent.request.headers),
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
            initiator: created.initiator.filter(|raw| raw.get().len() <= INITIATOR).map(|raw| self.shared.of(raw)),
            origin: origin.clone(),
            wall_time: now.as_secs_f64(),
            started: 0.0,
            ended: None,
            transferred: 0.0,
            from_memory_cache: false,
            response: None,
            failed: None,
            messages: Some(Default::default()),
            headers: serde_json::value::RawValue::NULL.to_owned().into(),
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
                let headers = self.shared.of(extra.headers);
                self.chains.get_mut(request_id)?.sent(headers);
                self.assign(request_id);
            }
            "Network.responseReceivedExtraInfo" => {
                self.chains.get_mut(request_id)?.received(event.decode().ok()?);
                self.assign(request_id);
            }
            "Network.responseReceived" => {
                let ResponseReceived { response, r#type, has_extra_info } = event.decode().ok()?;
                self.responded(request_id, id, has_extra_info);
                let is_large = response.announced_length() > LARGE;
                self.update(id, |request| {
                    request.response = Some(Response { received: response });
                    request.kind_of_response =
                        r#type.map(|kind| kind.to_lowercase()).filter(|kind| *kind != request.kind);
                    if request.kind == "eventsource" {
                        request.messages = Some(Default::default());
                    }
                });
                return is_large.then_some(Read::Others(id));
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
                    request.headers = handshake.request.headers.into();
                    request.started = handshake.timestamp;
                    request.wall_time = handshake.wall_time;
                });
            }
            "Network.webSocketHandshakeResponseReceived" => {
                let ResponseReceived { mut response, .. } = event.decode().ok()?;
                self.update(id, |request| {
                    if let Some(sent) = response.request_headers.take() {
                        request.headers = sent.into();
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
fn inline_body(parts: &[PostDataEntry]) -> Option<Vec<u8>> {
    if parts.is_empty() {
        return None;
    }
    let mut body = Vec::new();
    for part in parts {
        body.extend(BASE64_STANDARD.decode(part.bytes.as_ref()?).ok()?);
    }
    Some(body)
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
