//! One request as it is kept, and what is read out of it.

use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::kept::Slot;
use super::messages::Messages;
use super::protocol::{ExtraInfo, Received, Timing};
use crate::browser::collect::{Origin, Part, Weight};
use crate::cdp::decode;

/// A header: name in lower case, and value.
pub type Header = (String, String);

/// A request of a page; each hop of a redirect is one.
#[derive(Clone)]
pub struct Request {
    /// Its number for clients.
    pub id: u32,
    /// The browser's id, which all hops of a redirect share.
    pub request_id: String,
    /// `GET`, …
    pub method: String,
    /// With its fragment.
    pub url: String,
    /// Resource type in lower case, as the request was announced.
    pub kind: String,
    /// Resource type in lower case as the response was announced, if that is another one: preflights are `other` at first.
    pub kind_of_response: Option<String>,
    /// Whether it is for a document of the main frame.
    pub is_navigation: bool,
    /// Numbers of the hops that led here, in their order.
    pub hops: Vec<u32>,
    /// Number of the hop that it was redirected to.
    pub next: Option<u32>,
    /// `Network.Initiator`, with the `Runtime.StackTrace` of a script.
    pub initiator: Option<Arc<RawValue>>,
    /// The session it came from.
    pub origin: Arc<Origin>,
    /// When it was sent: seconds since 1970.
    pub wall_time: f64,
    /// The same in seconds on the browser's clock.
    pub started: f64,
    /// When it ended, on the same clock.
    pub ended: Option<f64>,
    /// Bytes that came over the network, headers included.
    pub transferred: f64,
    /// Whether the answer came from the memory cache.
    pub from_memory_cache: bool,
    /// The answer.
    pub response: Option<Response>,
    /// Why there is none, or not all of it.
    pub failed: Option<Failed>,
    /// Of a WebSocket or an event stream.
    pub messages: Option<Messages>,
    pub(super) headers: Arc<RawValue>,
    pub(super) sent_extra: Option<Arc<RawValue>>,
    pub(super) received_extra: Option<ExtraInfo>,
    pub(super) sent_body: SentBody,
    pub(super) kept_body: Option<Slot>,
}

/// The body that was sent.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum SentBody {
    None,
    Inline(Arc<[u8]>),
    Kept(Slot),
    /// The browser has it.
    Elsewhere,
}

/// An answer.
#[derive(Debug, Clone)]
pub struct Response {
    pub(super) received: Received,
}

impl Response {
    /// `OK`, …
    pub fn status_text(&self) -> &str {
        &self.received.status_text
    }

    /// For example `text/html`.
    pub fn mime(&self) -> &str {
        &self.received.mime_type
    }

    /// Its text in another encoding than UTF-8 as UTF-8, if the answer names one. Browsers decode so what pages read.
    pub fn decoded(&self, bytes: &[u8]) -> Option<String> {
        let encoding = encoding_rs::Encoding::for_label(self.received.charset.as_bytes())?;
        let (text, _, has_errors) = encoding.decode(bytes);
        (!has_errors).then(|| text.into_owned())
    }

    /// For example `http/1.1`.
    pub fn protocol(&self) -> Option<&str> {
        self.received.protocol.as_deref()
    }

    /// Who answered: address and port.
    pub fn remote(&self) -> Option<String> {
        let ip = self.received.remote_ip.as_deref().filter(|ip| !ip.is_empty())?;
        let port = self.received.remote_port.unwrap_or_default();
        Some(if ip.contains(':') && !ip.starts_with('[') { format!("[{ip}]:{port}") } else { format!("{ip}:{port}") })
    }

    /// Where it came from if not from the network.
    pub fn source(&self) -> Option<&'static str> {
        let Received { from_disk_cache, from_service_worker, from_prefetch_cache, .. } = self.received;
        match () {
            () if from_service_worker => Some("service worker"),
            () if from_disk_cache => Some("disk cache"),
            () if from_prefetch_cache => Some("prefetch cache"),
            () => None,
        }
    }

    /// Its phases.
    pub fn timing(&self) -> Option<Timing> {
        self.received.timing
    }
}

/// A failure.
#[derive(Debug, Clone, PartialEq)]
pub struct Failed {
    /// For example `net::ERR_FAILED`; may be empty.
    pub text: String,
    /// Who blocked it, for example `csp`.
    pub blocked: Option<String>,
    /// The rule of CORS that was broken, and what about it.
    pub cors: Option<(String, String)>,
    /// The page gave it up.
    pub canceled: bool,
}

impl Failed {
    /// In one word, for lists.
    pub fn short(&self) -> String {
        match (&self.text, &self.blocked) {
            (text, _) if !text.is_empty() => text.clone(),
            (_, Some(reason)) => format!("blocked:{reason}"),
            _ => "failed".into(),
        }
    }

    /// What is known about the reason beside the text.
    pub fn reasons(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        if let Some((rule, parameter)) = &self.cors {
            let about = if parameter.is_empty() { String::new() } else { format!(" ({parameter})") };
            reasons.push(format!("CORS: {rule}{about}"));
        }
        let blocked = self.blocked.as_ref().filter(|_| !self.text.is_empty());
        reasons.extend(blocked.map(|reason| format!("Blocked: {reason}")));
        if self.canceled {
            reasons.push("Canceled by the page or the browser".into());
        }
        reasons
    }
}

