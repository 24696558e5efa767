//! The address lists as Chrome enforces them: rules for a session's requests.

use serde_json::{Value, json};

use super::BrowserError;
use crate::cdp::{CdpError, Session};
use crate::config::UrlPolicy;

/// The first Chrome whose rules can be online beside an offline one, which an allow list needs.
const ALLOW_LIST_SINCE: u32 = 149;

/// Chrome's code for parameters that it does not accept.
const INVALID_PARAMETERS: i64 = -32602;

/// Makes a session (of a page, frame or worker) obey the lists, whose network events have been switched on. Does nothing
/// without lists.
pub async fn apply(session: &Session, policy: &UrlPolicy) -> Result<(), CdpError> {
    const METHOD: &str = "Network.emulateNetworkConditionsByRule";
    if !policy.is_active() {
        return Ok(());
    }
    let rules = rules(policy.blocked(), policy.allowed());
    match session.call::<Value>(METHOD, json!({"matchedNetworkConditions": rules})).await {
        // Older ones have one switch for all rules; a block list is the same either way.
        Err(CdpError::Protocol { code: INVALID_PARAMETERS, .. }) if policy.allowed().is_empty() => {
            let params = json!({"offline": true, "matchedNetworkConditions": rules});
            session.call::<Value>(METHOD, params).await.map(drop)
        }
        other => other.map(drop),
    }
}

/// The first rule that matches wins; one without a pattern matches everything.
fn rules(blocked: &[String], allowed: &[String]) -> Vec<Value> {
    let rule = |pattern: &str, offline: bool| json!({"urlPattern": pattern, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1, "offline": offline});
    let mut rules: Vec<Value> = blocked.iter().map(|pattern| rule(pattern, true)).collect();
    if !allowed.is_empty() {
        rules.extend(allowed.iter().map(|pattern| rule(pattern, false)));
        rules.push(rule("", true));
    }
    rules
}

/// Fails where this browser cannot enforce the lists.
pub fn check_version(product: &str, policy: &UrlPolicy) -> Result<(), BrowserError> {
    if policy.allowed().is_empty() { Ok(()) } else { check_allow_list(product) }
}

fn check_allow_list(product: &str) -> Result<(), BrowserError> {
    let major = product.split_once('/').and_then(|(_, version)| version.split('.').next()?.parse::<u32>().ok());
    match major {
        Some(major) if major >= ALLOW_LIST_SINCE => Ok(()),
        _ => Err(BrowserError::TooOld { product: product.to_owned(), needed: ALLOW_LIST_SINCE }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allow_list_ends_with_everything_else() {
        let list = |patterns: &[&str]| patterns.iter().map(ToString::to_string).collect::<Vec<_>>();
        let summary = |blocked: &[&str], allowed: &[&str]| -> Vec<(String, bool)> {
            let rules = rules(&list(blocked), &list(allowed));
            rules.iter().map(|r| (r["urlPattern"].as_str().unwrap().into(), r["offline"] == true)).collect()
        };
        assert_eq!(summary(&["a", "b"], &[]), [("a".into(), true), ("b".into(), true)]);
        assert_eq!(summary(&[], &["a", "b"]), [("a".into(), false), ("b".into(), false), (String::new(), true)]);
    }

    #[test]
    fn an_allow_list_needs_a_new_chrome() {
        for good in ["Chrome/149.0.1.2", "HeadlessChrome/156.0"] {
            assert!(check_allow_list(good).is_ok(), "{good}");
        }
        for bad in ["Chrome/148.9.9.9", "Other", "Other/x"] {
            let error = check_allow_list(bad).unwrap_err().to_string();
            assert_eq!(error, format!("{bad} is too old for a list of allowed addresses: Chrome 149 is needed"));
        }
    }

    #[tokio::test]
    async fn an_older_chrome_is_asked_in_its_own_way() {
        use tokio::io::{AsyncBufReadExt, AsyncWriteExt};
        let (near, far) = tokio::io::duplex(64 * 1024);
        let (input, output) = tokio::io::split(near);
        let (reader, writer) = crate::cdp::pipe::pair(input, output);
        let session = Session::browser(crate::cdp::Connection::start(reader, writer));
        let browser = tokio::spawn(async move {
            let (input, mut output) = tokio::io::split(far);
            let mut input = tokio::io::BufReader::new(input);
            let mut seen = Vec::new();
            for _ in 0..2 {
                let mut message = Vec::new();
                input.read_until(0, &mut message).await.unwrap();
                message.pop();
                let message: Value = serde_json::from_slice(&message).unwrap();
                let lacks = message["params"].get("offline").is_none();
                let answer = match lacks {
                    true => json!({"id": message["id"], "error": {"code": -32602, "message": "Invalid parameters"}}),
                    false => json!({"id": message["id"], "result": {"ruleIds": []}}),
                };
                output.write_all(format!("{answer}\0").as_bytes()).await.unwrap();
                seen.push(message["params"]["offline"] == true);
            }
            seen
        });
        let policy = UrlPolicy::new(&["http://a.test/*".into()], &[]).unwrap();
        apply(&session, &policy).await.unwrap();
        assert_eq!(browser.await.unwrap(), [false, true]);
    }
}
