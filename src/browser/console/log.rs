//! The log: follows the events of a page's sessions and keeps its entries.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{Notify, Semaphore};

use super::details;
use super::entry::{Entry, Issue, Kind, Message};
use super::remote::ValueType;
use crate::browser::collect::{Backlogs, Buckets, Origin, Part, Shared};
use crate::browser::console::Details;
use crate::cdp::Event;

/// Entries of one document, and bytes of all of them together.
const ENTRIES: usize = 10_000;
const BYTES: usize = 16 * 1024 * 1024;

/// Events that may wait while others are being read.
const WAITING: usize = 20_000;

/// Messages whose values are being read from the page at the same time. A page that logs faster than it can describe
/// its values keeps the one-level previews that come with the events.
const READERS: usize = 16;

/// How long somebody who wants a message's details waits for them.
const PATIENCE: Duration = Duration::from_secs(1);

/// Entries whose frames are remembered: what a document can say before it is known that it is the page's.
const STRANGERS: usize = 1000;

const EVENTS: &[&str] = &[
    "Runtime.consoleAPICalled",
    "Runtime.exceptionThrown",
    "Runtime.executionContextCreated",
    "Runtime.executionContextDestroyed",
    "Runtime.executionContextsCleared",
    "Log.entryAdded",
    "Audits.issueAdded",
    "Page.frameNavigated",
    "Page.frameDetached",
];

/// The console of one page.
pub struct ConsoleLog {
    state: Mutex<State>,
    readers: Arc<Semaphore>,
    read: Notify,
    backlogs: Backlogs,
}

struct State {
    entries: Buckets<Entry>,
    order: u64,
    next_id: u32,
    /// Events that came faster than they could be taken.
    lost: u64,
}

impl Default for ConsoleLog {
    fn default() -> Self {
        ConsoleLog {
            state: Mutex::new(State { entries: Buckets::new(ENTRIES, BYTES), order: 0, next_id: 1, lost: 0 }),
            readers: Arc::new(Semaphore::new(READERS)),
            read: Notify::new(),
            backlogs: Backlogs::default(),
        }
    }
}

/// What one session has told about its frames, and the stacks of its messages.
#[derive(Default)]
struct Places {
    stacks: Shared,
    /// Frames of execution contexts.
    contexts: HashMap<i64, String>,
    /// Addresses of frames other than the main one.
    frames: HashMap<String, String>,
    /// The main frame's.
    document: String,
    /// Another main frame than the one that was attached to.
    main_frame: Option<String>,
    /// The last entry before the execution contexts that there are.
    contexts_since: u64,
    /// Entries since then that frames made of which nothing is known, and those frames.
    strangers: Vec<(u64, String)>,
}

/// How a document has come.
enum Arrival {
    Loaded,
    /// It was there, and has become the page's.
    Prerendered,
}

