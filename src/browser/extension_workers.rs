//! Service workers of extensions: their ids, their sessions, and what they have said. They belong to no page.
//!
//! Attached to when they are first seen, without stopping them; the browser repeats what they have logged by then. What
//! an extension has said stays when its worker is restarted.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::sync::OnceCell;

use super::collect::{Origin, Part};
use super::console::ConsoleLog;
use crate::cdp::{CdpError, Session};

/// Extensions whose messages are kept.
const EXTENSIONS: usize = 100;

/// Never used again in this process, also not for the next browser.
static NEXT: AtomicU32 = AtomicU32::new(1);

/// One of them.
#[derive(Clone)]
pub struct ExtensionWorker {
    /// `sw-<n>`.
    pub id: String,
    /// Address of its script.
    pub url: String,
    target: String,
    session: Arc<OnceCell<Session>>,
}

/// All of a browser.
#[derive(Default)]
pub struct ExtensionWorkers {
    workers: Mutex<Vec<ExtensionWorker>>,
    /// By extension id.
    logs: Mutex<HashMap<String, Arc<ConsoleLog>>>,
}

/// The extension that an address belongs to.
fn extension(url: &str) -> Option<&str> {
    url.strip_prefix("chrome-extension://")?.split('/').next()
}

/// Whether a target is such a worker.
pub(super) fn is_one(kind: &str, url: &str) -> bool {
    kind == "service_worker" && extension(url).is_some()
}

fn guard_of<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ExtensionWorkers {
    /// Notes a worker and begins to follow it, once.
    pub(super) fn note(&self, browser: &Session, target: &str, url: &str) {
        let mut workers = guard_of(&self.workers);
        if workers.iter().any(|worker| worker.target == target) {
            return;
        }
        let id = format!("sw-{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let worker = ExtensionWorker { id, url: url.into(), target: target.into(), session: Arc::default() };
        workers.push(worker.clone());
        drop(workers);
        let mut logs = guard_of(&self.logs);
        let extension = extension(url).unwrap_or_default();
        if logs.len() >= EXTENSIONS && !logs.contains_key(extension) {
            return;
        }
        let log = logs.entry(extension.to_owned()).or_default().clone();
        let browser = browser.clone();
        // One that ends meanwhile has nothing to say.
        tokio::spawn(async move {
            let session = worker.session(&browser).await?;
            let (target, url) = (worker.target.clone(), worker.url.clone());
            log.follow(Origin { session: session.clone(), part: Part::ServiceWorker, frame: target, url });
            let (runtime, entries) = tokio::join!(
                session.call::<Value>("Runtime.enable", json!({})),
                session.call::<Value>("Log.enable", json!({})),
            );
            runtime.and(entries)
        });
    }

    /// Forgets the workers whose targets have gone; what they have said stays.
    pub(super) fn forget(&self, gone: &[ExtensionWorker]) {
        guard_of(&self.workers).retain(|worker| !gone.iter().any(|gone| gone.target == worker.target));
    }

    /// Those that are there, in the order in which they were seen.
    pub fn list(&self) -> Vec<ExtensionWorker> {
        guard_of(&self.workers).clone()
    }

    /// What an extension's workers have said: by the extension's id, or by that of a worker that is there.
    pub fn log(&self, id: &str) -> Option<Arc<ConsoleLog>> {
        let url = guard_of(&self.workers).iter().find(|worker| worker.id == id).map(|worker| worker.url.clone());
        let extension = url.as_deref().and_then(extension).unwrap_or(id);
        guard_of(&self.logs).get(extension).cloned()
    }
}

impl ExtensionWorker {
    /// Its CDP target.
    pub(super) fn target(&self) -> &str {
        &self.target
    }

    /// Its session, made at first use.
    pub async fn session(&self, browser: &Session) -> Result<&Session, CdpError> {
        let attach = async || {
            let params = json!({"targetId": self.target, "flatten": true});
            let attached: Value = browser.call("Target.attachToTarget", params).await?;
            Ok(browser.with_id(attached["sessionId"].as_str().unwrap_or_default()))
        };
        self.session.get_or_try_init(attach).await
    }
}
