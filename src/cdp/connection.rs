//! The router: one id counter, the table of calls that wait for an answer, the subscribers of events.
//!
//! An entry leaves the table when its answer comes, when its caller stops waiting (a guard does that), when its session
//! is detached or when the connection ends: nothing waits for ever and nothing is kept for nobody.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::error::CdpError;
use super::mailbox::{Bound, Filter, Mailbox, Subscription};
use super::message::{Envelope, Event, RemoteError};
use super::transport::{Reader, Writer};
use super::trim::Trim;

/// How long a call waits unless its caller says otherwise; the original's limit.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(180);

/// How long a goodbye may take.
const GOODBYE: Duration = Duration::from_secs(1);

/// Messages that may wait for the writer.
const OUTGOING: usize = 256;

type Answer = Result<Box<RawValue>, CdpError>;

/// An answer and its place among all messages of the connection.
type Placed = (Answer, u64);

/// Domains that the browser itself answers, whatever becomes of the page's process: what was recorded until it crashed can
/// be had.
const BROWSER_DOMAINS: &[&str] = &["Tracing.", "IO."];

/// Chrome's code for calls on a session that it does not know, or not any more.
const NO_SUCH_SESSION: i64 = -32001;

struct Pending {
    session: Option<String>,
    method: String,
    reply: oneshot::Sender<Placed>,
}

#[derive(Default)]
struct Tables {
    pending: HashMap<u64, Pending>,
    mailboxes: Vec<Weak<Mailbox>>,
    /// Sessions that ended last: one that ends before somebody subscribes to it must not be waited for.
    gone: VecDeque<String>,
}

/// How many sessions that have ended are known as such.
const GONE: usize = 256;

/// One connection to a browser.
pub struct Connection {
    outgoing: mpsc::Sender<Vec<u8>>,
    next_id: AtomicU64,
    /// Messages that have come.
    received: AtomicU64,
    tables: Mutex<Tables>,
    ended: AtomicBool,
    /// Ends both tasks. A socket, unlike a pipe, is only closed when both of its halves are dropped.
    closing: CancellationToken,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.closing.cancel();
    }
}

/// A call that has been sent.
pub struct Reply {
    answer: oneshot::Receiver<Placed>,
    method: String,
    _guard: PendingGuard,
}

impl Reply {
    /// Waits for the raw `result`.
    pub async fn within(self, timeout: Duration) -> Answer {
        self.placed_within(timeout).await.0
    }

    /// The same with the answer's place.
    async fn placed_within(self, timeout: Duration) -> Placed {
        match tokio::time::timeout(timeout, self.answer).await {
            Ok(Ok(placed)) => placed,
            Ok(Err(_)) => (Err(CdpError::Disconnected { method: self.method }), 0),
            Err(_) => (Err(CdpError::Timeout { method: self.method, after: timeout }), 0),
        }
    }
}

/// Takes the call out of the table when its caller stops waiting.
struct PendingGuard {
    connection: Arc<Connection>,
    id: u64,
}

impl Drop for PendingGuard {
    fn drop(&mut self) {
        self.connection.tables().pending.remove(&self.id);
    }
}

#[derive(Serialize)]
struct Outgoing<'a, P: Serialize> {
    id: u64,
    method: &'a str,
    #[serde(rename = "sessionId", skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
    params: P,
}

