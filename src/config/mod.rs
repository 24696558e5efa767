//! From the command line to a [`Config`]: what was typed ([`parse`]) and what it means on this machine.
//!
//! Owns every option ([`options::OPTIONS`]). Must not know the browser or MCP.

pub mod options;
mod parse;
pub mod urls;

use std::path::PathBuf;

pub use parse::{ParseError, Parsed, parse};
pub use urls::UrlPolicy;

/// A release channel of Chrome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Channel {
    /// The released version.
    #[default]
    Stable,
    /// The next version.
    Beta,
    /// Weekly builds.
    Dev,
    /// Daily builds.
    Canary,
}

impl Channel {
    /// As it is written in options.
    pub fn name(self) -> &'static str {
        match self {
            Channel::Stable => "stable",
            Channel::Beta => "beta",
            Channel::Dev => "dev",
            Channel::Canary => "canary",
        }
    }
}

/// How to reach a browser that is already running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Connect {
    /// `--wsEndpoint`, with the headers of `--wsHeaders`.
    WebSocket { endpoint: String, headers: Vec<(String, String)> },
    /// `--browserUrl`: its `/json/version` names the WebSocket.
    Http { url: String },
    /// `--autoConnect`: the port file of a profile, or of the channel's default profile.
    Auto { user_data_dir: Option<PathBuf>, channel: Channel },
}

/// How the server's browser is launched or reached.
#[derive(Debug, Clone, Default)]
pub struct BrowserConfig {
    /// A running browser to attach to instead of launching one.
    pub connect: Option<Connect>,
    /// Without a window.
    pub headless: bool,
    /// Path of the browser.
    pub executable: Option<String>,
    /// Which installed Chrome to launch; `None` where none was asked for.
    pub channel: Option<Channel>,
    /// A temporary profile.
    pub isolated: bool,
    /// The profile folder, absolute; `None` for the default one.
    pub user_data_dir: Option<PathBuf>,
    /// `--proxy-server` of the launched browser.
    pub proxy_server: Option<String>,
    /// Size of the first tab's content in CSS pixels.
    pub viewport: Option<(u32, u32)>,
    /// Ignore certificate errors in the launched browser.
    pub accept_insecure_certs: bool,
    /// More arguments.
    pub arguments: Vec<String>,
    /// Default arguments to leave out.
    pub ignored_arguments: Vec<String>,
    /// Extensions may be installed.
    pub extensions: bool,
    /// DevTools windows are pages, and open by themselves.
    pub devtools_windows: bool,
    /// `background_page` and `webview` targets are pages.
    pub all_pages: bool,
    /// Started by the companion command line: profiles of its own.
    pub via_cli: bool,
    /// URLs that may be reached.
    pub urls: UrlPolicy,
}

/// Settings of a server process.
#[derive(Debug, Clone)]
pub struct Config {
    /// The browser.
    pub browser: BrowserConfig,
    /// Offer the tools that type and click.
    pub category_input: bool,
    /// Offer the tools for pages and navigation.
    pub category_navigation: bool,
    /// Offer the tools for device and network emulation.
    pub category_emulation: bool,
    /// Offer performance tools.
    pub category_performance: bool,
    /// Offer the tools that list requests.
    pub category_network: bool,
    /// Offer snapshot, script, screenshot and console tools.
    pub category_debugging: bool,
    /// Offer heap snapshots.
    pub category_memory: bool,
    /// Offer the tools for extensions.
    pub category_extensions: bool,
    /// Offer the tools that pages themselves provide.
    pub category_third_party: bool,
    /// Offer WebMCP.
    pub category_webmcp: bool,
    /// Offer the tools for installed web applications.
    pub category_pwa: bool,
    /// Offer `click_at`.
    pub experimental_vision: bool,
    /// Offer `get_tab_id`.
    pub interop_tools: bool,
    /// Allow `evaluate_script` and addresses that run JavaScript.
    pub javascript_evaluation: bool,
    /// Allow `file:` addresses.
    pub file_navigations: bool,
    /// Offer the tools for DevTools comments.
    pub devtools_comments: bool,
    /// Offer the heap analysis tools.
    pub memory_debugging: bool,
    /// Only `navigate`, `evaluate`, `screenshot`, with short answers.
    pub slim: bool,
    /// Whether page tools have a `pageId` parameter.
    pub page_id_routing: bool,
    /// Add `structuredContent`.
    pub structured_content: bool,
    /// Default of `take_screenshot`'s `format`: `png`, `jpeg` or `webp`.
    pub screenshot_format: String,
    /// Default quality, 0 to 100, of jpeg and webp.
    pub screenshot_quality: Option<u8>,
    /// Widest screenshot in device pixels.
    pub screenshot_max_width: Option<u32>,
    /// Highest screenshot in device pixels.
    pub screenshot_max_height: Option<u32>,
    /// Record screencasts with ffmpeg instead of the browser's own recorder.
    pub experimental_screencast: bool,
    /// The ffmpeg to use.
    pub ffmpeg_path: Option<String>,
    /// Frames per second of screencasts.
    pub screencast_fps: Option<u32>,
    /// Hide the values of sensitive headers.
    pub redact_network_headers: bool,
    /// Look field data up.
    pub performance_crux: bool,
    /// Use source maps.
    pub source_maps: bool,
    /// Explain the notation in each trace summary.
    pub trace_legend: bool,
    /// Longest snapshot in characters; 0 for no limit.
    pub snapshot_budget: usize,
    /// Fence text that comes from pages.
    pub mark_page_content: bool,
    /// Directories given by `--filesystemRoot`, absolute.
    pub filesystem_roots: Vec<PathBuf>,
    /// No path check while the client has announced no roots.
    pub allow_unrestricted_paths: bool,
    /// Heap limit of one analysis in bytes.
    pub engine_heap_limit: usize,
    /// Debug log.
    pub log_file: Option<PathBuf>,
    /// Started by the companion command line.
    pub via_cli: bool,
}

