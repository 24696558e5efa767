//! Files that are read as streams: only regular ones, counted for progress, with errors in plain words.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What gzip data begins with.
pub const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Why a file is not read.
pub enum Refused {
    /// A folder, a device, a pipe; the latter could block for ever.
    NotAFile,
    /// The system's words.
    Failed(String),
}

/// Opens a file; its size in bytes beside it.
pub fn open(path: &Path) -> Result<(File, u64), Refused> {
    let failed = |error: io::Error| Refused::Failed(plain(&error));
    let metadata = std::fs::metadata(path).map_err(failed)?;
    if !metadata.is_file() {
        return Err(Refused::NotAFile);
    }
    Ok((File::open(path).map_err(failed)?, metadata.len()))
}

/// An I/O error without the operating system's number.
pub fn plain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        _ => error.to_string(),
    }
}

/// The same for an error of decompression.
pub fn gzip_damage(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "it ends too early".into(),
        _ => plain(error),
    }
}

/// Counts what was taken from a file, before decompression.
pub struct Counted<R> {
    inner: R,
    count: Arc<AtomicU64>,
}

impl<R> Counted<R> {
    /// The reader, and the count as it grows.
    pub fn new(inner: R) -> (Self, Arc<AtomicU64>) {
        let count = Arc::<AtomicU64>::default();
        (Counted { inner, count: count.clone() }, count)
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.count.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
