//! Numbers in bulk: what a call hands on to another isolate, and work on tables that native code does better.
//!
//! Tables cross the boundary as `ArrayBuffer`s over Rust's own memory, never as values. A native function runs on a
//! thread of its own, beside JavaScript; JavaScript keeps the buffers it passed and must leave them unchanged meanwhile.

use std::cell::RefCell;
use std::rc::Rc;

use deno_core::{JsBuffer, OpState, op2, v8};
use deno_error::JsErrorBox;

use crate::host::InputPiece;
use crate::ops::{Calls, IsolateState};

/// A table that goes to JavaScript as an `ArrayBuffer`.
#[derive(Debug, Clone, PartialEq)]
pub enum Table {
    /// For a `Uint32Array`.
    U32(Vec<u32>),
    /// For a `Float64Array`.
    F64(Vec<f64>),
}

/// A table that JavaScript has passed, as bytes.
pub type Buffer = JsBuffer;

/// Work on tables: numbers and tables in, tables out. The error is for whoever reads logs.
pub type Native = fn(&[u32], &[Buffer]) -> Result<Vec<Table>, String>;

/// Looks up a native function by name.
pub type NativeLookup = fn(&str) -> Option<Native>;

impl Table {
    pub(crate) fn into_buffer<'s>(self, scope: &mut v8::PinScope<'s, '_>) -> v8::Local<'s, v8::ArrayBuffer> {
        let store = match self {
            Table::U32(numbers) => v8::ArrayBuffer::new_backing_store_from_bytes(numbers),
            Table::F64(numbers) => v8::ArrayBuffer::new_backing_store_from_bytes(numbers),
        };
        v8::ArrayBuffer::with_backing_store(scope, &store.make_shared())
    }
}

/// Results of native functions that JavaScript has not fetched yet.
#[derive(Default)]
pub(crate) struct Results(Vec<Option<Vec<Table>>>);

/// Runs a native function on a thread of its own; the answer is the number under which its tables can be fetched.
#[op2]
pub fn op_dtm_native(
    state: Rc<RefCell<OpState>>,
    #[string] name: &str,
    #[serde] numbers: Vec<u32>,
    #[serde] tables: Vec<JsBuffer>,
) -> Result<impl Future<Output = Result<u32, JsErrorBox>> + use<>, JsErrorBox> {
    let function = state.borrow().try_borrow::<IsolateState>().and_then(|s| (s.natives)(name));
    let function = function.ok_or_else(|| JsErrorBox::generic(format!("no native function {name}")))?;
    let work = tokio::task::spawn_blocking(move || function(&numbers, &tables));
    Ok(async move {
        let tables = work.await.map_err(|e| JsErrorBox::generic(e.to_string()))?.map_err(JsErrorBox::generic)?;
        let mut state = state.borrow_mut();
        let results = state.borrow_mut::<Results>();
        results.0.push(Some(tables));
        Ok(results.0.len() as u32 - 1)
    })
}

/// The tables of a finished native function, as `ArrayBuffer`s; once.
#[op2]
pub fn op_dtm_native_result<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    state: Rc<RefCell<OpState>>,
    #[smi] number: u32,
) -> Result<v8::Local<'s, v8::Value>, JsErrorBox> {
    let tables = {
        let mut state = state.borrow_mut();
        let results = state.borrow_mut::<Results>();
        let tables = results.0.get_mut(number as usize).and_then(Option::take);
        tables.ok_or_else(|| JsErrorBox::generic("no such result of a native function"))?
    };
    let buffers: Vec<v8::Local<v8::Value>> = tables.into_iter().map(|t| t.into_buffer(scope).into()).collect();
    Ok(v8::Array::new_with_elements(scope, &buffers).into())
}

/// Hands a text on. Waits until it is taken; an error if nobody will.
#[op2(fast)]
pub fn op_dtm_output_text(
    state: Rc<RefCell<OpState>>,
    #[smi] call: u32,
    #[string] text: &str,
) -> Result<(), JsErrorBox> {
    output(&state, call, InputPiece::Text(text.into()))
}

/// Hands numbers on.
#[op2(fast)]
pub fn op_dtm_output_words(
    state: Rc<RefCell<OpState>>,
    #[smi] call: u32,
    #[buffer] words: &[u32],
) -> Result<(), JsErrorBox> {
    output(&state, call, InputPiece::Words(words.into()))
}

fn output(state: &Rc<RefCell<OpState>>, call: u32, piece: InputPiece) -> Result<(), JsErrorBox> {
    let sender = state.borrow().borrow::<Calls>().0.get(&call).and_then(|c| c.output.clone());
    let sender = sender.ok_or_else(|| JsErrorBox::type_error("this call has no output stream"))?;
    sender.send(piece).map_err(|_| JsErrorBox::generic("nobody reads this call's output any more"))
}
