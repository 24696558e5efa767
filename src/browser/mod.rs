//! Chrome: finding, launching and ending it, and what is done with its pages. Knows no MCP.

pub mod attach;
pub mod children;
pub mod collect;
pub mod console;
pub mod devtools_comments;
pub mod devtools_window;
pub mod dialogs;
pub mod elements;
pub mod emulate;
pub mod extension_workers;
pub mod find;
pub mod frames;
pub mod heap_capture;
pub mod host;
pub mod input;
pub mod launch;
mod loading;
pub mod navigate;
pub mod network;
pub mod page;
pub mod pages;
mod prerender;
pub mod recording;
pub mod screenshot;
pub mod script;
pub mod settle;
mod shared_workers;
pub mod snapshot;
pub mod trace_stream;
pub mod tracer;
pub mod url_rules;
pub mod wait_text;

use std::time::Duration;

use crate::cdp::CdpError;
use crate::config::Channel;

/// Why something with the browser did not work. `Display` is problem and cause, [`BrowserError::hint`] the next step.
#[derive(Debug, Clone, thiserror::Error)]
pub enum BrowserError {
    /// No browser is installed where we look.
    #[error("no {} was found; looked at:\n{}",
        channel.map_or_else(|| "Chrome or Chromium".into(), |c| format!("Chrome of the channel {}", c.name())),
        tried.iter().map(|p| format!(" - {p}")).collect::<Vec<_>>().join("\n"))]
    NotInstalled { channel: Option<Channel>, tried: Vec<String> },
    /// The given path is not a program.
    #[error("there is no browser at {path}")]
    NoSuchBrowser { path: String },
    /// Recognised before launching.
    #[error("Chrome failed to start: it does not run as root with its sandbox")]
    RootWithSandbox,
    /// The system does not let Chrome make its sandbox.
    #[error("Chrome failed to start: this system does not let it make its sandbox\nChrome said: {log}")]
    NoSandbox { log: String },
    /// A window was asked for where there is no display.
    #[error(
        "Missing X server or other display: Chrome cannot open a window (DISPLAY and WAYLAND_DISPLAY name none that works, neither here nor in your other processes)"
    )]
    NoDisplay,
    /// Another browser has the profile.
    #[error("The browser is already running for {profile}.\nChrome said: {log}")]
    ProfileInUse { profile: String, log: String },
    /// A running browser could not be reached.
    #[error("Could not connect to Chrome{}\nCause: {cause}", connect_advice(folder.as_deref()))]
    Connect { folder: Option<String>, cause: String, hint: &'static str },
    /// It cannot do what was configured.
    #[error("{product} is too old for a list of allowed addresses: Chrome {needed} is needed")]
    TooOld { product: String, needed: u32 },
    /// An attempt to get a browser took too long.
    #[error("timed out after {} s while waiting for the browser; the attempt was given up, and the next call makes a new one", after.as_secs_f32())]
    Abandoned { after: Duration },
    /// The server is about to end.
    #[error("the server is ending")]
    Ending,
    /// The process ended or said nothing.
    #[error("Chrome did not start: {why}{}", if log.is_empty() { String::new() } else { format!("\nChrome said: {log}") })]
    Launch { why: String, log: String },
    /// The page could not be opened.
    #[error("cannot open {url}: {why}")]
    Navigation { url: String, why: String },
    /// The browser refused or lost a call.
    #[error(transparent)]
    Cdp(#[from] CdpError),
    /// Reading or writing on this machine.
    #[error("{what}: {why}")]
    Io { what: String, why: String },
    /// This system cannot do it yet.
    #[error("{0}")]
    Unsupported(&'static str),
}

impl BrowserError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            BrowserError::NotInstalled { .. } if find::System::current() == find::System::Wsl => {
                "install Google Chrome or Chromium inside the Linux of WSL (apt-get install chromium); Windows' own Chrome cannot be driven from here"
            }
            BrowserError::NotInstalled { channel: Some(_), .. } => {
                "install that channel, leave out --channel, or give the browser's path with --executablePath"
            }
            BrowserError::NotInstalled { .. } => {
                "install Google Chrome or Chromium (Debian, Ubuntu: apt-get install chromium), or give its path with --executablePath"
            }
            BrowserError::NoSuchBrowser { .. } => "check the path given with --executablePath",
            BrowserError::RootWithSandbox => "run as another user, or in a container add --chromeArg=--no-sandbox",
            BrowserError::NoSandbox { .. } => {
                "allow user namespaces for it (Ubuntu: an AppArmor profile), or in a container add --chromeArg=--no-sandbox"
            }
            BrowserError::NoDisplay => "use --headless (leave out --headed), or start a display (for example xvfb-run)",
            BrowserError::ProfileInUse { .. } => {
                "use --isolated for a temporary profile, another --userDataDir, or end the other browser"
            }
            BrowserError::Connect { hint, .. } => hint,
            BrowserError::TooOld { .. } => "update the browser, or use --blockedUrlPattern instead",
            BrowserError::Abandoned { .. } => {
                "look whether the machine is overloaded or the browser asks for something"
            }
            BrowserError::Ending => "start the server again",
            BrowserError::Launch { log, .. } if log.contains("shared libraries") => {
                "a library that the browser needs is missing: install the browser with the system's package manager"
            }
            BrowserError::Launch { .. } if find::System::current() == find::System::Wsl => {
                "use a Linux Chrome or Chromium inside WSL (apt-get install chromium) with --headless"
            }
            BrowserError::Launch { .. } => "try the same browser by hand with --headless; its own message tells more",
            BrowserError::Navigation { .. } => "check the address and whether its server is running",
            BrowserError::Cdp(CdpError::Timeout { .. }) => "the page may be too busy to answer; try again",
            BrowserError::Cdp(_) => "try again; if the browser crashes each time, try another version",
            BrowserError::Io { .. } => "check the path, its permissions and the free space",
            BrowserError::Unsupported(_) => {
                "use Linux or macOS for this, or analyse a trace file that was recorded elsewhere"
            }
        }
    }
}

/// What follows "Could not connect to Chrome" in its first line.
fn connect_advice(folder: Option<&str>) -> String {
    match folder {
        Some(folder) => {
            format!(
                " in {folder}. Check that it runs and allows remote debugging (chrome://inspect/#remote-debugging)."
            )
        }
        None => ". Check if Chrome is running.".into(),
    }
}
