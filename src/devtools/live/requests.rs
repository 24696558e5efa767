//! The front-end's commands on their way to the page, and what it wants loaded.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use devtools_engine::LinkRequest;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::LoadingRules;
use super::csp::{self, Policy};
use super::loader;
use super::pump::Pump;
use crate::cdp::{CdpError, Session};

/// How long a command may take. A page that is held up by a dialog answers late or never.
const COMMAND: Duration = Duration::from_secs(20);

/// The front-end's status for a session that is gone (`CDPErrorStatus` in CDPConnection.ts).
const SESSION_NOT_FOUND: i64 = -32001;
const SERVER_ERROR: i64 = -32000;

#[derive(Deserialize)]
struct Request {
    method: Option<String>,
    params: Option<Box<RawValue>>,
    #[serde(rename = "sessionId")]
    session: Option<String>,
    load: Option<String>,
    /// By which the front-end knows the answer among the events.
    number: Option<u64>,
}

/// Serves a universe's requests until its link is closed.
pub(super) async fn serve(
    pump: Arc<Pump>,
    session: Session,
    rules: LoadingRules,
    mut requests: mpsc::Receiver<LinkRequest>,
) {
    let rules = Arc::new(rules);
    // Asked for by the front-end before each load.
    let policies: Arc<Mutex<Vec<Policy>>> = Arc::default();
    while let Some(LinkRequest { text, reply }) = requests.recv().await {
        let request: Request = match crate::cdp::decode(&text) {
            Ok(request) => request,
            Err(error) => {
                let _ = reply.send(error_text(SERVER_ERROR, &error.to_string()));
                continue;
            }
        };
        if let Some(url) = request.load {
            let rules = rules.clone();
            tokio::spawn(async move {
                let answer = match loader::load(&url, &rules).await {
                    Ok(text) => json!({"text": text}),
                    Err(why) => json!({"error": why}),
                };
                let _ = reply.send(answer.to_string());
            });
            continue;
        }
        let (method, id) = (request.method.unwrap_or_default(), request.session.unwrap_or_default());
        if !pump.knows(&id) {
            let _ = reply.send(error_text(SESSION_NOT_FOUND, &format!("Unknown session {id}")));
            continue;
        }
        if method == "Network.loadNetworkResource"
            && let Some(params) = &request.params
            && let Some(why) = refused(params, &rules, &policies.lock().unwrap_or_else(PoisonError::into_inner))
        {
            let _ = reply.send(error_text(SERVER_ERROR, &why));
            continue;
        }
        // Sent here and in this order; only the answer is waited for apart.
        let sent = session.connection().begin(Some(&id), &method, request.params).await;
        let (pump, number) = (pump.clone(), request.number.unwrap_or_default());
        let policies = (method == "Network.getSecurityIsolationStatus").then(|| policies.clone());
        tokio::spawn(async move {
            let answer = match sent {
                Ok(sent) => sent.within(COMMAND).await,
                Err(error) => Err(error),
            };
            if let (Some(policies), Ok(result)) = (policies, &answer)
                && let Ok(IsolationStatus { status }) = crate::cdp::decode(result.get())
            {
                *policies.lock().unwrap_or_else(PoisonError::into_inner) = status.csp;
            }
            let text = match answer {
                Ok(result) => format!(r#"{{"result":{}}}"#, result.get()),
                Err(CdpError::Protocol { code, message, .. }) => error_text(code, &message),
                Err(error) => error_text(SERVER_ERROR, &error.to_string()),
            };
            let joined = pump.answer(&id, number, &text);
            let _ = reply.send(if joined { String::new() } else { text });
        });
    }
}

fn error_text(code: i64, message: &str) -> String {
    json!({"error": {"code": code, "message": message}}).to_string()
}

#[derive(Deserialize)]
struct IsolationStatus {
    status: Status,
}

#[derive(Deserialize)]
struct Status {
    #[serde(default)]
    csp: Vec<Policy>,
}

/// Why the page may not load a resource for the front-end. Under address lists the page loads nothing: its network
/// would follow redirects that nobody has checked; [`loader`] checks each of them.
fn refused(params: &RawValue, rules: &LoadingRules, policies: &[Policy]) -> Option<String> {
    let params: Value = serde_json::from_str(params.get()).ok()?;
    let url = params["url"].as_str().unwrap_or_default();
    if url::Url::parse(url).is_ok_and(|url| csp::forbids(policies, &url)) {
        return Some("CSP violation: the page's Content Security Policy forbids it".into());
    }
    if !rules.urls.is_active() {
        return None;
    }
    if rules.urls.permits_text(url) {
        Some("loaded by the server itself, which checks the address lists".into())
    } else {
        Some("CSP violation: the server's address lists block it".into())
    }
}
