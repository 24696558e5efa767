//! What console and network collectors share: where an entry comes from, and bounded stores split by documents.
//!
//! A page is recorded from the moment it is attached (pages that we open and their popups: from their birth). Entries of
//! the current document and the two before it are kept, the oldest fall out first, and all of a page's entries together
//! stay below a number of bytes.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::value::RawValue;

use crate::cdp::{Backlog, Session};

/// Documents whose entries are kept: the current one and those before it.
pub const DOCUMENTS: usize = 3;

/// How long somebody who reads a log waits for the events before.
const PATIENCE: Duration = Duration::from_secs(1);

/// How far a log is with the events of each session that it follows.
#[derive(Default)]
pub struct Backlogs(Mutex<Vec<Backlog>>);

impl Backlogs {
    /// Adds a session's, and forgets those of sessions that have ended.
    pub fn add(&self, backlog: Backlog) {
        let mut backlogs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        backlogs.retain(|backlog| !backlog.is_over());
        backlogs.push(backlog);
    }

    /// Waits until the events that have arrived are in the log; a page that never stops may go on.
    pub async fn caught_up(&self) {
        let backlogs = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let all = async {
            for backlog in backlogs {
                backlog.handled().await;
            }
        };
        let _ = tokio::time::timeout(PATIENCE, all).await;
    }
}

/// The part of a page that an event came from.
#[derive(Clone)]
pub struct Origin {
    /// The session that delivered it. Object ids in it mean something there only.
    pub session: Session,
    /// Which part.
    pub part: Part,
    /// Id of its first frame when it was attached; a worker's target id.
    pub frame: String,
    /// Its address when it was attached; empty for the page itself.
    pub url: String,
}

/// Parts of a page with a session of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The page's own process.
    Page,
    /// A frame in another process.
    Frame,
    /// A dedicated worker, or a worklet.
    Worker,
    /// A shared worker.
    SharedWorker,
    /// A service worker.
    ServiceWorker,
}

impl Part {
    /// From a CDP target type.
    pub fn of(kind: &str) -> Self {
        match kind {
            "page" => Part::Page,
            "iframe" => Part::Frame,
            "shared_worker" => Part::SharedWorker,
            "service_worker" => Part::ServiceWorker,
            _ => Part::Worker,
        }
    }

    /// Whether it is a worker of any kind.
    pub fn is_worker(self) -> bool {
        !matches!(self, Part::Page | Part::Frame)
    }

    /// Whether its log entries come on its own session. Those of frames and dedicated workers come on the page's.
    pub fn logs_itself(self) -> bool {
        matches!(self, Part::Page | Part::SharedWorker | Part::ServiceWorker)
    }

    /// What it is called in answers.
    pub fn name(self) -> &'static str {
        match self {
            Part::Page => "page",
            Part::Frame => "frame",
            Part::Worker => "worker",
            Part::SharedWorker => "shared worker",
            Part::ServiceWorker => "service worker",
        }
    }
}

/// What an entry costs.
pub trait Weight {
    /// About how many bytes it holds on to.
    fn bytes(&self) -> usize;
}

/// About how many bytes a text of its own takes, with the allocator's share.
pub fn allocated(text: &str) -> usize {
    text.len().next_multiple_of(16) + 16
}

/// JSON texts of which many entries have the same: the stack of a line in a loop, the headers of a page's requests.
#[derive(Default)]
pub struct Shared(VecDeque<Arc<RawValue>>);

impl Shared {
    /// How many different ones are looked at.
    const RECENT: usize = 16;

    /// The one of an entry before, if it is the same.
    pub fn of(&mut self, raw: Box<RawValue>) -> Arc<RawValue> {
        let shared = match self.0.iter().position(|known| known.get() == raw.get()) {
            Some(at) => self.0.remove(at).unwrap_or_else(|| raw.into()),
            None => raw.into(),
        };
        self.0.push_front(shared.clone());
        self.0.truncate(Self::RECENT);
        shared
    }
}

/// Entries of the last documents, oldest first.
pub struct Buckets<T> {
    buckets: VecDeque<VecDeque<Slot<T>>>,
    entries: usize,
    bytes: usize,
    held: usize,
    dropped: u64,
}

/// An entry and what it was counted as.
struct Slot<T> {
    entry: T,
    bytes: usize,
}

impl<T: Weight> Buckets<T> {
    /// At most `entries` for each document and `bytes` for all of them.
    pub fn new(entries: usize, bytes: usize) -> Self {
        Buckets { buckets: VecDeque::from([VecDeque::new()]), entries, bytes, held: 0, dropped: 0 }
    }

