//! The heap snapshots a client has loaded, by path.
//!
//! Each is loaded once, by whoever asks first, and kept until it is closed. There is a bound on their memory together: the one that
//! was not used for longest gives up its isolate and is loaded again when it is asked for; ids stay the same.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use tokio::sync::OnceCell;

use super::{HeapError, HeapSnapshot, LoadOptions};

/// Snapshots that are kept loaded at the same time.
const MOST: usize = 16;

/// Which content of a path was loaded.
#[derive(Debug, Clone, PartialEq)]
struct Version(u64, Option<SystemTime>);

struct Entry {
    snapshot: Arc<OnceCell<HeapSnapshot>>,
    version: Option<Version>,
    /// Larger is later.
    used: u64,
}

#[derive(Default)]
struct Entries {
    by_path: HashMap<PathBuf, Entry>,
    clock: u64,
}

/// The loaded snapshots of one client.
#[derive(Default)]
pub struct HeapStore(Mutex<Entries>);

impl HeapStore {
    /// The snapshot in a file, loaded if it is not. `path` is canonical.
    pub async fn get(&self, path: &Path, options: LoadOptions) -> Result<HeapSnapshot, HeapError> {
        let memory = options.memory as u64;
        let cell = self.cell(path);
        let result = cell.get_or_try_init(|| HeapSnapshot::load(path, options)).await.cloned();
        if result.is_err() {
            self.forget_failed(path, &cell);
        } else {
            self.make_room(path, memory);
        }
        result
    }

    /// Frees a snapshot.
    pub fn close(&self, path: &Path) -> Result<(), HeapError> {
        match self.entries().by_path.remove(path) {
            Some(_) => Ok(()),
            None => Err(HeapError::NotLoaded { path: path.display().to_string() }),
        }
    }

    /// Paths that count as loaded.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.entries().by_path.keys().cloned().collect()
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cell(&self, path: &Path) -> Arc<OnceCell<HeapSnapshot>> {
        let version = version(path);
        let mut entries = self.entries();
        entries.clock += 1;
        let used = entries.clock;
        let entry = entries.by_path.entry(path.to_owned()).or_insert_with(|| Entry {
            snapshot: Arc::default(),
            version: version.clone(),
            used,
        });
        entry.used = used;
        // Another content under the same name (a file that has gone keeps what was loaded), or an isolate that has ended.
        let is_other = version.is_some() && entry.version != version;
        if is_other || entry.snapshot.get().is_some_and(HeapSnapshot::is_ended) {
            entry.snapshot = Arc::default();
            entry.version = version;
        }
        entry.snapshot.clone()
    }

    /// A failed load leaves nothing behind, unless somebody else is loading already.
    fn forget_failed(&self, path: &Path, cell: &Arc<OnceCell<HeapSnapshot>>) {
        let mut entries = self.entries();
        let is_same = entries.by_path.get(path).is_some_and(|entry| Arc::ptr_eq(&entry.snapshot, cell));
        // The map and the caller have one each; more are waiting for their own attempt.
        if is_same && Arc::strong_count(cell) <= 2 {
            entries.by_path.remove(path);
        }
    }

    fn make_room(&self, keep: &Path, memory: u64) {
        let mut entries = self.entries();
        loop {
            let loaded = || entries.by_path.iter().filter_map(|(path, e)| Some((path, e.used, e.snapshot.get()?)));
            let taken: u64 = loaded().map(|(.., snapshot)| snapshot.memory()).sum();
            if taken <= memory && loaded().count() <= MOST {
                return;
            }
            let oldest = loaded().filter(|(path, ..)| *path != keep).min_by_key(|(_, used, _)| *used);
            let Some(path) = oldest.map(|(path, ..)| path.clone()) else { return };
            tracing::info!(path = %path.display(), "a heap snapshot gives up its memory for others");
            if let Some(entry) = entries.by_path.get_mut(&path) {
                entry.snapshot = Arc::default();
            }
        }
    }
}

fn version(path: &Path) -> Option<Version> {
    let metadata = std::fs::metadata(path).ok()?;
    Some(Version(metadata.len(), metadata.modified().ok()))
}
