//! Field data of the Chrome UX Report (CrUX): what real users of a page see. The front-end says what to ask and what the
//! answers mean; here is who is asked about, and the asking, which never holds a trace up for long.

use std::io::Read as _;
use std::net::IpAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;
use url::{Host, Url};

use super::{TraceAnalysis, TraceError};

/// All questions about one trace together.
const LIMIT: Duration = Duration::from_secs(5);
/// Pages of a trace that are asked about, six questions each.
const MAX_PAGES: usize = 8;
/// An answer is a few kilobytes.
const MAX_ANSWER: u64 = 256 * 1024;
/// For tests: another service than the public one.
const ENDPOINT: &str = "DEVTOOLS_MCP_CRUX_ENDPOINT";

#[derive(Deserialize)]
struct Question {
    endpoint: String,
    body: String,
}

#[derive(Serialize)]
struct Answer {
    status: u16,
    body: String,
}

impl TraceAnalysis {
    /// Asks for the field data of the trace's pages; texts have it from then on. A service that does not answer in time
    /// counts as one without data.
    pub async fn add_field_data(&self) -> Result<(), TraceError> {
        let mut urls: Vec<String> = self.ask("trace.pageUrls", json!({})).await?;
        urls.retain(|url| is_public(url));
        urls.truncate(MAX_PAGES);
        if urls.is_empty() {
            return Ok(());
        }
        let questions: Vec<Question> = self.ask("trace.fieldDataQuestions", json!({"urls": urls})).await?;
        let asking = questions.into_iter().map(|question| async {
            let asked = tokio::task::spawn_blocking(move || post(&question));
            match tokio::time::timeout(LIMIT, asked).await {
                Ok(Ok(Ok(answer))) => Some(answer),
                Ok(Ok(Err(why))) => {
                    tracing::warn!("no field data: {why}");
                    None
                }
                _ => {
                    tracing::warn!("no field data: no answer within {} s", LIMIT.as_secs());
                    None
                }
            }
        });
        let answers: Vec<Option<Answer>> = futures_util::future::join_all(asking).await;
        self.ask("trace.addFieldData", json!({"answers": answers})).await
    }
}

/// Blocking. Uses the environment's proxy, if there is one.
fn post(question: &Question) -> Result<Answer, String> {
    let agent =
        ureq::Agent::config_builder().timeout_global(Some(LIMIT)).http_status_as_error(false).build().new_agent();
    let endpoint = std::env::var(ENDPOINT).unwrap_or_else(|_| question.endpoint.clone());
    let response = agent.post(&endpoint).send(question.body.as_str()).map_err(|error| error.to_string())?;
    let status = response.status().as_u16();
    let mut body = String::new();
    let mut reader = response.into_body().into_reader().take(MAX_ANSWER);
    reader.read_to_string(&mut body).map_err(|error| error.to_string())?;
    Ok(Answer { status, body })
}

/// Whether an address may be on the public web. Those of this machine and of local networks have no field data, and are
/// nobody else's business.
fn is_public(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return false };
    if !["http", "https"].contains(&url.scheme()) {
        return false;
    }
    match url.host() {
        Some(Host::Ipv4(ip)) => is_public_ip(ip.into()),
        Some(Host::Ipv6(ip)) => is_public_ip(ip.to_ipv4_mapped().map_or(ip.into(), IpAddr::from)),
        // A name without a dot is one of the local network.
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            let local = ["localhost", "local", "internal", "home.arpa"];
            name.contains('.') && !local.iter().any(|l| name.strip_suffix(l).is_some_and(|rest| rest.ends_with('.')))
        }
        None => false,
    }
}

fn is_public_ip(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => {
            let shared = ip.octets()[0] == 100 && ip.octets()[1] & 0xc0 == 64;
            !(ip.is_loopback() || ip.is_private() || ip.is_link_local() || ip.is_unspecified() || shared)
        }
        IpAddr::V6(ip) => {
            !(ip.is_loopback() || ip.is_unspecified() || ip.is_unique_local() || ip.is_unicast_link_local())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_pages_are_asked_about() {
        for url in ["https://example.org/", "http://example.test/a?b#c", "https://8.8.8.8/", "http://[2001:db8::1]/"] {
            assert!(is_public(url), "{url}");
        }
        for url in [
            "http://localhost:8080/",
            "http://app.localhost/",
            "http://printer/",
            "http://nas.local./",
            "http://127.0.0.1/",
            "http://10.1.2.3/",
            "http://172.16.0.1/",
            "http://192.168.1.1/",
            "http://169.254.1.1/",
            "http://100.64.0.1/",
            "http://0.0.0.0/",
            "http://[::1]/",
            "http://[::ffff:192.168.0.1]/",
            "http://[fd00::1]/",
            "http://[fe80::1]/",
            "file:///etc/passwd",
            "data:text/html,x",
            "about:blank",
            "",
        ] {
            assert!(!is_public(url), "{url}");
        }
    }
}
