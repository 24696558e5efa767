//! Bodies: where one is, what of it has arrived, and why there is none.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::Semaphore;

use super::entry::{Request, SentBody};
use super::log::NetworkLog;
use super::state::Read;
use crate::cdp::{CdpError, Session};

/// How long the end of an answer is waited for before what has arrived is shown.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long the browser may take to hand a body over.
const HANDOVER: Duration = Duration::from_secs(20);

/// Bodies that are read ahead at the same time, and in one second: a page that requests faster is not slowed down.
const READERS: usize = 4;
const READS_PER_SECOND: u32 = 50;

/// The longest answer, as it came over the network, that is read ahead where the browser does not keep it.
const READ_AHEAD: f64 = 4.0 * 1024.0 * 1024.0;

/// Bodies that are read before a large one comes: how many, the longest of them over the network, and all of them.
const RESCUED: usize = 100;
const SHORT: f64 = 256.0 * 1024.0;
const ALL_RESCUED: usize = 16 * 1024 * 1024;

/// A body, or what has arrived of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Decoded: not compressed any more.
    pub bytes: Vec<u8>,
    /// More may come.
    pub is_open: bool,
}

/// Why there is no body, worded to follow "not available".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing(pub String);

impl Missing {
    fn because(why: &str) -> Self {
        Missing(why.to_owned())
    }
}

/// Limits of reading ahead.
pub(super) struct Reading {
    readers: Arc<Semaphore>,
    rescue: Arc<Semaphore>,
    second: Mutex<(Option<Instant>, u32)>,
}

impl Default for Reading {
    fn default() -> Self {
        Reading {
            readers: Arc::new(Semaphore::new(READERS)),
            rescue: Arc::new(Semaphore::new(1)),
            second: Mutex::default(),
        }
    }
}

