//! Launching Chrome, and making sure that it ends with us.
//!
//! Four nets: Chrome ends by itself when its pipe closes; on Linux it gets a signal when our thread dies; it has a process
//! group of its own, which is killed when the [`Browser`] is dropped; and a [`watcher`] ends what is left when we are
//! killed. What even that leaves (the machine was switched off) the next start sweeps away.

mod arguments;
#[cfg(target_os = "linux")]
mod display;
mod lasting;
mod process;
mod profile;
mod watcher;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use self::process::Process;
use self::profile::{Holder, Profile};
use super::{BrowserError, find};
use crate::cdp::{CdpError, Session};
use crate::config::Channel;

/// How long Chrome may take to answer its first call, and to open its first page.
const START: Duration = Duration::from_secs(30);

/// How long it may take to end when it is asked to. All must be over within five seconds.
const CLOSE: Duration = Duration::from_secs(4);

/// How to launch.
#[derive(Debug, Clone, Default)]
pub struct LaunchOptions {
    /// Path of the browser; otherwise an installed one.
    pub executable: Option<String>,
    /// Which installed Chrome; `None` also allows Chromium.
    pub channel: Option<Channel>,
    /// With a window.
    pub headed: bool,
    /// More arguments.
    pub arguments: Vec<String>,
    /// Default arguments to leave out, by exact text.
    pub ignored_arguments: Vec<String>,
    /// The profile; `None` for a temporary one that is removed afterwards.
    pub profile: Option<PathBuf>,
    /// Value of `--proxy-server`.
    pub proxy_server: Option<String>,
    /// Size of the first tab's content in CSS pixels.
    pub viewport: Option<(u32, u32)>,
    /// Ignore certificate errors everywhere in this browser.
    pub accept_insecure_certs: bool,
    /// Allow extensions.
    pub extensions: bool,
    /// Open DevTools for each tab.
    pub devtools_windows: bool,
}

/// A Chrome of ours. Dropping it ends the process and removes a temporary profile.
pub struct Browser {
    session: Session,
    product: String,
    process: Mutex<Option<Process>>,
    profile: Mutex<Option<Profile>>,
}

impl Browser {
    /// Launches Chrome. Done when it has a page.
    pub async fn launch(options: &LaunchOptions) -> Result<Self, BrowserError> {
        let executable = find::executable(options.executable.as_deref(), options.channel)?;
        check_surroundings(options)?;
        let profile = Profile::open(options.profile.as_deref())?;
        let wire = arguments::wire(options, &executable);
        let list = arguments::list(options, wire, &profile.folder.to_string_lossy(), profile.is_temporary());
        let variables = window_variables().filter(|_| options.headed).unwrap_or_default();
        let temporary = profile.is_temporary().then_some(profile.folder.as_path());
        let (process, connection) = Process::spawn(&executable, &list, &variables, wire, temporary)?;
        lasting::later(|| _ = profile::sweep(&std::env::temp_dir()));
        let log = process.log.clone();
        let folder = profile.folder.clone();
        let started = async {
            let connection = match connection {
                Some(connection) => connection,
                None => process.connect_to_port(START).await?,
            };
            let session = Session::browser(connection);
            let product = prepare(&session, options).await.map_err(|e| e.to_string())?;
            Ok::<_, String>((session, product))
        };
        match started.await {
            Ok((session, product)) => {
                let (process, profile) = (Mutex::new(Some(process)), Mutex::new(Some(profile)));
                Ok(Browser { session, product, process, profile })
            }
            Err(why) => {
                // Its last words may still be on their way.
                tokio::time::sleep(Duration::from_millis(100)).await;
                Err(explain(why, log.last_lines(), &folder))
            }
        }
    }

    /// The browser's own session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Name and version, for example `Chrome/156.0.8078.114`.
    pub fn product(&self) -> &str {
        &self.product
    }

    /// Ends Chrome in an orderly way, by force if it takes too long, and removes a temporary profile. Calls that are
    /// still waiting for it fail.
    pub async fn close(&self) {
        let process = lock(&self.process).take();
        if let Some(mut process) = process {
            let orderly = async {
                let _: Result<Value, _> = self.session.call_within("Browser.close", json!({}), CLOSE).await;
                process.exited().await;
            };
            let _ = tokio::time::timeout(CLOSE, orderly).await;
            process.end_group();
            // Before the process, whose watcher would do the same.
            drop(lock(&self.profile).take());
        }
        self.session.connection().close();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The group before the profile, the watcher after both.
        let mut process = lock(&self.process).take();
        if let Some(process) = &mut process {
            process.end_group();
        }
        drop(lock(&self.profile).take());
    }
}