impl Connection {
    /// Starts the two tasks that serve the transport.
    pub fn start(mut reader: impl Reader, mut writer: impl Writer) -> Arc<Self> {
        let (outgoing, mut messages) = mpsc::channel::<Vec<u8>>(OUTGOING);
        let connection = Arc::new(Connection {
            outgoing,
            next_id: AtomicU64::new(1),
            received: AtomicU64::new(0),
            tables: Mutex::default(),
            ended: AtomicBool::new(false),
            closing: CancellationToken::new(),
        });
        let closing = connection.closing.clone();
        tokio::spawn(async move {
            let sending = async {
                while let Some(message) = messages.recv().await {
                    if let Err(error) = writer.send(&message).await {
                        tracing::debug!("the connection to the browser cannot be written to: {error}");
                        return;
                    }
                }
            };
            tokio::select! {
                () = sending => {}
                () = closing.cancelled() => {}
            }
            let _ = tokio::time::timeout(GOODBYE, writer.finish()).await;
        });
        let closing = connection.closing.clone();
        let weak = Arc::downgrade(&connection);
        let trim = Arc::<Trim>::default();
        tokio::spawn(async move {
            loop {
                let received = tokio::select! {
                    received = reader.receive() => received,
                    () = closing.cancelled() => break,
                };
                match received {
                    Ok(Some(message)) => {
                        let Some(connection) = weak.upgrade() else { break };
                        trim.note(message.len());
                        let full = connection.dispatch(&message);
                        // Not while holding on to the connection: it may end meanwhile.
                        drop(connection);
                        for mailbox in full {
                            tokio::select! {
                                () = mailbox.room() => {}
                                () = closing.cancelled() => {}
                            }
                        }
                    }
                    Ok(None) => break,
                    Err(error) => {
                        tracing::warn!("the connection to the browser failed: {error}");
                        break;
                    }
                }
            }
            // The writer must not keep a socket open that nobody reads any more.
            closing.cancel();
            if let Some(connection) = weak.upgrade() {
                connection.end();
            }
        });
        connection
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the browser has gone.
    pub fn is_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Ends the connection from our side; the browser stays. Calls that wait fail.
    pub fn close(&self) {
        self.closing.cancel();
        self.end();
    }

    /// Calls a method on a flat session (`None`: the browser itself) and returns the raw `result`.
    pub async fn call(
        self: &Arc<Self>,
        session: Option<&str>,
        method: &str,
        params: impl Serialize,
        timeout: Duration,
    ) -> Answer {
        self.begin(session, method, params).await?.within(timeout).await
    }

    /// As [`Connection::call`], with the answer's place: smaller than that of events that the browser sent after it,
    /// whichever of them a task gets to see first.
    pub async fn call_placed(
        self: &Arc<Self>,
        session: Option<&str>,
        method: &str,
        params: impl Serialize,
    ) -> Result<(Box<RawValue>, u64), CdpError> {
        let (answer, place) = self.begin(session, method, params).await?.placed_within(DEFAULT_TIMEOUT).await;
        Ok((answer?, place))
    }

    /// Sends a call, in its place in the order of calls; its answer is waited for apart.
    pub async fn begin(
        self: &Arc<Self>,
        session: Option<&str>,
        method: &str,
        params: impl Serialize,
    ) -> Result<Reply, CdpError> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let message = serde_json::to_vec(&Outgoing { id, method, session, params })
            .map_err(|e| CdpError::Shape { method: method.into(), why: e.to_string() })?;
        let (reply, answer) = oneshot::channel();
        self.tables().pending.insert(id, Pending { session: session.map(str::to_owned), method: method.into(), reply });
        let guard = PendingGuard { connection: self.clone(), id };
        // Checked after the insertion: `end` drains the table once, after it has set the flag.
        if self.is_ended() || self.outgoing.send(message).await.is_err() {
            return Err(CdpError::Disconnected { method: method.into() });
        }
        Ok(Reply { answer, method: method.into(), _guard: guard })
    }

    /// Sends a call whose answer nobody needs. It keeps its place in the order of calls; it is dropped if the browser
    /// does not take messages just now.
    pub fn post(&self, session: Option<&str>, method: &str, params: impl Serialize) {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        if let Ok(message) = serde_json::to_vec(&Outgoing { id, method, session, params }) {
            let _ = self.outgoing.try_send(message);
        }
    }

    /// Subscribes to all events of one session. At most `capacity` wait; older ones are dropped and counted.
    pub fn subscribe_all(&self, session: &str, capacity: usize) -> Subscription {
        self.subscribe(Some(session), &[], capacity)
    }

