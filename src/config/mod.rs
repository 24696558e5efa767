//! From the command line to a [`Config`]: what was typed ([`parse`]) and what it means on this machine.
//!
//! Owns every option ([`options::OPTIONS`]). Must not know the browser or MCP.

mod file;
pub mod options;
mod parse;
pub mod urls;
mod values;

use std::ffi::OsString;
use std::path::PathBuf;

pub use parse::{ParseError, Parsed, load, parse};
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

    /// The channel of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Channel::Stable, Channel::Beta, Channel::Dev, Channel::Canary].into_iter().find(|c| c.name() == name)
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
const SNAPSHOT_BUDGET: usize = 60_000;

impl BrowserConfig {
    /// The folder of the launched browser's profile, which need not exist; `None` for a temporary one. The default is
    /// the original's, so that logins survive a change of server.
    pub fn profile_folder(&self) -> Option<PathBuf> {
        if self.isolated || self.user_data_dir.is_some() {
            return self.user_data_dir.clone();
        }
        let home = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"))?;
        let folder = if self.via_cli { "chrome-devtools-mcp-cli" } else { "chrome-devtools-mcp" };
        let profile = match self.channel {
            None | Some(Channel::Stable) => "chrome-profile".to_owned(),
            Some(channel) => format!("chrome-profile-{}", channel.name()),
        };
        Some(PathBuf::from(home).join(".cache").join(folder).join(profile))
    }

    fn from_parsed(parsed: &Parsed, via_cli: bool) -> Self {
        let off = |name: &str| parsed.bool(name).unwrap_or(false);
        let user_data_dir = parsed.text("userDataDir").map(absolute);
        let channel = parsed.text("channel").and_then(Channel::from_name);
        let connect = connect(parsed, user_data_dir.as_ref(), channel);
        // A command line gets a browser of its own unless it was told which one.
        let own = via_cli && connect.is_none();
        BrowserConfig {
            isolated: parsed.bool("isolated").unwrap_or(own && user_data_dir.is_none()),
            extensions: parsed.bool("categoryExtensions").unwrap_or(own),
            connect,
            headless: parsed.bool("headless").unwrap_or(via_cli),
            executable: parsed.text("executablePath").map(str::to_owned),
            channel,
            user_data_dir,
            proxy_server: parsed.text("proxyServer").map(str::to_owned),
            viewport: parsed.text("viewport").and_then(values::size),
            accept_insecure_certs: off("acceptInsecureCerts"),
            arguments: parsed.list("chromeArg").to_vec(),
            ignored_arguments: parsed.list("ignoreDefaultChromeArg").to_vec(),
            devtools_windows: off("experimentalDevtools"),
            all_pages: off("experimentalIncludeAllPages"),
            via_cli,
            urls: parsed.urls().clone(),
        }
    }
}

/// The most exact way to a running browser that was given.
fn connect(parsed: &Parsed, user_data_dir: Option<&PathBuf>, channel: Option<Channel>) -> Option<Connect> {
    if let Some(endpoint) = parsed.text("wsEndpoint") {
        let headers = parsed.text("wsHeaders").and_then(|text| values::headers(text).ok()).unwrap_or_default();
        return Some(Connect::WebSocket { endpoint: endpoint.to_owned(), headers });
    }
    if let Some(url) = parsed.text("browserUrl") {
        return Some(Connect::Http { url: url.to_owned() });
    }
    let automatic = parsed.bool("autoConnect") == Some(true);
    automatic.then(|| Connect::Auto { user_data_dir: user_data_dir.cloned(), channel: channel.unwrap_or_default() })
}

impl Config {
    /// Reads the command line, the config file and the environment of this process.
    pub fn load(arguments: impl IntoIterator<Item = String>) -> Result<(Self, Parsed), ParseError> {
        let parsed = load(arguments, &|name: &str| -> Option<OsString> { std::env::var_os(name) })?;
        Ok((Config::from_parsed(&parsed), parsed))
    }

