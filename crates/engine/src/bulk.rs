//! Numbers in bulk: tables that reach JavaScript as `ArrayBuffer`s over Rust's own memory, never as values, and what a
//! call hands on to another isolate.

use std::cell::RefCell;
use std::rc::Rc;

use deno_core::{OpState, op2, v8};
use deno_error::JsErrorBox;

use crate::host::InputPiece;
use crate::ops::Calls;

/// A table that goes to JavaScript as an `ArrayBuffer`.
#[derive(Debug, Clone, PartialEq)]
pub enum Table {
    /// For a `Uint8Array`.
    U8(Vec<u8>),
    /// For a `Uint32Array` or an `Int32Array`.
    U32(Vec<u32>),
    /// For a `Float64Array`.
    F64(Vec<f64>),
}

impl Table {
    pub(crate) fn into_buffer<'s>(self, scope: &mut v8::PinScope<'s, '_>) -> v8::Local<'s, v8::ArrayBuffer> {
        let store = match self {
            Table::U8(numbers) => v8::ArrayBuffer::new_backing_store_from_bytes(numbers),
            Table::U32(numbers) => v8::ArrayBuffer::new_backing_store_from_bytes(numbers),
            Table::F64(numbers) => v8::ArrayBuffer::new_backing_store_from_bytes(numbers),
        };
        v8::ArrayBuffer::with_backing_store(scope, &store.make_shared())
    }
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
    output(&state, call, InputPiece::Table(Table::U32(words.into())))
}

fn output(state: &Rc<RefCell<OpState>>, call: u32, piece: InputPiece) -> Result<(), JsErrorBox> {
    let sender = state.borrow().borrow::<Calls>().0.get(&call).and_then(|c| c.output.clone());
    let sender = sender.ok_or_else(|| JsErrorBox::type_error("this call has no output stream"))?;
    sender.send(piece).map_err(|_| JsErrorBox::generic("nobody reads this call's output any more"))
}
