//! Splits a trace's JSON at event boundaries while it streams by.
//!
//! V8 strings end at about 512 MB, so a large file can never be one `JSON.parse`. This scanner follows the file's
//! *structure* only (strings, brackets, the keys of the root object), cuts the events out in pieces of a few megabytes,
//! keeps the value of `metadata` and skips everything else. What is inside an event is for V8's JSON parser to judge.
//! Grammar: RFC 8259; root and keys as written by Chrome, DevTools, Lighthouse and Puppeteer, in any order.

use memchr::memchr2;

use super::error::TraceError;

/// Size at which a piece is handed on. Large enough that V8's parser dominates, small enough that two of them in
/// flight do not matter beside the events they become.
const PIECE_BYTES: usize = 4 * 1024 * 1024;

/// The root object's keys that matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Events,
    Metadata,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the root value; the number counts bytes of a UTF-8 byte order mark seen.
    Root(u8),
    /// In the root object, before a key; `first` allows `}`.
    KeyOrEnd {
        first: bool,
    },
    /// Inside a key's string.
    InKey {
        escaped: bool,
    },
    Colon(Key),
    Value(Key),
    /// Inside a composite or string value that is skipped or, for metadata, kept.
    Composite {
        key: Key,
        depth: u32,
        in_string: bool,
        escaped: bool,
    },
    /// Inside a number, `true`, `false` or `null`.
    Scalar(Key),
    AfterValue,
    /// In the array of events, before an event; `first` allows `]`.
    EventOrEnd {
        first: bool,
    },
    /// Inside an event.
    Event {
        depth: u32,
        in_string: bool,
        escaped: bool,
    },
    AfterEvent,
    /// After the root value.
    End,
}

/// What is known when the file has ended.
#[derive(Debug)]
pub struct Tail {
    /// The last piece of events, if any is left.
    pub piece: Option<Vec<u8>>,
    /// The JSON text of `metadata`, if it is an object.
    pub metadata: Option<Vec<u8>>,
}

/// The scanner. Feed it with [`Splitter::push`], end it with [`Splitter::finish`].
pub struct Splitter {
    state: State,
    /// Whether the events are a property of a root object.
    in_object: bool,
    key: Vec<u8>,
    piece: Vec<u8>,
    metadata: Vec<u8>,
    events: u64,
    seen_events: bool,
    offset: u64,
}

impl Default for Splitter {
    fn default() -> Self {
        Splitter {
            state: State::Root(0),
            in_object: false,
            key: Vec::new(),
            piece: Vec::with_capacity(PIECE_BYTES + PIECE_BYTES / 4),
            metadata: Vec::new(),
            events: 0,
            seen_events: false,
            offset: 0,
        }
    }
}

impl Splitter {
    /// Scans the next bytes; full pieces (JSON arrays of events) go to `sink`, which may stop the scan by returning
    /// `false`. Returns whether to go on.
    pub fn push(&mut self, bytes: &[u8], sink: &mut impl FnMut(Vec<u8>) -> bool) -> Result<bool, TraceError> {
        let mut at = 0;
        while at < bytes.len() {
            at = match self.state {
                State::Event { depth, in_string, escaped } => self.event(bytes, at, depth, in_string, escaped),
                State::Composite { key, depth, in_string, escaped } => {
                    self.composite(bytes, at, key, depth, in_string, escaped)
                }
                State::InKey { escaped } => self.key(bytes, at, escaped),
                State::Scalar(key) => self.scalar(bytes, at, key),
                _ => self.structure(bytes[at], at)?.map_or(at, |()| at + 1),
            };
            if self.piece.len() >= PIECE_BYTES && self.state == State::AfterEvent {
                let piece = self.take_piece();
                if !sink(piece) {
                    return Ok(false);
                }
            }
        }
        self.offset += bytes.len() as u64;
        Ok(true)
    }

