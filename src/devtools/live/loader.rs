//! What the front-end loads without the page: source maps that the page's network could not load.
//!
//! The address rules hold for every hop of a redirect, the path policy for files.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use url::Url;

use super::LoadingRules;

/// For one load from beginning to end.
const TIMEOUT: Duration = Duration::from_secs(10);
const MAX_REDIRECTS: usize = 20;
/// Larger texts are not source maps that anybody could use.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// Loads a text, or says why not.
pub(super) async fn load(url: &str, rules: &Arc<LoadingRules>) -> Result<String, String> {
    let url = Url::parse(url).map_err(|error| format!("not an address: {error}"))?;
    let rules = rules.clone();
    let task = tokio::task::spawn_blocking(move || match url.scheme() {
        "http" | "https" => fetch(url, &rules),
        "file" => read(&url, &rules),
        scheme => Err(format!("{scheme}: addresses are not loaded")),
    });
    match tokio::time::timeout(TIMEOUT, task).await {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => Err("it could not be loaded".into()),
        Err(_) => Err(format!("not loaded within {} s", TIMEOUT.as_secs())),
    }
}

fn check(url: &Url, rules: &LoadingRules) -> Result<(), String> {
    if rules.urls.permits(url) { Ok(()) } else { Err(format!("{url} is blocked by the server's address lists")) }
}

fn read(url: &Url, rules: &LoadingRules) -> Result<String, String> {
    check(url, rules)?;
    let path = rules.paths.check(url.as_str()).map_err(|error| error.to_string())?;
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    file.take(MAX_BYTES).read_to_string(&mut text).map_err(|error| error.to_string())?;
    Ok(text)
}

fn fetch(mut url: Url, rules: &LoadingRules) -> Result<String, String> {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .timeout_global(Some(TIMEOUT))
        .max_redirects(0)
        .http_status_as_error(false)
        .build()
        .into();
    for _ in 0..=MAX_REDIRECTS {
        check(&url, rules)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(format!("redirected to {}", url.scheme()));
        }
        let mut response = agent.get(url.as_str()).call().map_err(|error| error.to_string())?;
        match response.status().as_u16() {
            200..=299 => {
                let body = response.body_mut().with_config().limit(MAX_BYTES);
                return body.read_to_string().map_err(|error| error.to_string());
            }
            301 | 302 | 303 | 307 | 308 => {
                let location = response.headers().get("location").and_then(|value| value.to_str().ok());
                let location = location.ok_or("redirected to nowhere")?;
                url = url.join(location).map_err(|error| error.to_string())?;
            }
            status => return Err(format!("HTTP {status}")),
        }
    }
    Err(format!("more than {MAX_REDIRECTS} redirects"))
}