    /// Subscribes to events of one session. At most `capacity` wait; older ones are dropped and counted.
    pub fn subscribe(&self, session: Option<&str>, methods: &'static [&'static str], capacity: usize) -> Subscription {
        let filter = Filter { session: session.map(str::to_owned), methods };
        self.subscribe_within(filter, Bound::Newest(capacity))
    }

    /// Subscribes to bulk data: nothing is lost, and the browser is not read from while more than `bytes` wait. The
    /// subscriber must go on taking, or end its subscription.
    pub fn subscribe_bulk(
        &self,
        session: Option<&str>,
        methods: &'static [&'static str],
        bytes: usize,
    ) -> Subscription {
        let filter = Filter { session: session.map(str::to_owned), methods };
        self.subscribe_within(filter, Bound::Complete(bytes))
    }

    fn subscribe_within(&self, filter: Filter, bound: Bound) -> Subscription {
        let session = filter.session.clone();
        let (subscription, mailbox) = Subscription::new(filter, bound);
        let is_gone = {
            let mut tables = self.tables();
            tables.mailboxes.push(mailbox.clone());
            session.is_some_and(|session| tables.gone.contains(&session))
        };
        if (is_gone || self.is_ended())
            && let Some(mailbox) = mailbox.upgrade()
        {
            mailbox.close();
        }
        subscription
    }

    /// Hands a message to whom it is for; the bulk subscribers that have more than enough now.
    fn dispatch(&self, message: &[u8]) -> Vec<Arc<Mailbox>> {
        let text = String::from_utf8_lossy(message);
        let envelope: Envelope = match serde_json::from_str(&text) {
            Ok(envelope) => envelope,
            Err(error) => {
                tracing::warn!("a message of the browser is not JSON: {error}");
                return Vec::new();
            }
        };
        let place = self.received.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(id) = envelope.id {
            // No entry: its caller has stopped waiting.
            let Some(pending) = self.tables().pending.remove(&id) else { return Vec::new() };
            let method = pending.method;
            let answer = match envelope.error {
                Some(RemoteError { code: NO_SUCH_SESSION, .. }) => Err(CdpError::TargetClosed { method }),
                Some(error) => Err(CdpError::Protocol {
                    method,
                    code: error.code,
                    message: error.message,
                    data: error.data.map(|d| d.as_str().map_or_else(|| d.to_string(), str::to_owned)),
                }),
                None => {
                    envelope.result.map(ToOwned::to_owned).ok_or(CdpError::Shape { method, why: "no result".into() })
                }
            };
            let _ = pending.reply.send((answer, place));
            return Vec::new();
        }
        let Some(method) = envelope.method else { return Vec::new() };
        let event = Event {
            method: method.into_owned(),
            session: envelope.session.map(|s| s.into_owned()),
            params: envelope.params.map_or_else(|| RawValue::NULL.to_owned(), ToOwned::to_owned),
            place,
        };
        self.deliver(event)
    }

    /// Tells the subscribers of a session what the browser does not tell, as if it had come now.
    pub fn announce(&self, session: Option<&str>, method: &str, params: &impl Serialize) {
        let Ok(params) = serde_json::value::to_raw_value(params) else { return };
        let place = self.received.fetch_add(1, Ordering::Relaxed) + 1;
        let session = session.map(str::to_owned);
        self.deliver(Event { method: method.into(), session, params, place });
    }

    fn deliver(&self, event: Event) -> Vec<Arc<Mailbox>> {
        match event.method.as_str() {
            "Target.detachedFromTarget" => self.detached(&event),
            "Inspector.targetCrashed" => {
                if let Some(session) = &event.session {
                    let of_renderer = |method: &str| !BROWSER_DOMAINS.iter().any(|domain| method.starts_with(domain));
                    self.fail(session, of_renderer, |method| CdpError::Crashed { method });
                }
            }
            _ => {}
        }
        let mut tables = self.tables();
        let mut full = Vec::new();
        tables.mailboxes.retain(|weak| match weak.upgrade() {
            Some(mailbox) => {
                if mailbox.filter.accepts(&event) && mailbox.push(event.clone()) {
                    full.push(mailbox);
                }
                true
            }
            None => false,
        });
        full
    }

    /// A session has ended: its calls fail as *target closed*, its subscriptions end.
    fn detached(&self, event: &Event) {
        #[derive(serde::Deserialize)]
        struct Detached {
            #[serde(rename = "sessionId")]
            session: String,
        }
        let Ok(Detached { session }) = event.decode() else { return };
        self.fail(&session, |_| true, |method| CdpError::TargetClosed { method });
        let mut tables = self.tables();
        for mailbox in tables.mailboxes.iter().filter_map(Weak::upgrade) {
            if mailbox.filter.session.as_deref() == Some(session.as_str()) {
                mailbox.close();
            }
        }
        tables.gone.push_back(session);
        if tables.gone.len() > GONE {
            tables.gone.pop_front();
        }
    }

    /// Ends the calls of a session that nobody will answer.
    fn fail(&self, session: &str, methods: impl Fn(&str) -> bool, error: impl Fn(String) -> CdpError) {
        let waiting = |pending: &Pending| pending.session.as_deref() == Some(session) && methods(&pending.method);
        for (_, Pending { method, reply, .. }) in self.tables().pending.extract_if(|_, pending| waiting(pending)) {
            let _ = reply.send((Err(error(method)), 0));
        }
    }

    fn end(&self) {
        self.ended.store(true, Ordering::Release);
        let mut tables = self.tables();
        for (_, Pending { method, reply, .. }) in tables.pending.drain() {
            let _ = reply.send((Err(CdpError::Disconnected { method }), 0));
        }
        for mailbox in tables.mailboxes.iter().filter_map(Weak::upgrade) {
            mailbox.close();
        }
    }

    /// Calls that wait for an answer, for tests.
    #[cfg(test)]
    fn pending(&self) -> usize {
        self.tables().pending.len()
    }
}

#[cfg(test)]
#[path = "connection_tests.rs"]
mod tests;