    /// Decompressed bytes scanned so far.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Ends the scan: the file must be complete and a trace.
    pub fn finish(mut self) -> Result<Tail, TraceError> {
        let place = match self.state {
            State::End => None,
            State::Root(_) if self.offset == 0 => return Err(TraceError::Empty),
            State::Root(_) => return Err(TraceError::NotJson { offset: self.offset, what: "only white space".into() }),
            State::Event { .. } => Some("inside an event"),
            State::EventOrEnd { .. } | State::AfterEvent => Some("inside the list of events"),
            State::InKey { .. } | State::KeyOrEnd { .. } | State::Colon(_) | State::AfterValue => {
                Some("between the keys of the root object")
            }
            State::Value(_) | State::Composite { .. } | State::Scalar(_) => Some("inside a value of the root object"),
        };
        if let Some(place) = place {
            return Err(TraceError::Truncated { offset: self.offset, place });
        }
        if !self.seen_events {
            return Err(TraceError::NotATrace { what: "its root object has no \"traceEvents\"".into() });
        }
        if self.events == 0 {
            return Err(TraceError::NoEvents);
        }
        let piece = (!self.piece.is_empty()).then(|| self.take_piece());
        let metadata = (!self.metadata.is_empty()).then_some(self.metadata);
        Ok(Tail { piece, metadata })
    }

    fn take_piece(&mut self) -> Vec<u8> {
        let mut piece = std::mem::replace(&mut self.piece, Vec::with_capacity(PIECE_BYTES + PIECE_BYTES / 4));
        piece.push(b']');
        piece
    }

