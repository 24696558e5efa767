//! A live page in the front-end: its universe, over a CDP session of the front-end's own.
//!
//! Made when something needs it, dropped with the page. Rust owns the sessions: it attaches the frames of other sites and
//! the workers, forwards their events, and sends the front-end's commands, all over one link.

mod csp;
mod loader;
mod pump;
mod requests;
pub mod stacks;
pub mod styles;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use devtools_engine::{EngineError, IsolateHandle, Link};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use self::pump::Pump;
use super::frontend::{self, Purpose};
use crate::cdp::{CdpError, Session};
use crate::config::UrlPolicy;
use crate::files::PathPolicy;

/// Events and requests that may wait on the link.
const EVENTS: usize = 4096;
const REQUESTS: usize = 256;

/// How long the front-end may take to take in a page.
const OPEN: Duration = Duration::from_secs(30);

/// Why the front-end cannot say anything about a page.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// The page does not take a session.
    #[error(transparent)]
    Cdp(#[from] CdpError),
    /// The engine.
    #[error("the DevTools engine failed: {0}")]
    Engine(#[from] EngineError),
}

/// What the front-end may load by itself.
#[derive(Clone)]
pub struct LoadingRules {
    /// Addresses.
    pub urls: UrlPolicy,
    /// Files.
    pub paths: PathPolicy,
}

/// A page's universe.
pub struct Universe {
    isolate: IsolateHandle,
    number: u64,
    session: Session,
    pump: Arc<Pump>,
    tasks: Mutex<tokio::task::JoinSet<()>>,
    /// Sessions of shared workers by their targets.
    shared: tokio::sync::Mutex<HashMap<String, Session>>,
    _open: frontend::OpenUniverse,
}

impl Universe {
    /// Opens one for a target. `browser` is the browser's own session.
    pub async fn open(
        browser: &Session,
        target: &str,
        rules: LoadingRules,
        source_maps: bool,
        purpose: Purpose,
    ) -> Result<Self, LiveError> {
        let params = json!({"targetId": target, "flatten": true});
        let attached = browser.call("Target.attachToTarget", params);
        let (isolate, attached) = tokio::join!(frontend::isolate(purpose), attached);
        let attached: Value = attached?;
        let id = attached["sessionId"].as_str().unwrap_or_default().to_owned();
        let isolate = isolate.inspect_err(|_| browser.post("Target.detachFromTarget", json!({"sessionId": id})))?;
        let session = browser.with_id(id.clone());
        let (event_sender, events) = mpsc::channel(EVENTS);
        let (request_sender, requests) = mpsc::channel(REQUESTS);
        let mut tasks = tokio::task::JoinSet::new();
        let pump = Arc::new(Pump::new(event_sender));
        tasks.spawn(pump.clone().forward(session.clone()));
        tasks.spawn(requests::serve(pump.clone(), session.clone(), rules, requests));
        let open = frontend::OpenUniverse::new();
        let link = Link { requests: request_sender, events };
        let params = json!({"session": id, "sourceMaps": source_maps});
        let number = frontend::ask_on(&isolate, "live.open", params, OPEN, Some(link)).await;
        let universe = Universe {
            isolate,
            number: *number.as_ref().unwrap_or(&0),
            session,
            pump,
            tasks: Mutex::new(tasks),
            shared: Default::default(),
            _open: open,
        };
        number?;
        Ok(universe)
    }

    /// Whether it can still be asked.
    pub fn is_alive(&self) -> bool {
        !self.isolate.is_ended() && !self.session.connection().is_ended()
    }

    /// Makes a shared worker known to the front-end, once. One that has gone stays unknown: its stacks are in generated
    /// positions.
    async fn attach_shared(&self, target: &str) {
        let mut shared = self.shared.lock().await;
        if shared.contains_key(target) {
            return;
        }
        let browser = Session::browser(self.session.connection().clone());
        let params = json!({"targetId": target, "flatten": true});
        let Ok(attached) = browser.call::<Value>("Target.attachToTarget", params).await else { return };
        let session = browser.with_id(attached["sessionId"].as_str().unwrap_or_default());
        let Ok(info) = browser.call::<Value>("Target.getTargetInfo", json!({"targetId": target})).await else { return };
        shared.retain(|_, session| session.id().is_some_and(|id| self.pump.knows(id)));
        shared.insert(target.to_owned(), session.clone());
        let parent = self.session.id().unwrap_or_default().to_owned();
        let forward = self.pump.clone().forward_shared(parent, session, info["targetInfo"].clone());
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).spawn(forward);
    }

    async fn ask<T: serde::de::DeserializeOwned>(
        &self,
        method: &'static str,
        mut params: Value,
        deadline: Duration,
    ) -> Result<T, EngineError> {
        params["universe"] = self.number.into();
        frontend::ask_on(&self.isolate, method, params, deadline, None).await
    }
}

impl Drop for Universe {
    fn drop(&mut self) {
        self.tasks.get_mut().unwrap_or_else(PoisonError::into_inner).abort_all();
        let browser = Session::browser(self.session.connection().clone());
        let own = [&self.session].into_iter().chain(self.shared.get_mut().values());
        for id in own.filter_map(Session::id) {
            browser.post("Target.detachFromTarget", json!({"sessionId": id}));
        }
        let (isolate, number) = (self.isolate.clone(), self.number);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let params = json!({"universe": number});
                let _: Result<Value, _> = frontend::ask_on(&isolate, "live.close", params, OPEN, None).await;
            });
        }
    }
}
