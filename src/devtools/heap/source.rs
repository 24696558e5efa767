//! From a file to checked tables: opening, decompressing, progress, and the refusal of what would not fit into memory.

use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use devtools_engine::Progress;
use devtools_heapsnapshot::{LoadError, Loaded, Watch};
use flate2::bufread::MultiGzDecoder;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::error::HeapError;
use super::{LoadOptions, Size};
use crate::devtools::input::{self, Counted, GZIP_MAGIC, Refused, gzip_damage, plain};

/// Names of files that are read.
const EXTENSIONS: [&str; 4] = [".heapsnapshot", ".heaptimeline", ".heapsnapshot.gz", ".heaptimeline.gz"];
/// From this size in bytes on, V8 is started before the file has been read: smaller ones are read faster than it starts.
const EARLY: u64 = 8 << 20;
/// Share of the progress that reading takes; the rest is analysis.
pub const READING_SHARE: f64 = 0.4;

/// What reading needs to know beside the path.
pub struct Reading {
    /// Bytes of memory that an analysis may take.
    pub memory: u64,
    /// Ends the reading.
    pub cancel: CancellationToken,
    /// Where progress goes.
    pub progress: Option<UnboundedSender<Progress>>,
    /// Who wants to know the size as soon as the header has been read. Nobody is told what is not known by then: the
    /// header may be at the end, and what a compressed file will become.
    pub announce: Option<oneshot::Sender<Size>>,
}

impl Reading {
    /// As the options say, announced to nobody.
    pub fn new(options: &LoadOptions) -> Self {
        Reading {
            memory: options.memory as u64,
            cancel: options.cancel.clone(),
            progress: options.progress.clone(),
            announce: None,
        }
    }
}

/// Whether a name is one of a heap snapshot.
pub fn check_name(path: &Path) -> Result<(), HeapError> {
    let name = path.to_string_lossy();
    if EXTENSIONS.iter().any(|extension| name.ends_with(extension)) {
        return Ok(());
    }
    Err(HeapError::Extension { path: name.into_owned(), extensions: EXTENSIONS.join(", ") })
}

/// Reads a file. Blocks.
pub fn read(path: &Path, mut reading: Reading) -> Result<Loaded, HeapError> {
    let shown = || path.display().to_string();
    let failed = |error: &io::Error| HeapError::Read { path: shown(), why: plain(error) };
    let (file, size) = input::open(path).map_err(|refused| match refused {
        Refused::NotAFile => HeapError::NotAFile { path: shown() },
        Refused::Failed(why) => HeapError::Read { path: shown(), why },
    })?;
    let (counted, taken) = Counted::new(file);
    let mut buffered = BufReader::with_capacity(256 << 10, counted);
    let is_gzip = buffered.fill_buf().map_err(|e| failed(&e))?.starts_with(&GZIP_MAGIC);
    if is_gzip || size < EARLY {
        reading.announce = None;
    }
    let mut watcher = Watcher { reading, taken, size, reported: 0.0, needed: 0 };
    let result = if is_gzip {
        devtools_heapsnapshot::load(&mut MultiGzDecoder::new(buffered), None, &mut watcher)
    } else {
        devtools_heapsnapshot::load(&mut buffered, Some(size), &mut watcher)
    };
    result.map_err(|error| match error {
        LoadError::Cancelled => HeapError::Cancelled,
        LoadError::Read { offset, source } if is_gzip => {
            HeapError::Gzip { path: shown(), offset, why: gzip_damage(&source) }
        }
        LoadError::Read { source, .. } => failed(&source),
        error => HeapError::Content { path: shown(), error },
    })
}

/// Memory in bytes that an analysis takes at its peak: the tables of the file, the tables that the front-end and the
/// graph passes make beside them, and V8's heap. Measured on generated snapshots and rounded up.
pub fn memory_needed(nodes: u64, edges: u64) -> u64 {
    const BASE: u64 = 80 << 20;
    const PER_NODE: u64 = 6 * 4 + 41 + 40 + 60;
    const PER_EDGE: u64 = 3 * 4 + 3 * 4;
    BASE.saturating_add(nodes.saturating_mul(PER_NODE)).saturating_add(edges.saturating_mul(PER_EDGE))
}

/// Strings are there as JSON and, for a time, as V8's strings.
const STRING_COPIES: u64 = 2;

struct Watcher {
    reading: Reading,
    /// Bytes taken from the file, before decompression.
    taken: Arc<AtomicU64>,
    size: u64,
    reported: f64,
    /// Memory that what is known by now will take.
    needed: u64,
}

impl Watch for Watcher {
    fn read(&mut self, bytes: u64) -> bool {
        if let Some(progress) = &self.reading.progress
            && self.size > 0
        {
            let fraction = (self.taken.load(Ordering::Relaxed) as f64 / self.size as f64).min(1.0);
            if fraction - self.reported >= 0.02 {
                self.reported = fraction;
                let message = format!("reading {} MB of JSON", bytes / 1_000_000);
                let _ = progress.send(Progress { fraction: fraction * READING_SHARE, message });
            }
        }
        !self.reading.cancel.is_cancelled()
    }

    fn header(&mut self, nodes: u64, edges: u64) -> Result<(), LoadError> {
        self.needed = memory_needed(nodes, edges);
        self.check(0, || format!("{nodes} objects and {edges} references"))?;
        if let Some(announce) = self.reading.announce.take() {
            // Strings are a part of the file.
            let _ = announce.send(Size { nodes, string_bytes: self.size });
        }
        Ok(())
    }

    fn strings(&mut self, bytes: u64) -> Result<(), LoadError> {
        self.check(bytes.saturating_mul(STRING_COPIES), || format!("{} MB of strings", bytes >> 20))
    }
}

impl Watcher {
    fn check(&self, more: u64, what: impl Fn() -> String) -> Result<(), LoadError> {
        let (needed, limit) = (self.needed.saturating_add(more), self.reading.memory);
        if needed > limit {
            return Err(LoadError::TooLarge { what: what(), needed_mb: needed >> 20, limit_mb: limit >> 20 });
        }
        Ok(())
    }
}