/// Longest snapshot unless `--snapshotBudget` says otherwise, in characters.
const SNAPSHOT_BUDGET: u64 = 60_000;

impl Config {
    /// Gives the parsed options their meaning here: defaults, absolute paths, the machine's memory.
    pub fn from_parsed(parsed: &Parsed) -> Self {
        let on = |name: &str| parsed.bool(name).unwrap_or(true);
        let off = |name: &str| parsed.bool(name).unwrap_or(false);
        let small = |name: &str| parsed.number(name).and_then(|n| u32::try_from(n).ok());
        Config {
            browser: BrowserConfig {
                connect: None,
                headless: off("headless"),
                executable: parsed.text("executablePath").map(str::to_owned),
                channel: None,
                isolated: off("isolated"),
                user_data_dir: parsed.text("userDataDir").map(absolute),
                proxy_server: parsed.text("proxyServer").map(str::to_owned),
                viewport: None,
                accept_insecure_certs: off("acceptInsecureCerts"),
                arguments: parsed.list("chromeArg").to_vec(),
                ignored_arguments: parsed.list("ignoreDefaultChromeArg").to_vec(),
                extensions: off("categoryExtensions"),
                devtools_windows: off("experimentalDevtools"),
                all_pages: off("experimentalIncludeAllPages"),
                via_cli: off("viaCli"),
                urls: UrlPolicy::default(),
            },
            category_input: on("categoryInput"),
            category_navigation: on("categoryNavigation"),
            category_emulation: on("categoryEmulation"),
            category_performance: on("categoryPerformance"),
            category_network: on("categoryNetwork"),
            category_debugging: on("categoryDebugging"),
            category_memory: on("categoryMemory"),
            category_extensions: off("categoryExtensions"),
            category_third_party: off("categoryExperimentalThirdParty"),
            category_webmcp: off("categoryExperimentalWebmcp"),
            category_pwa: off("categoryPwa"),
            experimental_vision: off("experimentalVision"),
            interop_tools: off("experimentalInteropTools"),
            javascript_evaluation: on("javascriptEvaluation"),
            file_navigations: on("fileNavigations"),
            devtools_comments: off("devtoolsComments"),
            memory_debugging: off("memoryDebugging"),
            slim: off("slim"),
            page_id_routing: on("pageIdRouting"),
            structured_content: off("experimentalStructuredContent"),
            screenshot_format: parsed.text("screenshotFormat").unwrap_or("png").to_owned(),
            screenshot_quality: parsed.number("screenshotQuality").and_then(|n| u8::try_from(n).ok()),
            screenshot_max_width: small("screenshotMaxWidth"),
            screenshot_max_height: small("screenshotMaxHeight"),
            experimental_screencast: off("experimentalScreencast"),
            ffmpeg_path: parsed.text("experimentalFfmpegPath").map(str::to_owned),
            screencast_fps: small("screencastFps"),
            redact_network_headers: off("redactNetworkHeaders"),
            performance_crux: on("performanceCrux"),
            source_maps: on("sourceMaps"),
            trace_legend: on("traceLegend"),
            snapshot_budget: parsed.number("snapshotBudget").unwrap_or(SNAPSHOT_BUDGET) as usize,
            mark_page_content: off("markPageContent"),
            filesystem_roots: parsed.list("filesystemRoot").iter().map(|p| absolute(p)).collect(),
            allow_unrestricted_paths: off("allowUnrestrictedPaths"),
            engine_heap_limit: parsed
                .number("engineHeapLimit")
                .map_or_else(default_heap_limit, |mb| (mb as usize).saturating_mul(1024 * 1024)),
            log_file: parsed.text("logFile").map(absolute),
            via_cli: off("viaCli"),
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
