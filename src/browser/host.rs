//! The server's browser: launched when the first tool needs it, launched again when it has gone.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::BrowserError;
use super::launch::{Browser, LaunchOptions, has_display, profile_in_use};
use super::pages::Pages;
use crate::config::BrowserConfig;

/// A running browser with its pages.
pub struct LiveBrowser {
    browser: Browser,
    /// Its pages.
    pub pages: Pages,
    /// Counts launches from 1; a session that has seen an older one is told.
    pub generation: u32,
    /// Something the first answer should say, for example that another profile is used.
    pub note: Option<String>,
}

impl LiveBrowser {
    fn is_gone(&self) -> bool {
        self.browser.session().connection().is_ended()
    }
}

/// Gives the process its browser. One at a time; those who want it while it starts wait for the same attempt.
pub struct BrowserHost {
    config: BrowserConfig,
    current: Mutex<Option<Arc<LiveBrowser>>>,
    /// Ends a launch that is under way.
    closing: CancellationToken,
    generations: AtomicU32,
    /// Page ids are never used again, also not by the next browser.
    page_ids: Arc<AtomicU32>,
}

impl BrowserHost {
    /// Costs nothing until [`BrowserHost::get`].
    pub fn new(config: BrowserConfig) -> Arc<Self> {
        Arc::new(BrowserHost {
            config,
            current: Mutex::new(None),
            closing: CancellationToken::new(),
            generations: AtomicU32::new(0),
            page_ids: Arc::new(AtomicU32::new(1)),
        })
    }

    /// The browser, launched if there is none.
    pub async fn get(&self) -> Result<Arc<LiveBrowser>, BrowserError> {
        let mut current = self.current.lock().await;
        if let Some(live) = current.as_ref().filter(|live| !live.is_gone()) {
            return Ok(live.clone());
        }
        // What is left of a browser that has gone must not stand in the new one's way (its profile above all).
        *current = None;
        let (options, note) = self.launch_options();
        let browser = tokio::select! {
            browser = Browser::launch(&options) => browser?,
            () = self.closing.cancelled() => {
                return Err(BrowserError::Launch { why: "the server is ending".into(), log: String::new() });
            }
        };
        let live = Arc::new(LiveBrowser {
            pages: Pages::new(browser.session().clone(), self.page_ids.clone(), self.config.clone()),
            browser,
            generation: self.generations.fetch_add(1, Ordering::Relaxed) + 1,
            note,
        });
        *current = Some(live.clone());
        Ok(live)
    }

    fn launch_options(&self) -> (LaunchOptions, Option<String>) {
        let config = &self.config;
        let mut note = None;
        let profile = match (config.isolated, config.user_data_dir.clone().or_else(default_profile)) {
            (true, _) | (_, None) => None,
            (false, Some(folder)) if profile_in_use(&folder) => {
                note = Some(format!(
                    "Note: the profile {} is in use by another browser; this one has a temporary profile.",
                    folder.display()
                ));
                None
            }
            (false, Some(folder)) => Some(folder),
        };
        let options = LaunchOptions {
            executable: config.executable.clone(),
            headed: !config.headless && has_display(),
            arguments: config.arguments.clone(),
            ignored_arguments: config.ignored_arguments.clone(),
            profile,
        };
        (options, note)
    }

    /// Ends the browser in an orderly way, also one that is just starting. There is none after this.
    pub async fn close(&self) {
        self.closing.cancel();
        let live = self.current.lock().await.take();
        if let Some(live) = live {
            live.browser.close().await;
        }
    }
}

/// The original's default profile, so that logins survive a change of server.
fn default_profile() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"))?;
    Some(PathBuf::from(home).join(".cache/chrome-devtools-mcp/chrome-profile"))
}
