//! Chrome: finding, launching and ending it, and what is done with its pages. Knows no MCP.

pub mod dialogs;
pub mod elements;
pub mod emulate;
pub mod find;
pub mod frames;
pub mod host;
pub mod input;
pub mod launch;
pub mod navigate;
pub mod page;
pub mod pages;
pub mod recording;
pub mod screenshot;
pub mod script;
pub mod settle;
pub mod snapshot;
mod url_rules;
pub mod wait_text;

use crate::cdp::CdpError;

/// Why something with the browser did not work. `Display` is problem and cause, [`BrowserError::hint`] the next step.
#[derive(Debug, thiserror::Error)]
pub enum BrowserError {
    /// No browser is installed where we look.
    #[error("no Chrome or Chromium was found; looked at:\n{}", tried.iter().map(|p| format!(" - {p}")).collect::<Vec<_>>().join("\n"))]
    NotInstalled { tried: Vec<String> },
    /// The given path is not a program.
    #[error("there is no browser at {path}")]
    NoSuchBrowser { path: String },
    /// Recognised before launching.
    #[error("Chrome does not start as root with its sandbox")]
    RootWithSandbox,
    /// A window was asked for where there is no display.
    #[error("Chrome cannot open a window: there is no display (DISPLAY and WAYLAND_DISPLAY are not set)")]
    NoDisplay,
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
            BrowserError::NotInstalled { .. } => {
                "install Google Chrome or Chromium (Debian, Ubuntu: apt-get install chromium), or give its path with --executablePath"
            }
            BrowserError::NoSuchBrowser { .. } => "check the path given with --executablePath",
            BrowserError::RootWithSandbox => "run as another user, or in a container add --chromeArg=--no-sandbox",
            BrowserError::NoDisplay => "leave out --headed, or start a display (for example xvfb-run)",
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
