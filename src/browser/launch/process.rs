//! The browser's process: spawning it with its pipes, its group, and what it says on stderr and stdout.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncRead};
use tokio::sync::watch;

use super::arguments::Wire;
use super::lasting;
use super::watcher::Watcher;
use crate::browser::BrowserError;
use crate::cdp::{Connection, websocket};

/// Lines that are kept, and of those how many explain a failure.
const LOG_LINES: usize = 1000;
const TOLD_LINES: usize = 20;

/// Longest line that is kept.
const LINE: usize = 4096;

/// What comes before the address that Chrome opens for us.
const LISTENING: &str = "DevTools listening on ";

/// Whether Chrome has told its address.
#[derive(Debug, Clone, PartialEq)]
enum Told {
    NotYet,
    Address(String),
    /// It ended without.
    Never,
}

/// What Chrome has said.
pub(super) struct Log {
    lines: Mutex<VecDeque<String>>,
    told: watch::Sender<Told>,
}

impl Log {
    fn new() -> Arc<Self> {
        Arc::new(Log { lines: Mutex::default(), told: watch::Sender::new(Told::NotYet) })
    }

    /// Its last lines.
    pub fn last_lines(&self) -> String {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let skipped = lines.len().saturating_sub(TOLD_LINES);
        lines.iter().skip(skipped).cloned().collect::<Vec<_>>().join("\n")
    }

