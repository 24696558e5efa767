//! The one policy for addresses: block list or allow list, WHATWG URLPattern syntax.
//!
//! It holds for navigation, for requests of pages (Chrome enforces it) and for what the server itself loads. Only
//! patterns that Chrome enforces exactly as this module judges are accepted.

use std::sync::Arc;

use url::Url;
use urlpattern::UrlPattern;
use urlpattern::quirks::{StringOrInit, process_construct_pattern_input};

/// Which addresses may be reached. The default allows all.
#[derive(Debug, Clone, Default)]
pub struct UrlPolicy {
    blocked: Patterns,
    allowed: Patterns,
}

/// A list, compiled once and shared by all copies of the policy.
#[derive(Debug, Clone, Default)]
struct Patterns {
    texts: Arc<[String]>,
    compiled: Arc<[UrlPattern]>,
}

/// A pattern that cannot be used. `Display` is problem and cause.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error("Invalid --{option} \"{pattern}\": {why}\nhint: {hint}")]
pub struct PatternError {
    option: String,
    pattern: String,
    why: String,
    hint: &'static str,
}

impl UrlPolicy {
    /// Compiles both lists. The command line allows only one of them; here both would hold.
    pub fn new(blocked: &[String], allowed: &[String]) -> Result<Self, PatternError> {
        Ok(UrlPolicy {
            blocked: Patterns::compile("blockedUrlPattern", blocked)?,
            allowed: Patterns::compile("allowedUrlPattern", allowed)?,
        })
    }

    /// Whether any list was given.
    pub fn is_active(&self) -> bool {
        !self.blocked.texts.is_empty() || !self.allowed.texts.is_empty()
    }

    /// The patterns of the block list, as given.
    pub fn blocked(&self) -> &[String] {
        &self.blocked.texts
    }

    /// The patterns of the allow list, as given.
    pub fn allowed(&self) -> &[String] {
        &self.allowed.texts
    }

    /// Whether an address may be reached. `about:blank` always may.
    pub fn permits(&self, url: &Url) -> bool {
        if url.as_str() == "about:blank" {
            return true;
        }
        !self.blocked.matches(url) && (self.allowed.texts.is_empty() || self.allowed.matches(url))
    }

    /// [`UrlPolicy::permits`] for an address as a target tells it: an empty one always may, one that is no address
    /// matches no pattern.
    pub fn permits_text(&self, url: &str) -> bool {
        match Url::parse(url) {
            Ok(url) => self.permits(&url),
            Err(_) => url.is_empty() || self.allowed.texts.is_empty(),
        }
    }
}

impl Patterns {
    fn compile(option: &str, texts: &[String]) -> Result<Self, PatternError> {
        let compiled = texts.iter().map(|text| compile(option, text)).collect::<Result<Vec<_>, _>>()?;
        Ok(Patterns { texts: texts.into(), compiled: compiled.into() })
    }

    fn matches(&self, url: &Url) -> bool {
        let test = |pattern: &UrlPattern| pattern.test(urlpattern::UrlPatternMatchInput::Url(url.clone()));
        // An address that cannot be judged counts as matching nothing; the crate fails only for input that is no URL.
        self.compiled.iter().any(|pattern| test(pattern).unwrap_or(false))
    }
}

fn compile(option: &str, text: &str) -> Result<UrlPattern, PatternError> {
    let error = |why: String, hint: &'static str| PatternError {
        option: option.to_owned(),
        pattern: text.to_owned(),
        why,
        hint,
    };
    let pattern = process_construct_pattern_input(StringOrInit::String(text.to_owned()), None)
        .and_then(|init| <UrlPattern>::parse(init, Default::default()))
        .map_err(|e| {
            error(
                format!("it is not a URLPattern ({e})"),
                "write scheme, host and path, with * for anything: *://*.example.com/*",
            )
        })?;
    // What follows is valid, but Chrome's network stack, which enforces the list, knows no such parts.
    const HINT: &str = "use * for any text, and one pattern for each exact value";
    if pattern.has_regexp_groups() {
        return Err(error("Chrome does not enforce regular expressions in patterns".into(), HINT));
    }
    if components(&pattern).iter().any(|component| has_named_group(component)) {
        return Err(error("Chrome does not enforce named groups (:name) in patterns".into(), HINT));
    }
    if is_partial_ipv4(pattern.hostname()) {
        return Err(error("Chrome does not enforce a wildcard for a part of an IPv4 address".into(), HINT));
    }
    Ok(pattern)
}

fn components(pattern: &UrlPattern) -> [&str; 8] {
    [
        pattern.protocol(),
        pattern.username(),
        pattern.password(),
        pattern.hostname(),
        pattern.port(),
        pattern.pathname(),
        pattern.search(),
        pattern.hash(),
    ]
}

