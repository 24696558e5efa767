//! What belongs to one client: its roots, its traces. Nothing here depends on `initialize` having happened.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use crate::config::Config;
use crate::devtools::trace::TraceAnalysis;
use crate::files::PathPolicy;

/// How long a call that needs the roots waits for a client that announced them but does not answer.
pub const ROOTS_WAIT: Duration = Duration::from_secs(5);

/// State of one client.
pub struct Session {
    /// The process's settings.
    pub config: Arc<Config>,
    /// The roots the client has told; `None` until it has.
    roots: watch::Sender<Option<Vec<PathBuf>>>,
    trace: Mutex<Option<Arc<TraceAnalysis>>>,
}

impl Session {
    /// A session with nothing in it.
    pub fn new(config: Arc<Config>) -> Arc<Self> {
        Arc::new(Session { config, roots: watch::Sender::new(None), trace: Mutex::new(None) })
    }

    /// Replaces the last trace. The old one's isolate ends when its last user is done.
    pub fn store_trace(&self, trace: TraceAnalysis) {
        let old = self.trace.lock().unwrap_or_else(PoisonError::into_inner).replace(Arc::new(trace));
        drop(old);
    }

    /// The last trace that was loaded or recorded.
    pub fn last_trace(&self) -> Option<Arc<TraceAnalysis>> {
        self.trace.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes the client's roots.
    pub fn set_roots(&self, roots: Vec<PathBuf>) {
        self.roots.send_replace(Some(roots));
    }

    /// The path policy, waiting a little for roots that are on their way.
    pub async fn path_policy(&self, roots_expected: bool) -> PathPolicy {
        let mut roots = self.roots.subscribe();
        if roots_expected {
            let _ = tokio::time::timeout(ROOTS_WAIT, roots.wait_for(Option::is_some)).await;
        }
        let known = roots.borrow().clone();
        PathPolicy::new(&self.config, known.as_deref())
    }
}
