//! What a page has in other processes or threads: frames of other sites, and workers.
//!
//! They are attached paused, given the page's settings, and resumed, so that none of their first requests is missed.
//! Service workers come with every page that they control or that registers them, as in DevTools; shared workers belong
//! to no page and are found by [`super::shared_workers`].

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use serde::Deserialize;
use serde_json::{Value, json};

use super::collect::{Origin, Part};
use super::emulate::Emulation;
use super::page::{Attached, guard_of};
use crate::cdp::{Session, Subscription};

const EVENTS: &[&str] = &["Target.attachedToTarget", "Target.detachedFromTarget"];

/// A frame or worker of the page that lives in another process or thread.
#[derive(Clone)]
pub struct Child {
    /// Its session.
    pub session: Session,
    /// For a frame: its id.
    pub target: String,
    /// `iframe`, `worker`, …
    pub kind: String,
    /// Its address when it was attached.
    pub url: String,
    /// The frame it is in.
    pub parent_frame: Option<String>,
    silent: Arc<AtomicBool>,
}

impl Child {
    /// Whether it did not answer the last time it was asked.
    pub(super) fn is_silent(&self) -> bool {
        self.silent.load(Ordering::Relaxed)
    }

    /// Notes whether it answers.
    pub(super) fn set_silent(&self, silent: bool) {
        self.silent.store(silent, Ordering::Relaxed);
    }
}

#[derive(Deserialize)]
struct AttachedTo {
    #[serde(rename = "sessionId")]
    session: String,
    #[serde(rename = "targetInfo")]
    info: ChildInfo,
}

/// What `Target.TargetInfo` says about a child.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ChildInfo {
    pub target_id: String,
    pub r#type: String,
    #[serde(default)]
    pub url: String,
    pub parent_frame_id: Option<String>,
    pub browser_context_id: Option<String>,
}

/// Kinds of targets that are attached with a page.
pub fn filter() -> Value {
    json!([{"type": "iframe"}, {"type": "worker"}, {"type": "service_worker"}])
}

/// Follows what is attached below a session of the page; ends with that session.
pub(super) fn follow(page: &Arc<Attached>, parent: &Session) {
    let events = parent.subscribe(EVENTS);
    tokio::spawn(watch(Arc::downgrade(page), parent.clone(), events));
}

/// Type-erased, because children have children.
fn watch(page: Weak<Attached>, parent: Session, mut events: Subscription) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move {
        while let Some(event) = events.next().await {
            let Some(page) = page.upgrade() else { return };
            if event.method == "Target.attachedToTarget" {
                let Ok(AttachedTo { session, info }) = event.decode() else { continue };
                tokio::spawn(adopt(page, parent.with_id(session), info));
            } else if let Ok(details) = event.decode::<Value>() {
                forget(&page, details["sessionId"].as_str().unwrap_or_default());
            }
        }
    })
}

/// Removes the child of a session that has ended.
pub(super) fn forget(page: &Attached, session: &str) {
    guard_of(&page.children).retain(|child| child.session.id() != Some(session));
}

/// Makes an attached target a child of the page at once; the future gives it the page's settings and lets it run.
pub(super) fn adopt(
    page: Arc<Attached>,
    session: Session,
    info: ChildInfo,
) -> impl Future<Output = ()> + Send + 'static {
    follow(&page, &session);
    let part = Part::of(&info.r#type);
    let origin = Origin { session: session.clone(), part, frame: info.target_id.clone(), url: info.url.clone() };
    let child = Child {
        session: session.clone(),
        target: info.target_id,
        kind: info.r#type,
        url: info.url,
        parent_frame: info.parent_frame_id,
        silent: Arc::default(),
    };
    guard_of(&page.children).push(child);
    async move {
        let emulation = page.emulation().clone();
        let run = async {
            let _: Result<Value, _> = session.call("Runtime.runIfWaitingForDebugger", json!({})).await;
        };
        if part.is_worker() {
            // Its thread answers only once it runs; what was sent before still comes first.
            let _ = tokio::join!(page.prepare(origin), emulation.apply_to_worker(&session), run);
            return;
        }
        // One that goes away at once knows nothing any more; whatever happens here, it must run.
        let _ = page.prepare(origin).await;
        if emulation != Emulation::default() {
            let _ = emulation.apply_to_frame(&session).await;
        }
        run.await;
    }
}
