//! The requests of a page: a bounded log fed by the network events of its sessions, and the bodies that belong to it.
//!
//! Bodies are kept by the browser itself where it can (durable messages, which survive navigations and the end of frames
//! and workers); what it does not keep (sent bodies, `blob:` addresses, everything in older browsers) is read when it
//! arrives and lies on disk within a budget.

mod body;
mod chains;
mod entry;
mod initiator;
mod kept;
mod log;
mod messages;
mod protocol;
mod state;

pub use body::{Body, Missing};
pub use entry::{Failed, Header, Request, Response, Summary};
pub use initiator::Initiator;
pub use log::NetworkLog;
pub use messages::{Message, Messages};
pub use protocol::Timing;
