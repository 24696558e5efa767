//! Shared workers of a page. Chrome attaches them to no page, since several may use one, so they are found by their
//! origin: a shared worker is of the origin of every document that can connect to it. They run when they are found; the
//! browser repeats what they have logged by then.

use std::collections::HashSet;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use url::{Origin, Url};

use super::children::{self, ChildInfo};
use super::page::{Attached, guard_of};
use crate::cdp::{CdpError, Event, Session};

/// CDP's name for them.
const KIND: &str = "shared_worker";

/// Follows the shared workers of a page's origins until the page's session ends.
pub(super) fn follow(page: &Arc<Attached>, browser: Session) {
    let mut frames = page.session.subscribe(&["Page.frameNavigated"]);
    let mut targets = browser.subscribe(&["Target.targetCreated", "Target.detachedFromTarget"]);
    let (weak, target) = (Arc::downgrade(page), page.target.clone());
    tokio::spawn(async move {
        let mut place = Place::default();
        // Nothing tells of the document that is there already.
        let Ok(own) = browser.call::<Info>("Target.getTargetInfo", json!({"targetId": target})).await else { return };
        place.context = own.target_info.browser_context_id;
        if let (true, Some(page)) = (place.is_new(&own.target_info.url), weak.upgrade()) {
            place.search(&page, &browser).await;
        }
        loop {
            tokio::select! {
                biased;
                event = frames.next() => {
                    let (Some(event), Some(page)) = (event, weak.upgrade()) else { return };
                    if place.navigated(&event) {
                        place.search(&page, &browser).await;
                    }
                }
                event = targets.next() => {
                    let (Some(event), Some(page)) = (event, weak.upgrade()) else { return };
                    place.noted(&page, &browser, &event).await;
                }
            }
        }
    });
}

/// Where a page is.
#[derive(Default)]
struct Place {
    context: Option<String>,
    origins: HashSet<Origin>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Infos {
    target_infos: Vec<ChildInfo>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Info {
    target_info: ChildInfo,
}

impl Place {
    /// Notes a document of the page; whether it is of an origin that was not there before.
    fn navigated(&mut self, event: &Event) -> bool {
        let Ok(details) = event.decode::<Value>() else { return false };
        let frame = &details["frame"];
        if frame.get("parentId").is_none() {
            self.origins.clear();
        }
        frame["url"].as_str().is_some_and(|url| self.is_new(url))
    }

    fn is_new(&mut self, url: &str) -> bool {
        Url::parse(url).is_ok_and(|url| url.origin().is_tuple() && self.origins.insert(url.origin()))
    }

    /// Attaches to those that run already, and leaves those of origins that the page has left.
    async fn search(&self, page: &Arc<Attached>, browser: &Session) {
        let left: Vec<_> = {
            let mut children = guard_of(&page.children);
            let (stay, left) = children.drain(..).partition(|child| child.kind != KIND || self.is_of(&child.url));
            *children = stay;
            left
        };
        for child in left {
            browser.post("Target.detachFromTarget", json!({"sessionId": child.session.id()}));
        }
        let params = json!({"filter": [{"type": KIND}]});
        let Ok(found) = browser.call::<Infos>("Target.getTargets", params).await else { return };
        for info in found.target_infos {
            let _ = self.attach(page, browser, info).await;
        }
    }

    async fn noted(&self, page: &Arc<Attached>, browser: &Session, event: &Event) {
        if event.method == "Target.detachedFromTarget" {
            let Ok(details) = event.decode::<Value>() else { return };
            children::forget(page, details["sessionId"].as_str().unwrap_or_default());
        } else if let Ok(Info { target_info }) = event.decode() {
            let _ = self.attach(page, browser, target_info).await;
        }
    }

    fn is_of(&self, url: &str) -> bool {
        Url::parse(url).is_ok_and(|url| self.origins.contains(&url.origin()))
    }

    async fn attach(&self, page: &Arc<Attached>, browser: &Session, info: ChildInfo) -> Result<(), CdpError> {
        let is_known = guard_of(&page.children).iter().any(|child| child.target == info.target_id);
        let is_here = info.browser_context_id == self.context && self.is_of(&info.url);
        if info.r#type != KIND || is_known || !is_here {
            return Ok(());
        }
        let params = json!({"targetId": info.target_id, "flatten": true});
        let attached: Value = browser.call("Target.attachToTarget", params).await?;
        let session = browser.with_id(attached["sessionId"].as_str().unwrap_or_default());
        tokio::spawn(children::adopt(page.clone(), session, info));
        Ok(())
    }
}
