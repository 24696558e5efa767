//! The config file: where it is, and its values. One flat JSON object with the options' camelCase names as keys.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use super::ParseError;
use super::options::{Kind, OptionSpec, find_key};
use super::values::{Given, Values, check};

/// Looks an environment variable up.
pub type Variables<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The file to read, if there is one: the given one in any case, else the first that exists of those that are looked
/// for.
pub fn locate(given: Option<&str>, variables: Variables) -> Option<PathBuf> {
    if let Some(path) = given {
        return Some(std::path::absolute(path).unwrap_or_else(|_| path.into()));
    }
    let set = |name: &str| variables(name).filter(|value| !value.is_empty());
    if set("CHROME_DEVTOOLS_MCP_NO_CONFIG_DISCOVERY").is_some() {
        return None;
    }
    let plugin = set("PLUGIN_DATA").map(|folder| PathBuf::from(folder).join("cd4a.config.json"));
    plugin.into_iter().chain(global(&set)).find(|path| path.exists())
}

fn global(set: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let folder = if cfg!(windows) {
        set("LOCALAPPDATA").map(|folder| PathBuf::from(folder).join("Google"))
    } else {
        set("XDG_CONFIG_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute())
    };
    let home =
        || set(if cfg!(windows) { "USERPROFILE" } else { "HOME" }).map(PathBuf::from).or_else(std::env::home_dir);
    let folder = folder.or_else(|| Some(home()?.join(".config")))?;
    Some(folder.join("cd4a").join("config.json"))
}

/// The values in a file.
pub(super) fn read(path: &Path) -> Result<Values, ParseError> {
    let wrong = |why: String| {
        let and = if why.contains("\nhint: ") { "; " } else { "\nhint: " };
        ParseError(format!("Invalid JSON config file: {why}{and}the file is {}", path.display()))
    };
    let text = std::fs::read_to_string(path).map_err(|e| wrong(e.to_string()))?;
    // Editors on Windows begin files with a byte order mark.
    let json = serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|e| wrong(e.to_string()))?;
    let Json::Object(entries) = json else {
        return Err(wrong("one JSON object is expected".into()));
    };
    let mut given: Vec<Given> = Vec::new();
    for (key, value) in entries {
        let option = find_key(&key).ok_or_else(|| wrong(format!("Unknown argument: {key}")))?;
        // A file that names another one is not followed.
        if option.name == "config" || value.is_null() {
            continue;
        }
        let mut texts = texts(option, &key, value).map_err(wrong)?;
        match given.iter_mut().find(|g| g.option.name == option.name) {
            Some(known) => known.texts.append(&mut texts),
            None => given.push(Given { option, texts }),
        }
    }
    check(given).map_err(|error| wrong(error.0))
}

