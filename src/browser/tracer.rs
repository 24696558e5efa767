//! Who records a performance trace. Chrome's tracing is browser-wide: one recording at a time, whatever page it is of.
//!
//! A [`Claim`] is the right to record. Dropping one that was not brought to its end throws the recording away, so that
//! no failed, cancelled or forgotten call leaves the browser recording; a page that dies, or a client that goes away,
//! ends its recording too.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::page::Attached;
use super::trace_stream::{self, Completed};
use crate::cdp::{CdpError, Event, Session, Subscription};

/// How long throwing away a recording may hold up the next one.
const DISCARD: Duration = Duration::from_secs(20);
/// Returns from the back/forward cache that are remembered.
const MAX_RESTORED: usize = 20;

/// A client that may own a recording.
#[derive(Clone)]
pub struct Owner {
    id: u64,
    gone: CancellationToken,
}

impl Owner {
    /// A new client, and the guard whose drop says that it has gone.
    pub fn new() -> (Self, DropGuard) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let gone = CancellationToken::new();
        let guard = gone.clone().drop_guard();
        (Owner { id: NEXT.fetch_add(1, Ordering::Relaxed), gone }, guard)
    }
}

/// A recording as others see it.
#[derive(Clone)]
pub struct Who {
    /// The page that is recorded.
    pub page: u32,
    /// Since when.
    pub since: Instant,
    owner: Owner,
}

impl Who {
    /// Whether this client owns it.
    pub fn is(&self, owner: &Owner) -> bool {
        self.owner.id == owner.id
    }
}

/// What was seen while the recording ran.
#[derive(Debug, Clone, Default)]
pub struct Observed {
    /// How long was recorded.
    pub recorded: Duration,
    /// When Chrome's buffer last took something, after the recording's start. It stops before it is full to the last
    /// byte, so this is when events began to be lost if any were.
    pub filled_after: Duration,
    /// How full it was then, from 0 to 1.
    filled: f64,
    /// Pages that came back from the back/forward cache. DevTools makes no insight set for such a return.
    pub restored: Vec<String>,
    /// The page's session has ended.
    gone: bool,
}

struct Recording {
    id: u64,
    page: Arc<Attached>,
    observed: Arc<Mutex<Observed>>,
    observer: AbortHandle,
    /// Handle of the stream once the recording has ended.
    stream: Option<String>,
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.observer.abort();
    }
}

#[derive(Default)]
enum Slot {
    #[default]
    Free,
    /// The recorded page went away; not told yet.
    Lost(Who),
    /// A call starts or ends it.
    Claimed(Who),
    /// Nobody works on it; it goes on.
    Running(Who, Recording),
    /// It is being thrown away.
    Discarding,
}

#[derive(Default)]
struct Shared {
    slot: Mutex<Slot>,
    freed: Notify,
}

impl Shared {
    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn free(&self) {
        *self.slot() = Slot::Free;
        self.freed.notify_waiters();
    }

    /// Takes the recording out if nobody works on it.
    fn take(self: &Arc<Self>, wanted: impl Fn(&Who, &Recording) -> bool) -> Option<Claim> {
        let mut slot = self.slot();
        match std::mem::take(&mut *slot) {
            Slot::Running(who, recording) if wanted(&who, &recording) => {
                *slot = Slot::Claimed(who.clone());
                Some(Claim { shared: self.clone(), who, recording: Some(recording) })
            }
            other => {
                *slot = other;
                None
            }
        }
    }
}

/// The one recording of a browser.
#[derive(Default)]
pub struct Tracer(Arc<Shared>);

/// Why there is nothing to stop.
pub enum NothingToStop {
    /// Nobody records.
    Idle,
    /// The recorded page went away, and the recording with it.
    Lost(Who),
    /// Another client's, or one that a call is just starting or ending.
    NotYours(Who),
}

impl Tracer {
    /// Claims the right to record a page. Fails at once if somebody records.
    pub async fn begin(&self, page: u32, owner: &Owner) -> Result<Claim, Who> {
        let who = Who { page, since: Instant::now(), owner: owner.clone() };
        loop {
            let freed = self.0.freed.notified();
            tokio::pin!(freed);
            // Registered before looking: a change in between is not missed.
            freed.as_mut().enable();
            {
                let mut slot = self.0.slot();
                match &*slot {
                    Slot::Free | Slot::Lost(_) => {
                        *slot = Slot::Claimed(who.clone());
                        return Ok(Claim { shared: self.0.clone(), who, recording: None });
                    }
                    Slot::Claimed(other) | Slot::Running(other, _) => return Err(other.clone()),
                    // Over within its own limit.
                    Slot::Discarding => {}
                }
            }
            freed.await;
        }
    }

    /// Takes over this client's running recording, to end it.
    pub fn take(&self, owner: &Owner) -> Result<Claim, NothingToStop> {
        if let Some(claim) = self.0.take(|who, _| who.is(owner)) {
            return Ok(claim);
        }
        let mut slot = self.0.slot();
        match std::mem::take(&mut *slot) {
            Slot::Lost(who) if who.is(owner) => Err(NothingToStop::Lost(who)),
            Slot::Free => Err(NothingToStop::Idle),
            other => {
                *slot = other;
                Err(match &*slot {
                    Slot::Claimed(who) | Slot::Running(who, _) => NothingToStop::NotYours(who.clone()),
                    _ => NothingToStop::Idle,
                })
            }
        }
    }
}

