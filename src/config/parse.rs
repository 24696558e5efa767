//! Command-line grammar of the original (flags in both spellings, `--no-x`, lists, unknown flags only noted), and the
//! rules that hold between options.

use std::collections::BTreeSet;
use std::collections::btree_map::Entry;
use std::iter::Peekable;
use std::path::{Path, PathBuf};

use super::file;
use super::options::{CONFLICTS, IMPLICATIONS, Kind, OPTIONS, OptionSpec, camel_case, find};
use super::urls::UrlPolicy;
use super::values::{Given, Value, Values, check, is_negative_number};

/// A bad command line or config file: message for stderr, exit code 1.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error("{0}")]
pub struct ParseError(pub String);

/// What was given on the command line and in the config file, by option name; only options that were given.
#[derive(Debug, Default)]
pub struct Parsed {
    values: Values,
    urls: UrlPolicy,
    from_file: BTreeSet<&'static str>,
    /// Flags that no option has, as `--name` in camelCase.
    pub unknown: Vec<String>,
    /// The config file that was read.
    pub file: Option<PathBuf>,
}

impl Parsed {
    /// A given yes-or-no option.
    pub fn bool(&self, name: &str) -> Option<bool> {
        match self.values.get(name) {
            Some(Value::Bool(value)) => Some(*value),
            _ => None,
        }
    }

    /// A given text that is not empty.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.values.get(name) {
            Some(Value::Text(value)) => Some(value.as_str()).filter(|v| !v.is_empty()),
            _ => None,
        }
    }

    /// A given number.
    pub fn number(&self, name: &str) -> Option<u64> {
        match self.values.get(name) {
            Some(Value::Number(value)) => Some(*value),
            _ => None,
        }
    }

    /// The values of a list option, empty if it was not given.
    pub fn list(&self, name: &str) -> &[String] {
        match self.values.get(name) {
            Some(Value::List(values)) => values,
            _ => &[],
        }
    }

    /// The policy made of the URL patterns.
    pub fn urls(&self) -> &UrlPolicy {
        &self.urls
    }

    /// Whether an option counts in the rules between options: given, and not switched off.
    fn is_given(&self, name: &str) -> bool {
        self.values.get(name).is_some_and(|value| *value != Value::Bool(false))
    }

    fn origin(&self, name: &str) -> Option<&Path> {
        self.file.as_deref().filter(|_| self.from_file.contains(name))
    }
}

/// Parses the arguments after the program's name, without a config file or the environment. Positional words are
/// ignored, as in the original.
pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Parsed, ParseError> {
    let mut parsed = command_line(arguments)?;
    finish(&mut parsed)?;
    Ok(parsed)
}

/// What [`parse`] does, completed by the config file and the environment.
pub fn load(arguments: impl IntoIterator<Item = String>, variables: file::Variables) -> Result<Parsed, ParseError> {
    let mut parsed = command_line(arguments)?;
    if let Some(path) = file::locate(parsed.text("config"), variables) {
        for (name, value) in file::read(&path)? {
            if let Entry::Vacant(entry) = parsed.values.entry(name) {
                entry.insert(value);
                parsed.from_file.insert(name);
            }
        }
        parsed.file = Some(path);
    }
    finish(&mut parsed)?;
    environment(&mut parsed, variables);
    Ok(parsed)
}

