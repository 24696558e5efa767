//! Bodies that the browser does not keep, on disk: a ring of a fixed size in a file without a name, which is gone with
//! the process however that ends. The oldest bodies are overwritten.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Size of a page's ring.
const CAPACITY: u64 = 32 * 1024 * 1024;

/// Longest body that is kept.
pub(super) const LONGEST: usize = 8 * 1024 * 1024;

/// Where a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot {
    /// Bytes written before it since the beginning, over all rounds.
    start: u64,
    length: usize,
}

/// The ring of one page; the file is made when the first body is kept.
pub(super) struct Spool {
    ring: Mutex<Ring>,
    capacity: u64,
}

#[derive(Default)]
struct Ring {
    file: Option<File>,
    written: u64,
}

impl Default for Spool {
    fn default() -> Self {
        Spool { ring: Mutex::default(), capacity: CAPACITY }
    }
}

impl Spool {
    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a body; `None` if it is too long or the disk does not take it.
    pub fn store(&self, bytes: &[u8]) -> Option<Slot> {
        if bytes.len() > LONGEST || bytes.len() as u64 > self.capacity {
            return None;
        }
        match self.write(bytes) {
            Ok(slot) => Some(slot),
            Err(error) => {
                tracing::warn!(%error, "a body could not be kept");
                None
            }
        }
    }

    fn write(&self, bytes: &[u8]) -> io::Result<Slot> {
        let mut ring = self.ring();
        // A body does not wrap around the end of the file.
        let room = self.capacity - ring.written % self.capacity;
        if (bytes.len() as u64) > room {
            ring.written += room;
        }
        let start = ring.written;
        let at = start % self.capacity;
        let file = match &mut ring.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        file.seek(SeekFrom::Start(at))?;
        file.write_all(bytes)?;
        ring.written += bytes.len() as u64;
        Ok(Slot { start, length: bytes.len() })
    }

    /// A body, unless it has been overwritten.
    pub fn load(&self, slot: Slot) -> Option<Vec<u8>> {
        let mut ring = self.ring();
        if ring.written > slot.start + self.capacity {
            return None;
        }
        let at = slot.start % self.capacity;
        let file = ring.file.as_mut()?;
        let mut bytes = vec![0; slot.length];
        file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(&mut bytes)).ok()?;
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_are_overwritten_and_nothing_else_is_read() {
        let spool = Spool { ring: Mutex::default(), capacity: 10 };
        let one = spool.store(b"abcd").unwrap();
        let two = spool.store(b"efgh").unwrap();
        assert_eq!((spool.load(one).as_deref(), spool.load(two).as_deref()), (Some(&b"abcd"[..]), Some(&b"efgh"[..])));
        // Does not fit into the last two bytes: begins at the front, over the first one.
        let three = spool.store(b"ijk").unwrap();
        assert_eq!((spool.load(one), spool.load(two).as_deref()), (None, Some(&b"efgh"[..])));
        let four = spool.store(b"0123456").unwrap();
        assert_eq!(spool.load(two), None);
        assert_eq!(
            (spool.load(three).as_deref(), spool.load(four).as_deref()),
            (Some(&b"ijk"[..]), Some(&b"0123456"[..]))
        );
        assert_eq!(spool.store(&[0; 11]), None);
        let empty = spool.store(b"").unwrap();
        assert_eq!(spool.load(empty).as_deref(), Some(&b""[..]));
    }
}
