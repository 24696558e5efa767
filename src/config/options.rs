//! Every option of the server as data: the parser, `--help`, the reference page and the config keys all come from here.
//!
//! Names, aliases, defaults and which options exclude each other are those of chrome-devtools-mcp 1.11.0 unless an
//! option is marked as ours.

/// What values an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `--x`, `--no-x`, `--x=true|false`.
    Bool,
    /// One text.
    Text,
    /// An `http:` or `https:` address; an empty one counts as not given.
    HttpUrl,
    /// A `ws:` or `wss:` address; an empty one counts as not given.
    WebSocketUrl,
    /// HTTP headers as one JSON object; an empty text counts as not given.
    Headers,
    /// `<width>x<height>`, both above 0.
    Size,
    /// One of these.
    Choice(&'static [&'static str]),
    /// A whole number within these bounds.
    Integer { min: u64, max: u64 },
    /// Texts: may be repeated, and takes several values at once.
    List,
    /// URLPatterns: like [`Kind::List`], and each is checked.
    Patterns,
}

impl Kind {
    /// How many values one use of the option takes.
    pub fn takes_several(self) -> bool {
        matches!(self, Kind::List | Kind::Patterns)
    }

    /// The placeholder of its value in the help; empty for those without.
    pub fn placeholder(self) -> String {
        match self {
            Kind::Bool => String::new(),
            Kind::Text => "<text>".into(),
            Kind::HttpUrl | Kind::WebSocketUrl => "<url>".into(),
            Kind::Headers => "<json>".into(),
            Kind::Size => "<width>x<height>".into(),
            Kind::Choice(choices) => format!("<{}>", choices.join("|")),
            Kind::Integer { .. } => "<number>".into(),
            Kind::List => "<value>...".into(),
            Kind::Patterns => "<pattern>...".into(),
        }
    }

    /// In words, for the reference.
    pub fn describe(self) -> String {
        match self {
            Kind::Bool => "boolean".into(),
            Kind::Text => "text".into(),
            Kind::HttpUrl => "URL (http, https)".into(),
            Kind::WebSocketUrl => "URL (ws, wss)".into(),
            Kind::Headers => "JSON object".into(),
            Kind::Size => "width x height".into(),
            Kind::Choice(choices) => choices.join(", "),
            Kind::Integer { min, max } => format!("number {}", range(min, max)),
            Kind::List => "list".into(),
            Kind::Patterns => "list of URL patterns".into(),
        }
    }
}

/// Bounds in words.
pub fn range(min: u64, max: u64) -> String {
    match (min, max) {
        (0, u64::MAX) => "of 0 or more".into(),
        (1, u64::MAX) => "above 0".into(),
        (min, u64::MAX) => format!("of {min} or more"),
        (min, max) => format!("from {min} to {max}"),
    }
}

/// Whether an option does something here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Works as in the original.
    Works,
    /// Works, and exists only here.
    Ours,
    /// Accepted; what it controls is not here yet, and the help says so.
    Planned,
    /// Accepted so that configurations keep working; means nothing here (telemetry, update check).
    NoEffect,
}

/// One option.
#[derive(Debug)]
pub struct OptionSpec {
    /// camelCase name, also the key in a config file.
    pub name: &'static str,
    /// Other camelCase names.
    pub aliases: &'static [&'static str],
    /// One-letter name.
    pub short: Option<char>,
    /// Its values.
    pub kind: Kind,
    /// For people: what the default is.
    pub default: &'static str,
    /// Heading in the help.
    pub group: &'static str,
    /// Not in the help; the reference has it.
    pub hidden: bool,
    /// Its state here.
    pub status: Status,
    /// What it does.
    pub doc: &'static str,
}

const BROWSER: &str = "Browser";
const TOOLS: &str = "Tools";
const OUTPUT: &str = "Output";
const PROCESS: &str = "Process";

impl OptionSpec {
    const fn new(name: &'static str, kind: Kind, group: &'static str, doc: &'static str) -> Self {
        let default = if matches!(kind, Kind::Bool) { "false" } else { "none" };
        OptionSpec { name, aliases: &[], short: None, kind, default, group, hidden: false, status: Status::Works, doc }
    }

    const fn bool(name: &'static str, group: &'static str, doc: &'static str) -> Self {
        Self::new(name, Kind::Bool, group, doc)
    }

    const fn text(name: &'static str, group: &'static str, doc: &'static str) -> Self {
        Self::new(name, Kind::Text, group, doc)
    }

    const fn list(name: &'static str, group: &'static str, doc: &'static str) -> Self {
        Self::new(name, Kind::List, group, doc)
    }

    const fn integer(name: &'static str, min: u64, max: u64, group: &'static str, doc: &'static str) -> Self {
        Self::new(name, Kind::Integer { min, max }, group, doc)
    }