impl ConsoleLog {
    /// Follows a session from now on; called before its events are switched on.
    pub fn follow(self: &Arc<Self>, origin: Origin) {
        let mut events = origin.session.connection().subscribe(origin.session.id(), EVENTS, WAITING);
        self.backlogs.add(events.backlog());
        let log = Arc::downgrade(self);
        let origin = Arc::new(origin);
        tokio::spawn(async move {
            let mut places = Places::default();
            let mut lost = 0;
            while let Some(event) = events.next().await {
                let Some(log) = log.upgrade() else { return };
                log.note(&event, &origin, &mut places);
                if events.lost() > lost {
                    log.state().lost += events.lost() - lost;
                    lost = events.lost();
                }
            }
        });
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(self: &Arc<Self>, event: &Event, origin: &Arc<Origin>, places: &mut Places) {
        match event.method.as_str() {
            "Page.frameNavigated" => {
                if let Some(arrival) = places.navigated(event, origin) {
                    let mut state = self.state();
                    let first = match arrival {
                        Arrival::Loaded => None,
                        // What it has said is repeated before it is known that it is there.
                        Arrival::Prerendered => {
                            let own = places.entries_of_stranger(places.main_frame(origin));
                            for entry in state.entries.iter_mut().filter(|entry| own.contains(&entry.order)) {
                                entry.place = None;
                            }
                            state.entries.current().position(|entry| entry.order > places.contexts_since)
                        }
                    };
                    state.entries.split(first.unwrap_or(usize::MAX));
                }
            }
            "Runtime.executionContextCreated" => places.created(event),
            "Runtime.executionContextsCleared" => {
                places.contexts.clear();
                places.contexts_since = self.state().order;
                places.strangers.clear();
            }
            "Runtime.executionContextDestroyed" => places.destroyed(event),
            "Page.frameDetached" => places.detached(event),
            "Audits.issueAdded" => {
                if let Some(issue) = Issue::read(event) {
                    self.push(Kind::Issue(Arc::new(issue)), None);
                }
            }
            _ => {
                let Some(read) = Message::read(event, origin, &mut places.stacks) else { return };
                for id in read.release {
                    origin.session.post("Runtime.releaseObject", json!({"objectId": id}));
                }
                let message = Arc::new(read.message);
                let place = places.of(origin, read.context).or_else(|| {
                    // The document itself goes without saying, and what the text names already too.
                    let url =
                        read.about.filter(|url| *url != places.document && !message.text.contains(url.as_str()))?;
                    Some(format!("at {url}"))
                });
                let order = self.push(Kind::Message(message.clone()), place);
                places.remember(order, read.context, origin);
                self.read_details(message, order);
            }
        }
    }

    fn push(&self, kind: Kind, place: Option<String>) -> u64 {
        let mut state = self.state();
        state.order += 1;
        let order = state.order;
        state.entries.push(Entry { id: None, order, place: place.map(Into::into), kind });
        order
    }

    /// Reads a message's values from the page, in a task of its own.
    fn read_details(self: &Arc<Self>, message: Arc<Message>, order: u64) {
        let is_structured = |at: usize| {
            let value = &message.values()[at];
            value.r#type == ValueType::Object && value.object_id.is_some()
        };
        let structured: Vec<usize> = (0..message.values().len()).filter(|&at| is_structured(at)).collect();
        let permit = if structured.is_empty() { None } else { self.readers.clone().try_acquire_owned().ok() };
        for (at, value) in message.values().iter().enumerate() {
            if permit.is_some() && structured.contains(&at) {
                continue;
            }
            let _ = message.details[at].set(Details::None);
            if let Some(id) = &value.object_id {
                message.origin.session.post("Runtime.releaseObject", json!({"objectId": id}));
            }
        }
        let Some(permit) = permit else { return };
        let log = Arc::downgrade(self);
        tokio::spawn(async move {
            for at in structured {
                let details = details::read(&message.origin.session, &message.values()[at]).await;
                let _ = message.details[at].set(details);
            }
            drop(permit);
            if let Some(log) = log.upgrade() {
                log.state().entries.recount(|entry| entry.order == order);
                log.read.notify_waiters();
            }
        });
    }

    /// Waits until the events that have arrived are in the log; a page that never stops may go on.
    pub async fn caught_up(&self) {
        self.backlogs.caught_up().await;
    }

    /// Waits until the values of these messages have been read, or until that has taken too long.
    pub async fn details_read(&self, messages: &[Arc<Message>]) {
        let all = async {
            loop {
                let notified = self.read.notified();
                tokio::pin!(notified);
                notified.as_mut().enable();
                if messages.iter().all(|message| message.details.iter().all(|slot| slot.get().is_some())) {
                    return;
                }
                notified.await;
            }
        };
        let _ = tokio::time::timeout(PATIENCE, all).await;
    }

    /// The entries of each document that is kept, oldest document first.
    pub fn documents(&self) -> Vec<Vec<Entry>> {
        self.state().entries.documents().map(|entries| entries.cloned().collect()).collect()
    }

    /// Gives numbers to entries that have none, in their order, up to the entry `last`. Messages get one each; of the
    /// issues only those for which `is_head` holds: one for each group.
    ///
    /// Numbers are given when somebody looks and not on arrival, because grouping issues takes the front-end, which is
    /// not started for pages that nobody asks about.
    pub fn number(&self, last: u64, is_head: impl Fn(u64) -> bool) {
        let mut state = self.state();
        let mut next = state.next_id;
        for entry in state.entries.iter_mut().filter(|entry| entry.order <= last && entry.id.is_none()) {
            if matches!(entry.kind, Kind::Message(_)) || is_head(entry.order) {
                entry.id = Some(next);
                next += 1;
            }
        }
        state.next_id = next;
    }

    /// Entries that fell out because the page said more than is kept, or more than could be taken.
    pub fn lost(&self) -> u64 {
        let state = self.state();
        state.lost + state.entries.dropped()
    }
}

impl Places {
    /// Notes where a frame is, and how the document came if it is the page's.
    fn navigated(&mut self, event: &Event, origin: &Origin) -> Option<Arrival> {
        let details = event.decode::<Value>().ok()?;
        let frame = &details["frame"];
        let id = frame["id"].as_str()?;
        let url = frame["url"].as_str().unwrap_or_default().to_owned();
        if frame.get("parentId").is_some() || origin.part != Part::Page {
            self.frames.insert(id.to_owned(), url);
            return None;
        }
        self.document = url;
        if id == self.main_frame(origin) {
            return Some(Arrival::Loaded);
        }
        self.main_frame = Some(id.to_owned());
        Some(Arrival::Prerendered)
    }

