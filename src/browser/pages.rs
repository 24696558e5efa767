//! The browser's pages: ids, order, contexts, sessions.
//!
//! Pages are listed from target information alone, fetched fresh each time; nothing is attached to or enabled on a page
//! that nobody has asked for. Rules: chapters 4 and 5 of the original's behaviour (`docs/differences.md` has ours).

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Weak};

use serde::Deserialize;
use serde_json::json;
use tokio::sync::{Mutex, OnceCell};

use super::extension_workers::{self, ExtensionWorkers};
use super::page::{Attached, ERROR_PAGE, Page, PageError, Unfinished};
use crate::cdp::protocol::target;
use crate::cdp::{CdpError, Session, Subscription};
use crate::config::BrowserConfig;

/// Scheme of DevTools windows.
pub const DEVTOOLS: &str = "devtools://";

/// A page as it is listed.
#[derive(Debug, Clone, PartialEq)]
pub struct PageInfo {
    /// Never used for another page.
    pub id: u32,
    /// Address of its document.
    pub url: String,
    /// Its title, empty if it has none of its own.
    pub title: String,
    /// Name of its isolated context.
    pub isolated_context: Option<String>,
    /// It did not answer when it was needed.
    pub asleep: bool,
}

#[derive(Deserialize)]
struct Targets {
    #[serde(rename = "targetInfos")]
    infos: Vec<TargetInfo>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetInfo {
    target_id: String,
    r#type: String,
    #[serde(default)]
    subtype: String,
    title: String,
    url: String,
    browser_context_id: Option<String>,
    opener_id: Option<String>,
}

#[derive(Deserialize)]
struct Created {
    #[serde(rename = "targetInfo")]
    info: TargetInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Contexts {
    browser_context_ids: Vec<String>,
}

#[derive(Default)]
struct Tables {
    /// In the order of their first sight.
    pages: Vec<Arc<Page>>,
    /// Context ids by the names that clients gave them.
    contexts: HashMap<String, String>,
    /// Names of contexts that were not ours.
    foreign: HashMap<String, String>,
}

/// More announcements than this are not remembered between two lists.
const MAX_ANNOUNCED: usize = 1000;

/// All pages of one browser.
pub struct Pages {
    browser: Session,
    ids: Arc<AtomicU32>,
    tables: Mutex<Tables>,
    /// Targets of pages in the order in which the browser announced them, until they are listed.
    announced: std::sync::Mutex<Vec<String>>,
    config: BrowserConfig,
    extension_workers: ExtensionWorkers,
    /// Targets are announced by events from the first action on.
    discovering: OnceCell<()>,
    user_agent: OnceCell<String>,
}

impl Pages {
    /// Pages of this browser, with ids from a counter that outlives it.
    pub fn new(browser: Session, ids: Arc<AtomicU32>, config: BrowserConfig) -> Arc<Self> {
        Arc::new(Pages {
            browser,
            ids,
            config,
            tables: Mutex::default(),
            announced: std::sync::Mutex::default(),
            extension_workers: ExtensionWorkers::default(),
            discovering: OnceCell::new(),
            user_agent: OnceCell::new(),
        })
    }

    /// Hears of pages and workers that begin from now on.
    async fn discover(self: &Arc<Self>) -> Result<(), CdpError> {
        let discover = self.discovering.get_or_try_init(|| async {
            let created = self.browser.subscribe(&["Target.targetCreated"]);
            tokio::spawn(watch_created(Arc::downgrade(self), created));
            let params = json!({"discover": true});
            self.browser.call::<serde_json::Value>("Target.setDiscoverTargets", params).await.map(|_| ())
        });
        discover.await.copied()
    }

    /// The service workers of extensions, where extensions are allowed; recorded from the first call on.
    pub async fn extension_workers(self: &Arc<Self>) -> Result<Option<&ExtensionWorkers>, CdpError> {
        if !self.config.extensions {
            return Ok(None);
        }
        self.discover().await?;
        self.list().await?;
        Ok(Some(&self.extension_workers))
    }

    /// Attaches to a page if nobody has yet, and hears of the pages that it opens from now on.
    pub async fn attach(self: &Arc<Self>, page: &Page) -> Result<Arc<Attached>, PageError> {
        self.attach_as(page, false).await
    }

    /// Brings a page to the front. The browser does it, so that a page wakes that is asleep and could not answer.
    pub async fn show(&self, page: &Page) -> Result<(), CdpError> {
        let _: serde_json::Value = self.browser.call("Target.activateTarget", json!({"targetId": page.target})).await?;
        self.note_shown(page).await;
        Ok(())
    }

