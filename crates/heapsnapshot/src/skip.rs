//! Values that are not numbers or strings of the snapshot: names of sections, the small header, and what nobody needs.

use crate::error::{LoadError, not_json, shown};
use crate::input::Input;

/// Nesting that is followed; V8's allocation trees, the deepest thing in a snapshot, stay far below.
const MAX_DEPTH: usize = 100_000;

/// Reads a short string, an object's key; the opening quote is next.
pub(crate) fn key(input: &mut Input, place: &'static str) -> Result<String, LoadError> {
    const MAX: usize = 1000;
    let start = input.offset();
    let mut bytes = Vec::new();
    value(input, place, Some((&mut bytes, MAX)))?;
    serde_json::from_slice(&bytes).map_err(|_| not_json(start, format!("the name of a section expected, {place}")))
}

/// Steps over one value, copying its bytes if somebody wants them (up to a limit). Only the structure is checked:
/// brackets, strings, commas are left to whoever reads the copy.
pub(crate) fn value(
    input: &mut Input,
    place: &'static str,
    mut copy: Option<(&mut Vec<u8>, usize)>,
) -> Result<(), LoadError> {
    // Open brackets, by the bracket that closes them.
    let mut open: Vec<u8> = Vec::new();
    let mut take = |input: &mut Input, count: usize| -> Result<(), LoadError> {
        if let Some((out, limit)) = &mut copy {
            let bytes = &input.fill()?[..count];
            if out.len() + bytes.len() > *limit {
                return Err(not_json(input.offset(), format!("a value that is too long, {place}")));
            }
            out.extend_from_slice(bytes);
        }
        input.consume(count);
        Ok(())
    };
    input.significant_in(place)?;
    loop {
        let byte = match input.peek()? {
            Some(byte) => byte,
            None => return Err(LoadError::Truncated { offset: input.offset(), place }),
        };
        match byte {
            b'"' => {
                take(input, 1)?;
                loop {
                    let bytes = input.fill()?;
                    if bytes.is_empty() {
                        return Err(LoadError::Truncated { offset: input.offset(), place });
                    }
                    let plain = bytes.iter().take_while(|&&b| b != b'"' && b != b'\\').count();
                    let special = bytes.get(plain).copied();
                    take(input, plain)?;
                    match special {
                        None => {}
                        Some(b'"') => {
                            take(input, 1)?;
                            break;
                        }
                        Some(_) => {
                            take(input, 1)?;
                            if input.peek()?.is_some() {
                                take(input, 1)?;
                            }
                        }
                    }
                }
            }
            b'[' | b'{' => {
                if open.len() == MAX_DEPTH {
                    return Err(not_json(input.offset(), format!("nested deeper than {MAX_DEPTH} levels, {place}")));
                }
                open.push(if byte == b'[' { b']' } else { b'}' });
                take(input, 1)?;
            }
            b']' | b'}' => {
                if open.pop() != Some(byte) {
                    return Err(not_json(input.offset(), format!("{} closes nothing, {place}", shown(byte))));
                }
                take(input, 1)?;
            }
            b',' | b':' | b' ' | b'\n' | b'\r' | b'\t' if !open.is_empty() => take(input, 1)?,
            b'-' | b'+' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'E' => {
                let count = input
                    .fill()?
                    .iter()
                    .take_while(|b| matches!(b, b'-' | b'+' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'E'))
                    .count();
                take(input, count)?;
                // A number or word may go on in the next buffer.
                if open.is_empty() {
                    let goes_on = |b: u8| matches!(b, b'-' | b'+' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'E');
                    while input.peek()?.is_some_and(goes_on) {
                        take(input, 1)?;
                    }
                }
            }
            other => return Err(not_json(input.offset(), format!("{}, {place}", shown(other)))),
        }
        if open.is_empty() {
            return Ok(());
        }
    }
}
