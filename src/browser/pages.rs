//! The browser's pages: ids, order, contexts, sessions.
//!
//! Pages are listed from target information alone, fetched fresh each time; nothing is attached to or enabled on a page
//! that nobody has asked for. Rules: chapters 4 and 5 of the original's behaviour (`docs/differences.md` has ours).

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use serde::Deserialize;
use serde_json::json;
use tokio::sync::{Mutex, OnceCell};

use crate::cdp::protocol::{page, target};
use crate::cdp::{CdpError, Session, Subscription};

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
}

/// A page that can be worked on.
pub struct Page {
    /// As in the lists.
    pub id: u32,
    target: String,
    session: OnceCell<Session>,
    /// Chrome shows its own page for an address that could not be loaded; target information still tells the address.
    shows_error: Arc<AtomicBool>,
}

/// Address of Chrome's page for failed loads.
const ERROR_PAGE: &str = "chrome-error://chromewebdata/";

impl Page {
    /// The page's session, attached on first use.
    pub async fn session(&self, browser: &Session) -> Result<Session, CdpError> {
        let session = self.session.get_or_try_init(|| async {
            let command = target::AttachToTargetParams::builder().target_id(self.target.clone()).flatten(true).build();
            let command = command.map_err(|why| CdpError::Shape { method: "Target.attachToTarget".into(), why })?;
            let attached = browser.send(command).await?;
            let session = browser.with_id(attached.session_id.inner().clone());
            tokio::spawn(watch_for_errors(session.subscribe(&["Page.frameNavigated"]), self.shows_error.clone()));
            session.send(page::EnableParams::default()).await?;
            Ok::<_, CdpError>(session)
        });
        session.await.cloned()
    }
}

/// Notes whether the main frame's document is an error page; ends with the page's session.
async fn watch_for_errors(mut navigations: Subscription, shows_error: Arc<AtomicBool>) {
    while let Some(event) = navigations.next().await {
        let Ok(details) = event.decode::<serde_json::Value>() else { continue };
        let frame = &details["frame"];
        if frame.get("parentId").is_none() {
            shows_error.store(frame["url"] == ERROR_PAGE || frame.get("unreachableUrl").is_some(), Ordering::Relaxed);
        }
    }
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

/// All pages of one browser.
pub struct Pages {
    browser: Session,
    ids: Arc<AtomicU32>,
    tables: Mutex<Tables>,
}

impl Pages {
    /// Pages of this browser, with ids from a counter that outlives it.
    pub fn new(browser: Session, ids: Arc<AtomicU32>) -> Self {
        Pages { browser, ids, tables: Mutex::default() }
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
        let targets: Targets = self.browser.call("Target.getTargets", json!({})).await?;
        let contexts: Contexts = self.browser.call("Target.getBrowserContexts", json!({})).await?;
        let infos: Vec<TargetInfo> = targets.infos.into_iter().filter(is_page).collect();
        tables.pages.retain(|page| infos.iter().any(|info| info.target_id == page.target));
        for info in &infos {
            if !tables.pages.iter().any(|page| page.target == info.target_id) {
                let id = self.ids.fetch_add(1, Ordering::Relaxed);
                tables.pages.push(Arc::new(Page {
                    id,
                    target: info.target_id.clone(),
                    session: OnceCell::new(),
                    shows_error: Arc::default(),
                }));
            }
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
            let url = if page.shows_error.load(Ordering::Relaxed) { ERROR_PAGE.into() } else { info.url.clone() };
            list.push(PageInfo { id: page.id, url, title: own_title(info), isolated_context });
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
        page.ok_or(CdpError::TargetClosed { method: "Target.createTarget".into() })
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

/// Ordinary pages at addresses an agent may see: no prerendered ones, no DevTools windows, no `chrome:` pages but the new
/// tab's and the inspection list, no extensions.
fn is_page(info: &TargetInfo) -> bool {
    if info.r#type != "page" || !info.subtype.is_empty() || info.url.starts_with("devtools://") {
        return false;
    }
    match url::Url::parse(&info.url) {
        Ok(url) => is_allowed(&url),
        // A page that has not been anywhere yet.
        Err(_) => info.url.is_empty(),
    }
}

/// Whether an agent may see and open this address.
pub fn is_allowed(url: &url::Url) -> bool {
    match url.scheme() {
        "chrome" => ["newtab", "new-tab-page", "inspect"].contains(&url.host_str().unwrap_or_default()),
        "chrome-untrusted" | "chrome-extension" => false,
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
    fn what_counts_as_a_page() {
        for url in [
            "http://a.test/",
            "about:blank",
            "data:text/html,x",
            "file:///x",
            "chrome://newtab/",
            "chrome-error://chromewebdata/",
            "",
        ] {
            assert!(is_page(&info(url, "")), "{url}");
        }
        for url in [
            "chrome://settings/",
            "chrome-untrusted://x/",
            "chrome-extension://abc/p.html",
            "devtools://devtools/x.html",
        ] {
            assert!(!is_page(&info(url, "")), "{url}");
        }
        let prerendered = TargetInfo { subtype: "prerender".into(), ..info("http://a.test/", "") };
        let worker = TargetInfo { r#type: "service_worker".into(), ..info("http://a.test/", "") };
        assert!(!is_page(&prerendered) && !is_page(&worker));
    }
}