    /// One byte between values. `Ok(None)` means: changed state without taking the byte.
    fn structure(&mut self, byte: u8, at: usize) -> Result<Option<()>, TraceError> {
        if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') && !matches!(self.state, State::Root(1..)) {
            return Ok(Some(()));
        }
        let next = match (self.state, byte) {
            // U+FEFF: some editors put it before JSON.
            (State::Root(0), 0xef) => State::Root(1),
            (State::Root(1), 0xbb) => State::Root(2),
            (State::Root(2), 0xbf) => State::Root(0),
            (State::Root(0), b'{') => {
                self.in_object = true;
                State::KeyOrEnd { first: true }
            }
            (State::Root(0), b'[') => {
                self.seen_events = true;
                State::EventOrEnd { first: true }
            }
            (State::Root(0), b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => {
                return Err(TraceError::NotATrace { what: "its root is neither an object nor an array".into() });
            }
            (State::KeyOrEnd { .. }, b'"') => {
                self.key.clear();
                State::InKey { escaped: false }
            }
            (State::KeyOrEnd { first: true }, b'}') | (State::AfterValue, b'}') => State::End,
            (State::Colon(key), b':') => State::Value(key),
            (State::Value(Key::Events), b'[') => {
                self.seen_events = true;
                State::EventOrEnd { first: true }
            }
            (State::Value(Key::Events), _) => {
                return Err(TraceError::NotATrace { what: "\"traceEvents\" is not an array".into() });
            }
            (State::Value(key), b'{' | b'[' | b'"') => {
                // Only an object is metadata; anything else under that name is ignored.
                let key = if key == Key::Metadata && byte != b'{' { Key::Other } else { key };
                if key == Key::Metadata {
                    self.metadata.clear();
                }
                self.state = State::Composite { key, depth: 0, in_string: false, escaped: false };
                return Ok(None);
            }
            (State::Value(_), b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => State::Scalar(Key::Other),
            (State::AfterValue, b',') => State::KeyOrEnd { first: false },
            (State::EventOrEnd { .. }, b'{') => {
                self.piece.push(if self.piece.is_empty() { b'[' } else { b',' });
                self.state = State::Event { depth: 0, in_string: false, escaped: false };
                return Ok(None);
            }
            (State::EventOrEnd { first: true }, b']') | (State::AfterEvent, b']') => {
                if self.in_object {
                    State::AfterValue
                } else {
                    State::End
                }
            }
            (State::EventOrEnd { .. }, b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n' | b'[') => {
                return Err(TraceError::NotATrace {
                    what: format!("entry {} of its events is not an object", self.events + 1),
                });
            }
            (State::AfterEvent, b',') => State::EventOrEnd { first: false },
            (state, _) => return Err(self.unexpected(state, byte, at)),
        };
        self.state = next;
        Ok(Some(()))
    }

    fn unexpected(&self, state: State, byte: u8, at: usize) -> TraceError {
        let expected = match state {
            State::Root(_) => "a JSON object or array",
            State::KeyOrEnd { .. } => "a key in double quotes",
            State::Colon(_) => "a colon",
            State::Value(_) => "a value",
            State::AfterValue => "a comma or the end of the object",
            State::EventOrEnd { .. } => "an event",
            State::AfterEvent => "a comma or the end of the events",
            State::End => "the end of the file",
            State::InKey { .. } | State::Composite { .. } | State::Scalar(_) | State::Event { .. } => "something else",
        };
        let found =
            if byte.is_ascii_graphic() { format!("`{}`", char::from(byte)) } else { format!("byte 0x{byte:02x}") };
        TraceError::NotJson { offset: self.offset + at as u64, what: format!("found {found} instead of {expected}") }
    }

    fn key(&mut self, bytes: &[u8], at: usize, escaped: bool) -> usize {
        // Keys are short; one that is not, is not ours.
        if self.key.len() < 64 {
            self.key.push(bytes[at]);
        }
        self.state = match bytes[at] {
            _ if escaped => State::InKey { escaped: false },
            b'\\' => State::InKey { escaped: true },
            b'"' => {
                let text: Option<String> = serde_json::from_slice(&[b"\"".as_slice(), &self.key].concat()).ok();
                State::Colon(match text.as_deref() {
                    Some("traceEvents") => Key::Events,
                    Some("metadata") => Key::Metadata,
                    _ => Key::Other,
                })
            }
            _ => State::InKey { escaped: false },
        };
        at + 1
    }

    fn scalar(&mut self, bytes: &[u8], at: usize, key: Key) -> usize {
        if matches!(bytes[at], b',' | b'}' | b' ' | b'\t' | b'\n' | b'\r') {
            self.state = State::AfterValue;
            return at;
        }
        self.state = State::Scalar(key);
        at + 1
    }

    fn composite(&mut self, bytes: &[u8], at: usize, key: Key, depth: u32, in_string: bool, escaped: bool) -> usize {
        let mut scan = Nesting { depth, in_string, escaped };
        let (end, closed) = scan.advance(bytes, at);
        if key == Key::Metadata {
            self.metadata.extend_from_slice(&bytes[at..end]);
        }
        self.state = if closed {
            State::AfterValue
        } else {
            State::Composite { key, depth: scan.depth, in_string: scan.in_string, escaped: scan.escaped }
        };
        end
    }

    fn event(&mut self, bytes: &[u8], at: usize, depth: u32, in_string: bool, escaped: bool) -> usize {
        let mut scan = Nesting { depth, in_string, escaped };
        let (end, closed) = scan.advance(bytes, at);
        self.piece.extend_from_slice(&bytes[at..end]);
        self.state = if closed {
            self.events += 1;
            State::AfterEvent
        } else {
            State::Event { depth: scan.depth, in_string: scan.in_string, escaped: scan.escaped }
        };
        end
    }
}

/// How deep inside a value the scan is.
struct Nesting {
    depth: u32,
    in_string: bool,
    escaped: bool,
}

impl Nesting {
    /// Goes on until the value that began at depth 0 closes or the bytes end. Returns the position after the last byte
    /// that belongs to it and whether it closed.
    fn advance(&mut self, bytes: &[u8], mut at: usize) -> (usize, bool) {
        while at < bytes.len() {
            if self.in_string {
                if self.escaped {
                    self.escaped = false;
                    at += 1;
                    continue;
                }
                match memchr2(b'"', b'\\', &bytes[at..]) {
                    None => return (bytes.len(), false),
                    Some(skip) => {
                        at += skip + 1;
                        if bytes[at - 1] == b'\\' {
                            self.escaped = true;
                        } else {
                            self.in_string = false;
                            if self.depth == 0 {
                                return (at, true);
                            }
                        }
                    }
                }
                continue;
            }
            match bytes[at] {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return (at + 1, true);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        (at, false)
    }
}
