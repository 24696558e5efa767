//! Whether a page's Content Security Policy is known to forbid a load. Trying it all the same would put a violation into
//! the page's console that the page did not cause.
//!
//! Source: Content Security Policy Level 3, https://www.w3.org/TR/CSP3/#match-url-to-source-expression

use serde::Deserialize;
use url::Url;

/// `Network.ContentSecurityPolicyStatus`.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Policy {
    #[serde(rename = "effectiveDirectives")]
    directives: String,
    #[serde(rename = "isEnforced")]
    enforced: bool,
}

/// Whether one of the policies leaves no way to connect to the address. `'self'` counts as a way: only the page's own
/// process knows what it stands for.
pub(super) fn forbids(policies: &[Policy], url: &Url) -> bool {
    policies.iter().filter(|policy| policy.enforced).any(|policy| {
        let directive = |name: &str| {
            policy.directives.split(';').find_map(|directive| {
                let mut words = directive.split_ascii_whitespace();
                words.next().is_some_and(|word| word.eq_ignore_ascii_case(name)).then_some(words)
            })
        };
        let sources = directive("connect-src").or_else(|| directive("default-src"));
        sources.is_some_and(|mut sources| !sources.any(|source| may_match(source, url)))
    })
}

fn may_match(source: &str, url: &Url) -> bool {
    if source == "'self'" {
        return true;
    }
    if source == "*" {
        return matches!(url.scheme(), "http" | "https");
    }
    if let Some(scheme) = source.strip_suffix(':') {
        return scheme.eq_ignore_ascii_case(url.scheme()) || (scheme == "http" && url.scheme() == "https");
    }
    let (scheme, rest) = match source.split_once("://") {
        Some((scheme, rest)) => (Some(scheme), rest),
        None => (None, source),
    };
    let authority = rest.split('/').next().unwrap_or_default();
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    let known = url.host_str().unwrap_or_default();
    let host_fits = match host.strip_prefix("*.") {
        Some(parent) => known.strip_suffix(parent).is_some_and(|rest| rest.ends_with('.')),
        None => host.eq_ignore_ascii_case(known),
    };
    let port_fits = match port {
        Some("*") => true,
        Some(port) => url.port_or_known_default().is_some_and(|known| known.to_string() == port),
        None => url.port().is_none(),
    };
    let scheme_fits = scheme.is_none_or(|scheme| scheme.eq_ignore_ascii_case(url.scheme()));
    host_fits && port_fits && scheme_fits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_cannot_match_is_forbidden() {
        let url = Url::parse("http://a.test:8080/x.map").unwrap();
        let policy = |text: &str| Policy { directives: text.into(), enforced: true };
        for text in [
            "connect-src 'none'",
            "default-src 'none'",
            "default-src *; connect-src https://a.test:8080",
            "connect-src",
            "connect-src a.test b.test:8080 wss: *.a.test:8080",
        ] {
            assert!(forbids(&[policy("img-src *"), policy(text)], &url), "{text}");
        }
        for text in [
            "img-src 'none'",
            "connect-src 'self'",
            "default-src 'none'; connect-src *",
            "connect-src http:",
            "connect-src a.test:*",
            "connect-src http://*.test:8080/path",
        ] {
            assert!(!forbids(&[policy(text)], &url), "{text}");
        }
        assert!(!forbids(&[Policy { directives: "connect-src 'none'".into(), enforced: false }], &url));
    }
}
