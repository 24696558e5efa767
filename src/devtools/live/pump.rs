//! Events of a page's sessions on their way to the front-end.
//!
//! The front-end is asked about scripts, styles and nodes; what the page says and requests is recorded in Rust, on other
//! sessions. Such events stop here, so that a busy page does not keep V8 busy.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::json;
use tokio::sync::mpsc;

use crate::cdp::{Event, Session};

/// Events that may wait while the front-end is busy. Scripts must not be lost: a large page has thousands.
const WAITING: usize = 100_000;

/// Console messages after which the handles that Chrome makes for this session are given back.
const HANDLES: usize = 500;

/// Domains and events that the front-end's models need.
const FORWARDED: &[&str] =
    &["Debugger.", "CSS.", "DOM.", "Page.frame", "Page.loadEventFired", "Target.", "Runtime.executionContext"];

/// All sessions of one universe.
pub(super) struct Pump {
    events: mpsc::Sender<String>,
    sessions: Mutex<HashSet<String>>,
}

#[derive(Deserialize)]
struct AttachedTo {
    #[serde(rename = "sessionId")]
    session: String,
}

impl Pump {
    pub fn new(events: mpsc::Sender<String>) -> Self {
        Pump { events, sessions: Mutex::default() }
    }

    fn sessions(&self) -> MutexGuard<'_, HashSet<String>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a session belongs to the universe.
    pub fn knows(&self, session: &str) -> bool {
        self.sessions().contains(session)
    }

    /// Forwards a session and what is attached to it, until it ends.
    pub fn forward(self: Arc<Self>, session: Session) -> impl Future<Output = ()> + Send + 'static {
        let id = session.id().unwrap_or_default().to_owned();
        self.sessions().insert(id.clone());
        let mut events = session.connection().subscribe_all(&id, WAITING);
        async move {
            // Not paused: scripts that ran before are announced when the debugger is enabled.
            let filter = json!([{"type": "iframe"}, {"type": "worker"}]);
            let params =
                json!({"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true, "filter": filter});
            session.post("Target.setAutoAttach", params);
            let mut children = tokio::task::JoinSet::new();
            let mut messages = 0;
            while let Some(event) = events.next().await {
                if event.method == "Target.attachedToTarget"
                    && let Ok(AttachedTo { session: child }) = event.decode()
                {
                    children.spawn(boxed(self.clone(), session.with_id(child)));
                }
                if event.method == "Runtime.consoleAPICalled" {
                    messages += 1;
                    if messages % HANDLES == 0 {
                        session.post("Runtime.releaseObjectGroup", json!({"objectGroup": "console"}));
                    }
                }
                if FORWARDED.iter().any(|prefix| event.method.starts_with(prefix))
                    && self.events.send(text(&event)).await.is_err()
                {
                    break;
                }
            }
            self.sessions().remove(&id);
        }
    }
}

/// Type-erased, because it spawns itself.
fn boxed(pump: Arc<Pump>, session: Session) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(pump.forward(session))
}

fn text(event: &Event) -> String {
    let session = event.session.as_deref().unwrap_or_default();
    format!(r#"{{"method":{},"sessionId":{},"params":{}}}"#, json!(event.method), json!(session), event.params.get())
}