impl Reading {
    /// Whether one more may be begun in this second.
    fn is_due(&self) -> bool {
        let mut second = self.second.lock().unwrap_or_else(PoisonError::into_inner);
        match second.0 {
            Some(start) if start.elapsed() < Duration::from_secs(1) => second.1 += 1,
            _ => *second = (Some(Instant::now()), 1),
        }
        second.1 <= READS_PER_SECOND
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Received {
    body: String,
    base64_encoded: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sent {
    post_data: String,
    #[serde(default)]
    base64_encoded: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Streamed {
    buffered_data: String,
}

fn decoded(text: String, is_base64: bool) -> Vec<u8> {
    if is_base64 { BASE64_STANDARD.decode(&text).unwrap_or_default() } else { text.into_bytes() }
}

impl NetworkLog {
    /// Keeps a body that the browser will not keep.
    pub(super) fn read(self: &Arc<Self>, read: Read) {
        let id = match read {
            Read::Sent(id) | Read::Received(id) => id,
            Read::Others(id) => return self.read_others(id),
        };
        let Some(request) = self.get(id) else { return };
        let is_sent = matches!(read, Read::Sent(_));
        if let SentBody::Inline(bytes) = &request.sent_body
            && is_sent
        {
            if let Some(slot) = self.spool.store(bytes) {
                self.update(id, |request| request.sent_body = SentBody::Kept(slot));
            }
            return;
        }
        if !is_sent && !self.is_read_ahead(&request) {
            return;
        }
        let Ok(permit) = self.reading.readers.clone().try_acquire_owned() else { return };
        if !self.reading.is_due() {
            return;
        }
        let log = Arc::downgrade(self);
        tokio::spawn(async move {
            let session = &request.origin.session;
            let bytes = if is_sent {
                sent_body(session, &request.request_id).await
            } else {
                received_body(session, &request.request_id).await
            };
            drop(permit);
            let (Ok(bytes), Some(log)) = (bytes, log.upgrade()) else { return };
            if !is_sent && bytes.is_empty() && request.has_long_body() {
                return;
            }
            let Some(slot) = log.spool.store(&bytes) else { return };
            log.update(id, |request| match is_sent {
                true => request.sent_body = SentBody::Kept(slot),
                false => request.kept_body = Some(slot),
            });
        });
    }

    /// Reads the newest short bodies before a large one makes the browser drop them. Chrome has no limit that holds for
    /// a single body, and it makes room for one by dropping whole documents of others.
    fn read_others(self: &Arc<Self>, large: u32) {
        let Ok(permit) = self.reading.rescue.clone().try_acquire_owned() else { return };
        let others = self.short_bodies(large, SHORT, RESCUED);
        let log = Arc::downgrade(self);
        tokio::spawn(async move {
            let _permit = permit;
            let mut read = 0;
            for request in others {
                let Some(log) = log.upgrade() else { return };
                let Ok(bytes) = log.ask_browser(&request).await else { continue };
                // Not kept, see `received_body`: nothing must stand for it.
                if bytes.is_empty() && request.has_long_body() {
                    continue;
                }
                read += bytes.len();
                if read > ALL_RESCUED {
                    return;
                }
                if let Some(slot) = log.spool.store(&bytes) {
                    log.update(request.id, |request| request.kept_body = Some(slot));
                }
            }
        });
    }

    fn is_read_ahead(&self, request: &Request) -> bool {
        if request.url.starts_with("blob:") {
            return true;
        }
        let mime = request.response.as_ref().map(|response| response.mime()).unwrap_or_default();
        !self.is_durable() && is_text_like(mime) && request.transferred <= READ_AHEAD
    }

    /// The body that was sent with a request; `None` if there was none.
    pub async fn sent_body(&self, request: &Request) -> Result<Option<Vec<u8>>, Missing> {
        match &request.sent_body {
            SentBody::None => Ok(None),
            SentBody::Inline(bytes) => Ok(Some(bytes.to_vec())),
            SentBody::Kept(slot) => {
                let bytes = self.spool.load(*slot);
                bytes.map(Some).ok_or_else(|| Missing::because("later ones have taken its place"))
            }
            SentBody::Elsewhere => match sent_body(&request.origin.session, &request.request_id).await {
                Ok(bytes) => Ok(Some(bytes)),
                Err(_) => Err(Missing::because("the browser no longer has it")),
            },
        }
    }

    /// The body of the answer, or what has arrived of it after a moment.
    pub async fn received_body(&self, request: &Request) -> Result<Body, Missing> {
        if request.next.is_some() {
            return Err(Missing::because("the browser does not keep the bodies of redirects"));
        }
        if request.kind_of_response.as_deref() == Some("preflight") {
            return Err(Missing::because("the browser does not keep the bodies of preflights"));
        }
        if let Some(bytes) = request.kept_body.and_then(|slot| self.spool.load(slot)) {
            return Ok(Body { bytes, is_open: false });
        }
        // An event stream has no end that is worth waiting for.
        if request.messages.is_none() {
            self.ended(request.id, PATIENCE).await;
        }
        let request = self.get(request.id).unwrap_or_else(|| request.clone());
        if request.is_open()
            && let Ok(bytes) = streamed(&request.origin.session, &request.request_id).await
        {
            return Ok(Body { bytes, is_open: true });
        }
        let why = match self.ask_browser(&request).await {
            // What a page has taken as a blob is neither kept nor refused.
            Ok(bytes) if bytes.is_empty() && request.has_long_body() => {
                return Err(Missing::because(
                    "the browser has not kept it; long ones that a page takes as a blob are lost",
                ));
            }
            Ok(bytes) => return Ok(Body { bytes, is_open: false }),
            Err(why) => why,
        };
        match data_body(&request.url) {
            Some(bytes) => Ok(Body { bytes, is_open: false }),
            None => Err(self.missing(why)),
        }
    }

    /// What the browser has kept. A frame's or worker's session may have ended; the page's has what it had.
    async fn ask_browser(&self, request: &Request) -> Result<Vec<u8>, CdpError> {
        let own = &request.origin.session;
        let first = match received_body(own, &request.request_id).await {
            Ok(bytes) => return Ok(bytes),
            Err(error) => error,
        };
        match self.page().filter(|page| page.id() != own.id()) {
            Some(page) => received_body(&page, &request.request_id).await.map_err(|_| first),
            None => Err(first),
        }
    }

    fn missing(&self, why: CdpError) -> Missing {
        match why {
            CdpError::Protocol { message, .. } if message.contains("evicted") => {
                Missing::because("it has more than the 64 MB that are kept, or later ones have taken its place")
            }
            CdpError::Timeout { .. } => Missing::because("the browser did not hand it over in time"),
            _ if !self.is_durable() => {
                Missing::because("this version of the browser keeps it only as long as its document")
            }
            _ => Missing::because("the browser does not have it; of a page's bodies it keeps the newest 64 MB"),
        }
    }
}

async fn received_body(session: &Session, request_id: &str) -> Result<Vec<u8>, CdpError> {
    let params = json!({"requestId": request_id});
    let received: Received = session.call_within("Network.getResponseBody", params, HANDOVER).await?;
    Ok(decoded(received.body, received.base64_encoded))
}

async fn sent_body(session: &Session, request_id: &str) -> Result<Vec<u8>, CdpError> {
    let params = json!({"requestId": request_id});
    let sent: Sent = session.call_within("Network.getRequestPostData", params, HANDOVER).await?;
    Ok(decoded(sent.post_data, sent.base64_encoded))
}

/// What has arrived so far of an answer that is still coming.
async fn streamed(session: &Session, request_id: &str) -> Result<Vec<u8>, CdpError> {
    let params = json!({"requestId": request_id});
    let streamed: Streamed = session.call_within("Network.streamResourceContent", params, PATIENCE).await?;
    Ok(decoded(streamed.buffered_data, true))
}

/// What a `data:` address holds.
fn data_body(url: &str) -> Option<Vec<u8>> {
    let (head, data) = url.strip_prefix("data:")?.split_once(',')?;
    let data = data.split('#').next().unwrap_or_default();
    let mut bytes: Vec<u8> = percent_encoding::percent_decode_str(data).collect();
    if !head.to_ascii_lowercase().trim_end().ends_with(";base64") {
        return Some(bytes);
    }
    bytes.retain(|byte| !byte.is_ascii_whitespace());
    BASE64_STANDARD.decode(bytes).ok()
}

/// Whether a type of content is worth reading ahead.
fn is_text_like(mime: &str) -> bool {
    let parts = ["json", "javascript", "ecmascript", "xml", "x-www-form-urlencoded", "graphql"];
    mime.starts_with("text/") || parts.iter().any(|part| mime.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_addresses_are_decoded() {
        let text = |url: &str| data_body(url).map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(text("data:text/plain,a%20b%2x%#c").as_deref(), Some("a b%2x%"));
        assert_eq!(text("data:;base64,aGkh").as_deref(), Some("hi!"));
        assert_eq!((text("data:nothing"), text("http://a.test/,")), (None, None));
    }

    #[test]
    fn reading_ahead_is_limited_in_each_second() {
        let reading = Reading::default();
        let due = (0..READS_PER_SECOND * 2).filter(|_| reading.is_due()).count();
        assert_eq!(due as u32, READS_PER_SECOND);
    }

    #[test]
    fn types_that_are_text() {
        for mime in ["text/css", "application/json", "application/ld+json", "image/svg+xml", "text/event-stream"] {
            assert!(is_text_like(mime), "{mime}");
        }
        assert!(!is_text_like("image/png") && !is_text_like("application/octet-stream"));
    }
}
