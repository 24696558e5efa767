//! What belongs to one client: its roots, its traces and heap snapshots. Nothing here depends on `initialize` having happened.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;
use tokio_util::sync::DropGuard;

use super::traces::Traces;
use crate::browser::devtools_comments::Followed;
use crate::browser::host::{BrowserHost, LiveBrowser};
use crate::browser::page::Page;
use crate::browser::pages::{DEVTOOLS, PageInfo};
use crate::browser::tracer::Owner;
use crate::config::Config;
use crate::devtools::heap::HeapStore;
use crate::files::PathPolicy;
use crate::report::{BrowserNote, Failure, PageList, Reconnected, Report};

/// How long a call that needs the roots waits for a client that announced them but does not answer.
pub const ROOTS_WAIT: Duration = Duration::from_secs(5);

/// State of one client.
pub struct Session {
    /// The process's settings.
    pub config: Arc<Config>,
    /// DevTools windows whose comments it hears of.
    pub followed: Arc<Followed>,
    log: OnceLock<UnboundedSender<&'static str>>,
    /// The roots the client has told; `None` until it has.
    roots: watch::Sender<Option<Vec<PathBuf>>>,
    /// The heap snapshots it has loaded.
    pub heap: HeapStore,
    /// The traces it can ask about.
    pub traces: Traces,
    /// Who it is to the browser's tracing.
    pub owner: Owner,
    /// Its drop tells that the client has gone.
    _present: DropGuard,
    browser: Arc<BrowserHost>,
    selection: Mutex<Selection>,
}

/// Which page this client works on.
#[derive(Default)]
struct Selection {
    /// The browser's launch it belongs to; 0 before the first.
    generation: u32,
    page: Option<u32>,
}

impl Session {
    /// A session with nothing in it.
    pub fn new(config: Arc<Config>, browser: Arc<BrowserHost>) -> Arc<Self> {
        let (owner, present) = Owner::new();
        Arc::new(Session {
            config,
            followed: Arc::default(),
            log: OnceLock::new(),
            roots: watch::Sender::new(None),
            heap: HeapStore::default(),
            traces: Traces::default(),
            owner,
            _present: present,
            browser,
            selection: Mutex::default(),
        })
    }

    /// The browser, launched if there is none. The report says once when it is another one than this client knew.
    pub async fn browser(&self, report: &mut Report) -> Result<Arc<LiveBrowser>, Failure> {
        let live = self.browser.get().await.map_err(|e| Failure::whole(e.to_string(), e.hint()))?;
        let mut selection = self.selection();
        if selection.generation != live.generation {
            if selection.generation != 0 {
                report.section(Reconnected);
            }
            if let Some(note) = &live.note {
                report.section(BrowserNote(note.clone()));
            }
            *selection = Selection { generation: live.generation, page: None };
        }
        Ok(live)
    }

    /// Where messages outside of any call go; the first one counts.
    pub fn log_to(&self, sender: impl FnOnce() -> UnboundedSender<&'static str>) {
        self.log.get_or_init(sender);
    }

    /// Tells the client something outside of any call.
    pub fn log(&self, text: &'static str) {
        if let Some(sender) = self.log.get() {
            let _ = sender.send(text);
        }
    }

    /// Selects a page.
    pub fn select(&self, page: u32) {
        self.selection().page = Some(page);
    }

    /// The page that a call works on: the given one, else this client's selected one.
    pub async fn page(&self, live: &LiveBrowser, given: Option<u32>) -> Result<Arc<Page>, Failure> {
        if let Some(id) = given {
            return live.pages.find(id).await?.ok_or_else(|| no_such_page(id));
        }
        let selected = self.selection().page;
        let id = match selected {
            Some(id) => id,
            None => {
                let pages = live.pages.list().await?;
                let first = self.page_list(pages).selected;
                first.ok_or_else(|| Failure::new("No page selected", "open one with new_page"))?
            }
        };
        live.pages.find(id).await?.ok_or_else(|| {
            let hint = "call list_pages: it selects another one, or give a pageId";
            Failure::new("The selected page has been closed.", hint)
        })
    }

    /// The page list with the selection; a selection whose page has gone moves to the first page.
    pub fn page_list(&self, pages: Vec<PageInfo>) -> PageList {
        let mut selection = self.selection();
        // A DevTools window is opened beside its page and is hardly what is meant.
        let first = pages.iter().find(|page| !page.url.starts_with(DEVTOOLS)).or(pages.first()).map(|page| page.id);
        let selection_lost = selection.page.is_some_and(|id| !pages.iter().any(|page| page.id == id));
        if selection_lost || selection.page.is_none() {
            selection.page = first;
        }
        PageList { selected: selection.page, selection_lost, pages }
    }

    fn selection(&self) -> MutexGuard<'_, Selection> {
        self.selection.lock().unwrap_or_else(PoisonError::into_inner)
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

/// There is no page with this id.
pub fn no_such_page(id: u32) -> Failure {
    let hint = if id == 0 { "ids are whole numbers, see list_pages" } else { "see list_pages for the ids" };
    Failure::new("No page found", hint)
}
