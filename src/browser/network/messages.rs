//! Messages of a WebSocket or an event stream: the newest ones, within a number of messages and bytes.

use std::collections::VecDeque;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::protocol::{SocketFrame, StreamMessage};

/// Messages of one connection, and bytes of all of them.
const MOST: usize = 1000;
const BYTES: usize = 512 * 1024;

/// Longer messages are cut when they arrive.
const LONGEST: usize = 64 * 1024;

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// `sent`, `received`, or an event stream's event name.
    pub kind: String,
    /// An event stream's id of it; empty if it has none.
    pub event_id: String,
    /// The text, or what was kept of it; of binary ones their bytes in hexadecimal digits.
    pub text: String,
    /// Its true length: characters of a text, bytes of a binary message.
    pub length: usize,
    /// Whether it is binary.
    pub is_binary: bool,
    /// Seconds on the browser's clock.
    pub timestamp: f64,
}

/// The newest messages.
#[derive(Debug, Clone, Default)]
pub struct Messages {
    kept: VecDeque<Message>,
    bytes: usize,
    dropped: usize,
}

impl Messages {
    fn push(&mut self, message: Message) {
        self.bytes += message.text.len();
        self.kept.push_back(message);
        while self.kept.len() > MOST || (self.bytes > BYTES && self.kept.len() > 1) {
            if let Some(oldest) = self.kept.pop_front() {
                self.bytes -= oldest.text.len();
                self.dropped += 1;
            }
        }
    }

    /// Adds a frame of a WebSocket.
    pub(super) fn frame(&mut self, frame: SocketFrame, is_sent: bool) {
        let SocketFrame { timestamp, response } = frame;
        // 1 is text, 2 binary; 0 continues either; 8 and above are about the connection itself and have no data of the page.
        let is_binary = response.opcode == 2.0;
        let payload = response.payload_data;
        let (text, length) = if is_binary {
            let bytes = BASE64_STANDARD.decode(&payload).unwrap_or_default();
            let shown = &bytes[..bytes.len().min(LONGEST / 8)];
            (shown.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" "), bytes.len())
        } else {
            let length = payload.chars().count();
            (shortened(payload), length)
        };
        let kind = if is_sent { "sent" } else { "received" }.to_owned();
        self.push(Message { kind, event_id: String::new(), text, length, is_binary, timestamp });
    }

    /// Adds a message of an event stream.
    pub(super) fn event(&mut self, message: StreamMessage) {
        let length = message.data.chars().count();
        self.push(Message {
            kind: message.event_name,
            event_id: message.event_id,
            text: shortened(message.data),
            length,
            is_binary: false,
            timestamp: message.timestamp,
        });
    }

    /// How many there were, also those that are no longer kept.
    pub fn total(&self) -> usize {
        self.dropped + self.kept.len()
    }

    /// How many of the first ones are no longer kept.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// Those that are kept, oldest first, with their numbers from 0 over all there were.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Message)> {
        (self.dropped..).zip(&self.kept)
    }

    /// Bytes of the kept texts.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + self.kept.len() * size_of::<Message>()
    }
}

fn shortened(text: String) -> String {
    if text.len() <= LONGEST {
        return text;
    }
    text[..text.floor_char_boundary(LONGEST)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(data: String) -> StreamMessage {
        StreamMessage { timestamp: 0.0, event_name: "message".into(), event_id: String::new(), data }
    }

    #[test]
    fn the_newest_stay_within_number_and_bytes() {
        let mut messages = Messages::default();
        for n in 0..MOST + 5 {
            messages.event(event(n.to_string()));
        }
        assert_eq!((messages.total(), messages.dropped(), messages.iter().next().unwrap().0), (MOST + 5, 5, 5));
        for _ in 0..20 {
            messages.event(event("é".repeat(LONGEST)));
        }
        let (number, last) = messages.iter().last().unwrap();
        assert_eq!((number, last.length, last.text.len()), (MOST + 24, LONGEST, LONGEST));
        assert!(messages.bytes <= BYTES && messages.iter().count() == 8, "{}", messages.bytes);
    }
}
