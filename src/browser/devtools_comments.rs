//! Comments that a user has made in the DevTools window of a page: they are read, answered and resolved through the
//! bridge that DevTools keeps for agents in its own window.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::page::Attached;
use crate::cdp::{CdpError, Session, Subscription};

/// Runs in the window: a function of a step and its arguments.
const SCRIPT: &str = include_str!("scripts/devtools_comments.js");

/// What the window calls when a thread has changed.
const BINDING: &str = "__onDevToolsCommentEvent";

/// Changes within this time count as one.
const DEBOUNCE: Duration = Duration::from_millis(200);

/// How long a window may take to load, and to answer.
const LOADING: Duration = Duration::from_secs(3);
const ANSWER: Duration = Duration::from_secs(10);

/// Pause between two looks at a window that is loading.
const PAUSE: Duration = Duration::from_millis(100);

/// Why there are no comments.
#[derive(Debug, thiserror::Error)]
pub enum CommentsError {
    /// The page has no DevTools window.
    #[error("DevTools window is not open for this page. Call open_devtools first.")]
    NoWindow,
    /// The window has no bridge.
    #[error(
        "DevTools comments are not working right now. Either this browser does not have them, or its feature \
         DevToolsComments is off (start the server with --chromeArg=--enable-features=DevToolsComments), or the window is \
         still loading."
    )]
    NoBridge,
    /// The window failed.
    #[error("The DevTools window failed: {0}")]
    Script(String),
    /// The browser refused or lost a call.
    #[error(transparent)]
    Cdp(#[from] CdpError),
}

/// A thread that was handed to the agent.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Thread {
    /// Opaque.
    pub id: String,
    /// The comment, with what DevTools says about its place.
    pub text: String,
    /// CDP id of the request that it is about.
    pub network_request_id: Option<String>,
    /// The node that it is about.
    pub node: Option<NodeAnchor>,
}

/// A node as DevTools names it.
#[derive(Debug, Clone, PartialEq, Deserialize, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeAnchor {
    /// DOM node in its process.
    pub backend_node_id: i64,
    /// CDP target of its frame.
    pub target_id: String,
}

/// The window of one page, as far as comments go.
#[derive(Default)]
pub struct Comments {
    window: tokio::sync::Mutex<Option<Arc<Window>>>,
}

/// A DevTools window whose comments are followed.
pub struct Window {
    /// CDP target id.
    pub target: String,
    session: Session,
    changes: watch::Receiver<()>,
    following: JoinHandle<()>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DevToolsTarget {
    target_id: Option<String>,
}

#[derive(Deserialize)]
struct Attachment {
    #[serde(rename = "sessionId")]
    session: String,
}

/// What the script says.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Said {
    Missing(Missing),
    Value(Value),
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Missing {
    Off,
    Loading,
}

/// Opens the window of a page.
pub async fn open(browser: &Session, page: &Attached) -> Result<(), CdpError> {
    browser.call::<Value>("Target.openDevTools", json!({"targetId": page.target})).await.map(drop)
}

impl Comments {
    /// The page's window, followed from the first time on.
    pub async fn window(&self, browser: &Session, page: &Attached) -> Result<Arc<Window>, CommentsError> {
        let found: Result<DevToolsTarget, _> =
            browser.call("Target.getDevToolsTarget", json!({"targetId": page.target})).await;
        let mut known = self.window.lock().await;
        let Some(target) = found.ok().and_then(|found| found.target_id) else {
            *known = None;
            return Err(CommentsError::NoWindow);
        };
        if let Some(window) = known.as_ref().filter(|window| window.target == target) {
            // It may have been loaded anew.
            match window.attach(false).await {
                Ok(()) => return Ok(window.clone()),
                Err(CommentsError::Cdp(_)) => *known = None,
                Err(other) => return Err(other),
            }
        }
        let window = Arc::new(Window::follow(browser, target).await?);
        window.attach(true).await?;
        *known = Some(window.clone());
        Ok(window)
    }
}

impl Window {
    async fn follow(browser: &Session, target: String) -> Result<Self, CdpError> {
        let params = json!({"targetId": target, "flatten": true});
        let Attachment { session } = browser.call("Target.attachToTarget", params).await?;
        let session = browser.with_id(session);
        let events = session.subscribe(&["Runtime.bindingCalled"]);
        let (sender, changes) = watch::channel(());
        let following = tokio::spawn(debounce(events, sender));
        Ok(Window { target, session, changes, following })
    }

