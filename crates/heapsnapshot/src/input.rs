//! Buffered bytes with a position.

use std::io::{self, Read};

use crate::error::{LoadError, not_json, shown};
use crate::load::Watch;

const BUFFER: usize = 1 << 20;

/// A reader, the bytes of it that are waiting, and where they stand in the file.
pub(crate) struct Input<'a> {
    reader: &'a mut dyn Read,
    watch: &'a mut dyn Watch,
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    /// Offset of the buffer's first byte.
    base: u64,
}

impl<'a> Input<'a> {
    pub fn new(reader: &'a mut dyn Read, watch: &'a mut dyn Watch) -> Self {
        Input { reader, watch, buffer: vec![0; BUFFER].into(), start: 0, end: 0, base: 0 }
    }

    /// Offset of the next byte.
    pub fn offset(&self) -> u64 {
        self.base + self.start as u64
    }

    pub fn watch(&mut self) -> &mut dyn Watch {
        self.watch
    }

    /// The bytes that are there, reading more if there are none; empty at the end.
    pub fn fill(&mut self) -> Result<&[u8], LoadError> {
        if self.start == self.end {
            self.base += self.end as u64;
            (self.start, self.end) = (0, 0);
            if !self.watch.read(self.base) {
                return Err(LoadError::Cancelled);
            }
            loop {
                match self.reader.read(&mut self.buffer) {
                    Ok(count) => {
                        self.end = count;
                        break;
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(source) => return Err(LoadError::Read { offset: self.base, source }),
                }
            }
        }
        Ok(&self.buffer[self.start..self.end])
    }

    pub fn consume(&mut self, count: usize) {
        self.start += count;
    }

    pub fn peek(&mut self) -> Result<Option<u8>, LoadError> {
        Ok(self.fill()?.first().copied())
    }

    /// The next byte, which must be there.
    pub fn next(&mut self, place: &'static str) -> Result<u8, LoadError> {
        let byte = self.peek()?.ok_or(LoadError::Truncated { offset: self.offset(), place })?;
        self.consume(1);
        Ok(byte)
    }

    /// Steps over white space; the byte after it, not consumed, or `None` at the end.
    pub fn significant(&mut self) -> Result<Option<u8>, LoadError> {
        loop {
            let bytes = self.fill()?;
            if bytes.is_empty() {
                return Ok(None);
            }
            let blank = bytes.iter().take_while(|b| matches!(b, b' ' | b'\n' | b'\r' | b'\t')).count();
            let next = bytes.get(blank).copied();
            self.consume(blank);
            if next.is_some() {
                return Ok(next);
            }
        }
    }

    /// The same, where the file may not end.
    pub fn significant_in(&mut self, place: &'static str) -> Result<u8, LoadError> {
        self.significant()?.ok_or(LoadError::Truncated { offset: self.offset(), place })
    }

    /// Steps over white space and one expected byte.
    pub fn expect(&mut self, wanted: u8, place: &'static str) -> Result<(), LoadError> {
        let found = self.significant_in(place)?;
        if found != wanted {
            return Err(not_json(self.offset(), format!("{} where {} belongs, {place}", shown(found), shown(wanted))));
        }
        self.consume(1);
        Ok(())
    }
}
