//! Where a trace's bytes come from, and the thread that reads, decompresses and splits them.
//!
//! The thread works one piece ahead of V8 (bounded channel), so reading and decompressing overlap with parsing and no
//! more than two pieces wait. It stops when the receiver is gone or the call is cancelled.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use devtools_engine::{InputPiece, Progress, Work};
use flate2::bufread::MultiGzDecoder;
use tokio::sync::mpsc::UnboundedSender;

use super::error::TraceError;
use super::split::Splitter;
use crate::devtools::input::{self, Counted, GZIP_MAGIC, Refused, gzip_damage, plain};

/// Pieces that may wait for V8.
const PIECES_AHEAD: usize = 2;
const READ_BYTES: usize = 256 * 1024;
/// Share of the progress that loading takes; the rest is analysis.
pub const LOADING_SHARE: f64 = 0.5;

/// A stream of trace bytes, plain or gzip.
pub struct TraceSource {
    reader: Box<dyn Read + Send>,
    /// Size in bytes as stored, when known, for progress.
    size: Option<u64>,
    is_large: bool,
}

/// From this size of JSON on a trace counts as large, and what JSON of traces shrinks to under gzip.
const LARGE_BYTES: u64 = 60 * 1024 * 1024;
const GZIP_RATIO: u64 = 12;

impl TraceSource {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        let (file, size) = input::open(path).map_err(|refused| {
            let path = path.display().to_string();
            match refused {
                Refused::NotAFile => TraceError::NotAFile { path },
                Refused::Failed(why) => TraceError::Read { path, why },
            }
        })?;
        let is_gzip = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gz"));
        let json = size * if is_gzip { GZIP_RATIO } else { 1 };
        Ok(TraceSource { reader: Box::new(file), size: Some(size), is_large: json >= LARGE_BYTES })
    }

    /// Bytes that are still arriving, for example from a recording.
    pub fn stream(reader: impl Read + Send + 'static) -> Self {
        TraceSource { reader: Box::new(reader), size: None, is_large: false }
    }

    /// How much work to expect; a guess by the file's size.
    pub fn work(&self) -> Work {
        if self.is_large { Work::Large } else { Work::Small }
    }
}

/// What the reading thread found wrong; the call itself only sees that its input ended.
#[derive(Clone, Default)]
pub struct Verdict(Arc<Mutex<Option<TraceError>>>);

impl Verdict {
    fn set(&self, error: TraceError) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// The first thing that went wrong, if anything did.
    pub fn take(&self) -> Option<TraceError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Starts the reading thread. Ends by itself; `stop` ends it early.
pub fn start(
    source: TraceSource,
    stop: Arc<AtomicBool>,
    progress: Option<UnboundedSender<Progress>>,
) -> io::Result<(Receiver<InputPiece>, Verdict)> {
    let (sender, receiver) = sync_channel(PIECES_AHEAD);
    let verdict = Verdict::default();
    let thread_verdict = verdict.clone();
    std::thread::Builder::new().name("trace-reader".into()).spawn(move || {
        let mut send = |piece: Vec<u8>| !stop.load(Ordering::Relaxed) && sender.send(InputPiece::Text(piece)).is_ok();
        if let Err(error) = pump(source, &mut send, progress) {
            thread_verdict.set(error);
            // The verdict is in place before the call can end.
            let _ = sender.send(InputPiece::Failed);
        }
    })?;
    Ok((receiver, verdict))
}

fn pump(
    source: TraceSource,
    send: &mut impl FnMut(Vec<u8>) -> bool,
    progress: Option<UnboundedSender<Progress>>,
) -> Result<(), TraceError> {
    let (counted, consumed) = Counted::new(source.reader);
    let mut buffered = BufReader::with_capacity(READ_BYTES, counted);
    let is_gzip = buffered
        .fill_buf()
        .map_err(|e| TraceError::Read { path: "the trace".into(), why: plain(&e) })?
        .starts_with(&GZIP_MAGIC);
    let mut reader: Box<dyn Read> = if is_gzip { Box::new(MultiGzDecoder::new(buffered)) } else { Box::new(buffered) };
    let mut splitter = Splitter::default();
    let mut buffer = vec![0; READ_BYTES];
    let mut reported = 0.0;
    loop {
        let count = match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) if is_gzip => return Err(damage(&error, splitter.offset())),
            Err(error) => return Err(TraceError::Read { path: "the trace".into(), why: plain(&error) }),
        };
        match splitter.push(&buffer[..count], send) {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            // Damaged compressed data first shows as odd JSON; whether it is damaged is known at its end.
            Err(error) if is_gzip => return Err(damage_in_the_rest(&mut reader, splitter.offset()).unwrap_or(error)),
            Err(error) => return Err(error),
        }
        if let (Some(progress), Some(size)) = (&progress, source.size.filter(|&s| s > 0)) {
            let fraction = (consumed.load(Ordering::Relaxed) as f64 / size as f64).min(1.0);
            if fraction - reported >= 0.02 {
                reported = fraction;
                let message = format!("reading {} MB of JSON", splitter.offset() / 1_000_000);
                let _ = progress.send(Progress { fraction: fraction * LOADING_SHARE, message });
            }
        }
    }
    let tail = splitter.finish()?;
    for rest in [tail.piece, tail.metadata].into_iter().flatten() {
        if !send(rest) {
            return Ok(());
        }
    }
    Ok(())
}

fn damage(error: &io::Error, offset: u64) -> TraceError {
    TraceError::Gzip { offset, why: gzip_damage(error) }
}

/// Decompresses the rest for nothing but its checksum.
fn damage_in_the_rest(reader: &mut impl Read, offset: u64) -> Option<TraceError> {
    io::copy(reader, &mut io::sink()).err().map(|error| damage(&error, offset))
}
