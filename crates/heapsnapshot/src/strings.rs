//! The section `strings`: checked and cut into JSON arrays of some megabytes, which V8 parses one after the other. So no
//! string is longer than a piece or one string of the snapshot, whichever is larger.

use crate::error::{LoadError, damaged, not_json, shown};
use crate::input::Input;
use crate::texts::Texts;

const PLACE: &str = "in the strings";
const PIECE: usize = 4 << 20;
/// V8's longest string (2^29 - 24 characters), with room for the brackets.
const MAX_STRING: usize = (1 << 29) - 64;

/// V8's longest array (`FixedArray::kMaxLength`, 2^27), with room for what is added.
const MAX_STRINGS: u64 = (1 << 27) - (1 << 20);

/// The table of strings.
#[derive(Default)]
pub(crate) struct Strings {
    /// JSON arrays of strings.
    pub pieces: Vec<Vec<u8>>,
    pub count: u64,
    /// What is known about them.
    pub texts: Texts,
}

pub(crate) fn read(input: &mut Input) -> Result<Strings, LoadError> {
    let mut strings = Strings::default();
    let mut piece = Vec::new();
    let mut bytes = 0;
    input.expect(b'[', PLACE)?;
    if input.significant_in(PLACE)? == b']' {
        input.consume(1);
        return Ok(strings);
    }
    loop {
        input.expect(b'"', PLACE)?;
        if piece.is_empty() {
            piece.reserve_exact(PIECE + (64 << 10));
        }
        piece.push(if piece.is_empty() { b'[' } else { b',' });
        let start = piece.len();
        copy(input, &mut piece)?;
        if piece.len() - start > MAX_STRING {
            let what = format!("string {} is longer than a string may be in V8 (2^29 characters)", strings.count);
            return Err(damaged(what));
        }
        strings.texts.note(&piece[start + 1..piece.len() - 1]);
        strings.count += 1;
        if strings.count > MAX_STRINGS {
            return Err(damaged(format!("more than {MAX_STRINGS} strings, which is as many as a list in V8 may have")));
        }
        let separator = input.significant_in(PLACE)?;
        let is_last = match separator {
            b',' => false,
            b']' => true,
            other => return Err(not_json(input.offset(), format!("{} between strings", shown(other)))),
        };
        input.consume(1);
        if piece.len() >= PIECE || is_last {
            piece.push(b']');
            if !piece.is_ascii() && std::str::from_utf8(&piece).is_err() {
                return Err(not_json(input.offset(), "a string before this place that is not UTF-8,"));
            }
            piece.shrink_to_fit();
            bytes += piece.len() as u64;
            input.watch().strings(bytes)?;
            strings.pieces.push(std::mem::take(&mut piece));
        }
        if is_last {
            return Ok(strings);
        }
    }
}

/// Copies a string with its quotes; the opening one has been read.
fn copy(input: &mut Input, out: &mut Vec<u8>) -> Result<(), LoadError> {
    out.push(b'"');
    loop {
        let base = input.offset();
        let bytes = input.fill()?;
        if bytes.is_empty() {
            return Err(LoadError::Truncated { offset: base, place: PLACE });
        }
        let plain = bytes.iter().take_while(|&&b| b != b'"' && b != b'\\' && b >= 0x20).count();
        out.extend_from_slice(&bytes[..plain]);
        let special = bytes.get(plain).copied();
        input.consume(plain);
        match special {
            None => {}
            Some(b'"') => {
                input.consume(1);
                out.push(b'"');
                return Ok(());
            }
            Some(b'\\') => {
                input.consume(1);
                escape(input, out)?;
            }
            Some(other) => {
                return Err(not_json(input.offset(), format!("{} inside a string", shown(other))));
            }
        }
    }
}

fn escape(input: &mut Input, out: &mut Vec<u8>) -> Result<(), LoadError> {
    let byte = input.next(PLACE)?;
    out.extend_from_slice(&[b'\\', byte]);
    match byte {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Ok(()),
        b'u' => {
            for _ in 0..4 {
                let digit = input.next(PLACE)?;
                if !digit.is_ascii_hexdigit() {
                    return Err(not_json(input.offset() - 1, format!("{} in a \\u escape", shown(digit))));
                }
                out.push(digit);
            }
            Ok(())
        }
        other => Err(not_json(input.offset() - 1, format!("an escape of {}", shown(other)))),
    }
}
