//! Arrays of whole numbers, which are nine tenths of a snapshot.

use crate::error::{LoadError, damaged, not_json, shown};
use crate::input::Input;

/// What an array holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signs {
    /// A minus sign is an error.
    None,
    /// A minus sign is passed over, as the front-end's loader does (V8 writes -1 for "unknown" in places).
    Ignored,
}

/// Numbers beyond those that are expected.
const SLACK: usize = 1 << 20;
/// Digits of a number that surely fits into 64 bits.
const MAX_DIGITS: u32 = 18;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// After `[`.
    First,
    /// After a comma.
    Number,
    /// After a minus sign.
    Digits,
    /// In a number, with this many digits so far.
    In(u32),
    /// After a number and white space.
    After,
}

/// Reads `[1,2,…]` into `out`. Numbers above 32 bits lose their upper bits, as they do in the front-end's arrays.
///
/// Far more than `most` are not taken: no memory was foreseen for them. `check` tells about a few too many.
pub(crate) fn read(
    input: &mut Input,
    place: &'static str,
    signs: Signs,
    most: usize,
    out: &mut Vec<u32>,
) -> Result<(), LoadError> {
    input.expect(b'[', place)?;
    let mut state = State::First;
    let mut value: u64 = 0;
    loop {
        let base = input.offset();
        let bytes = input.fill()?;
        if bytes.is_empty() {
            return Err(LoadError::Truncated { offset: base, place });
        }
        let mut at = 0;
        while at < bytes.len() {
            let byte = bytes[at];
            let digit = byte.wrapping_sub(b'0');
            if digit <= 9 {
                match state {
                    State::In(count) => {
                        // The rest of the number in one go.
                        let mut count = count;
                        while at < bytes.len() && count <= MAX_DIGITS {
                            let digit = bytes[at].wrapping_sub(b'0');
                            if digit > 9 {
                                break;
                            }
                            value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
                            count += 1;
                            at += 1;
                        }
                        if count > MAX_DIGITS {
                            let what = format!("a number of more than {MAX_DIGITS} digits, {place}");
                            return Err(not_json(base + at as u64 - 1, what));
                        }
                        state = State::In(count);
                        continue;
                    }
                    State::After => {
                        return Err(not_json(base + at as u64, format!("a comma is missing, {place}")));
                    }
                    State::First | State::Number | State::Digits => {
                        value = u64::from(digit);
                        state = State::In(1);
                    }
                }
                at += 1;
                continue;
            }
            match (byte, state) {
                (b',', State::In(_) | State::After) => {
                    out.push(value as u32);
                    state = State::Number;
                }
                (b']', State::In(_) | State::After) => {
                    out.push(value as u32);
                    input.consume(at + 1);
                    return Ok(());
                }
                (b']', State::First) => {
                    input.consume(at + 1);
                    return Ok(());
                }
                (b' ' | b'\n' | b'\r' | b'\t', State::In(_)) => state = State::After,
                (b' ' | b'\n' | b'\r' | b'\t', State::First | State::Number | State::After) => {}
                (b'-', State::First | State::Number) if signs == Signs::Ignored => state = State::Digits,
                _ => {
                    let found = shown(byte);
                    return Err(not_json(base + at as u64, format!("{found} where a whole number belongs, {place}")));
                }
            }
            at += 1;
        }
        let count = bytes.len();
        input.consume(count);
        if out.len() > most.saturating_add(SLACK) {
            return Err(damaged(format!("{most} numbers are expected {place}, there are many more")));
        }
    }
}
