//! The console of a page: messages, uncaught errors and issues in a bounded log fed by the events of its sessions.

pub mod details;
pub mod entry;
mod format;
pub mod log;
pub mod remote;

pub use details::{Cause, Details, ErrorDetails};
pub use entry::{Entry, Issue, Kind, Message};
pub use log::ConsoleLog;