/// What is done with a fresh browser; its product name.
async fn prepare(session: &Session, options: &LaunchOptions) -> Result<String, CdpError> {
    let product = product(session, START).await?;
    if options.accept_insecure_certs {
        // For the whole browser as long as this session lives: also for tabs, frames and workers to come.
        let _: Value = session.call("Security.setIgnoreCertificateErrors", json!({"ignore": true})).await?;
    }
    if arguments::given(options).iter().any(|argument| argument == "--no-startup-window") {
        return Ok(product);
    }
    let page = first_page(session).await?;
    if let Some((width, height)) = options.viewport {
        let window: Value = session.call("Browser.getWindowForTarget", json!({"targetId": page})).await?;
        let size = json!({"windowId": window["windowId"], "width": width, "height": height});
        let _: Value = session.call("Browser.setContentsSize", size).await?;
    }
    Ok(product)
}

/// The browser's name and version.
pub(super) async fn product(session: &Session, limit: Duration) -> Result<String, CdpError> {
    #[derive(Deserialize)]
    struct Version {
        product: String,
    }
    let version: Version = session.call_within("Browser.getVersion", json!({}), limit).await?;
    Ok(version.product)
}

/// The target id of the first page, when there is one.
async fn first_page(session: &Session) -> Result<String, CdpError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Targets {
        target_infos: Vec<Info>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Info {
        target_id: String,
        r#type: String,
    }
    let start = Instant::now();
    let mut pause = Duration::from_millis(5);
    while start.elapsed() < START {
        let targets: Targets = session.call_within("Target.getTargets", json!({}), START).await?;
        if let Some(page) = targets.target_infos.into_iter().find(|info| info.r#type == "page") {
            return Ok(page.target_id);
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_millis(100));
    }
    Err(CdpError::Timeout { method: "waiting for the first page".into(), after: START })
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives a failed start the name of its cause where Chrome's own words tell it.
fn explain(why: String, log: String, profile: &Path) -> BrowserError {
    let says = |needles: &[&str]| needles.iter().any(|needle| log.contains(needle));
    if let Err(error) = profile::check_writable(profile) {
        let what = format!("cannot write to the profile folder {}", profile.display());
        return BrowserError::Io { what, why: error.to_string() };
    }
    if says(&["ProcessSingleton", "SingletonLock", "profile appears to be in use", "in existing browser session"]) {
        return BrowserError::ProfileInUse { profile: profile.display().to_string(), log };
    }
    if says(&["Missing X server", "open display", "open X display"]) {
        return BrowserError::NoDisplay;
    }
    if says(&["no-sandbox is not supported", "No usable sandbox"]) {
        return BrowserError::NoSandbox { log };
    }
    BrowserError::Launch { why, log }
}

/// Whether another browser has this profile.
pub fn profile_in_use(profile: &Path) -> bool {
    profile::holder(profile).is_some()
}

/// Why a profile cannot be used by a browser of ours, if it cannot.
pub(super) fn why_in_use(profile: &Path) -> Option<String> {
    Some(match profile::holder(profile)? {
        Holder::Process => "is in use by another browser".into(),
        Holder::Elsewhere(host) => {
            format!("is locked by a browser on another machine ({host}; if it is gone, delete its SingletonLock)")
        }
    })
}

/// Whether windows can be shown at all.
pub fn has_display() -> bool {
    window_variables().is_some()
}

/// Variables that a browser with windows needs in addition to ours; `None` where no window can be shown.
fn window_variables() -> Option<Vec<(&'static str, std::ffi::OsString)>> {
    #[cfg(target_os = "linux")]
    return display::variables();
    #[cfg(not(target_os = "linux"))]
    Some(Vec::new())
}

/// What is known to fail is told before launching.
fn check_surroundings(options: &LaunchOptions) -> Result<(), BrowserError> {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: geteuid has no preconditions.
        let is_root = unsafe { libc::geteuid() } == 0;
        if is_root && !arguments::given(options).iter().any(|a| a == "--no-sandbox") {
            return Err(BrowserError::RootWithSandbox);
        }
        if options.headed && !has_display() {
            return Err(BrowserError::NoDisplay);
        }
    }
    let _ = options;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chromes_own_words_name_the_cause() {
        let temp = tempfile::tempdir().unwrap();
        let cause = |log: &str| explain("Protocol error".into(), log.into(), temp.path());
        let singleton = "[1:ERROR:process_singleton_posix.cc] Failed to create a ProcessSingleton for your profile";
        let error = cause(singleton);
        assert!(matches!(error, BrowserError::ProfileInUse { .. }));
        assert!(error.to_string().starts_with("The browser is already running for "), "{error}");
        assert!(matches!(cause("Opening in existing browser session."), BrowserError::ProfileInUse { .. }));
        let error = cause("ERROR:ozone_platform_x11.cc(249)] Missing X server or $DISPLAY");
        assert!(error.to_string().starts_with("Missing X server"), "{error}");
        assert!(matches!(cause("FATAL: No usable sandbox! Update your kernel"), BrowserError::NoSandbox { .. }));
        let error = cause("something else");
        assert!(
            error.to_string().contains("Protocol error") && error.to_string().contains("something else"),
            "{error}"
        );
        let gone = explain(String::new(), singleton.into(), Path::new("/nowhere/profile"));
        assert!(gone.to_string().starts_with("cannot write to the profile folder /nowhere/profile"), "{gone}");
    }
}
