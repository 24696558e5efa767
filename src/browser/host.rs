//! The server's browser: launched or attached to when the first tool needs it, and again when it has gone.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::attach::{self, Attached};
use super::launch::{Browser, LaunchOptions, has_display, why_in_use};
use super::pages::Pages;
use super::tracer::Tracer;
use super::{BrowserError, url_rules};
use crate::cdp::Session;
use crate::config::BrowserConfig;

/// How long one attempt may take; it is given up then, and nothing of it is used later.
const ATTEMPT: Duration = Duration::from_secs(60);

enum Kind {
    Launched(Box<Browser>),
    Attached(Attached),
}

/// A running browser with its pages.
pub struct LiveBrowser {
    kind: Kind,
    /// Its pages.
    pub pages: Arc<Pages>,
    /// Who records a performance trace.
    pub tracer: Tracer,
    /// Counts launches and connections from 1; a session that has seen an older one is told.
    pub generation: u32,
    /// Something the first answer should say, for example that another profile is used.
    pub note: Option<String>,
}

impl LiveBrowser {
    /// The browser's own session.
    pub fn session(&self) -> &Session {
        match &self.kind {
            Kind::Launched(browser) => browser.session(),
            Kind::Attached(attached) => &attached.session,
        }
    }

    /// Name and version, for example `Chrome/156.0.8078.114`.
    pub fn product(&self) -> &str {
        match &self.kind {
            Kind::Launched(browser) => browser.product(),
            Kind::Attached(attached) => &attached.product,
        }
    }

    /// Whether it runs on this machine: launched here, or reached at a loopback address.
    pub fn is_local(&self) -> bool {
        match &self.kind {
            Kind::Launched(_) => true,
            Kind::Attached(attached) => attached.local,
        }
    }

    /// Whether it was launched by us.
    pub fn is_launched(&self) -> bool {
        matches!(self.kind, Kind::Launched(_))
    }

    /// Whether its connection has ended.
    pub fn is_gone(&self) -> bool {
        self.session().connection().is_ended()
    }

    /// Ends a browser that we launched; leaves any other with all its tabs.
    pub async fn close(&self) {
        match &self.kind {
            Kind::Launched(browser) => browser.close().await,
            Kind::Attached(attached) => attached.session.connection().close(),
        }
    }
}

type Outcome = Option<Result<Arc<LiveBrowser>, BrowserError>>;

#[derive(Default)]
enum State {
    #[default]
    None,
    /// Everybody waits for the same attempt, which goes on when they stop waiting.
    Starting(watch::Receiver<Outcome>),
    Live(Arc<LiveBrowser>),
}

/// Gives the process its browser. One at a time; those who want it while it starts wait for the same attempt.
pub struct BrowserHost {
    shared: Arc<Shared>,
}

struct Shared {
    config: BrowserConfig,
    state: Mutex<State>,
    /// Ends an attempt that is under way.
    closing: CancellationToken,
    generations: AtomicU32,
    /// Page ids are never used again, also not by the next browser.
    page_ids: Arc<AtomicU32>,
    limit: Duration,
}

impl BrowserHost {
    /// Costs nothing until [`BrowserHost::get`].
    pub fn new(config: BrowserConfig) -> Arc<Self> {
        Self::with_limit(config, ATTEMPT)
    }

    /// As [`BrowserHost::new`], with another limit for one attempt.
    pub fn with_limit(config: BrowserConfig, limit: Duration) -> Arc<Self> {
        Arc::new(BrowserHost {
            shared: Arc::new(Shared {
                config,
                state: Mutex::default(),
                closing: CancellationToken::new(),
                generations: AtomicU32::new(0),
                page_ids: Arc::new(AtomicU32::new(1)),
                limit,
            }),
        })
    }

    /// The browser, launched or attached to if there is none.
    pub async fn get(&self) -> Result<Arc<LiveBrowser>, BrowserError> {
        let mut outcome = {
            let mut state = self.shared.state();
            if self.shared.closing.is_cancelled() {
                return Err(BrowserError::Ending);
            }
            match &*state {
                State::Live(live) if !live.is_gone() => return Ok(live.clone()),
                // An attempt whose sender has gone without an outcome has panicked.
                State::Starting(outcome) if outcome.has_changed().is_ok() => outcome.clone(),
                _ => {
                    let old = match std::mem::take(&mut *state) {
                        State::Live(old) => Some(old),
                        _ => None,
                    };
                    let (sender, outcome) = watch::channel(None);
                    *state = State::Starting(outcome.clone());
                    tokio::spawn(self.shared.clone().attempt(old, sender));
                    outcome
                }
            }
        };
        let outcome = outcome.wait_for(Option::is_some).await.map(|outcome| outcome.clone());
        outcome.ok().flatten().unwrap_or(Err(BrowserError::Ending))
    }