/// The right to record, held by a call. See the module.
pub struct Claim {
    shared: Arc<Shared>,
    who: Who,
    recording: Option<Recording>,
}

impl Claim {
    /// Who records what since when.
    pub fn who(&self) -> &Who {
        &self.who
    }

    /// The page that is recorded, after [`Claim::start`].
    pub fn page(&self) -> Option<&Arc<Attached>> {
        self.recording.as_ref().map(|recording| &recording.page)
    }

    /// Starts recording these categories into a buffer of this size.
    pub async fn start(&mut self, page: &Arc<Attached>, categories: &[String], buffer_kb: f64) -> Result<(), CdpError> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let events = page.session.subscribe(&["Tracing.bufferUsage", "Page.frameNavigated"]);
        let observed = Arc::<Mutex<Observed>>::default();
        self.who.since = Instant::now();
        let observer =
            tokio::spawn(observe(id, self.who.clone(), Arc::downgrade(&self.shared), events, observed.clone()));
        let observer = observer.abort_handle();
        // In place before the call: given up in the middle of it, the recording is thrown away all the same.
        self.recording = Some(Recording { id, page: page.clone(), observed, observer, stream: None });
        let result = trace_stream::start(&page.session, categories, buffer_kb).await;
        if result.is_err() {
            self.recording = None;
        }
        result
    }

    /// Lets the recording go on; somebody takes it later.
    pub fn park(mut self) {
        if self.who.owner.gone.is_cancelled() {
            return;
        }
        let shared = self.shared.clone();
        let mut slot = shared.slot();
        if let Some(recording) = self.recording.take() {
            // Looked at under the lock that the observer takes after it has set it: one of the two notices.
            let gone = lock(&recording.observed).gone;
            *slot = if gone { Slot::Lost(self.who.clone()) } else { Slot::Running(self.who.clone(), recording) };
        }
    }

    /// Ends the recording. Its stream must be read next, then comes [`Claim::done`].
    pub async fn end(&mut self) -> Result<(Completed, Observed), CdpError> {
        const END: &str = "Tracing.end";
        let recording = self.recording.as_mut().ok_or(CdpError::TargetClosed { method: END.into() })?;
        let recorded = self.who.since.elapsed();
        let completed = trace_stream::end(&recording.page.session).await?;
        recording.stream = Some(completed.stream.clone());
        let observed = Observed { recorded, ..lock(&recording.observed).clone() };
        Ok((completed, observed))
    }

    /// The stream has been read: the next recording may begin.
    pub fn done(mut self) {
        self.recording = None;
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let Some(recording) = self.recording.take() else {
            // Not if it has been parked or lost.
            let claimed = matches!(&*self.shared.slot(), Slot::Claimed(_));
            if claimed {
                self.shared.free();
            }
            return;
        };
        let session = recording.page.session.clone();
        if let Some(stream) = &recording.stream {
            trace_stream::close(&session, stream);
            return self.shared.free();
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return self.shared.free() };
        *self.shared.slot() = Slot::Discarding;
        let shared = self.shared.clone();
        runtime.spawn(async move {
            discard(&session).await;
            shared.free();
        });
    }
}

/// Ends a recording that nobody wants.
async fn discard(session: &Session) {
    match tokio::time::timeout(DISCARD, trace_stream::end(session)).await {
        Ok(Ok(completed)) => trace_stream::close(session, &completed.stream),
        Ok(Err(error)) => tracing::debug!("a recording was not ended: {error}"),
        Err(_) => tracing::warn!("a recording could not be ended within {} s", DISCARD.as_secs()),
    }
}

fn lock(observed: &Mutex<Observed>) -> MutexGuard<'_, Observed> {
    observed.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Follows a recording until it is taken to its end, its page goes or its owner does.
async fn observe(
    id: u64,
    who: Who,
    shared: std::sync::Weak<Shared>,
    mut events: Subscription,
    observed: Arc<Mutex<Observed>>,
) {
    loop {
        tokio::select! {
            event = events.next() => match event {
                Some(event) => note(&event, who.since, &observed),
                None => break,
            },
            () = who.owner.gone.cancelled() => break,
        }
    }
    let gone = !who.owner.gone.is_cancelled();
    lock(&observed).gone = gone;
    let Some(shared) = shared.upgrade() else { return };
    // A call that works on it just now finds out by itself.
    let Some(mut claim) = shared.take(|_, recording| recording.id == id) else { return };
    if gone {
        claim.recording = None;
        *shared.slot() = Slot::Lost(who);
    }
}

fn note(event: &Event, since: Instant, observed: &Mutex<Observed>) {
    let Ok(details) = event.decode::<Value>() else { return };
    let mut observed = lock(observed);
    if event.method == "Tracing.bufferUsage" {
        let filled = details["percentFull"].as_f64().unwrap_or(0.0);
        if filled > observed.filled {
            observed.filled = filled;
            observed.filled_after = since.elapsed();
        }
        return;
    }
    let frame = &details["frame"];
    let restored = details["type"] == "BackForwardCacheRestore" && frame.get("parentId").is_none();
    if let Some(url) = frame["url"].as_str().filter(|_| restored)
        && observed.restored.len() < MAX_RESTORED
    {
        observed.restored.push(format!("{url}{}", frame["urlFragment"].as_str().unwrap_or_default()));
    }
}
