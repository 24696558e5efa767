//! Every option of the server as data: the parser, `--help`, the reference page and the config keys all come from here.
//!
//! Names, aliases and defaults are those of chrome-devtools-mcp 1.11.0 unless an option is marked as ours.

/// What values an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `--x`, `--no-x`, `--x=true|false`.
    Bool,
    /// One text.
    Text,
    /// A whole number above 0.
    Number,
    /// May be repeated, and takes several values at once.
    List,
}

/// Whether an option does something here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Works as in the original.
    Works,
    /// Works, and exists only here.
    Ours,
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
    /// Its state here.
    pub status: Status,
    /// What it does.
    pub doc: &'static str,
}

const NONE: &[&str] = &[];

/// The table, in the order of the help.
pub const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: "headless",
        aliases: NONE,
        short: None,
        kind: Kind::Bool,
        default: "false; true where there is no display",
        group: "Browser",
        status: Status::Works,
        doc: "Run Chrome without a window.",
    },
    OptionSpec {
        name: "executablePath",
        aliases: NONE,
        short: Some('e'),
        kind: Kind::Text,
        default: "an installed Chrome, else Chromium",
        group: "Browser",
        status: Status::Works,
        doc: "The browser to launch.",
    },
    OptionSpec {
        name: "isolated",
        aliases: NONE,
        short: None,
        kind: Kind::Bool,
        default: "false",
        group: "Browser",
        status: Status::Works,
        doc: "Use a temporary profile that is deleted afterwards.",
    },
    OptionSpec {
        name: "userDataDir",
        aliases: NONE,
        short: None,
        kind: Kind::Text,
        default: "chrome-devtools-mcp/chrome-profile in the user's cache folder",
        group: "Browser",
        status: Status::Works,
        doc: "The profile folder.",
    },
    OptionSpec {
        name: "chromeArg",
        aliases: NONE,
        short: None,
        kind: Kind::List,
        default: "none",
        group: "Browser",
        status: Status::Works,
        doc: "More arguments for Chrome; write --chrome-arg=--flag.",
    },
    OptionSpec {
        name: "ignoreDefaultChromeArg",
        aliases: NONE,
        short: None,
        kind: Kind::List,
        default: "none",
        group: "Browser",
        status: Status::Works,
        doc: "Default arguments for Chrome that are left out, by exact text.",
    },
    OptionSpec {
        name: "categoryNavigation",
        aliases: NONE,
        short: None,
        kind: Kind::Bool,
        default: "true",
        group: "Tools",
        status: Status::Works,
        doc: "Offer the tools for pages and navigation.",
    },
    OptionSpec {
        name: "javascriptEvaluation",
        aliases: NONE,
        short: None,
        kind: Kind::Bool,
        default: "true",
        group: "Tools",
        status: Status::Works,
        doc: "Allow javascript:, data: and vbscript: addresses.",
    },
    OptionSpec {
        name: "fileNavigations",
        aliases: NONE,
        short: None,
        kind: Kind::Bool,
        default: "true",
        group: "Tools",
        status: Status::Works,
        doc: "Allow file: addresses.",
    },
    OptionSpec {
        name: "categoryPerformance",
        aliases: NONE,
        short: None,
        kind: Kind::Bool,
        default: "true",
        group: "Tools",
        status: Status::Works,
        doc: "Offer the performance tools.",
    },
    OptionSpec {
        name: "pageIdRouting",
        aliases: NONE,
        short: None,
        kind: Kind::Bool,
        default: "true",
        group: "Tools",
        status: Status::Works,
        doc: "Page tools take a pageId. It is optional: without it they use the page this client has selected.",
    },
    OptionSpec {
        name: "experimentalStructuredContent",
        aliases: NONE,
        short: None,
        kind: Kind::Bool,
        default: "false",
        group: "Output",
        status: Status::Works,
        doc: "Add structuredContent to every result.",
    },
    OptionSpec {
        name: "traceLegend",
        aliases: NONE,
        short: None,
        kind: Kind::Bool,
        default: "true",
        group: "Output",
        status: Status::Ours,
        doc: "End each trace summary with the 5 kB explanation of how call trees and requests are written. Turn it off for clients that know it.",
    },
    OptionSpec {
        name: "filesystemRoot",
        aliases: &["workspace"],
        short: None,
        kind: Kind::List,
        default: "the client's roots, else the working directory; always the temporary directory",
        group: "Process",
        status: Status::Works,
        doc: "Directories that file tools may read and write.",
    },
    OptionSpec {
        name: "allowUnrestrictedPaths",
        aliases: NONE,
        short: None,
        kind: Kind::Bool,
        default: "false",
        group: "Process",
        status: Status::Works,
        doc: "Check no paths while the client has announced no roots. Prefer --workspace=/.",
    },
    OptionSpec {
        name: "engineHeapLimit",
        aliases: NONE,
        short: None,
        kind: Kind::Number,
        default: "three quarters of the machine's memory",
        group: "Process",
        status: Status::Ours,
        doc: "Limit in MB of the JavaScript heap of one analysis (one trace, one heap snapshot).",
    },
    OptionSpec {
        name: "logFile",
        aliases: NONE,
        short: None,
        kind: Kind::Text,
        default: "none",
        group: "Process",
        status: Status::Works,
        doc: "Append a debug log to this file. RUST_LOG selects what is logged.",
    },
    OptionSpec {
        name: "usageStatistics",
        aliases: NONE,
        short: None,
        kind: Kind::Bool,
        default: "false",
        group: "Process",
        status: Status::NoEffect,
        doc: "Nothing is ever sent.",
    },
    OptionSpec {
        name: "clearcutEndpoint",
        aliases: NONE,
        short: None,
        kind: Kind::Text,
        default: "none",
        group: "Process",
        status: Status::NoEffect,
        doc: "Nothing is ever sent.",
    },
    OptionSpec {
        name: "clearcutForceFlushIntervalMs",
        aliases: NONE,
        short: None,
        kind: Kind::Text,
        default: "none",
        group: "Process",
        status: Status::NoEffect,
        doc: "Nothing is ever sent.",
    },
    OptionSpec {
        name: "clearcutIncludePidHeader",
        aliases: NONE,
        short: None,
        kind: Kind::Bool,
        default: "false",
        group: "Process",
        status: Status::NoEffect,
        doc: "Nothing is ever sent.",
    },
];

/// Finds an option by its name or alias in camelCase or kebab-case.
pub fn find(name: &str) -> Option<&'static OptionSpec> {
    let camel = camel_case(name);
    OPTIONS.iter().find(|o| o.name == camel || o.aliases.contains(&camel.as_str()))
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
                assert!(seen.insert(*name), "{name} is there twice");
                assert!(name.bytes().all(|b| b.is_ascii_alphanumeric()), "{name}");
                assert_eq!(camel_case(&kebab_case(name)), *name);
            }
            assert!(option.doc.ends_with('.') && option.doc.is_ascii(), "{}", option.name);
        }
    }

    #[test]
    fn names_are_found_in_both_spellings() {
        assert_eq!(find("filesystem-root").map(|o| o.name), Some("filesystemRoot"));
        assert_eq!(find("workspace").map(|o| o.name), Some("filesystemRoot"));
        assert!(find("nothing").is_none());
    }
}
