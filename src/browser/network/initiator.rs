//! Who made a request: `Network.Initiator` in lines, with positions in the code as the browser has it unless somebody
//! translates them.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::entry::Request;
use crate::cdp::decode;

/// Frames that are shown.
const FRAMES: usize = 15;

/// Stacks of callers that are followed.
const PARENTS: usize = 32;

/// Who made a request.
#[derive(Debug, Default)]
pub struct Initiator {
    /// `parser`, `script`, `preload`, …
    pub kind: String,
    /// A document and place in it, or the frames of a script, innermost first.
    pub lines: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Raw {
    r#type: String,
    url: Option<String>,
    line_number: Option<f64>,
    stack: Option<Stack>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stack {
    description: Option<String>,
    call_frames: Vec<Frame>,
    parent: Option<Box<Stack>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Frame {
    function_name: String,
    url: String,
    line_number: i64,
    column_number: i64,
}

impl Initiator {
    /// Of a request; `None` if nothing is known but that it is none of the known kinds.
    pub fn of(request: &Request) -> Option<Self> {
        let raw: Raw = decode(request.initiator.as_ref()?.get()).ok()?;
        let mut lines = Vec::new();
        let mut stack = raw.stack;
        for _ in 0..PARENTS {
            let Some(Stack { description, call_frames, parent }) = stack else { break };
            if !lines.is_empty()
                && let Some(description) = description
            {
                lines.push(format!("--- {description} ---"));
            }
            lines.extend(call_frames.iter().map(|frame| {
                let name = if frame.function_name.is_empty() { "<anonymous>" } else { &frame.function_name };
                format!("at {name} ({}:{}:{})", frame.url, frame.line_number + 1, frame.column_number + 1)
            }));
            stack = parent.map(|parent| *parent);
        }
        if lines.is_empty() {
            lines.extend(raw.url.filter(|url| !url.is_empty()).map(|url| match raw.line_number {
                Some(line) => format!("at {url}:{}", line + 1.0),
                None => format!("at {url}"),
            }));
        }
        let known = raw.r#type != "other" || !lines.is_empty();
        known.then(|| Initiator { kind: raw.r#type, lines: Vec::new() }.with_lines(lines))
    }

    /// The same with other lines, of which the first are kept.
    pub fn with_lines(mut self, lines: Vec<String>) -> Self {
        self.lines = lines;
        if self.lines.len() > FRAMES {
            let left = self.lines.len() - FRAMES;
            self.lines.truncate(FRAMES);
            self.lines.push(format!("... {left} more"));
        }
        self
    }

    /// The `Runtime.StackTrace` of the script that made a request.
    pub fn stack(request: &Request) -> Option<Box<RawValue>> {
        #[derive(Deserialize)]
        struct WithStack {
            stack: Option<Box<RawValue>>,
        }
        decode::<WithStack>(request.initiator.as_ref()?.get()).ok()?.stack
    }

    /// The same as data.
    pub fn json(&self) -> Value {
        json!({"type": self.kind, "stack": self.lines})
    }
}
