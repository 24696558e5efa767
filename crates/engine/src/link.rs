//! A link: requests of JavaScript to somebody outside, and that party's events.
//!
//! Given to an isolate with a call and open until JavaScript closes it or the isolate ends. Both directions carry JSON
//! texts and are bounded: requests wait for room, events wait in the sender's queue and are taken in batches.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use deno_core::{OpState, op2};
use deno_error::JsErrorBox;
use tokio::sync::{Mutex, mpsc, oneshot};

use crate::ops::Calls;

/// Events that one batch holds at most, and the bytes after which it is closed.
const BATCH_EVENTS: usize = 512;
const BATCH_BYTES: usize = 1024 * 1024;

/// A request of JavaScript.
pub struct LinkRequest {
    /// JSON.
    pub text: String,
    /// Takes the answer, as JSON. Dropped: the request fails.
    pub reply: oneshot::Sender<String>,
}

/// The isolate's end of a link.
pub struct Link {
    /// Where its requests go.
    pub requests: mpsc::Sender<LinkRequest>,
    /// The other side's events; the link is closed when its sender is dropped.
    pub events: mpsc::Receiver<String>,
}

/// An open link.
struct Open {
    requests: mpsc::Sender<LinkRequest>,
    events: Mutex<mpsc::Receiver<String>>,
}

/// The open links of an isolate, by the calls that brought them.
#[derive(Default)]
pub(crate) struct Links(HashMap<u32, Rc<Open>>);

/// Opens the link that came with a call; it keeps the call's number.
#[op2(fast)]
pub fn op_dtm_link_open(state: &mut OpState, #[smi] call: u32) -> Result<(), JsErrorBox> {
    let link = state.borrow_mut::<Calls>().0.get_mut(&call).and_then(|call| call.link.take());
    let Link { requests, events } = link.ok_or_else(|| JsErrorBox::type_error("this call brought no link"))?;
    let open = Open { requests, events: Mutex::new(events) };
    state.borrow_mut::<Links>().0.insert(call, Rc::new(open));
    Ok(())
}

/// Closes a link: its requests fail and its events end.
#[op2(fast)]
pub fn op_dtm_link_close(state: &mut OpState, #[smi] link: u32) {
    state.borrow_mut::<Links>().0.remove(&link);
}

fn find(state: &RefCell<OpState>, link: u32) -> Option<Rc<Open>> {
    state.borrow().borrow::<Links>().0.get(&link).cloned()
}

/// Sends a request and waits for its answer.
#[op2]
#[string]
pub async fn op_dtm_link_request(
    state: Rc<RefCell<OpState>>,
    #[smi] link: u32,
    #[string] text: String,
) -> Result<String, JsErrorBox> {
    let closed = || JsErrorBox::generic("the link is closed");
    // The link itself is not held while waiting, so that closing it ends the wait of its events.
    let requests = find(&state, link).ok_or_else(closed)?.requests.clone();
    let (reply, answer) = oneshot::channel();
    requests.send(LinkRequest { text, reply }).await.map_err(|_| closed())?;
    answer.await.map_err(|_| closed())
}

/// The next events as one JSON array, or an empty text when the link is closed.
#[op2]
#[string]
pub async fn op_dtm_link_events(state: Rc<RefCell<OpState>>, #[smi] link: u32) -> String {
    let Some(open) = find(&state, link) else { return String::new() };
    let mut events = open.events.lock().await;
    let Some(first) = events.recv().await else { return String::new() };
    let mut batch = String::with_capacity(first.len() + 2);
    batch.push('[');
    batch.push_str(&first);
    for _ in 1..BATCH_EVENTS {
        if batch.len() > BATCH_BYTES {
            break;
        }
        let Ok(event) = events.try_recv() else { break };
        batch.push(',');
        batch.push_str(&event);
    }
    batch.push(']');
    batch
}
