//! Messages of a WebSocket or an event stream in an answer.

use serde_json::{Value, json};

use super::body::WINDOW;
use crate::browser::network::{Message, Messages};

/// Messages that are shown unless a number is asked for.
const DEFAULT: usize = 50;

/// Characters of a message that are always shown.
const SHORTEST: usize = 300;

/// A part of a connection's messages.
pub struct MessagePart {
    shown: Vec<(usize, Message)>,
    total: usize,
    dropped: usize,
    /// When the connection began, on the browser's clock.
    started: f64,
    /// Characters of each message.
    most: usize,
}

impl MessagePart {
    /// The messages from number `offset` on, or the newest ones.
    pub fn of(messages: &Messages, offset: Option<usize>, limit: Option<usize>, started: f64) -> Self {
        let limit = limit.unwrap_or(DEFAULT);
        let total = messages.total();
        let start = offset.unwrap_or(total.saturating_sub(limit));
        let wanted = messages.iter().filter(|(number, _)| *number >= start).take(limit);
        let shown: Vec<(usize, Message)> = wanted.map(|(number, message)| (number, message.clone())).collect();
        let most = (WINDOW / shown.len().max(1)).max(SHORTEST);
        MessagePart { shown, total, dropped: messages.dropped(), started, most }
    }

    /// A message's text, shortened, with its true length.
    fn content(&self, message: &Message) -> String {
        let Message { text, length, is_binary, .. } = message;
        let unit = if *is_binary { "bytes" } else { "characters" };
        let shown: String = text.chars().take(self.most).collect();
        let is_whole = shown.len() == text.len() && (*is_binary || text.chars().count() == *length);
        match (is_whole, is_binary) {
            (true, false) => shown,
            (true, true) => format!("<{length} {unit}> {shown}"),
            (false, _) => format!("{shown}... <{length} {unit}>"),
        }
    }

    /// The lines, the first about what is shown. `more`: the call that shows others, without its offset.
    pub fn lines(&self, more: &str) -> Vec<String> {
        let mut lines = Vec::new();
        let first = self.shown.first().map_or(0, |(number, _)| *number);
        match self.shown.last() {
            None => lines.push(format!("Showing none of {}.", self.total)),
            Some((last, _)) => lines.push(format!("Showing {} to {last} of {}.", first, self.total)),
        }
        if self.dropped > 0 {
            lines.push(format!("The first {} are no longer kept.", self.dropped));
        }
        if first > self.dropped {
            lines.push(format!("Others: {more} and offset {}", self.dropped));
        }
        for (number, message) in &self.shown {
            let id = if message.event_id.is_empty() { String::new() } else { format!(" id {}", message.event_id) };
            let after = (message.timestamp - self.started).max(0.0);
            lines.push(format!("{number} {}{id} +{after:.3} s: {}", message.kind, self.content(message)));
        }
        lines
    }

    /// The same as data.
    pub fn json(&self) -> Value {
        let entry = |(number, message): &(usize, Message)| {
            json!({
                "number": number, "type": message.kind, "eventId": message.event_id, "text": self.content(message),
                "length": message.length, "binary": message.is_binary,
            })
        };
        json!({"total": self.total, "notKept": self.dropped, "shown": self.shown.iter().map(entry).collect::<Value>()})
    }
}
