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
}