    /// A page is in front of the others of its window now.
    async fn note_shown(&self, shown: &Page) {
        if let Some(attached) = shown.if_attached() {
            attached.set_behind(false);
        }
        for page in self.known().await.iter().filter(|page| page.is_beside(shown)) {
            if let Some(attached) = page.if_attached() {
                attached.set_behind(true);
            }
        }
    }

    /// Attaches to a page that is asleep. The browser loads its document again, which needs no renderer.
    pub async fn wake(self: &Arc<Self>, page: &Page) -> Result<Arc<Attached>, PageError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Opened {
            session_id: String,
        }
        let params = json!({"targetId": page.target, "flatten": true});
        let opened: Opened = self.browser.call("Target.attachToTarget", params).await?;
        let session = self.browser.with_id(opened.session_id.as_str());
        // Ends also when the call is cancelled.
        let _session = Unfinished(Some((self.browser.clone(), opened.session_id)));
        // Answered by the renderer in the end, if there is one.
        session.post("Page.reload", json!({}));
        self.attach(page).await
    }

    async fn attach_as(self: &Arc<Self>, page: &Page, newborn: bool) -> Result<Arc<Attached>, PageError> {
        self.discover().await?;
        page.attach(&self.browser, &self.config.urls, self.config.connect.is_none(), newborn).await
    }

    fn note_worker(&self, info: &TargetInfo) {
        if self.config.extensions && extension_workers::is_one(&info.r#type, &info.url) {
            self.extension_workers.note(&self.browser, &info.target_id, &info.url);
        }
    }

