//! The traces that a client can still ask about: the last one, and a few before it while they are small.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::devtools::trace::{DeviceScope, TraceAnalysis};

/// Traces kept, the last one included.
pub const KEPT: usize = 3;
/// Events that all kept traces together may have; an event costs about half a kilobyte. The last one is always kept.
pub const KEPT_EVENTS: u64 = 1_000_000;

/// A trace that was recorded or loaded.
pub struct StoredTrace {
    /// It. Dropping the last handle ends its isolate.
    pub analysis: TraceAnalysis,
    /// Which field data its texts show.
    pub scope: DeviceScope,
}

/// Newest first, each with its size.
struct Recent<T>(VecDeque<(u64, Arc<T>)>);

impl<T> Recent<T> {
    fn push(&mut self, size: u64, item: T) {
        self.0.push_front((size, Arc::new(item)));
        self.0.truncate(KEPT);
        while self.0.len() > 1 && self.0.iter().map(|(size, _)| size).sum::<u64>() > KEPT_EVENTS {
            self.0.pop_back();
        }
    }
}

/// The traces of one client.
pub struct Traces(Mutex<Recent<StoredTrace>>);

impl Default for Traces {
    fn default() -> Self {
        Traces(Mutex::new(Recent(VecDeque::new())))
    }
}

impl Traces {
    fn recent(&self) -> MutexGuard<'_, Recent<StoredTrace>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a trace, which is now the last one.
    pub fn store(&self, trace: StoredTrace) {
        let events = trace.analysis.overview().event_count;
        self.recent().push(events, trace);
    }

    /// All of them, newest first.
    pub fn all(&self) -> Vec<Arc<StoredTrace>> {
        self.recent().0.iter().map(|(_, trace)| trace.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_one_stays_and_older_ones_while_they_are_few_and_small() {
        let mut recent = Recent(VecDeque::new());
        let kept = |recent: &Recent<u32>| recent.0.iter().map(|(_, item)| **item).collect::<Vec<_>>();
        for item in 1..=4 {
            recent.push(10, item);
        }
        assert_eq!(kept(&recent), [4, 3, 2]);
        recent.push(KEPT_EVENTS - 15, 5);
        assert_eq!(kept(&recent), [5, 4]);
        recent.push(KEPT_EVENTS * 9, 6);
        assert_eq!(kept(&recent), [6]);
        recent.push(1, 7);
        assert_eq!(kept(&recent), [7]);
    }
}
