//! Command-line grammar of the original (flags in both spellings, `--no-x`, lists, unknown flags only noted).

use std::collections::BTreeMap;

use super::options::{Kind, OPTIONS, OptionSpec, find};

/// A bad command line: message for stderr, exit code 1.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error("{0}")]
pub struct ParseError(pub String);

#[derive(Debug, Clone, PartialEq)]
enum Value {
    Bool(bool),
    Text(String),
    Number(u64),
    List(Vec<String>),
}

/// What was typed, by option name; only options that were given.
#[derive(Debug, Default)]
pub struct Parsed {
    values: BTreeMap<&'static str, Value>,
    /// Flags that no option has, as `--name` in camelCase.
    pub unknown: Vec<String>,
}

impl Parsed {
    /// A given yes-or-no option.
    pub fn bool(&self, name: &str) -> Option<bool> {
        match self.values.get(name) {
            Some(Value::Bool(value)) => Some(*value),
            _ => None,
        }
    }

    /// A given text option.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.values.get(name) {
            Some(Value::Text(value)) => Some(value),
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
}

/// Parses the arguments after the program's name. Positional words are ignored, as in the original.
pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Parsed, ParseError> {
    let mut parsed = Parsed::default();
    let mut arguments = arguments.into_iter().peekable();
    while let Some(argument) = arguments.next() {
        let flag = match argument.strip_prefix("--").filter(|f| !f.is_empty()) {
            Some(flag) => flag,
            None => match short(&argument) {
                Some(option) => option.name,
                None => continue,
            },
        };
        let (name, inline) = match flag.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (flag, None),
        };
        let negated = || name.strip_prefix("no-").and_then(find).filter(|o| o.kind == Kind::Bool);
        let (option, positive) = match (find(name), negated()) {
            (Some(option), _) => (option, true),
            (None, Some(option)) => (option, false),
            (None, None) => {
                parsed.unknown.push(format!("--{}", super::options::camel_case(name)));
                continue;
            }
        };
        let mut values = Vec::from_iter(inline);
        if values.is_empty() && option.kind != Kind::Bool {
            let wanted = if option.kind == Kind::List { usize::MAX } else { 1 };
            while values.len() < wanted {
                let Some(value) = arguments.next_if(|a| !a.starts_with('-')) else { break };
                values.push(value);
            }
        }
        set(&mut parsed, option, positive, values)?;
    }
    if parsed.text("userDataDir").is_some() && parsed.bool("isolated") == Some(true) {
        return Err(ParseError("Arguments userDataDir and isolated are mutually exclusive".into()));
    }
    if parsed.bool("allowUnrestrictedPaths") == Some(true) && !parsed.list("filesystemRoot").is_empty() {
        return Err(ParseError("Arguments allowUnrestrictedPaths and filesystemRoot are mutually exclusive".into()));
    }
    Ok(parsed)
}

/// The option that `-x` stands for.
fn short(argument: &str) -> Option<&'static OptionSpec> {
    let mut letters = argument.strip_prefix('-')?.chars();
    let letter = letters.next()?;
    if letters.next().is_some() { None } else { OPTIONS.iter().find(|o| o.short == Some(letter)) }
}

fn set(
    parsed: &mut Parsed,
    option: &'static OptionSpec,
    positive: bool,
    mut values: Vec<String>,
) -> Result<(), ParseError> {
    let name = option.name;
    let value = match option.kind {
        Kind::Bool => {
            let given = match values.first().map(String::as_str) {
                None | Some("true" | "") => true,
                Some(_) => false,
            };
            Value::Bool(given == positive)
        }
        Kind::Text => Value::Text(values.pop().ok_or_else(|| missing(name))?),
        Kind::Number => {
            let text = values.pop().ok_or_else(|| missing(name))?;
            let number = text.parse().ok().filter(|&n| n > 0).ok_or_else(|| {
                ParseError(format!(
                    "Invalid {name} {text}. A whole number above 0 is expected.\nhint: for example --{name} 4096"
                ))
            })?;
            Value::Number(number)
        }
        Kind::List => {
            if values.is_empty() {
                return Err(missing(name));
            }
            if let Some(Value::List(known)) = parsed.values.get_mut(name) {
                known.append(&mut values);
                return Ok(());
            }
            Value::List(values)
        }
    };
    parsed.values.insert(name, value);
    Ok(())
}

fn missing(name: &str) -> ParseError {
    ParseError(format!("Not enough arguments following: {name}\nhint: write --{name}=VALUE"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Parsed {
        parse(line.split_whitespace().map(str::to_owned)).unwrap()
    }

    #[test]
    fn booleans() {
        for (line, expected) in [
            ("--traceLegend", true),
            ("--trace-legend=true", true),
            ("--no-traceLegend", false),
            ("--no-trace-legend", false),
            ("--traceLegend=false", false),
        ] {
            assert_eq!(parsed(line).bool("traceLegend"), Some(expected), "{line}");
        }
        assert_eq!(parsed("").bool("traceLegend"), None);
    }

    #[test]
    fn lists_repeat_and_take_several() {
        let line = "--workspace /a /b --filesystem-root=/c word --usageStatistics false";
        assert_eq!(parsed(line).list("filesystemRoot"), ["/a", "/b", "/c"]);
    }

    #[test]
    fn short_names() {
        assert_eq!(parsed("-e /bin/chrome --headless").text("executablePath"), Some("/bin/chrome"));
        assert_eq!(parsed("-x /bin/chrome").text("executablePath"), None);
    }

    #[test]
    fn unknown_flags_are_noted_in_camel_case() {
        assert_eq!(parsed("--some-thing x --other=1 stray").unknown, ["--someThing", "--other"]);
    }

    #[test]
    fn bad_values_and_conflicts() {
        let fail = |line: &str| parse(line.split_whitespace().map(str::to_owned)).unwrap_err().0;
        assert!(fail("--engineHeapLimit 0").starts_with("Invalid engineHeapLimit 0."));
        assert!(fail("--logFile").starts_with("Not enough arguments following: logFile"));
        assert_eq!(
            fail("--allowUnrestrictedPaths --workspace=/"),
            "Arguments allowUnrestrictedPaths and filesystemRoot are mutually exclusive"
        );
    }
}