    /// Gives the parsed options their meaning here: defaults, absolute paths, the machine's memory.
    pub fn from_parsed(parsed: &Parsed) -> Self {
        let on = |name: &str| parsed.bool(name).unwrap_or(true);
        let off = |name: &str| parsed.bool(name).unwrap_or(false);
        let small = |name: &str| parsed.number(name).map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        let via_cli = off("viaCli");
        let browser = BrowserConfig::from_parsed(parsed, via_cli);
        let filesystem_roots: Vec<PathBuf> = parsed.list("filesystemRoot").iter().map(|p| absolute(p)).collect();
        Config {
            category_input: on("categoryInput"),
            category_navigation: on("categoryNavigation"),
            category_emulation: on("categoryEmulation"),
            category_performance: on("categoryPerformance"),
            category_network: on("categoryNetwork"),
            category_debugging: on("categoryDebugging"),
            category_memory: on("categoryMemory"),
            category_extensions: browser.extensions,
            category_third_party: off("categoryExperimentalThirdParty"),
            category_webmcp: off("categoryExperimentalWebmcp"),
            category_pwa: off("categoryPwa"),
            experimental_vision: off("experimentalVision"),
            interop_tools: off("experimentalInteropTools"),
            javascript_evaluation: on("javascriptEvaluation"),
            file_navigations: on("fileNavigations"),
            devtools_comments: off("devtoolsComments"),
            memory_debugging: parsed.bool("memoryDebugging").unwrap_or(via_cli),
            slim: off("slim"),
            page_id_routing: on("pageIdRouting"),
            structured_content: parsed.bool("experimentalStructuredContent").unwrap_or(via_cli),
            screenshot_format: parsed.text("screenshotFormat").unwrap_or("png").to_owned(),
            screenshot_quality: small("screenshotQuality").and_then(|n| u8::try_from(n).ok()),
            screenshot_max_width: small("screenshotMaxWidth"),
            screenshot_max_height: small("screenshotMaxHeight"),
            experimental_screencast: off("experimentalScreencast"),
            ffmpeg_path: parsed.text("experimentalFfmpegPath").map(str::to_owned),
            screencast_fps: small("screencastFps"),
            redact_network_headers: off("redactNetworkHeaders"),
            performance_crux: on("performanceCrux"),
            source_maps: on("sourceMaps"),
            trace_legend: on("traceLegend"),
            snapshot_budget: parsed
                .number("snapshotBudget")
                .map_or(SNAPSHOT_BUDGET, |n| usize::try_from(n).unwrap_or(usize::MAX)),
            mark_page_content: off("markPageContent"),
            allow_unrestricted_paths: parsed
                .bool("allowUnrestrictedPaths")
                .unwrap_or(via_cli && filesystem_roots.is_empty()),
            filesystem_roots,
            engine_heap_limit: parsed.number("engineHeapLimit").map_or_else(default_heap_limit, |mb| {
                usize::try_from(mb).unwrap_or(usize::MAX).saturating_mul(1024 * 1024)
            }),
            log_file: parsed.text("logFile").map(absolute),
            via_cli,
            browser,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn config(line: &str) -> Config {
        Config::from_parsed(&parse(line.split_whitespace().map(str::to_owned)).unwrap())
    }

    #[test]
    fn the_most_exact_connection_wins() {
        let ws = config("--wsEndpoint ws://a/b --wsHeaders {\"A\":\"b\"} --autoConnect").browser.connect;
        let headers = vec![("A".to_owned(), "b".to_owned())];
        assert_eq!(ws, Some(Connect::WebSocket { endpoint: "ws://a/b".into(), headers }));
        let http = config("--browserUrl http://a:1 --autoConnect").browser.connect;
        assert_eq!(http, Some(Connect::Http { url: "http://a:1".into() }));
        let auto = |user_data_dir, channel| Some(Connect::Auto { user_data_dir, channel });
        assert_eq!(config("--autoConnect").browser.connect, auto(None, Channel::Stable));
        assert_eq!(config("--autoConnect --channel beta").browser.connect, auto(None, Channel::Beta));
        let folder = Some(PathBuf::from("/x/y"));
        assert_eq!(config("--autoConnect --userDataDir /x/y").browser.connect, auto(folder, Channel::Stable));
        assert_eq!(config("--no-autoConnect --wsEndpoint= --browserUrl=").browser.connect, None);
    }

    #[test]
    fn every_setting_of_the_browser_arrives() {
        let browser = config(
            "--channel dev --proxyServer p:1 --viewport 800x600 --acceptInsecureCerts --chromeArg=--a \
             --ignoreDefaultChromeArg=--b --categoryExtensions --experimentalDevtools --experimentalIncludeAllPages \
             --blockedUrlPattern http://a/* --userDataDir rel",
        )
        .browser;
        assert_eq!((browser.channel, browser.viewport), (Some(Channel::Dev), Some((800, 600))));
        assert_eq!(browser.proxy_server.as_deref(), Some("p:1"));
        assert!(browser.accept_insecure_certs && browser.extensions && browser.devtools_windows && browser.all_pages);
        assert_eq!(
            (&browser.arguments[..], &browser.ignored_arguments[..]),
            (&["--a".into()][..], &["--b".into()][..])
        );
        assert_eq!(browser.urls.blocked(), ["http://a/*"]);
        assert!(browser.user_data_dir.is_some_and(|d| d.is_absolute() && d.ends_with("rel")));
        let browser = config("-e /bin/x").browser;
        assert_eq!((browser.executable.as_deref(), browser.channel), (Some("/bin/x"), None));
    }

    #[test]
    fn every_setting_of_the_tools_arrives() {
        let plain = config("");
        assert_eq!((plain.snapshot_budget, plain.screenshot_format.as_str()), (60_000, "png"));
        assert!(plain.category_input && plain.category_memory && plain.javascript_evaluation && plain.source_maps);
        assert!(!plain.category_extensions && !plain.slim && !plain.structured_content && !plain.mark_page_content);
        let given = config(
            "--no-category-input --snapshotBudget 0 --markPageContent --screenshotFormat webp --screenshotQuality 0 \
             --screenshotMaxWidth 5 --screenshotMaxHeight 6 --screencastFps 7 --engineHeapLimit 2 --slim",
        );
        assert!(!given.category_input && given.mark_page_content && given.slim);
        assert_eq!((given.snapshot_budget, given.engine_heap_limit), (0, 2 << 20));
        assert_eq!((given.screenshot_format.as_str(), given.screenshot_quality), ("webp", Some(0)));
        assert_eq!((given.screenshot_max_width, given.screenshot_max_height), (Some(5), Some(6)));
        assert_eq!(given.screencast_fps, Some(7));
    }

    #[test]
    fn a_command_line_has_defaults_of_its_own() {
        let plain = config("--viaCli");
        assert!(plain.browser.headless && plain.memory_debugging && plain.structured_content);
        assert!(plain.browser.isolated && plain.category_extensions && plain.allow_unrestricted_paths);
        let given = config("--viaCli --no-headless --workspace /x --userDataDir /y --no-categoryExtensions");
        assert!(!given.browser.headless && !given.browser.isolated && !given.allow_unrestricted_paths);
        assert!(!given.category_extensions && given.filesystem_roots == [PathBuf::from("/x")]);
        let attached = config("--viaCli --autoConnect");
        assert!(!attached.browser.isolated && !attached.category_extensions && attached.allow_unrestricted_paths);
        assert!(!config("--viaCli --no-allowUnrestrictedPaths").allow_unrestricted_paths);
        assert!(!config("--viaCli --no-isolated").browser.isolated);
    }

    #[test]
    fn profiles_are_the_originals() {
        let folder = |line: &str| config(line).browser.profile_folder();
        assert_eq!(folder("--isolated"), None);
        assert_eq!(folder("--userDataDir /x/y"), Some("/x/y".into()));
        let ends = |line: &str, end: &str| assert!(folder(line).is_some_and(|f| f.ends_with(end)), "{line}");
        ends("", ".cache/chrome-devtools-mcp/chrome-profile");
        ends("--channel stable", ".cache/chrome-devtools-mcp/chrome-profile");
        ends("--channel beta", ".cache/chrome-devtools-mcp/chrome-profile-beta");
        ends("--viaCli --no-isolated", ".cache/chrome-devtools-mcp-cli/chrome-profile");
    }
}
