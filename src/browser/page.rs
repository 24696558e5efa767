//! One page: its sessions, its frames' sessions, its dialogs, and the lock that lets one action at a time work on it.
//!
//! Nothing is enabled on a page until a tool works on it. Then its session is attached, and with it its frames in other
//! processes and its workers (see [`super::children`]).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::{OnceCell, OwnedMutexGuard};

use super::children::{self, Child};
use super::collect::{Origin, Part};
use super::console::ConsoleLog;
use super::devtools_comments::Comments;
use super::dialogs::Dialogs;
use super::emulate::Emulation;
use super::network::NetworkLog;
use super::prerender;
use super::shared_workers;
use super::snapshot::Snapshots;
use crate::cdp::{CdpError, Session, Subscription};
use crate::config::UrlPolicy;
use crate::devtools::frontend::Purpose;
use crate::devtools::live::{LiveError, LoadingRules, Universe};

/// How long a page may take to let itself be attached to. Tabs that sleep or hang do not answer at all.
const ATTACH: Duration = Duration::from_secs(2);

/// The same for a page that is new in a browser of ours: its process may only just be starting, on a busy machine.
const ATTACH_NEW: Duration = Duration::from_secs(15);

/// How long a page may take to tell whether it is visible.
const VISIBILITY: Duration = Duration::from_millis(300);

/// How long a call waits for another one on the same page.
const BUSY: Duration = Duration::from_secs(60);

/// How many tasks back a stack reaches, as in DevTools.
const ASYNC_STACKS: u32 = 32;

/// Address of Chrome's page for failed loads.
pub(super) const ERROR_PAGE: &str = "chrome-error://chromewebdata/";

/// Why a page cannot be worked on.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// It does not answer: discarded, frozen, crashed, or its main thread is blocked.
    #[error("page {id} does not answer: it is asleep, has crashed or is busy")]
    Asleep { id: u32 },
    /// Another call works on it.
    #[error("page {id} is busy: {tool} has been running on it for {seconds} s")]
    Busy { id: u32, tool: &'static str, seconds: u64 },
    /// The browser refused or lost a call.
    #[error(transparent)]
    Cdp(#[from] CdpError),
}

impl PageError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            PageError::Asleep { .. } => {
                "wake it with select_page and bringToFront, reload it with navigate_page, or use another page"
            }
            PageError::Busy { .. } => "cancel that call, or use another page meanwhile",
            PageError::Cdp(CdpError::Disconnected { .. }) => "call list_pages: the browser is started again",
            PageError::Cdp(_) => "call list_pages to see what is left",
        }
    }
}