fn command_line(arguments: impl IntoIterator<Item = String>) -> Result<Parsed, ParseError> {
    let mut given: Vec<Given> = Vec::new();
    let mut unknown: Vec<String> = Vec::new();
    let mut arguments = arguments.into_iter().peekable();
    let note = |unknown: &mut Vec<String>, name: &str| {
        let name = format!("--{}", camel_case(name));
        if !unknown.contains(&name) {
            unknown.push(name);
        }
    };
    while let Some(argument) = arguments.next() {
        if argument == "--" {
            break;
        }
        let (name, inline) = match argument.strip_prefix("--") {
            Some(flag) => match flag.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (flag.to_owned(), None),
            },
            None => match letters(&argument) {
                Some(Letters { others, last, inline }) => {
                    for letter in others.chars().filter(|&letter| short(letter).is_none()) {
                        note(&mut unknown, &letter.to_string());
                    }
                    (last.to_string(), inline)
                }
                None => continue,
            },
        };
        // `--no-x=y` is no negation in the original either.
        let negated = name.strip_prefix("no-").filter(|_| inline.is_none());
        let (option, positive) = match (find(&name), negated.and_then(find)) {
            (Some(option), _) => (option, true),
            (None, Some(option)) if option.kind == Kind::Bool => (option, false),
            (None, Some(_)) => {
                note(&mut unknown, &name);
                continue;
            }
            (None, None) => {
                note(&mut unknown, negated.unwrap_or(&name));
                continue;
            }
        };
        let mut texts = texts_of(option, positive, inline, &mut arguments)?;
        match given.iter_mut().find(|g| g.option.name == option.name) {
            Some(known) => known.texts.append(&mut texts),
            None => given.push(Given { option, texts }),
        }
    }
    Ok(Parsed { values: check(given)?, unknown, ..Parsed::default() })
}

/// The values of one use of an option: after `=`, else the words that follow and are none of another option.
fn texts_of(
    option: &OptionSpec,
    positive: bool,
    inline: Option<String>,
    arguments: &mut Peekable<impl Iterator<Item = String>>,
) -> Result<Vec<String>, ParseError> {
    let is_value = |a: &String| !a.starts_with('-') || a == "-" || is_negative_number(a);
    Ok(match (option.kind, inline) {
        (Kind::Bool, _) if !positive => vec!["false".into()],
        (Kind::Bool, inline) => {
            let text = inline.or_else(|| arguments.next_if(|a| a == "true" || a == "false"));
            vec![text.unwrap_or_else(|| "true".into())]
        }
        (kind, inline) if kind.takes_several() => {
            inline.into_iter().chain(std::iter::from_fn(|| arguments.next_if(is_value))).collect()
        }
        (_, Some(text)) => vec![text],
        (_, None) => vec![arguments.next_if(is_value).ok_or_else(|| {
            let name = option.name;
            ParseError(format!("Not enough arguments following: {name}\nhint: write --{name}=VALUE"))
        })?],
    })
}

/// An argument with one dash.
struct Letters<'a> {
    /// Letters that take no value.
    others: &'a str,
    last: char,
    inline: Option<String>,
}

/// `-u URL`, `-u=URL`, `-e/path`; of several letters the last takes the value.
fn letters(argument: &str) -> Option<Letters<'_>> {
    let text = argument.strip_prefix('-').filter(|_| !is_negative_number(argument))?;
    let end = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len());
    let last = text[..end].chars().next_back()?;
    let rest = &text[end..];
    Some(Letters {
        others: &text[..end - last.len_utf8()],
        last,
        inline: (!rest.is_empty()).then(|| rest.strip_prefix('=').unwrap_or(rest).to_owned()),
    })
}

/// The option that `-x` stands for.
fn short(letter: char) -> Option<&'static OptionSpec> {
    OPTIONS.iter().find(|o| o.short == Some(letter))
}

/// The rules between options, and what is made of several.
fn finish(parsed: &mut Parsed) -> Result<(), ParseError> {
    for group in CONFLICTS {
        let mut given = group.iter().filter(|name| parsed.is_given(name));
        if let (Some(a), Some(b)) = (given.next(), given.next()) {
            let origin = [a, b].iter().find_map(|name| parsed.origin(name).map(|file| (**name, file)));
            let hint = match origin {
                Some((name, file)) => format!("{name} is set in {}", file.display()),
                None => "leave one of them out".into(),
            };
            return Err(ParseError(format!("Arguments {a} and {b} are mutually exclusive\nhint: {hint}")));
        }
    }
    let broken: Vec<String> = IMPLICATIONS
        .iter()
        .filter(|(a, b)| parsed.is_given(a) && !parsed.is_given(b))
        .map(|(a, b)| format!("\n  {a} -> {b}"))
        .collect();
    if !broken.is_empty() {
        let hint = "the option on the left works only together with the one on the right";
        return Err(ParseError(format!("Implications failed:{}\nhint: {hint}", broken.concat())));
    }
    parsed.urls = UrlPolicy::new(parsed.list("blockedUrlPattern"), parsed.list("allowedUrlPattern"))
        .map_err(|e| ParseError(e.to_string()))?;
    Ok(())
}

