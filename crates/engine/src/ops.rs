//! The ops: what JavaScript may ask of Rust.
//!
//! Few on purpose. Work travels as arguments of the dispatched call; ops exist for bulk input, progress and the host
//! functions that V8 lacks. None of them writes to stdout, which belongs to the protocol.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use deno_core::{OpState, op2, v8};
use deno_error::JsErrorBox;

use crate::host::{InputPiece, Progress};
use crate::link::Link;

/// Looks up an embedded text by its path below the front-end's root (issue descriptions).
pub type ResourceLookup = fn(&str) -> Option<&'static str>;

/// Per-call state that ops reach by the call's id.
pub(crate) struct CallState {
    pub input: Option<std::sync::mpsc::Receiver<InputPiece>>,
    pub output: Option<std::sync::mpsc::SyncSender<InputPiece>>,
    pub progress: Option<tokio::sync::mpsc::UnboundedSender<Progress>>,
    pub cancelled: Arc<AtomicBool>,
    pub link: Option<Link>,
}

/// All calls an isolate is working on.
#[derive(Default)]
pub(crate) struct Calls(pub HashMap<u32, CallState>);

/// What an isolate knows about itself; put into `OpState` when it starts.
pub(crate) struct IsolateState {
    pub name: String,
    pub started: std::time::Instant,
    pub resources: ResourceLookup,
}

/// Console output of JavaScript. Levels: 0 debug, 1 info, 2 warn, 3 error.
#[op2(fast)]
pub fn op_dtm_log(state: &mut OpState, #[smi] level: i32, #[string] text: &str) {
    let isolate = state.try_borrow::<IsolateState>().map_or("snapshot", |s| s.name.as_str());
    match level {
        0 => tracing::debug!(target: "engine::console", isolate, "{text}"),
        1 => tracing::info!(target: "engine::console", isolate, "{text}"),
        2 => tracing::warn!(target: "engine::console", isolate, "{text}"),
        _ => tracing::error!(target: "engine::console", isolate, "{text}"),
    }
}

/// Replaces deno_core's `op_print`, which would write to stdout.
#[op2(fast)]
pub fn op_dtm_print(#[string] text: &str, is_error: bool) {
    if is_error {
        tracing::warn!(target: "engine::print", "{}", text.trim_end());
    } else {
        tracing::info!(target: "engine::print", "{}", text.trim_end());
    }
}

/// Milliseconds since this isolate started, for `performance.now()`.
#[op2(fast)]
pub fn op_dtm_now(state: &mut OpState) -> f64 {
    state.try_borrow::<IsolateState>().map_or(0.0, |s| s.started.elapsed().as_secs_f64() * 1000.0)
}

/// Fills the array with random bytes, for `crypto.getRandomValues` and `randomUUID`.
#[op2(fast)]
pub fn op_dtm_random_fill(#[buffer] target: &mut [u8]) -> Result<(), JsErrorBox> {
    getrandom::fill(target).map_err(|error| JsErrorBox::generic(format!("no random bytes from the system: {error}")))
}

/// The next piece of a call's bulk input, or `null` at its end. Blocks the isolate's thread until there is one: the
/// isolate has nothing else to do, and the producer ends its side when the call is cancelled.
#[op2]
pub fn op_dtm_input_next<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    state: Rc<RefCell<OpState>>,
    #[smi] call: u32,
) -> Result<v8::Local<'s, v8::Value>, JsErrorBox> {
    let received = {
        let state = state.borrow();
        let calls = state.borrow::<Calls>();
        let Some(input) = calls.0.get(&call).and_then(|c| c.input.as_ref()) else {
            return Err(JsErrorBox::type_error("this call has no input stream"));
        };
        input.recv()
    };
    let Ok(piece) = received else { return Ok(v8::null(scope).into()) };
    let text = match piece {
        InputPiece::Text(bytes) if bytes.is_ascii() => {
            v8::String::new_external_onebyte(scope, bytes.into_boxed_slice())
        }
        InputPiece::Text(bytes) => v8::String::new_from_utf8(scope, &bytes, v8::NewStringType::Normal),
        InputPiece::Table(table) => return Ok(table.into_buffer(scope).into()),
        InputPiece::Failed => return Err(JsErrorBox::generic("the input stream failed")),
    };
    text.map(Into::into).ok_or_else(|| JsErrorBox::range_error("an input piece is longer than a V8 string may be"))
}

/// Reports progress of a call: `fraction` in 0..=1, `message` for people. Dropped when nobody listens.
#[op2(fast)]
pub fn op_dtm_progress(state: &mut OpState, #[smi] call: u32, fraction: f64, #[string] message: &str) {
    if let Some(progress) = state.borrow::<Calls>().0.get(&call).and_then(|c| c.progress.as_ref()) {
        let _ = progress.send(Progress { fraction, message: message.to_owned() });
    }
}

/// Whether a call was cancelled; long JavaScript loops ask between steps.
#[op2(fast)]
pub fn op_dtm_cancelled(state: &mut OpState, #[smi] call: u32) -> bool {
    state.borrow::<Calls>().0.get(&call).is_none_or(|c| c.cancelled.load(Ordering::Relaxed))
}

/// An embedded text of the front-end (issue descriptions), or an error naming the missing path.
#[op2]
#[string]
pub fn op_dtm_resource_text(state: &mut OpState, #[string] path: &str) -> Result<String, JsErrorBox> {
    let lookup = state
        .try_borrow::<IsolateState>()
        .map(|s| s.resources)
        .ok_or_else(|| JsErrorBox::generic("embedded texts are not available while a snapshot is made"))?;
    lookup(path).map(str::to_owned).ok_or_else(|| JsErrorBox::generic(format!("no embedded text named {path}")))
}