    fn main_frame<'a>(&'a self, origin: &'a Origin) -> &'a str {
        self.main_frame.as_ref().unwrap_or(&origin.frame)
    }

    fn created(&mut self, event: &Event) {
        #[derive(Deserialize)]
        struct Created {
            context: Context,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Context {
            id: i64,
            aux_data: Option<Value>,
        }
        let Ok(Created { context }) = event.decode() else { return };
        if let Some(frame) = context.aux_data.as_ref().and_then(|data| data["frameId"].as_str()) {
            self.contexts.insert(context.id, frame.to_owned());
        }
    }

    /// Messages have got their place when they came.
    fn destroyed(&mut self, event: &Event) {
        let Ok(details) = event.decode::<Value>() else { return };
        if let Some(id) = details["executionContextId"].as_i64() {
            self.contexts.remove(&id);
        }
    }

    fn detached(&mut self, event: &Event) {
        let Ok(details) = event.decode::<Value>() else { return };
        if let Some(id) = details["frameId"].as_str() {
            self.frames.remove(id);
        }
    }

    /// A frame that nobody has told of may turn out to be the main one.
    fn remember(&mut self, order: u64, context: Option<i64>, origin: &Origin) {
        let frame = context.and_then(|id| self.contexts.get(&id));
        if let Some(frame) = frame.filter(|frame| !self.frames.contains_key(*frame))
            && frame != self.main_frame(origin)
            && self.strangers.len() < STRANGERS
        {
            self.strangers.push((order, frame.clone()));
        }
    }

    fn entries_of_stranger(&self, frame: &str) -> Vec<u64> {
        self.strangers.iter().filter(|(_, of)| of == frame).map(|(order, _)| *order).collect()
    }

    /// Where a message of an execution context was made, unless in the main frame.
    fn of(&self, origin: &Origin, context: Option<i64>) -> Option<String> {
        match origin.part {
            part if part.is_worker() => Some(format!("in {} {}", part.name(), origin.url)),
            _ => {
                let frame = context.and_then(|id| self.contexts.get(&id))?;
                match self.frames.get(frame) {
                    Some(url) => Some(format!("in frame {url}")),
                    None if origin.part == Part::Frame => Some(format!("in frame {}", origin.url)),
                    // It was there before us.
                    None if frame != self.main_frame(origin) => Some("in a frame".into()),
                    None => None,
                }
            }
        }
    }
}