/// A request in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Its number.
    pub id: u32,
    /// Its method.
    pub method: String,
    /// Its address.
    pub url: String,
    /// HTTP status, else what went wrong, else `pending`.
    pub status: String,
    /// The kind of worker that made it, if one did that serves several pages.
    pub by: Option<&'static str>,
}

impl Request {
    /// As it is listed.
    pub fn summary(&self) -> Summary {
        Summary {
            id: self.id,
            method: self.method.clone(),
            url: self.url.clone(),
            status: self.status(),
            by: self.by(),
        }
    }

    /// Which worker that serves pages made it, so that it is not taken for a page's own request.
    fn by(&self) -> Option<&'static str> {
        let part = self.origin.part;
        matches!(part, Part::SharedWorker | Part::ServiceWorker).then(|| part.name())
    }

    /// Whether a body has come that is too long to be mistaken for headers.
    pub(super) fn has_long_body(&self) -> bool {
        let announced = self.response.as_ref().map_or(0, |response| response.received.announced_length());
        announced > 65_536 && self.transferred >= announced as f64
    }

    /// HTTP status, else what went wrong, else `pending`.
    pub fn status(&self) -> String {
        match (self.http_status(), &self.failed) {
            (Some(status), _) => status.to_string(),
            (None, Some(failed)) => failed.short(),
            (None, None) => "pending".into(),
        }
    }

    /// Status of the answer, as the server sent it: 304 where the cache made 200 of it.
    pub fn http_status(&self) -> Option<i64> {
        let response = self.response.as_ref()?;
        Some(self.received_extra.as_ref().and_then(|extra| extra.status_code).unwrap_or(response.received.status))
    }

    /// What the server answered although the page did not get it, for example under CORS.
    pub fn withheld_status(&self) -> Option<i64> {
        if self.response.is_some() { None } else { self.received_extra.as_ref()?.status_code }
    }

    /// Whether it is of one of these types.
    pub fn is_of(&self, kinds: &[String]) -> bool {
        kinds.iter().any(|kind| *kind == self.kind || Some(kind) == self.kind_of_response.as_ref())
    }

    /// The type that says most.
    pub fn resource_type(&self) -> &str {
        self.kind_of_response.as_deref().filter(|_| self.kind == "other").unwrap_or(&self.kind)
    }

    /// Whether more of the answer may come.
    pub fn is_open(&self) -> bool {
        self.ended.is_none() && self.failed.is_none()
    }

    /// Whether a body was sent with it.
    pub fn has_sent_body(&self) -> bool {
        self.sent_body != SentBody::None
    }

    /// The headers as they went over the network, in their order.
    pub fn request_headers(&self) -> Vec<Header> {
        let mut headers = read(&self.headers);
        for (name, value) in self.sent_extra.as_deref().map(read).unwrap_or_default() {
            match headers.iter_mut().find(|(known, _)| *known == name) {
                Some(header) => header.1 = value,
                None => headers.push((name, value)),
            }
        }
        headers
    }

    /// The answer's headers, if there is an answer. Repeated ones are joined as the original does it.
    pub fn response_headers(&self) -> Option<Vec<Header>> {
        let response = self.response.as_ref()?;
        let raw = self.received_extra.as_ref().map_or(&response.received.headers, |extra| &extra.headers);
        let mut headers = read(raw);
        for (name, value) in &mut headers {
            let between = if name == "set-cookie" { "\n " } else { ", " };
            *value = value.split('\n').collect::<Vec<_>>().join(between);
        }
        Some(headers)
    }
}

/// Header names in lower case; a name that comes twice has its last value, in its first place.
fn read(raw: &RawValue) -> Vec<Header> {
    let map: Map<String, Value> = decode(raw.get()).unwrap_or_default();
    let mut headers: Vec<Header> = Vec::with_capacity(map.len());
    for (name, value) in map {
        let name = name.to_lowercase();
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match headers.iter_mut().find(|(known, _)| *known == name) {
            Some(header) => header.1 = value,
            None => headers.push((name, value)),
        }
    }
    headers
}

impl Weight for Request {
    fn bytes(&self) -> usize {
        let raw = |value: &Option<Arc<RawValue>>| value.as_ref().map_or(0, |raw| raw.get().len());
        let sent = match &self.sent_body {
            SentBody::Inline(bytes) => bytes.len(),
            _ => 0,
        };
        let response = self.response.as_ref().map_or(0, |response| 300 + response.received.headers.get().len());
        let texts = self.url.len() + self.headers.get().len() + raw(&self.initiator) + raw(&self.sent_extra);
        let extra = self.received_extra.as_ref().map_or(0, |extra| extra.headers.get().len());
        let messages = self.messages.as_ref().map_or(0, Messages::bytes);
        size_of::<Self>() + 200 + texts + sent + response + extra + messages
    }
}
