//! Gives memory back that large messages took. A snapshot of a large page is a message of megabytes, several times that
//! when it is parsed, and all of it is freed soon; but the allocator keeps what is free, in the arena of each thread that
//! had a part in it, for as long as the server runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Messages of this many bytes count.
const LARGE: usize = 256 * 1024;

/// After the last large message: when most of what came of it is freed, and when slow calls have done with it too.
const MOMENTS: [Duration; 2] = [Duration::from_millis(300), Duration::from_secs(3)];

/// Notes messages and has the memory given back after the last large one.
#[derive(Default)]
pub(super) struct Trim {
    large: AtomicU64,
    is_waiting: AtomicBool,
}

impl Trim {
    /// A message of `bytes` has come. Called in a Tokio runtime.
    pub(super) fn note(self: &Arc<Self>, bytes: usize) {
        if bytes < LARGE {
            return;
        }
        self.large.fetch_add(1, Ordering::Relaxed);
        if !self.is_waiting.swap(true, Ordering::Relaxed) {
            tokio::spawn(self.clone().wait());
        }
    }

    async fn wait(self: Arc<Self>) {
        'quiet: loop {
            let seen = self.large.load(Ordering::Relaxed);
            for moment in MOMENTS {
                tokio::time::sleep(moment).await;
                if self.large.load(Ordering::Relaxed) != seen {
                    continue 'quiet;
                }
                // Milliseconds for each hundred megabytes: not on a thread that answers calls.
                let _ = tokio::task::spawn_blocking(devtools_engine::release_memory).await;
            }
            self.is_waiting.store(false, Ordering::Relaxed);
            // One may have come between the last look and now.
            if self.large.load(Ordering::Relaxed) == seen || self.is_waiting.swap(true, Ordering::Relaxed) {
                return;
            }
        }
    }
}
