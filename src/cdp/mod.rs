//! The Chrome DevTools Protocol: transports, the router of calls and events, sessions.
//!
//! Layers, each with one owner: a [`transport`] moves messages; the [`Connection`] gives calls their ids, finds the
//! caller of each answer and hands events to subscribers; a [`Session`] is one flat session on it. chromiumoxide's types
//! are the vocabulary, nothing more: its transport and targets do not fit (docs/dependencies.md). Knows no pages.

mod connection;
mod error;
mod mailbox;
mod message;
pub mod pipe;
mod session;
pub mod transport;
mod trim;
pub mod trust;
pub mod websocket;

pub use chromiumoxide_cdp::cdp::browser_protocol as protocol;
pub use connection::{Connection, Reply};
pub use error::CdpError;
pub use mailbox::{Backlog, Inserter, Subscription};
pub use message::{Event, decode, repair_surrogates};
pub use session::Session;