/// A JSON value as the command line would have given it.
fn texts(option: &OptionSpec, key: &str, value: Json) -> Result<Vec<String>, String> {
    let values = match value {
        Json::Array(values) if option.kind != Kind::Bool => values,
        value => vec![value],
    };
    values
        .into_iter()
        .map(|value| match value {
            Json::String(text) => Ok(text),
            Json::Bool(value) => Ok(value.to_string()),
            Json::Number(number) if option.kind == Kind::Bool => Ok((number.as_f64() != Some(0.0)).to_string()),
            Json::Number(number) => Ok(number.to_string()),
            _ if option.kind == Kind::Headers => {
                Err("Invalid JSON for wsHeaders: a text that holds a JSON object is expected".into())
            }
            _ => Err(format!("the value of {key} has the wrong type ({} is expected)", option.kind.describe())),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse::load;
    use crate::config::{Config, Parsed};

    struct Place {
        dir: tempfile::TempDir,
    }

    impl Place {
        fn with(text: &str) -> Self {
            let place = Place { dir: tempfile::tempdir().unwrap() };
            std::fs::write(place.file(), text).unwrap();
            place
        }

        fn file(&self) -> PathBuf {
            self.dir.path().join("c.json")
        }

        fn load(&self, line: &str) -> Result<Parsed, String> {
            let config = format!("--config={}", self.file().display());
            load(line.split_whitespace().map(str::to_owned).chain([config]), &|_| None).map_err(|e| e.0)
        }
    }

    fn error(text: &str, line: &str) -> String {
        Place::with(text).load(line).expect_err(text)
    }

    #[test]
    fn the_first_place_wins() {
        let dir = tempfile::tempdir().unwrap();
        let write = |path: &str| {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "{}").unwrap();
            path
        };
        let (plugin, global, home) = (dir.path().join("p"), dir.path().join("x"), dir.path().join("h"));
        let variables = |leave_out: &'static str| {
            let all = [("PLUGIN_DATA", &plugin), ("XDG_CONFIG_HOME", &global), ("HOME", &home), ("USERPROFILE", &home)];
            let all: Vec<(&str, OsString)> = all.map(|(n, p)| (n, p.clone().into_os_string())).into();
            move |name: &str| all.iter().find(|(n, _)| *n == name && *n != leave_out).map(|(_, v)| v.clone())
        };
        assert_eq!(locate(None, &variables("")), None, "nothing there yet");
        let in_home = write("h/.config/cd4a/config.json");
        if cfg!(unix) {
            assert_eq!(locate(None, &variables("")), None, "the absolute XDG_CONFIG_HOME decides where to look");
            assert_eq!(locate(None, &variables("XDG_CONFIG_HOME")), Some(in_home));
            let relative = |name: &str| (name == "XDG_CONFIG_HOME").then(|| OsString::from("x"));
            let home = |name: &str| relative(name).or_else(|| variables("XDG_CONFIG_HOME")(name));
            assert_eq!(locate(None, &home), Some(dir.path().join("h/.config/cd4a/config.json")));
            let in_global = write("x/cd4a/config.json");
            assert_eq!(locate(None, &variables("")), Some(in_global));
        }
        let in_plugin = write("p/cd4a.config.json");
        assert_eq!(locate(None, &variables("")), Some(in_plugin));
        assert_eq!(locate(Some("/given.json"), &variables("")), Some(std::path::absolute("/given.json").unwrap()));
        let off = |name: &str| {
            variables("")(name).or((name == "CHROME_DEVTOOLS_MCP_NO_CONFIG_DISCOVERY").then(|| "1".into()))
        };
        assert_eq!(locate(None, &off), None);
        assert!(locate(Some("/given.json"), &off).is_some());
    }

    #[test]
    fn values_are_coerced_like_flags() {
        let text = r#"{"slim":"yes","headless":"true","isolated":1,"categoryInput":false,"chromeArg":"--a","workspace":["/x",2],
            "u":"http://localhost:1","screenshotQuality":"7","engineHeapLimit":9,"logFile":5,"config":"/nowhere","viewport":null}"#;
        let parsed = Place::with(text).load("").unwrap();
        assert_eq!(parsed.bool("slim"), Some(false));
        assert_eq!((parsed.bool("headless"), parsed.bool("isolated")), (Some(true), Some(true)));
        assert_eq!(parsed.bool("categoryInput"), Some(false));
        assert_eq!((parsed.list("chromeArg"), parsed.list("filesystemRoot").len()), (&["--a".to_owned()][..], 2));
        assert_eq!(parsed.text("browserUrl"), Some("http://localhost:1"));
        assert_eq!((parsed.number("screenshotQuality"), parsed.number("engineHeapLimit")), (Some(7), Some(9)));
        assert_eq!((parsed.text("logFile"), parsed.text("viewport")), (Some("5"), None));
    }

    #[test]
    fn the_command_line_goes_first() {
        let place = Place::with(r#"{"slim":true,"workspace":"/file","screenshotFormat":"jpeg","userDataDir":"f"}"#);
        let parsed = place.load("--no-slim --filesystemRoot /line --screenshotQuality 3").unwrap();
        assert_eq!(parsed.bool("slim"), Some(false));
        assert_eq!(parsed.list("filesystemRoot"), ["/line"]);
        assert_eq!(Config::from_parsed(&parsed).screenshot_format, "jpeg");
        assert_eq!(parsed.file, Some(place.file()));
    }

    #[test]
    fn rules_hold_for_both_together() {
        let conflict = error(r#"{"isolated":true}"#, "--userDataDir x");
        assert!(
            conflict
                .starts_with("Arguments userDataDir and isolated are mutually exclusive\nhint: isolated is set in ")
        );
        Place::with(r#"{"isolated":true}"#).load("--userDataDir x --no-isolated").unwrap();
        Place::with(r#"{"wsEndpoint":"ws://x"}"#).load("--wsHeaders {}").unwrap();
    }

    #[test]
    fn mistakes_in_the_file() {
        for (text, reason) in [
            ("{", "EOF"),
            ("[]", "one JSON object is expected"),
            (r#"{"foo":1}"#, "Unknown argument: foo\n"),
            (r#"{"user-data-dir":"x"}"#, "Unknown argument: user-data-dir\n"),
            (r#"{"channel":"x"}"#, "Invalid values:\n  Argument: channel, Given: \"x\""),
            (r#"{"viewport":"1"}"#, "Invalid viewport 1."),
            (r#"{"wsHeaders":{"a":"b"},"wsEndpoint":"ws://x"}"#, "Invalid JSON for wsHeaders: "),
            (r#"{"allowedUrlPattern":[]}"#, "Invalid --allowedUrlPattern: "),
            (r#"{"chromeArg":{"a":1}}"#, "the value of chromeArg has the wrong type (list is expected)"),
            (r#"{"isolated":[true]}"#, "the value of isolated has the wrong type (boolean is expected)"),
        ] {
            let error = error(text, "");
            assert!(error.starts_with(&format!("Invalid JSON config file: {reason}")), "{text}: {error}");
            assert!(error.contains("the file is ") && error.matches("hint: ").count() == 1, "{error}");
        }
        let missing = load(["--config=/no/such.json".to_owned()], &|_| None).unwrap_err();
        assert!(missing.0.starts_with("Invalid JSON config file: "), "{missing}");
    }

    #[test]
    fn environment_variables() {
        let set = |names: &'static [(&str, &str)]| {
            move |name: &str| names.iter().find(|(n, _)| *n == name).map(|(_, v)| OsString::from(v))
        };
        let with = |names, line: &str| {
            let off = [("CHROME_DEVTOOLS_MCP_NO_CONFIG_DISCOVERY", "1")];
            let names = set(names);
            let all = move |name: &str| names(name).or(off.iter().find(|(n, _)| *n == name).map(|(_, v)| v.into()));
            Config::from_parsed(&load(line.split_whitespace().map(str::to_owned), &all).unwrap())
        };
        const THIRD: &str = "CHROME_DEVTOOLS_MCP_CATEGORY_EXPERIMENTAL_THIRD_PARTY";
        const SANDBOX: &str = "PUPPETEER_DANGEROUS_NO_SANDBOX";
        assert!(with(&[(THIRD, "1")], "").category_third_party);
        assert!(!with(&[(THIRD, "")], "").category_third_party);
        assert!(!with(&[(THIRD, "1")], "--no-categoryExperimentalThirdParty").category_third_party);
        assert_eq!(with(&[(SANDBOX, "true")], "--chromeArg=--a").browser.arguments, ["--a", "--no-sandbox"]);
        assert_eq!(with(&[(SANDBOX, "true")], "--chromeArg=--no-sandbox").browser.arguments, ["--no-sandbox"]);
        assert!(with(&[(SANDBOX, "1")], "").browser.arguments.is_empty());
    }
}