    /// Adds an entry of the current document.
    pub fn push(&mut self, entry: T) {
        let bytes = entry.bytes();
        self.held += bytes;
        let newest = self.buckets.len() - 1;
        self.buckets[newest].push_back(Slot { entry, bytes });
        if self.buckets[newest].len() > self.entries {
            self.drop_oldest(newest);
        }
        self.shrink();
    }

    /// Counts an entry anew that has changed: the newest one that fits.
    pub fn recount(&mut self, is_it: impl Fn(&T) -> bool) {
        if let Some(slot) = self.buckets.iter_mut().flatten().rev().find(|slot| is_it(&slot.entry)) {
            let bytes = slot.entry.bytes();
            self.held = self.held - slot.bytes + bytes;
            slot.bytes = bytes;
        }
        self.shrink();
    }

    /// Removes the oldest entries until the rest fits; the newest always stays.
    fn shrink(&mut self) {
        while self.held > self.bytes {
            let newest = self.buckets.len() - 1;
            let Some(bucket) = self.buckets.iter().position(|bucket| !bucket.is_empty()) else { return };
            if bucket == newest && self.buckets[bucket].len() == 1 {
                return;
            }
            self.drop_oldest(bucket);
        }
    }

    fn drop_oldest(&mut self, bucket: usize) {
        if let Some(slot) = self.buckets[bucket].pop_front() {
            self.held -= slot.bytes;
            self.dropped += 1;
        }
    }

    /// A new document begins. It takes over the current entries from the index `from` on.
    pub fn split(&mut self, from: usize) {
        let newest = self.buckets.len() - 1;
        let current = &mut self.buckets[newest];
        let taken = current.split_off(from.min(current.len()));
        self.buckets.push_back(taken);
        if self.buckets.len() > DOCUMENTS
            && let Some(oldest) = self.buckets.pop_front()
        {
            self.held -= oldest.iter().map(|slot| slot.bytes).sum::<usize>();
        }
    }

    /// The current document's entries, oldest first.
    pub fn current(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator {
        self.buckets[self.buckets.len() - 1].iter().map(|slot| &slot.entry)
    }

    /// The entries of each document, oldest document first.
    pub fn documents(&self) -> impl Iterator<Item = impl DoubleEndedIterator<Item = &T>> {
        self.buckets.iter().map(|bucket| bucket.iter().map(|slot| &slot.entry))
    }

    /// All entries, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.buckets.iter().flatten().map(|slot| &slot.entry)
    }

    /// All entries for changing, oldest first. Changes in size are counted by [`Buckets::recount`].
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut T> {
        self.buckets.iter_mut().flatten().map(|slot| &mut slot.entry)
    }

    /// Entries that were given up for lack of room, not by a new document.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sized(u32, usize);

    impl Weight for Sized {
        fn bytes(&self) -> usize {
            self.1
        }
    }

    fn kept(buckets: &Buckets<Sized>) -> Vec<Vec<u32>> {
        buckets.documents().map(|bucket| bucket.map(|entry| entry.0).collect()).collect()
    }

    #[test]
    fn equal_texts_are_one() {
        let raw = |text: String| RawValue::from_string(text).unwrap();
        let mut shared = Shared::default();
        let first = shared.of(raw("[1]".into()));
        assert!(Arc::ptr_eq(&first, &shared.of(raw("[1]".into()))));
        assert!(!Arc::ptr_eq(&first, &shared.of(raw("[2]".into()))));
        // Those that have not come for long are forgotten.
        for n in 10..10 + Shared::RECENT {
            shared.of(raw(n.to_string()));
        }
        assert!(!Arc::ptr_eq(&first, &shared.of(raw("[1]".into()))));
        assert_eq!(shared.0.len(), Shared::RECENT);
    }

    #[test]
    fn the_oldest_go_first_and_three_documents_stay() {
        let mut buckets = Buckets::new(3, 1000);
        for n in 0..5 {
            buckets.push(Sized(n, 1));
        }
        assert_eq!((kept(&buckets), buckets.dropped()), (vec![vec![2, 3, 4]], 2));
        buckets.split(2);
        assert_eq!(kept(&buckets), [vec![2, 3], vec![4]]);
        buckets.split(usize::MAX);
        buckets.split(usize::MAX);
        assert_eq!(kept(&buckets), [vec![4], vec![], vec![]]);
        assert_eq!(buckets.held, 1);
    }

    #[test]
    fn bytes_are_limited_over_all_documents_but_the_newest_entry_stays() {
        let mut buckets = Buckets::new(100, 10);
        buckets.push(Sized(0, 4));
        buckets.split(usize::MAX);
        buckets.push(Sized(1, 4));
        buckets.push(Sized(2, 4));
        assert_eq!(kept(&buckets), [vec![], vec![1, 2]]);
        buckets.push(Sized(3, 50));
        assert_eq!((kept(&buckets), buckets.held), (vec![vec![], vec![3]], 50));
    }
}