    /// Ends a launched browser in an orderly way, also one that is just starting; disconnects from any other. There is
    /// none after this.
    pub async fn close(&self) {
        let state = {
            let mut state = self.shared.state();
            self.shared.closing.cancel();
            std::mem::take(&mut *state)
        };
        let live = match state {
            State::None => None,
            State::Live(live) => Some(live),
            // It may have been there the moment before it was to end.
            State::Starting(mut outcome) => {
                let outcome = outcome.wait_for(Option::is_some).await.map(|outcome| outcome.clone());
                outcome.ok().flatten().and_then(Result::ok)
            }
        };
        if let Some(live) = live {
            live.close().await;
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One attempt from beginning to end, in a task of its own. What is given up is dropped, which ends it.
    async fn attempt(self: Arc<Self>, old: Option<Arc<LiveBrowser>>, sender: watch::Sender<Outcome>) {
        // What is left of a browser that has gone must not stand in the new one's way (its profile above all).
        if let Some(old) = old {
            old.close().await;
        }
        let result = tokio::select! {
            biased;
            () = self.closing.cancelled() => Err(BrowserError::Ending),
            result = tokio::time::timeout(self.limit, self.start()) => {
                result.unwrap_or(Err(BrowserError::Abandoned { after: self.limit }))
            }
        };
        {
            let mut state = self.state();
            // After `close` there is nobody to keep it for; who waits in `close` ends it.
            if !self.closing.is_cancelled() {
                *state = match &result {
                    Ok(live) => State::Live(live.clone()),
                    Err(_) => State::None,
                };
            }
        }
        sender.send_replace(Some(result));
    }

    async fn start(&self) -> Result<Arc<LiveBrowser>, BrowserError> {
        let (kind, note) = match &self.config.connect {
            Some(connect) => (Kind::Attached(attach::attach(connect).await?), None),
            None => {
                let (browser, note) = self.launch().await?;
                (Kind::Launched(Box::new(browser)), note)
            }
        };
        let (session, product) = match &kind {
            Kind::Launched(browser) => (browser.session().clone(), browser.product()),
            Kind::Attached(attached) => (attached.session.clone(), attached.product.as_str()),
        };
        url_rules::check_version(product, &self.config.urls)?;
        Ok(Arc::new(LiveBrowser {
            pages: Pages::new(session, self.page_ids.clone(), self.config.clone()),
            tracer: Tracer::default(),
            kind,
            generation: self.generations.fetch_add(1, Ordering::Relaxed) + 1,
            note,
        }))
    }

    /// Launches; with a temporary profile where another browser uses the one that was meant.
    async fn launch(&self) -> Result<(Browser, Option<String>), BrowserError> {
        let (mut options, mut note) = self.launch_options();
        let result = Browser::launch(&options).await;
        let Err(BrowserError::ProfileInUse { profile, .. }) = &result else { return Ok((result?, note)) };
        if options.profile.take().is_none() {
            return Ok((result?, note));
        }
        // Taken between our look and Chrome's, or locked in a way that only Chrome sees.
        note = Some(profile_note(profile, "is in use by another browser"));
        Ok((Browser::launch(&options).await?, note))
    }

    fn launch_options(&self) -> (LaunchOptions, Option<String>) {
        let config = &self.config;
        let mut note = None;
        let profile = config.profile_folder().filter(|_| !config.isolated).filter(|folder| match why_in_use(folder) {
            Some(why) => {
                note = Some(profile_note(&folder.display().to_string(), &why));
                false
            }
            None => true,
        });
        let options = LaunchOptions {
            executable: config.executable.clone(),
            channel: config.channel,
            headed: !config.headless && has_display(),
            arguments: config.arguments.clone(),
            ignored_arguments: config.ignored_arguments.clone(),
            profile,
            proxy_server: config.proxy_server.clone(),
            viewport: config.viewport,
            accept_insecure_certs: config.accept_insecure_certs,
            extensions: config.extensions,
            devtools_windows: config.devtools_windows,
        };
        (options, note)
    }
}

fn profile_note(profile: &str, why: &str) -> String {
    format!("Note: the profile {profile} {why}; this one has a temporary profile.")
}