    const fn choice(
        name: &'static str,
        choices: &'static [&'static str],
        group: &'static str,
        doc: &'static str,
    ) -> Self {
        Self::new(name, Kind::Choice(choices), group, doc)
    }

    const fn default(mut self, default: &'static str) -> Self {
        self.default = default;
        self
    }

    /// On unless it is turned off.
    const fn on(self) -> Self {
        self.default("true")
    }

    const fn alias(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    const fn short(mut self, letter: char) -> Self {
        self.short = Some(letter);
        self
    }

    const fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    const fn status(mut self, status: Status) -> Self {
        self.status = status;
        self
    }

    const fn planned(self) -> Self {
        self.status(Status::Planned)
    }

    const fn ours(self) -> Self {
        self.status(Status::Ours)
    }

    const fn no_effect(self) -> Self {
        self.hidden().status(Status::NoEffect)
    }
}

const ANY: u64 = u64::MAX;

/// The table, in the order of the help.
pub const OPTIONS: &[OptionSpec] = &[
    OptionSpec::bool(
        "autoConnect",
        BROWSER,
        "Attach to a running Chrome that has remote debugging switched on (chrome://inspect/#remote-debugging); userDataDir or channel say which.",
    ),
    OptionSpec::new(
        "browserUrl",
        Kind::HttpUrl,
        BROWSER,
        "Attach to the browser with this debugging address, for example http://127.0.0.1:9222.",
    )
    .short('u'),
    OptionSpec::new(
        "wsEndpoint",
        Kind::WebSocketUrl,
        BROWSER,
        "Attach to the browser behind this WebSocket. Preferred to browserUrl when both are given.",
    )
    .short('w'),
    OptionSpec::new(
        "wsHeaders",
        Kind::Headers,
        BROWSER,
        "Headers for connecting to wsEndpoint, for example '{\"Authorization\":\"Bearer ...\"}'.",
    ),
    OptionSpec::bool("headless", BROWSER, "Run Chrome without a window.")
        .default("false; true where there is no display"),
    OptionSpec::text("executablePath", BROWSER, "The browser to launch.")
        .short('e')
        .default("an installed Chrome, else Chromium"),
    OptionSpec::bool("isolated", BROWSER, "Use a temporary profile that is deleted afterwards."),
    OptionSpec::text(
        "userDataDir",
        BROWSER,
        "The profile folder. With autoConnect: the profile of the running Chrome.",
    )
    .default("chrome-devtools-mcp/chrome-profile in the user's cache folder"),
    OptionSpec::choice(
        "channel",
        &["canary", "dev", "beta", "stable"],
        BROWSER,
        "Which installed Chrome to launch. With autoConnect: which running Chrome to attach to.",
    )
    .default("stable"),
    OptionSpec::text("proxyServer", BROWSER, "Proxy of the launched browser."),
    OptionSpec::list("chromeArg", BROWSER, "More arguments for Chrome; write --chrome-arg=--flag."),
    OptionSpec::list(
        "ignoreDefaultChromeArg",
        BROWSER,
        "Default arguments for Chrome that are left out, by exact text.",
    ),
    OptionSpec::new(
        "viewport",
        Kind::Size,
        BROWSER,
        "Size of the first page of the launched browser, for example 1280x720.",
    )
    .default("the browser's"),
    OptionSpec::bool("acceptInsecureCerts", BROWSER, "Ignore certificate errors in the launched browser."),
    OptionSpec::new(
        "blockedUrlPattern",
        Kind::Patterns,
        BROWSER,
        "Addresses that neither pages nor the server may load, as URLPatterns: https://*.example.com/*.",
    ),
    OptionSpec::new(
        "allowedUrlPattern",
        Kind::Patterns,
        BROWSER,
        "The only addresses that pages and the server may load, as URLPatterns. Needs Chrome 149.",
    )
    .default("all"),
    OptionSpec::bool(
        "experimentalDevtools",
        BROWSER,
        "DevTools windows are pages too, and open with each tab of the launched browser.",
    ),
    OptionSpec::bool("experimentalIncludeAllPages", BROWSER, "Background pages and webviews are pages too."),
    OptionSpec::bool("categoryInput", TOOLS, "Offer the tools that click, type and upload.").on(),
    OptionSpec::bool("categoryNavigation", TOOLS, "Offer the tools for pages and navigation.").on(),
    OptionSpec::bool("categoryEmulation", TOOLS, "Offer the tools that emulate devices and networks.").on(),
    OptionSpec::bool("categoryPerformance", TOOLS, "Offer the performance tools.").on(),
    OptionSpec::bool("categoryNetwork", TOOLS, "Offer the tools that list requests.").on(),
    OptionSpec::bool("categoryDebugging", TOOLS, "Offer the snapshot, script, screenshot and console tools.").on(),
    OptionSpec::bool("categoryMemory", TOOLS, "Offer heap snapshots.").on(),
    OptionSpec::bool("memoryDebugging", TOOLS, "Offer the tools that analyse heap snapshots.")
        .alias(&["experimentalMemory"]),
    OptionSpec::bool(
        "categoryExtensions",
        TOOLS,
        "Offer the tools for extensions, and allow extensions in the launched browser.",
    )
    .planned(),
    OptionSpec::bool(
        "categoryExperimentalThirdParty",
        TOOLS,
        "Offer the developer tools that pages themselves provide.",
    )
    .planned(),
    OptionSpec::bool("categoryExperimentalWebmcp", TOOLS, "Offer the WebMCP tools of pages.").planned(),
    OptionSpec::bool("categoryPwa", TOOLS, "Offer the tools for installed web applications.").planned(),
    OptionSpec::bool("experimentalVision", TOOLS, "Offer click_at, which takes coordinates."),
    OptionSpec::bool("experimentalInteropTools", TOOLS, "Offer get_tab_id.").hidden(),
    OptionSpec::bool("devtoolsComments", TOOLS, "Offer the tools for comments made in DevTools.").hidden(),
    OptionSpec::bool(
        "javascriptEvaluation",
        TOOLS,
        "Allow evaluate_script, and javascript:, data: and vbscript: addresses.",
    )
    .on(),
    OptionSpec::bool("fileNavigations", TOOLS, "Allow file: addresses.").on(),
    OptionSpec::bool("slim", TOOLS, "Offer only navigate, evaluate and screenshot, with short answers."),
    OptionSpec::bool(
        "pageIdRouting",
        TOOLS,
        "Page tools take a pageId. It is optional: without it they use the page this client has selected.",
    )
    .on(),
    OptionSpec::bool("experimentalStructuredContent", OUTPUT, "Add structuredContent to every result."),
    OptionSpec::integer("snapshotBudget", 0, ANY, OUTPUT, "Longest page snapshot in characters; 0 for no limit.")
        .default("60000")
        .ours(),
    OptionSpec::bool("markPageContent", OUTPUT, "Fence text that comes from pages, so that it is not taken for orders.")
        .ours(),
    OptionSpec::bool(
        "traceLegend",
        OUTPUT,
        "End each trace summary with the 5 kB explanation of how call trees and requests are written. Turn it off for clients that know it.",
    )
    .on()
    .ours(),
    OptionSpec::choice(
        "screenshotFormat",
        &["jpeg", "png", "webp"],
        OUTPUT,
        "Format of screenshots for which the client names none.",
    )
    .default("png"),
    OptionSpec::integer("screenshotQuality", 0, 100, OUTPUT, "Quality of jpeg and webp when the client names none.")
        .default("the browser's"),
    OptionSpec::integer("screenshotMaxWidth", 1, ANY, OUTPUT, "Scale wider screenshots down to this many pixels."),
    OptionSpec::integer("screenshotMaxHeight", 1, ANY, OUTPUT, "Scale higher screenshots down to this many pixels."),
    OptionSpec::bool("experimentalScreencast", OUTPUT, "Record screencasts with ffmpeg.").planned(),
    OptionSpec::text("experimentalFfmpegPath", OUTPUT, "The ffmpeg for experimentalScreencast.")
        .default("ffmpeg on PATH")
        .planned(),
    OptionSpec::integer("screencastFps", 1, ANY, OUTPUT, "Frames per second of screencasts.")
        .alias(&["experimentalScreencastFps"])
        .planned(),
    OptionSpec::bool("redactNetworkHeaders", OUTPUT, "Hide the values of sensitive headers."),
    OptionSpec::bool("performanceCrux", OUTPUT, "Add field data of the Chrome UX Report to performance results.")
        .on(),
    OptionSpec::bool("sourceMaps", OUTPUT, "Use source maps for stacks and styles.").on().planned(),
    OptionSpec::choice(
        "experimentalDataFormat",
        &["default", "toon", "gcf"],
        OUTPUT,
        "Another notation for the structured parts of answers.",
    )
    .default("default")
    .hidden()
    .planned(),
    OptionSpec::bool("experimentalToonFormat", OUTPUT, "Old spelling of experimentalDataFormat=toon.").hidden().planned(),
    OptionSpec::list("filesystemRoot", PROCESS, "Directories that file tools may read and write.")
        .alias(&["workspace"])
        .default("the client's roots, else the working directory; always the temporary directory"),
    OptionSpec::bool(
        "allowUnrestrictedPaths",
        PROCESS,
        "Check no paths while the client has announced no roots. Prefer --workspace=/.",
    ),
    OptionSpec::text("config", PROCESS, "Config file: one JSON object whose keys are these options' camelCase names.")
        .default("cd4a/config.json in the user's config folder, if it exists"),
    OptionSpec::integer(
        "engineHeapLimit",
        1,
        ANY,
        PROCESS,
        "Limit in MB of one analysis: of a trace's JavaScript heap, of all that a heap snapshot takes.",
    )
    .default("three quarters of the machine's memory")
    .ours(),
    OptionSpec::text("logFile", PROCESS, "Append a debug log to this file. RUST_LOG selects what is logged."),
    OptionSpec::bool(
        "viaCli",
        PROCESS,
        "Started by a command line of its own: other defaults for headless, isolated, memoryDebugging, paths and profiles.",
    )
    .hidden(),
    OptionSpec::bool("usageStatistics", PROCESS, "Nothing is ever sent.").no_effect(),
    OptionSpec::text("clearcutEndpoint", PROCESS, "Nothing is ever sent.").no_effect(),
    OptionSpec::text("clearcutForceFlushIntervalMs", PROCESS, "Nothing is ever sent.").no_effect(),
    OptionSpec::bool("clearcutIncludePidHeader", PROCESS, "Nothing is ever sent.").no_effect(),
];

