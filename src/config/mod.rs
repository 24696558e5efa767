//! From the command line to a [`Config`]: what was typed ([`parse`]) and what it means on this machine.
//!
//! Owns every option ([`options::OPTIONS`]). Must not know the browser or MCP.

pub mod options;
mod parse;

use std::path::PathBuf;

pub use parse::{ParseError, Parsed, parse};

/// How the server's browser is launched.
#[derive(Debug, Clone, Default)]
pub struct BrowserConfig {
    /// Without a window.
    pub headless: bool,
    /// Path of the browser.
    pub executable: Option<String>,
    /// A temporary profile.
    pub isolated: bool,
    /// The profile folder, absolute; `None` for the default one.
    pub user_data_dir: Option<PathBuf>,
    /// More arguments.
    pub arguments: Vec<String>,
    /// Default arguments to leave out.
    pub ignored_arguments: Vec<String>,
}

/// Settings of a server process.
#[derive(Debug, Clone)]
pub struct Config {
    /// The browser.
    pub browser: BrowserConfig,
    /// Offer the tools for pages and navigation.
    pub category_navigation: bool,
    /// Allow addresses that run JavaScript.
    pub javascript_evaluation: bool,
    /// Allow `file:` addresses.
    pub file_navigations: bool,
    /// Offer performance tools.
    pub category_performance: bool,
    /// Whether page tools have a `pageId` parameter.
    pub page_id_routing: bool,
    /// Add `structuredContent`.
    pub structured_content: bool,
    /// Explain the notation in each trace summary.
    pub trace_legend: bool,
    /// Directories given by `--filesystemRoot`, absolute.
    pub filesystem_roots: Vec<PathBuf>,
    /// No path check while the client has announced no roots.
    pub allow_unrestricted_paths: bool,
    /// Heap limit of one analysis in bytes.
    pub engine_heap_limit: usize,
    /// Debug log.
    pub log_file: Option<PathBuf>,
}

impl Config {
    /// Gives the parsed options their meaning here: defaults, absolute paths, the machine's memory.
    pub fn from_parsed(parsed: &Parsed) -> Self {
        Config {
            browser: BrowserConfig {
                headless: parsed.bool("headless").unwrap_or(false),
                executable: parsed.text("executablePath").map(str::to_owned),
                isolated: parsed.bool("isolated").unwrap_or(false),
                user_data_dir: parsed.text("userDataDir").map(absolute),
                arguments: parsed.list("chromeArg").to_vec(),
                ignored_arguments: parsed.list("ignoreDefaultChromeArg").to_vec(),
            },
            category_navigation: parsed.bool("categoryNavigation").unwrap_or(true),
            javascript_evaluation: parsed.bool("javascriptEvaluation").unwrap_or(true),
            file_navigations: parsed.bool("fileNavigations").unwrap_or(true),
            category_performance: parsed.bool("categoryPerformance").unwrap_or(true),
            page_id_routing: parsed.bool("pageIdRouting").unwrap_or(true),
            structured_content: parsed.bool("experimentalStructuredContent").unwrap_or(false),
            trace_legend: parsed.bool("traceLegend").unwrap_or(true),
            filesystem_roots: parsed.list("filesystemRoot").iter().map(|p| absolute(p)).collect(),
            allow_unrestricted_paths: parsed.bool("allowUnrestrictedPaths").unwrap_or(false),
            engine_heap_limit: parsed
                .number("engineHeapLimit")
                .map_or_else(default_heap_limit, |mb| (mb as usize).saturating_mul(1024 * 1024)),
            log_file: parsed.text("logFile").map(absolute),
        }
    }
}

fn absolute(path: &str) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| PathBuf::from(path))
}

/// Three quarters of the memory this process may use, at least 1 GB. V8 only takes what an analysis needs.
pub fn default_heap_limit() -> usize {
    const MINIMUM: u64 = 1 << 30;
    let memory = physical_memory().unwrap_or(8 << 30);
    usize::try_from((memory / 4 * 3).max(MINIMUM)).unwrap_or(usize::MAX)
}

#[cfg(unix)]
fn physical_memory() -> Option<u64> {
    // SAFETY: sysconf has no preconditions.
    let (pages, size) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    let machine = u64::try_from(pages).ok()?.checked_mul(u64::try_from(size).ok()?)?;
    // In a container the control group's limit is what counts.
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|t| t.trim().parse::<u64>().ok());
    Some(group.map_or(machine, |g| g.min(machine)))
}

#[cfg(not(unix))]
fn physical_memory() -> Option<u64> {
    None
}
