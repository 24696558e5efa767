//! Launching Chrome over the pipe transport, and making sure that it ends with us.
//!
//! Three nets: Chrome ends by itself when its pipe closes; on Linux it gets a signal when our thread dies; and it has a
//! process group of its own, which is killed when the [`Browser`] is dropped.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tempfile::TempDir;

use super::{BrowserError, find};
use crate::cdp::{Connection, Session, pipe};

/// How long Chrome may take to answer its first call, and to end after it was asked to.
const START: Duration = Duration::from_secs(30);
const CLOSE: Duration = Duration::from_secs(5);

/// Lines of Chrome's stderr that are kept to explain a failed start.
const LOG_LINES: usize = 20;

/// The original's default arguments.
const ARGUMENTS: &[&str] = &[
    "--allow-pre-commit-input",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-crash-reporter",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-hang-monitor",
    "--disable-infobars",
    "--disable-ipc-flooding-protection",
    "--disable-popup-blocking",
    "--disable-prompt-on-repost",
    "--disable-renderer-backgrounding",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    "--enable-automation",
    "--export-tagged-pdf",
    "--force-color-profile=srgb",
    "--generate-pdf-document-outline",
    "--metrics-recording-only",
    "--no-first-run",
    "--password-store=basic",
    "--use-mock-keychain",
    "--disable-features=Translate,AcceptCHFrame,MediaRouter,OptimizationHints,WebUIReloadButton,WebUIOmniboxPopup,WebUIOmniboxAimPopup,ProcessPerSiteUpToMainFrameThreshold,IsolateSandboxedIframes",
    "--enable-features=PdfOopif",
    "--disable-extensions",
    "--hide-crash-restore-bubble",
    "--remote-debugging-pipe",
];

const HEADLESS_ARGUMENTS: [&str; 4] =
    ["--headless=new", "--hide-scrollbars", "--mute-audio", "--screen-info={3840x2160}"];

/// How to launch.
#[derive(Debug, Clone, Default)]
pub struct LaunchOptions {
    /// Path of the browser; otherwise an installed one.
    pub executable: Option<String>,
    /// With a window.
    pub headed: bool,
    /// More arguments.
    pub arguments: Vec<String>,
    /// Default arguments to leave out, by exact text.
    pub ignored_arguments: Vec<String>,
    /// The profile; `None` for a temporary one that is removed afterwards.
    pub profile: Option<PathBuf>,
}

/// A Chrome of ours. Dropping it ends the process and removes a temporary profile.
pub struct Browser {
    session: Session,
    // Dropped in this order: the profile is removed after the process has ended.
    process: Mutex<Option<Process>>,
    temporary_profile: Mutex<Option<TempDir>>,
}

impl Browser {
    /// Launches Chrome.
    pub async fn launch(options: &LaunchOptions) -> Result<Self, BrowserError> {
        let executable = find::executable(options.executable.as_deref())?;
        check_surroundings(options)?;
        let (profile, temporary) = profile(options.profile.as_deref())?;
        let mut arguments: Vec<String> = ARGUMENTS.iter().map(ToString::to_string).collect();
        if !options.headed {
            arguments.extend(HEADLESS_ARGUMENTS.map(String::from));
        }
        arguments.retain(|argument| !options.ignored_arguments.contains(argument));
        arguments.push(format!("--user-data-dir={}", profile.display()));
        arguments.extend(options.arguments.iter().cloned());
        arguments.push("about:blank".into());
        let (process, connection) = Process::spawn(executable, &arguments)?;
        let session = Session::browser(connection);
        let log = process.log.clone();
        let browser = Browser { session, process: Mutex::new(Some(process)), temporary_profile: Mutex::new(temporary) };
        let version: Result<serde_json::Value, _> =
            browser.session.call_within("Browser.getVersion", serde_json::json!({}), START).await;
        match version {
            Ok(_) => Ok(browser),
            Err(error) => {
                // Its last words may still be on their way.
                tokio::time::sleep(Duration::from_millis(100)).await;
                Err(BrowserError::Launch { why: error.to_string(), log: last_lines(&log) })
            }
        }
    }

    /// The browser's own session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Ends Chrome in an orderly way, by force if it takes too long, and removes a temporary profile. Calls that are
    /// still waiting for it fail.
    pub async fn close(&self) {
        let process = lock(&self.process).take();
        if let Some(mut process) = process {
            let _: Result<serde_json::Value, _> =
                self.session.call_within("Browser.close", serde_json::json!({}), CLOSE).await;
            process.wait(CLOSE).await;
        }
        drop(lock(&self.temporary_profile).take());
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The profile's folder, made if it is missing, and its guard if it is temporary.
fn profile(given: Option<&Path>) -> Result<(PathBuf, Option<TempDir>), BrowserError> {
    let failed = |error: std::io::Error| BrowserError::Io {
        what: "cannot make a profile folder".into(),
        why: error.to_string(),
    };
    match given {
        Some(folder) => {
            std::fs::create_dir_all(folder).map_err(failed)?;
            Ok((folder.to_path_buf(), None))
        }
        None => {
            let folder = tempfile::Builder::new().prefix("devtools-mcp-profile-").tempdir().map_err(failed)?;
            Ok((folder.path().to_path_buf(), Some(folder)))
        }
    }
}

/// Whether a browser is using this profile: Chrome leaves a link `SingletonLock` to `<host>-<pid>` in it.
pub fn profile_in_use(profile: &Path) -> bool {
    #[cfg(target_os = "linux")]
    if let Ok(target) = std::fs::read_link(profile.join("SingletonLock"))
        && let Some(pid) = target.to_string_lossy().rsplit('-').next()
    {
        return Path::new("/proc").join(pid).exists();
    }
    let _ = profile;
    false
}

/// Whether windows can be shown at all.
pub fn has_display() -> bool {
    !cfg!(target_os = "linux")
        || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|v| std::env::var_os(v).is_some_and(|d| !d.is_empty()))
}

/// What is known to fail is told before launching.
fn check_surroundings(options: &LaunchOptions) -> Result<(), BrowserError> {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: geteuid has no preconditions.
        let is_root = unsafe { libc::geteuid() } == 0;
        if is_root && !options.arguments.iter().any(|a| a == "--no-sandbox") {
            return Err(BrowserError::RootWithSandbox);
        }
        if options.headed && !has_display() {
            return Err(BrowserError::NoDisplay);
        }
    }
    let _ = options;
    Ok(())
}

