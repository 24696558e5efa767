//! The requests of a page: a bounded log fed by the network events of its sessions.

use std::sync::Arc;

use super::collect::Origin;

/// Requests of one page.
#[derive(Default)]
pub struct NetworkLog {}

impl NetworkLog {
    /// Follows a session from now on; called before its events are switched on.
    pub fn follow(self: &Arc<Self>, origin: Origin) {
        let _ = origin;
    }

    /// The number of a request by the id that DevTools has for it.
    pub fn number_of(&self, _request_id: &str) -> Option<u32> {
        None
    }

    /// The id that DevTools has for a request.
    pub fn request_id(&self, _number: u32) -> Option<String> {
        None
    }
}