/// Options of which at most one may be given. A boolean that is off does not count.
pub const CONFLICTS: &[&[&str]] = &[
    &["channel", "executablePath", "browserUrl", "wsEndpoint"],
    &["userDataDir", "browserUrl", "wsEndpoint"],
    &["userDataDir", "isolated"],
    &["autoConnect", "isolated"],
    &["autoConnect", "executablePath"],
    &["blockedUrlPattern", "allowedUrlPattern"],
    &["allowUnrestrictedPaths", "filesystemRoot"],
    &["categoryPwa", "autoConnect"],
    &["categoryPwa", "browserUrl", "wsEndpoint"],
];

/// Options that make sense only with another one.
pub const IMPLICATIONS: &[(&str, &str)] =
    &[("wsHeaders", "wsEndpoint"), ("experimentalFfmpegPath", "experimentalScreencast")];

/// Finds an option by name, alias or letter, as it is written in a config file.
pub fn find_key(key: &str) -> Option<&'static OptionSpec> {
    let letter = Some(key).filter(|k| k.len() == 1).and_then(|k| k.chars().next());
    OPTIONS.iter().find(|o| o.name == key || o.aliases.contains(&key) || (letter.is_some() && o.short == letter))
}

/// Finds an option by what follows `--`: camelCase or kebab-case.
pub fn find(name: &str) -> Option<&'static OptionSpec> {
    find_key(&camel_case(name))
}

