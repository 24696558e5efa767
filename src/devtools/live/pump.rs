//! Events of a page's sessions on their way to the front-end.
//!
//! The front-end is asked about scripts, styles and nodes; what the page says and requests is recorded in Rust, on other
//! sessions. Such events stop here, so that a busy page does not keep V8 busy.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::json;
use serde_json::value::to_raw_value;
use tokio::sync::mpsc;

use crate::cdp::{Event, Inserter, Session};

/// Events that may wait while the front-end is busy. Scripts must not be lost: a large page has thousands.
const WAITING: usize = 100_000;

/// Console messages after which the handles that Chrome makes for this session are given back.
const HANDLES: usize = 500;

/// Domains and events that the front-end's models need.
const FORWARDED: &[&str] =
    &["Debugger.", "CSS.", "DOM.", "Page.frame", "Page.loadEventFired", "Target.", "Runtime.executionContext"];

/// Name of what is an answer among the events.
const ANSWER: &str = "devtools-mcp.answer";

/// All sessions of one universe.
pub(super) struct Pump {
    events: mpsc::Sender<String>,
    /// With the place where their answers join their events.
    sessions: Mutex<HashMap<String, Inserter>>,
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

    fn sessions(&self) -> MutexGuard<'_, HashMap<String, Inserter>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a session belongs to the universe.
    pub fn knows(&self, session: &str) -> bool {
        self.sessions().contains_key(session)
    }

    /// Sends an answer behind the events that came before it: those announce the nodes and sheets that it speaks of.
    /// False: the session has ended.
    pub fn answer(&self, session: &str, number: u64, answer: &str) -> bool {
        let Some(inserter) = self.sessions().get(session).cloned() else { return false };
        let Ok(params) = to_raw_value(&json!({"number": number, "answer": answer})) else { return false };
        inserter.push(Event { method: ANSWER.into(), session: None, params, place: 0 })
    }

    /// Forwards the session of a target that Chrome attaches to no page: the front-end is told that it belongs to `parent`.
    pub async fn forward_shared(self: Arc<Self>, parent: String, session: Session, info: serde_json::Value) {
        let id = session.id().unwrap_or_default().to_owned();
        let told = |method: &str, params: serde_json::Value| {
            let event = json!({"method": method, "sessionId": parent, "params": params}).to_string();
            self.events.send(event)
        };
        let params = json!({"sessionId": id, "targetInfo": info, "waitingForDebugger": false});
        let events = boxed(self.clone(), session);
        if told("Target.attachedToTarget", params).await.is_ok() {
            events.await;
            let _ = told("Target.detachedFromTarget", json!({"sessionId": id})).await;
        }
    }

    /// Forwards a session and what is attached to it, until it ends.
    pub fn forward(self: Arc<Self>, session: Session) -> impl Future<Output = ()> + Send + 'static {
        let id = session.id().unwrap_or_default().to_owned();
        let mut events = session.connection().subscribe_all(&id, WAITING);
        self.sessions().insert(id.clone(), events.inserter());
        async move {
            // Not paused: scripts that ran before are announced when the debugger is enabled.
            let filter = json!([{"type": "iframe"}, {"type": "worker"}, {"type": "service_worker"}]);
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
                let wanted = event.method == ANSWER || FORWARDED.iter().any(|prefix| event.method.starts_with(prefix));
                if wanted && self.events.send(text(&event)).await.is_err() {
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