    fn announced(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        self.announced.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Attaches to a page at once if a page that is attached has opened it, so that what it says and requests first is
    /// not lost. Chrome has no way to hold popups, and popups only, until somebody has attached.
    async fn attach_popup(self: Arc<Self>, info: TargetInfo) {
        let Some(opener) = &info.opener_id else { return };
        let known = self.known().await;
        if !known.iter().any(|page| page.target == *opener && page.if_attached().is_some()) {
            return;
        }
        let mut tables = self.tables.lock().await;
        if self.refresh(&mut tables).await.is_err() {
            return;
        }
        let popup = tables.pages.iter().find(|page| page.target == info.target_id).cloned();
        drop(tables);
        if let Some(popup) = popup {
            let _ = self.attach_as(&popup, true).await;
        }
    }

    /// The browser's own `User-Agent`.
    pub async fn user_agent(&self) -> Result<&str, CdpError> {
        let agent = self.user_agent.get_or_try_init(|| async {
            let version: serde_json::Value = self.browser.call("Browser.getVersion", json!({})).await?;
            Ok::<_, CdpError>(version["userAgent"].as_str().unwrap_or_default().to_owned())
        });
        agent.await.map(String::as_str)
    }

    /// The pages of these targets, as they are listed.
    pub async fn list_targets(&self, targets: &[String]) -> Result<Vec<PageInfo>, CdpError> {
        let mut tables = self.tables.lock().await;
        let list = self.refresh(&mut tables).await?;
        let ids: Vec<u32> =
            tables.pages.iter().filter(|page| targets.contains(&page.target)).map(|page| page.id).collect();
        Ok(list.into_iter().filter(|info| ids.contains(&info.id)).collect())
    }

    /// The browser's own session.
    pub fn browser(&self) -> &Session {
        &self.browser
    }

    /// Fetches the list anew.
    pub async fn list(&self) -> Result<Vec<PageInfo>, CdpError> {
        let mut tables = self.tables.lock().await;
        self.refresh(&mut tables).await
    }

    async fn refresh(&self, tables: &mut Tables) -> Result<Vec<PageInfo>, CdpError> {
        let mut workers = self.extension_workers.list();
        let targets: Targets = self.browser.call("Target.getTargets", json!({})).await?;
        let contexts: Contexts = self.browser.call("Target.getBrowserContexts", json!({})).await?;
        targets.infos.iter().for_each(|info| self.note_worker(info));
        workers.retain(|worker| !targets.infos.iter().any(|info| info.target_id == worker.target()));
        self.extension_workers.forget(&workers);
        let infos: Vec<TargetInfo> = targets.infos.into_iter().filter(|info| is_page(info, &self.config)).collect();
        tables.pages.retain(|page| infos.iter().any(|info| info.target_id == page.target));
        let is_known = |info: &TargetInfo| tables.pages.iter().any(|page| page.target == info.target_id);
        let mut new: Vec<&TargetInfo> = infos.iter().filter(|info| !is_known(info)).collect();
        sort_new(&mut new, &std::mem::take(&mut *self.announced()));
        // Behind the pages that they belong to, whichever Chrome tells first.
        new.sort_by_key(|info| info.url.starts_with(DEVTOOLS));
        for info in new {
            let id = self.ids.fetch_add(1, Ordering::Relaxed);
            tables.pages.push(Arc::new(Page::new(id, info.target_id.clone(), info.browser_context_id.clone())));
        }
        let mut list = Vec::with_capacity(tables.pages.len());
        for page in &tables.pages {
            let Some(info) = infos.iter().find(|info| info.target_id == page.target) else { continue };
            let context = info.browser_context_id.as_ref().filter(|id| contexts.browser_context_ids.contains(id));
            let isolated_context = context.map(|id| {
                let ours = tables.contexts.iter().find(|(_, known)| *known == id).map(|(name, _)| name.clone());
                ours.unwrap_or_else(|| {
                    let number = tables.foreign.len() + 1;
                    tables.foreign.entry(id.clone()).or_insert_with(|| format!("isolated-context-{number}")).clone()
                })
            });
            let url = if page.shows_error() { ERROR_PAGE.into() } else { info.url.clone() };
            let (title, asleep) = (own_title(info), page.is_asleep());
            list.push(PageInfo { id: page.id, url, title, isolated_context, asleep });
        }
        Ok(list)
    }

    /// A page by its id, also one that has appeared since the last list.
    pub async fn find(&self, id: u32) -> Result<Option<Arc<Page>>, CdpError> {
        let mut tables = self.tables.lock().await;
        self.refresh(&mut tables).await?;
        Ok(tables.pages.iter().find(|page| page.id == id).cloned())
    }

    /// Opens an empty page, in a named context if one is given (made at its first use).
    pub async fn create(&self, background: bool, context: Option<&str>) -> Result<Arc<Page>, CdpError> {
        let mut tables = self.tables.lock().await;
        // Pages that were there before come first, also if nobody has listed them yet.
        self.refresh(&mut tables).await?;
        let context = match context {
            None => None,
            Some(name) => Some(self.context(&mut tables, name).await?),
        };
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Created {
            target_id: String,
        }
        let mut params = json!({"url": "about:blank", "background": background});
        if let Some(context) = context {
            params["browserContextId"] = context.into();
        }
        let created: Created = self.browser.call("Target.createTarget", params).await?;
        self.refresh(&mut tables).await?;
        let page = tables.pages.iter().find(|page| page.target == created.target_id).cloned();
        drop(tables);
        let page = page.ok_or(CdpError::TargetClosed { method: "Target.createTarget".into() })?;
        if !background {
            self.note_shown(&page).await;
        }
        Ok(page)
    }

    async fn context(&self, tables: &mut Tables, name: &str) -> Result<String, CdpError> {
        if let Some(id) = tables.contexts.get(name) {
            return Ok(id.clone());
        }
        let created = self.browser.send(target::CreateBrowserContextParams::default()).await?;
        let id = created.browser_context_id.inner().clone();
        tables.contexts.insert(name.to_owned(), id.clone());
        Ok(id)
    }

    /// All pages known at the last listing.
    pub async fn known(&self) -> Vec<Arc<Page>> {
        self.tables.lock().await.pages.clone()
    }

    /// Closes a page without asking it, and waits until it is gone.
    pub async fn close(&self, page: &Page) -> Result<(), CdpError> {
        let _: serde_json::Value = self.browser.call("Target.closeTarget", json!({"targetId": page.target})).await?;
        for _ in 0..200 {
            let targets: Targets = self.browser.call("Target.getTargets", json!({})).await?;
            if !targets.infos.iter().any(|info| info.target_id == page.target) {
                return Ok(());
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        Err(CdpError::Timeout { method: "Target.closeTarget".into(), after: std::time::Duration::from_secs(2) })
    }
}

/// The order of pages that are seen for the first time together. Chrome lists targets in the order of a hash table: those
/// it has announced come as they were announced, then the others, openers before what they have opened, in an order
/// that is at least the same for every connection to this browser.
fn sort_new(new: &mut [&TargetInfo], announced: &[String]) {
    let openers: HashMap<&str, Option<&str>> =
        new.iter().map(|info| (info.target_id.as_str(), info.opener_id.as_deref())).collect();
    let depth = |info: &TargetInfo| {
        let up = |id: &&str| openers.get(id).copied().flatten();
        std::iter::successors(info.opener_id.as_deref(), up).take(openers.len()).count()
    };
    new.sort_by_cached_key(|info| {
        let place = announced.iter().position(|target| *target == info.target_id).unwrap_or(usize::MAX);
        (place, depth(info), info.target_id.clone())
    });
}

/// Type-erased, because attaching to a page begins it.
fn watch_created(pages: Weak<Pages>, mut created: Subscription) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move {
        while let Some(event) = created.next().await {
            let Some(pages) = pages.upgrade() else { return };
            let Ok(Created { info }) = event.decode() else { continue };
            pages.note_worker(&info);
            if info.r#type != "page" {
                continue;
            }
            {
                let mut announced = pages.announced();
                if announced.len() < MAX_ANNOUNCED {
                    announced.push(info.target_id.clone());
                }
            }
            tokio::spawn(pages.attach_popup(info));
        }
    })
}

/// Ordinary pages at addresses an agent may see: no prerendered ones, no DevTools windows unless asked for, no `chrome:`
/// pages but the new tab's and the inspection list.
fn is_page(info: &TargetInfo, config: &BrowserConfig) -> bool {
    let is_devtools = info.url.starts_with(DEVTOOLS);
    let kind = match info.r#type.as_str() {
        "page" => !is_devtools || config.devtools_windows,
        "background_page" | "webview" => config.all_pages,
        "other" => is_devtools && config.devtools_windows,
        _ => false,
    };
    if !kind || !info.subtype.is_empty() {
        return false;
    }
    match url::Url::parse(&info.url) {
        Ok(url) => is_allowed(&url, config.extensions) && config.urls.permits(&url),
        // A page that has not been anywhere yet.
        Err(_) => info.url.is_empty(),
    }
}