/// The child process and its group.
struct Process {
    child: tokio::process::Child,
    group: Option<i32>,
    log: Arc<Mutex<Vec<String>>>,
}

impl Process {
    #[cfg(unix)]
    fn spawn(executable: PathBuf, arguments: &[String]) -> Result<(Self, Arc<Connection>), BrowserError> {
        use std::os::fd::{AsRawFd, OwnedFd};
        use tokio::net::unix::pipe as unix_pipe;

        let io = |what: &str, error: std::io::Error| BrowserError::Io { what: what.into(), why: error.to_string() };
        let (to_read, to_write) = std::io::pipe().map_err(|e| io("cannot make a pipe", e))?;
        let (from_read, from_write) = std::io::pipe().map_err(|e| io("cannot make a pipe", e))?;
        let (child_in, child_out) = (to_read.as_raw_fd(), from_write.as_raw_fd());
        let parent = std::process::id();
        let mut command = tokio::process::Command::new(&executable);
        command
            .args(arguments)
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        // SAFETY: only async-signal-safe calls between fork and exec.
        unsafe {
            command.pre_exec(move || {
                // First out of the way, in case one of the two is 3 or 4 itself; dup2 clears close-on-exec.
                let input = libc::fcntl(child_in, libc::F_DUPFD_CLOEXEC, 10);
                let output = libc::fcntl(child_out, libc::F_DUPFD_CLOEXEC, 10);
                if input < 0 || output < 0 || libc::dup2(input, 3) < 0 || libc::dup2(output, 4) < 0 {
                    return Err(std::io::Error::last_os_error());
                }
                #[cfg(target_os = "linux")]
                {
                    if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) < 0 {
                        return Err(std::io::Error::last_os_error());
                    }
                    // The parent may have died before the signal was asked for.
                    if libc::getppid() != parent as i32 {
                        libc::_exit(1);
                    }
                }
                let _ = parent;
                Ok(())
            });
        }
        let mut child = command
            .spawn()
            .map_err(|e| BrowserError::Launch { why: format!("{}: {e}", executable.display()), log: String::new() })?;
        drop((to_read, from_write));
        let log = Arc::new(Mutex::new(Vec::new()));
        if let Some(stderr) = child.stderr.take() {
            tokio::spawn(keep_last_lines(stderr, log.clone()));
        }
        let group = child.id().and_then(|id| i32::try_from(id).ok());
        let process = Process { child, group, log };
        let input =
            unix_pipe::Receiver::from_owned_fd(OwnedFd::from(from_read)).map_err(|e| io("cannot use a pipe", e))?;
        let output =
            unix_pipe::Sender::from_owned_fd(OwnedFd::from(to_write)).map_err(|e| io("cannot use a pipe", e))?;
        let (reader, writer) = pipe::pair(input, output);
        Ok((process, Connection::start(reader, writer)))
    }

    #[cfg(not(unix))]
    fn spawn(_executable: PathBuf, _arguments: &[String]) -> Result<(Self, Arc<Connection>), BrowserError> {
        Err(BrowserError::Unsupported("launching Chrome over its pipe is not done for Windows yet"))
    }

    async fn wait(&mut self, limit: Duration) {
        if tokio::time::timeout(limit, self.child.wait()).await.is_err() {
            self.kill_group();
            let _ = self.child.wait().await;
        }
    }

    fn kill_group(&self) {
        #[cfg(unix)]
        if let Some(group) = self.group {
            // SAFETY: killpg has no memory preconditions; the group is our child's own.
            unsafe {
                libc::killpg(group, libc::SIGKILL);
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.kill_group();
            // The profile is removed next: give the kernel the moment it needs to end the group.
            for _ in 0..50 {
                if !matches!(self.child.try_wait(), Ok(None)) {
                    break;
                }
                std::thread::sleep(Duration::from_millis(10));
            }
        } else {
            self.kill_group();
        }
    }
}

/// The last lines that Chrome wrote to stderr.
fn last_lines(log: &Mutex<Vec<String>>) -> String {
    lock(log).join("\n")
}

async fn keep_last_lines(stderr: tokio::process::ChildStderr, log: Arc<Mutex<Vec<String>>>) {
    use tokio::io::AsyncBufReadExt;
    let mut lines = tokio::io::BufReader::new(stderr);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).await.is_ok_and(|count| count > 0) {
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        tracing::debug!(target: "chrome", "{text}");
        let mut log = lock(&log);
        if log.len() == LOG_LINES {
            log.remove(0);
        }
        log.push(text);
        line.clear();
    }
}