/// A page of the browser, whether or not anything has been done with it.
pub struct Page {
    /// As in the lists.
    pub id: u32,
    /// CDP target id.
    pub target: String,
    /// Its browser context; `None` if Chrome tells none.
    context: Option<String>,
    known_since: Instant,
    attached: OnceCell<Arc<Attached>>,
    asleep: AtomicBool,
    lock: Arc<tokio::sync::Mutex<()>>,
    holder: Mutex<Option<(&'static str, Instant)>>,
}

/// The right to act on a page; others wait until it is dropped.
pub struct Turn(#[expect(dead_code, reason = "held for its drop")] OwnedMutexGuard<()>);

impl Page {
    /// A page nobody has touched yet.
    pub(super) fn new(id: u32, target: String, context: Option<String>) -> Self {
        Page {
            id,
            target,
            context,
            known_since: Instant::now(),
            attached: OnceCell::new(),
            asleep: AtomicBool::new(false),
            lock: Arc::default(),
            holder: Mutex::default(),
        }
    }

    /// Whether they can be tabs of one window.
    pub(super) fn is_beside(&self, other: &Page) -> bool {
        self.id != other.id && self.context == other.context
    }

    /// Whether it did not answer the last time it was needed.
    pub fn is_asleep(&self) -> bool {
        self.asleep.load(Ordering::Relaxed)
    }

    /// Whether Chrome shows its own page for an address that could not be loaded.
    pub fn shows_error(&self) -> bool {
        self.attached.get().is_some_and(|page| page.shows_error())
    }

    /// What is there if a tool has worked on the page already.
    pub fn if_attached(&self) -> Option<&Arc<Attached>> {
        self.attached.get()
    }

    /// Attaches on first use. `launched`: the browser is ours, so what is new has just been opened. `newborn`: the page
    /// begins just now, and everything that it says from now on is wanted.
    pub async fn attach(
        &self,
        browser: &Session,
        urls: &UrlPolicy,
        launched: bool,
        newborn: bool,
    ) -> Result<Arc<Attached>, PageError> {
        let is_new = launched && self.known_since.elapsed() < ATTACH_NEW;
        let attach = self.attached.get_or_try_init(|| Attached::new(browser, &self.target, urls, newborn));
        match tokio::time::timeout(if is_new { ATTACH_NEW } else { ATTACH }, attach).await {
            Ok(Ok(attached)) => {
                self.asleep.store(false, Ordering::Relaxed);
                Ok(attached.clone())
            }
            Ok(Err(error)) => Err(error.into()),
            Err(_) => {
                self.asleep.store(true, Ordering::Relaxed);
                Err(PageError::Asleep { id: self.id })
            }
        }
    }

    /// Waits for the turn of `tool`: calls on one page run one after the other, in their order.
    pub async fn turn(&self, tool: &'static str) -> Result<Turn, PageError> {
        match tokio::time::timeout(BUSY, self.lock.clone().lock_owned()).await {
            Ok(guard) => {
                *guard_of(&self.holder) = Some((tool, Instant::now()));
                Ok(Turn(guard))
            }
            Err(_) => {
                let (tool, since) = guard_of(&self.holder).unwrap_or(("another call", Instant::now()));
                Err(PageError::Busy { id: self.id, tool, seconds: since.elapsed().as_secs() })
            }
        }
    }
}

pub(super) fn guard_of<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A page that is being worked on.
pub struct Attached {
    /// The session of the page's target.
    pub session: Session,
    /// CDP target id.
    pub target: String,
    main_frame: Mutex<Arc<str>>,
    /// Its dialogs.
    pub dialogs: Dialogs,
    /// What is emulated.
    emulation: Mutex<Emulation>,
    /// The last snapshot and the uids given so far.
    snapshots: Mutex<Snapshots>,
    /// What the page has said.
    pub console: Arc<ConsoleLog>,
    /// What it has requested.
    pub network: Arc<NetworkLog>,
    /// What a user has said about it in DevTools.
    pub comments: Comments,
    universe: tokio::sync::Mutex<Option<Arc<Universe>>>,
    pub(super) children: Mutex<Vec<Child>>,
    shows_error: AtomicBool,
    focused: AtomicBool,
    behind: AtomicBool,
    urls: UrlPolicy,
}

impl Attached {
    async fn new(browser: &Session, target: &str, urls: &UrlPolicy, newborn: bool) -> Result<Arc<Self>, CdpError> {
        let params = json!({"targetId": target, "flatten": true});
        let attached: Value = browser.call("Target.attachToTarget", params).await?;
        let id = attached["sessionId"].as_str().unwrap_or_default();
        let session = browser.with_id(id);
        let mut unfinished = Unfinished(Some((browser.clone(), id.to_owned())));
        // A page begins with a main frame of its target's id; a prerendered one that took its place kept its own.
        let main_frame = match newborn {
            true => target.to_owned(),
            false => prerender::main_frame_of(&session).await?,
        };
        let page = Arc::new(Attached {
            session: session.clone(),
            target: target.to_owned(),
            main_frame: Mutex::new(main_frame.as_str().into()),
            dialogs: Dialogs::default(),
            emulation: Mutex::default(),
            snapshots: Mutex::default(),
            console: Arc::default(),
            network: Arc::default(),
            comments: Comments::default(),
            universe: tokio::sync::Mutex::default(),
            children: Mutex::default(),
            shows_error: AtomicBool::new(false),
            focused: AtomicBool::new(false),
            behind: AtomicBool::new(false),
            urls: urls.clone(),
        });
        let events =
            session.subscribe(&["Page.frameNavigated", "Page.javascriptDialogOpening", "Page.javascriptDialogClosed"]);
        tokio::spawn(watch_page(Arc::downgrade(&page), session.clone(), events));
        children::follow(&page, &session);
        prerender::follow(&page);
        shared_workers::follow(&page, browser.clone());
        let origin = Origin { session, part: Part::Page, frame: main_frame, url: String::new() };
        page.prepare(origin).await?;
        unfinished.0 = None;
        Ok(page)
    }

    /// What every session of the page gets, whether page, frame or worker. Sent at once, in order; the calls need no
    /// renderer that is already running. Logs and issues of frames and dedicated workers come through the page's own
    /// session.
    pub(super) async fn prepare(&self, origin: Origin) -> Result<(), CdpError> {
        self.console.follow(origin.clone());
        self.network.follow(origin.clone());
        let Origin { session, part, .. } = origin;
        // Worklets matter only where requests are filtered.
        let filter = if self.urls.is_active() { json!([{}]) } else { children::filter() };
        let auto_attach =
            json!({"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true, "filter": filter});
        let enable = async |method: &str, wanted: bool| match wanted {
            true => session.call::<Value>(method, json!({})).await.map(drop),
            false => Ok(()),
        };
        let (page, network, children, rules, runtime, log, issues, _, _) = tokio::join!(
            enable("Page.enable", !part.is_worker()),
            self.network.enable(&session, part),
            async { session.call::<Value>("Target.setAutoAttach", auto_attach).await.map(drop) },
            super::url_rules::apply(&session, &self.urls),
            async {
                // Without it stacks end where their task began. Needs no debugger.
                let depth = json!({"maxDepth": ASYNC_STACKS});
                let (enabled, _) = tokio::join!(
                    session.call::<Value>("Runtime.enable", json!({})),
                    session.call::<Value>("Runtime.setAsyncCallStackDepth", depth),
                );
                enabled.map(drop)
            },
            enable("Log.enable", part.logs_itself()),
            enable("Audits.enable", part == Part::Page),
            // Chrome reports issues of style sheets only where somebody looks at styles.
            enable("DOM.enable", part == Part::Page),
            enable("CSS.enable", part == Part::Page),
        );
        page.and(network).and(children).and(rules).and(runtime).and(log).and(issues)
    }

    /// Behaves as focused and visible from now on, as keyboard and mouse need. Only for input.
    pub async fn focus(&self) -> Result<(), CdpError> {
        if !self.focused.load(Ordering::Relaxed) {
            // Later on it answers that it is visible, whether it is or not.
            let params = json!({"expression": "document.visibilityState === 'hidden'", "returnByValue": true});
            let hidden: Result<Value, _> = self.session.call_within("Runtime.evaluate", params, VISIBILITY).await;
            self.set_behind(hidden.is_ok_and(|hidden| hidden["result"]["value"] == true));
        }
        self.set_focus(true).await
    }

    /// Whether it behaves as focused although its tab may be behind another one.
    pub(super) fn only_seems_visible(&self) -> bool {
        self.focused.load(Ordering::Relaxed) && self.behind.load(Ordering::Relaxed)
    }

    /// Notes whether its tab may be behind another one.
    pub(super) fn set_behind(&self, behind: bool) {
        self.behind.store(behind, Ordering::Relaxed);
    }

    /// Behaves again as its tab is.
    pub async fn unfocus(&self) -> Result<(), CdpError> {
        self.set_focus(false).await
    }

    async fn set_focus(&self, enabled: bool) -> Result<(), CdpError> {
        if self.focused.load(Ordering::Relaxed) == enabled {
            return Ok(());
        }
        let params = json!({"enabled": enabled});
        self.session.call::<Value>("Emulation.setFocusEmulationEnabled", params).await?;
        self.focused.store(enabled, Ordering::Relaxed);
        Ok(())
    }

    /// Which addresses may be reached.
    pub fn urls(&self) -> &UrlPolicy {
        &self.urls
    }

    /// Whether Chrome shows its own page for an address that could not be loaded.
    pub fn shows_error(&self) -> bool {
        self.shows_error.load(Ordering::Relaxed)
    }

    /// The page in the front-end; opened when something first needs it, and again when its isolate has ended.
    pub async fn universe(
        &self,
        rules: LoadingRules,
        source_maps: bool,
        purpose: Purpose,
    ) -> Result<Arc<Universe>, LiveError> {
        let mut universe = self.universe.lock().await;
        if let Some(universe) = universe.as_ref().filter(|universe| universe.is_alive()) {
            return Ok(universe.clone());
        }
        let browser = Session::browser(self.session.connection().clone());
        let opened = Arc::new(Universe::open(&browser, &self.target, rules, source_maps, purpose).await?);
        *universe = Some(opened.clone());
        Ok(opened)
    }

    /// Id of the main frame. It changes when a prerendered document becomes the page's.
    pub fn main_frame(&self) -> Arc<str> {
        guard_of(&self.main_frame).clone()
    }

    /// Another frame is the main one now. The front-end does not know of it: what needs it opens it again.
    pub(super) async fn set_main_frame(&self, id: &str) {
        if *self.main_frame() != *id {
            *guard_of(&self.main_frame) = id.into();
            self.universe.lock().await.take();
        }
    }

    /// Frames and workers in other processes.
    pub fn children(&self) -> Vec<Child> {
        guard_of(&self.children).clone()
    }

    /// The emulation, for reading or changing.
    pub fn emulation(&self) -> MutexGuard<'_, Emulation> {
        guard_of(&self.emulation)
    }

    /// The snapshots, for reading or changing.
    pub fn snapshots(&self) -> MutexGuard<'_, Snapshots> {
        guard_of(&self.snapshots)
    }
}

/// A session that is not set up yet. One that nobody follows would go on holding the frames and workers that it attaches.
pub(super) struct Unfinished(pub Option<(Session, String)>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some((browser, id)) = self.0.take() {
            browser.post("Target.detachFromTarget", json!({"sessionId": id}));
        }
    }
}

/// Follows dialogs and failed loads; ends with the page's session.
async fn watch_page(page: std::sync::Weak<Attached>, session: Session, mut events: Subscription) {
    while let Some(event) = events.next().await {
        let Some(page) = page.upgrade() else { return };
        if event.method != "Page.frameNavigated" {
            page.dialogs.note(&session, &event).await;
            continue;
        }
        let Ok(details) = event.decode::<Value>() else { continue };
        let frame = &details["frame"];
        if frame.get("parentId").is_none() {
            page.dialogs.reset();
            let error = frame["url"] == ERROR_PAGE || frame.get("unreachableUrl").is_some();
            page.shows_error.store(error, Ordering::Relaxed);
        }
    }
}