/// `user-data-dir` → `userDataDir`; camelCase stays.
pub fn camel_case(name: &str) -> String {
    let mut result = String::with_capacity(name.len());
    let mut upper = false;
    for c in name.chars() {
        if c == '-' {
            upper = !result.is_empty();
        } else if upper {
            result.extend(c.to_uppercase());
            upper = false;
        } else {
            result.push(c);
        }
    }
    result
}

/// `userDataDir` → `user-data-dir`.
pub fn kebab_case(name: &str) -> String {
    let mut result = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            result.push('-');
        }
        result.push(c.to_ascii_lowercase());
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_well_formed() {
        let mut seen = std::collections::HashSet::new();
        for option in OPTIONS {
            for name in std::iter::once(&option.name).chain(option.aliases) {
                assert!(seen.insert((*name).to_owned()), "{name} is there twice");
                assert!(name.bytes().all(|b| b.is_ascii_alphanumeric()), "{name}");
                assert_eq!(camel_case(&kebab_case(name)), *name);
            }
            if let Some(letter) = option.short {
                assert!(seen.insert(letter.to_string()), "{letter} is there twice");
            }
            assert!(option.doc.ends_with('.') && option.doc.is_ascii(), "{}", option.name);
            // Table cells of the reference.
            assert!(!option.doc.contains('|') && !option.default.contains('|'), "{}", option.name);
        }
    }

    #[test]
    fn rules_name_options() {
        let named = CONFLICTS.iter().copied().flatten().copied().chain(IMPLICATIONS.iter().flat_map(|&(a, b)| [a, b]));
        for name in named {
            assert!(OPTIONS.iter().any(|o| o.name == name), "{name}");
        }
    }

    #[test]
    fn names_are_found_in_every_spelling() {
        for (name, expected) in [
            ("filesystem-root", Some("filesystemRoot")),
            ("workspace", Some("filesystemRoot")),
            ("experimental-memory", Some("memoryDebugging")),
            ("experimentalScreencastFps", Some("screencastFps")),
            ("u", Some("browserUrl")),
            ("nothing", None),
            ("Headless", None),
            ("", None),
        ] {
            assert_eq!(find(name).map(|o| o.name), expected, "{name}");
        }
        assert!(find_key("filesystem-root").is_none(), "config keys are camelCase only");
    }
}