/// In a normalised pattern each literal colon is escaped; one that is not begins a name.
fn has_named_group(component: &str) -> bool {
    let mut escaped = false;
    component.chars().any(|c| {
        let named = c == ':' && !escaped;
        escaped = c == '\\' && !escaped;
        named
    })
}

/// A host such as `127.0.0.*`: it would have to match numbers, but hosts that end in a number are compared whole.
fn is_partial_ipv4(host: &str) -> bool {
    if !host.contains('*') {
        return false;
    }
    let bare: String = host.chars().filter(|c| !matches!(c, '{' | '}' | '*' | '\\')).collect();
    let last = bare.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
    let hexadecimal = last.strip_prefix("0x").or_else(|| last.strip_prefix("0X"));
    match hexadecimal {
        Some(digits) => digits.bytes().all(|b| b.is_ascii_hexdigit()),
        None => !last.is_empty() && last.bytes().all(|b| b.is_ascii_digit()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(patterns: &[&str]) -> Vec<String> {
        patterns.iter().map(ToString::to_string).collect()
    }

    fn permits(policy: &UrlPolicy, url: &str) -> bool {
        policy.permits(&Url::parse(url).unwrap())
    }

    #[test]
    fn the_default_allows_all() {
        let policy = UrlPolicy::default();
        assert!(!policy.is_active() && permits(&policy, "https://example.com/") && policy.permits_text("no address"));
    }

    #[test]
    fn a_block_list_blocks_what_it_names() {
        let policy = UrlPolicy::new(&list(&["https://*.example.com/*", "*://localhost:*/admin/*"]), &[]).unwrap();
        assert!(policy.is_active());
        assert_eq!(policy.blocked(), ["https://*.example.com/*", "*://localhost:*/admin/*"]);
        for (url, permitted) in [
            ("https://www.example.com/a?b#c", false),
            ("https://example.com/", true),
            ("http://www.example.com/", true),
            ("http://localhost:8080/admin/x", false),
            ("http://localhost:8080/", true),
            ("about:blank", true),
        ] {
            assert_eq!(permits(&policy, url), permitted, "{url}");
        }
        assert!(policy.permits_text("") && policy.permits_text("no address"));
    }

    #[test]
    fn an_allow_list_allows_only_what_it_names() {
        let policy = UrlPolicy::new(&[], &list(&["https://example.com/*", "*://127.0.0.1:*/*"])).unwrap();
        for (url, permitted) in [
            ("https://example.com/x", true),
            ("http://127.0.0.1:9000/x", true),
            ("https://example.org/", false),
            ("chrome://version/", false),
            ("data:text/html,x", false),
            ("about:blank", true),
        ] {
            assert_eq!(permits(&policy, url), permitted, "{url}");
        }
        assert!(policy.permits_text("") && !policy.permits_text("no address"));
    }

    #[test]
    fn patterns_that_chrome_does_not_enforce_are_refused() {
        for (pattern, part) in [
            ("(", "not a URLPattern"),
            ("example.com", "not a URLPattern"),
            ("*", "not a URLPattern"),
            (r"https://example.com/(\d+)", "regular expressions"),
            ("https://:sub.example.com/", "named groups"),
            ("https://example.com/:id", "named groups"),
            ("*://127.0.0.*/*", "IPv4"),
            ("*://192.168.*.*/*", "IPv4"),
            ("https://1*/x", "IPv4"),
        ] {
            let error = UrlPolicy::new(&list(&[pattern]), &[]).unwrap_err().to_string();
            assert!(error.starts_with(&format!("Invalid --blockedUrlPattern \"{pattern}\": ")), "{error}");
            assert!(error.contains(part) && error.contains("\nhint: "), "{pattern}: {error}");
        }
        let error = UrlPolicy::new(&[], &list(&["("])).unwrap_err().to_string();
        assert!(error.starts_with("Invalid --allowedUrlPattern \"(\": "), "{error}");
    }

    #[test]
    fn hosts_that_end_in_a_number_are_whole_addresses() {
        for (host, partial) in [
            ("127.0.0.*", true),
            ("192.168.*.*.", true),
            ("*.0x1f", true),
            ("{*.}?1", false),
            ("1*", true),
            ("127.0.0.1", false),
            ("*", false),
            ("*.example.com", false),
            ("*.e1", false),
            ("[*]", false),
        ] {
            assert_eq!(is_partial_ipv4(host), partial, "{host}");
        }
    }

    #[test]
    fn ordinary_patterns_are_accepted() {
        for pattern in [
            "*://*:*/*",
            "https://example.com",
            "https://a.*",
            "https://{a}?.com",
            "data:*",
            "https://127.0.0.1/*",
            r"http://[\:\:1]:*/*",
            "https://b\u{fc}cher.example/\u{fc}*?\u{fc}#\u{fc}",
            r"https://example.com/a\:b",
            "https://*1.example.com/*",
        ] {
            let policy = UrlPolicy::new(&list(&[pattern]), &[]);
            assert!(policy.is_ok(), "{policy:?}");
        }
    }
}