    fn push(&self, line: String) {
        tracing::debug!(target: "chrome", "{line}");
        if let Some((_, address)) = line.split_once(LISTENING) {
            self.told.send_replace(Told::Address(address.trim().to_owned()));
        }
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == LOG_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    async fn read(self: Arc<Self>, output: impl AsyncRead + Unpin, tells: bool) {
        let mut output = tokio::io::BufReader::new(output);
        let mut line = Vec::new();
        while output.read_until(b'\n', &mut line).await.is_ok_and(|count| count > 0) {
            let text = String::from_utf8_lossy(&line[..line.len().min(LINE)]).trim_end().to_owned();
            if !text.is_empty() {
                self.push(text);
            }
            line.clear();
        }
        if tells {
            self.told.send_if_modified(|told| {
                let ends = *told == Told::NotYet;
                if ends {
                    *told = Told::Never;
                }
                ends
            });
        }
    }
}

/// The child process, its group and its watcher.
pub(super) struct Process {
    child: tokio::process::Child,
    group: Option<i32>,
    pub log: Arc<Log>,
    // Last: it does what the others have not done.
    _watcher: Option<Watcher>,
}

/// Our ends of the pipes.
#[cfg(unix)]
struct Pipes {
    input: std::io::PipeReader,
    output: std::io::PipeWriter,
}

impl Process {
    /// Spawns Chrome. The connection over its pipes comes with it; that over a port is [`Process::connect_to_port`].
    pub fn spawn(
        executable: &Path,
        arguments: &[String],
        variables: &[(&'static str, std::ffi::OsString)],
        wire: Wire,
        temporary_profile: Option<&Path>,
    ) -> Result<(Self, Option<Arc<Connection>>), BrowserError> {
        let mut command = tokio::process::Command::new(executable);
        command
            .args(arguments)
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let temporary_profile = temporary_profile.map(Path::to_path_buf);
        let spawned = lasting::run(move || {
            let (child, pipes) = spawn_child(command, wire)?;
            let group = child.id().and_then(|id| i32::try_from(id).ok());
            // By the same thread and after the browser: whoever looks at our children meets the browser first.
            let watcher = group.and_then(|group| Watcher::start(group, temporary_profile.as_deref()));
            Ok((child, pipes, group, watcher))
        });
        let (mut child, pipes, group, watcher) = spawned.flatten().map_err(|e: std::io::Error| {
            BrowserError::Launch { why: format!("{}: {e}", executable.display()), log: String::new() }
        })?;
        let log = Log::new();
        if let Some(stderr) = child.stderr.take() {
            tokio::spawn(log.clone().read(stderr, true));
        }
        if let Some(stdout) = child.stdout.take() {
            tokio::spawn(log.clone().read(stdout, false));
        }
        let process = Process { child, group, log, _watcher: watcher };
        let connection = pipes
            .map(Pipes::connect)
            .transpose()
            .map_err(|e| BrowserError::Io { what: "cannot use a pipe".into(), why: e.to_string() })?;
        Ok((process, connection))
    }

    /// Waits for the address that Chrome tells on stderr and connects to it.
    pub async fn connect_to_port(&self, limit: Duration) -> Result<Arc<Connection>, String> {
        let mut told = self.log.told.subscribe();
        let waiting = async { told.wait_for(|told| *told != Told::NotYet).await.map(|told| told.clone()) };
        let address = match tokio::time::timeout(limit, waiting).await {
            Ok(Ok(Told::Address(address))) => address,
            Ok(_) => return Err("it ended before it opened its debugging port".into()),
            Err(_) => return Err(format!("it told no debugging port within {} s", limit.as_secs())),
        };
        let (reader, writer) =
            websocket::connect(&address, &websocket::Options::default()).await.map_err(|e| e.to_string())?;
        Ok(Connection::start(reader, writer))
    }

    /// Waits for its end.
    pub async fn exited(&mut self) {
        let _ = self.child.wait().await;
    }

    /// Ends what is left of the group and waits a moment for the browser itself, so that its profile can be removed.
    pub fn end_group(&mut self) {
        let lives = matches!(self.child.try_wait(), Ok(None));
        self.kill_group();
        if lives {
            let _ = self.child.start_kill();
            for _ in 0..50 {
                if !matches!(self.child.try_wait(), Ok(None)) {
                    break;
                }
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        self.group = None;
    }

    fn kill_group(&self) {
        #[cfg(unix)]
        if let Some(group) = self.group {
            // SAFETY: killpg has no memory preconditions; the group is our child's own.
            unsafe {
                libc::killpg(group, libc::SIGKILL);
            }
        }
        #[cfg(not(unix))]
        let _ = self.group;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end_group();
    }
}

/// Elsewhere the browser is reached by its port.
#[cfg(not(unix))]
enum Pipes {}

#[cfg(not(unix))]
impl Pipes {
    fn connect(self) -> std::io::Result<Arc<Connection>> {
        match self {}
    }
}

#[cfg(unix)]
impl Pipes {
    fn connect(self) -> std::io::Result<Arc<Connection>> {
        use std::os::fd::OwnedFd;
        use tokio::net::unix::pipe::{Receiver, Sender};

        let input = Receiver::from_owned_fd(OwnedFd::from(self.input))?;
        let output = Sender::from_owned_fd(OwnedFd::from(self.output))?;
        let (reader, writer) = crate::cdp::pipe::pair(input, output);
        Ok(Connection::start(reader, writer))
    }
}

/// Without pipes.
#[cfg(not(unix))]
fn spawn_child(
    mut command: tokio::process::Command,
    _wire: Wire,
) -> std::io::Result<(tokio::process::Child, Option<Pipes>)> {
    Ok((command.spawn()?, None))
}

/// With the pipes as fds 3 and 4, and on Linux with a signal for the case that we die.
#[cfg(unix)]
fn spawn_child(
    mut command: tokio::process::Command,
    wire: Wire,
) -> std::io::Result<(tokio::process::Child, Option<Pipes>)> {
    use std::os::fd::AsRawFd;

    let parent = std::process::id();
    let (theirs, pipes) = match wire {
        Wire::Pipe => {
            let (to_read, to_write) = std::io::pipe()?;
            let (from_read, from_write) = std::io::pipe()?;
            (Some((to_read, from_write)), Some(Pipes { input: from_read, output: to_write }))
        }
        Wire::Port => (None, None),
    };
    let numbers = theirs.as_ref().map(|(input, output)| (input.as_raw_fd(), output.as_raw_fd()));
    // SAFETY: only async-signal-safe calls between fork and exec.
    unsafe {
        command.pre_exec(move || {
            if let Some((input, output)) = numbers {
                // First out of the way, in case one of the two is 3 or 4 itself; dup2 clears close-on-exec.
                let input = libc::fcntl(input, libc::F_DUPFD_CLOEXEC, 10);
                let output = libc::fcntl(output, libc::F_DUPFD_CLOEXEC, 10);
                if input < 0 || output < 0 || libc::dup2(input, 3) < 0 || libc::dup2(output, 4) < 0 {
                    return Err(std::io::Error::last_os_error());
                }
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
    let child = command.spawn()?;
    drop(theirs);
    Ok((child, pipes))
}