/// Settings that come from environment variables; they take no part in the rules between options.
fn environment(parsed: &mut Parsed, variables: file::Variables) {
    if variables("CHROME_DEVTOOLS_MCP_CATEGORY_EXPERIMENTAL_THIRD_PARTY").is_some_and(|v| !v.is_empty()) {
        parsed.values.entry("categoryExperimentalThirdParty").or_insert(Value::Bool(true));
    }
    const NO_SANDBOX: &str = "--no-sandbox";
    if variables("PUPPETEER_DANGEROUS_NO_SANDBOX").is_some_and(|v| v == "true")
        && let Value::List(arguments) = parsed.values.entry("chromeArg").or_insert(Value::List(Vec::new()))
        && !arguments.iter().any(|a| a == NO_SANDBOX)
    {
        arguments.push(NO_SANDBOX.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    fn parsed(line: &str) -> Parsed {
        parse(words(line)).unwrap_or_else(|e| panic!("{line}: {e}"))
    }

    fn fail(line: &str) -> String {
        parse(words(line)).expect_err(line).0
    }

    #[test]
    fn booleans() {
        for (line, expected) in [
            ("--traceLegend", true),
            ("--trace-legend=true", true),
            ("--trace-legend true", true),
            ("--trace-legend word", true),
            ("--no-traceLegend", false),
            ("--no-trace-legend", false),
            ("--traceLegend=false", false),
            ("--traceLegend false", false),
            ("--traceLegend=yes", false),
            ("--traceLegend=", false),
            ("--traceLegend --no-traceLegend", false),
        ] {
            assert_eq!(parsed(line).bool("traceLegend"), Some(expected), "{line}");
        }
        assert_eq!(parsed("").bool("traceLegend"), None);
        assert_eq!(parsed("-- --traceLegend").bool("traceLegend"), None);
    }

    #[test]
    fn lists_repeat_and_take_several() {
        let line = "--workspace /a /b --filesystem-root=/c /d --usageStatistics false";
        assert_eq!(parsed(line).list("filesystemRoot"), ["/a", "/b", "/c", "/d"]);
        assert_eq!(parsed("--chromeArg=--no-sandbox --chrome-arg --headless").list("chromeArg"), ["--no-sandbox"]);
    }

    #[test]
    fn short_names() {
        for line in
            ["-e /bin/chrome --headless", "-e=/bin/chrome", "-e/bin/chrome", "--e /bin/chrome", "-ue /bin/chrome"]
        {
            assert_eq!(parsed(line).text("executablePath"), Some("/bin/chrome"), "{line}");
        }
        let other = parsed("-x /bin/chrome -uz");
        assert_eq!(other.text("executablePath"), None);
        assert_eq!(other.unknown, ["--x", "--z"]);
    }

    #[test]
    fn the_last_of_several_values_counts() {
        assert_eq!(parsed("--userDataDir a --user-data-dir=b").text("userDataDir"), Some("b"));
    }

    #[test]
    fn aliases_are_their_options() {
        let given = parsed("--experimentalMemory --experimental-screencast-fps 5");
        assert_eq!((given.bool("memoryDebugging"), given.number("screencastFps")), (Some(true), Some(5)));
        assert!(given.unknown.is_empty());
    }

    #[test]
    fn unknown_flags_are_noted_in_camel_case() {
        let line = "--some-thing x --other=1 stray --no-foo-bar --no-isolated=false --Foo-Bar --other";
        assert_eq!(parsed(line).unknown, ["--someThing", "--other", "--fooBar", "--noIsolated", "--FooBar"]);
    }

    #[test]
    fn bad_values() {
        for (line, start) in [
            ("--engineHeapLimit 0", "Invalid engineHeapLimit 0. A whole number above 0 is expected."),
            ("--logFile", "Not enough arguments following: logFile"),
            ("--logFile --headless", "Not enough arguments following: logFile"),
            ("--browserUrl nope", "Invalid browserUrl nope: it is not a URL"),
            ("--browserUrl localhost:9222", "Invalid browserUrl localhost:9222: it must begin with http://"),
            ("--wsEndpoint http://x", "Invalid wsEndpoint http://x: it must begin with ws:// or wss://"),
            ("--viewport 12", "Invalid viewport 12. "),
            ("--screenshotQuality 500", "Invalid screenshotQuality 500. A whole number from 0 to 100 is expected."),
            ("--screenshotQuality -5", "Invalid screenshotQuality -5. "),
            ("--screencastFps 0", "Invalid screencastFps 0. "),
            ("--screenshotMaxWidth abc", "Invalid screenshotMaxWidth abc. "),
            ("--wsHeaders [1] --wsEndpoint ws://x", "Invalid JSON for wsHeaders: "),
            ("--allowedUrlPattern", "Invalid --allowedUrlPattern: "),
            ("--blockedUrlPattern (", "Invalid --blockedUrlPattern \"(\": "),
        ] {
            let error = fail(line);
            assert!(error.starts_with(start), "{line}: {error}");
            assert!(error.contains("\nhint: "), "{line}: {error}");
        }
    }

    #[test]
    fn wrong_choices_are_told_together() {
        assert_eq!(
            fail("--channel nightly --screenshotFormat gif --isolated --userDataDir x"),
            "Invalid values:\n  Argument: channel, Given: \"nightly\", Choices: \"canary\", \"dev\", \"beta\", \"stable\"\n  \
             Argument: screenshotFormat, Given: \"gif\", Choices: \"jpeg\", \"png\", \"webp\""
        );
    }

    #[test]
    fn every_conflict_of_the_table_is_found() {
        let argument = |name: &str| match find(name).unwrap().kind {
            Kind::Bool => format!("--{name}"),
            Kind::WebSocketUrl => format!("--{name}=ws://a"),
            Kind::HttpUrl => format!("--{name}=http://a"),
            Kind::Patterns => format!("--{name}=http://a/*"),
            _ => format!("--{name}=beta"),
        };
        for (number, group) in CONFLICTS.iter().enumerate() {
            for (at, a) in group.iter().enumerate() {
                for b in &group[at + 1..] {
                    // An earlier group may have the same pair; it has the same order.
                    let error = fail(&format!("{} {}", argument(b), argument(a)));
                    let expected = format!("Arguments {a} and {b} are mutually exclusive");
                    assert_eq!(error.lines().next(), Some(expected.as_str()), "group {number}");
                }
                parsed(&argument(a));
            }
        }
    }

    #[test]
    fn what_is_off_or_empty_conflicts_with_nothing() {
        parsed("--no-isolated --userDataDir x");
        parsed("--isolated=false --userDataDir x");
        parsed("--browserUrl= --channel beta");
        parsed("--blockedUrlPattern --allowedUrlPattern http://a/*");
        assert!(fail("--userDataDir= --isolated").starts_with("Arguments userDataDir and isolated"));
        assert!(fail("--filesystemRoot --allowUnrestrictedPaths").starts_with("Arguments allowUnrestrictedPaths and"));
    }

    #[test]
    fn implications() {
        assert!(fail("--wsHeaders {}").starts_with("Implications failed:\n  wsHeaders -> wsEndpoint\n"));
        assert!(
            fail("--experimentalFfmpegPath x --experimentalScreencast=false")
                .starts_with("Implications failed:\n  experimentalFfmpegPath -> experimentalScreencast\n")
        );
        parsed("--wsHeaders {} --wsEndpoint ws://x");
        parsed("--experimentalFfmpegPath x --experimentalScreencast");
    }
}