    async fn attach(&self, is_first: bool) -> Result<(), CommentsError> {
        if is_first {
            self.session.call::<Value>("Runtime.addBinding", json!({"name": BINDING})).await?;
        }
        self.ask("attach", json!([is_first])).await
    }

    /// Changes of threads, several within a short time as one.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.changes.clone()
    }

    /// Threads that were handed to the agent and not yet taken; each is told once.
    pub async fn take(&self) -> Result<Vec<Thread>, CommentsError> {
        self.ask("take", json!([])).await
    }

    /// Marks a thread as done. Whether there is one with this id.
    pub async fn resolve(&self, thread: &str, reply: Option<&str>) -> Result<bool, CommentsError> {
        self.ask("resolve", json!([thread, reply])).await
    }

    /// Shows a panel, a node or a request.
    pub async fn reveal(
        &self,
        panel: &str,
        node: Option<NodeAnchor>,
        request: Option<&str>,
    ) -> Result<(), CommentsError> {
        let mut target = json!({});
        if let Some(node) = node {
            target["node"] = json!(node);
        }
        if let Some(request) = request {
            target["networkRequestId"] = request.into();
        }
        self.ask("reveal", json!([panel, target])).await
    }

    async fn ask<T: DeserializeOwned>(&self, step: &str, arguments: Value) -> Result<T, CommentsError> {
        let params = json!({
            "expression": format!("({SCRIPT})({}, ...{arguments})", json!(step)),
            "awaitPromise": true,
            "returnByValue": true,
        });
        let start = tokio::time::Instant::now();
        loop {
            let answer: Value = self.session.call_within("Runtime.evaluate", &params, ANSWER).await?;
            if let Some(details) = answer.get("exceptionDetails") {
                let text = details["exception"]["description"].as_str().or_else(|| details["text"].as_str());
                return Err(CommentsError::Script(
                    text.unwrap_or("no reason").lines().next().unwrap_or_default().into(),
                ));
            }
            let shape = |why: serde_json::Error| CommentsError::Script(why.to_string());
            match serde_json::from_value(answer["result"]["value"].clone()).map_err(shape)? {
                Said::Value(value) => return serde_json::from_value(value).map_err(shape),
                Said::Missing(Missing::Loading) if start.elapsed() < LOADING => tokio::time::sleep(PAUSE).await,
                Said::Missing(_) => return Err(CommentsError::NoBridge),
            }
        }
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        self.following.abort();
        let expression = format!("({SCRIPT})('detach')");
        self.session.post("Runtime.evaluate", json!({"expression": expression}));
        if let Some(id) = self.session.id() {
            let browser = Session::browser(self.session.connection().clone());
            browser.post("Target.detachFromTarget", json!({"sessionId": id}));
        }
    }
}

/// Tells of changes when there has been none for a moment; ends with the window's session.
async fn debounce(mut events: Subscription, changes: watch::Sender<()>) {
    while events.next().await.is_some() {
        while let Ok(Some(_)) = tokio::time::timeout(DEBOUNCE, events.next()).await {}
        if changes.send(()).is_err() {
            return;
        }
    }
}

/// Windows that clients have been promised to hear of.
#[derive(Default)]
pub struct Followed(std::sync::Mutex<std::collections::HashSet<String>>);

impl Followed {
    /// Calls `tell` at each change of a window, until it is closed. Once for each window.
    pub fn follow(self: &Arc<Self>, window: &Window, tell: impl Fn() + Send + 'static) {
        let target = window.target.clone();
        if !self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(target.clone()) {
            return;
        }
        let (followed, mut changes) = (Arc::downgrade(self), window.changes());
        changes.mark_unchanged();
        tokio::spawn(async move {
            while changes.changed().await.is_ok() {
                tell();
            }
            if let Some(followed) = followed.upgrade() {
                followed.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&target);
            }
        });
    }
}