/// Whether an agent may see and open this address.
pub fn is_allowed(url: &url::Url, extensions: bool) -> bool {
    match url.scheme() {
        "chrome" => ["newtab", "new-tab-page", "inspect"].contains(&url.host_str().unwrap_or_default()),
        "chrome-untrusted" => false,
        "chrome-extension" => extensions,
        _ => true,
    }
}

/// Chrome shows a page's address as its title until it has one.
fn own_title(info: &TargetInfo) -> String {
    let without_scheme =
        info.url.strip_prefix("https://").or_else(|| info.url.strip_prefix("http://")).unwrap_or(&info.url);
    let placeholders = [info.url.as_str(), without_scheme, without_scheme.strip_suffix('/').unwrap_or(without_scheme)];
    if placeholders.contains(&info.title.as_str()) { String::new() } else { info.title.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(url: &str, title: &str) -> TargetInfo {
        TargetInfo {
            target_id: "T".into(),
            r#type: "page".into(),
            subtype: String::new(),
            title: title.into(),
            url: url.into(),
            browser_context_id: None,
            opener_id: None,
        }
    }

    #[test]
    fn placeholder_titles_are_no_titles() {
        for title in ["http://a.test/x/", "a.test/x/", "a.test/x"] {
            assert_eq!(own_title(&info("http://a.test/x/", title)), "");
        }
        assert_eq!(own_title(&info("http://a.test/x/", "A")), "A");
    }

    #[test]
    fn pages_seen_together_have_a_stable_order() {
        let target = |id: &str, opener: Option<&str>| TargetInfo {
            target_id: id.into(),
            opener_id: opener.map(str::to_owned),
            ..info("about:blank", "")
        };
        let all = [target("A", Some("C")), target("D", Some("D")), target("C", Some("X")), target("B", None)];
        let sorted = |announced: &[&str]| {
            let mut new: Vec<&TargetInfo> = all.iter().collect();
            sort_new(&mut new, &announced.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>());
            new.iter().map(|info| info.target_id.as_str()).collect::<String>()
        };
        assert_eq!(sorted(&[]), "BCAD");
        assert_eq!(sorted(&["D", "gone", "A"]), "DABC");
    }

    #[test]
    fn what_counts_as_a_page() {
        let config = BrowserConfig::default();
        for url in [
            "http://a.test/",
            "about:blank",
            "data:text/html,x",
            "file:///x",
            "chrome://newtab/",
            "chrome-error://chromewebdata/",
            "",
        ] {
            assert!(is_page(&info(url, ""), &config), "{url}");
        }
        for url in [
            "chrome://settings/",
            "chrome-untrusted://x/",
            "chrome-extension://abc/p.html",
            "devtools://devtools/x.html",
        ] {
            assert!(!is_page(&info(url, ""), &config), "{url}");
        }
        let prerendered = TargetInfo { subtype: "prerender".into(), ..info("http://a.test/", "") };
        let worker = TargetInfo { r#type: "service_worker".into(), ..info("http://a.test/", "") };
        assert!(!is_page(&prerendered, &config) && !is_page(&worker, &config));
        let more = BrowserConfig { extensions: true, devtools_windows: true, all_pages: true, ..config };
        let background = TargetInfo { r#type: "background_page".into(), ..info("chrome-extension://abc/p.html", "") };
        assert!(is_page(&background, &more) && is_page(&info("devtools://devtools/x.html", ""), &more));
    }
}
