//! Issues in DevTools' words: which of the browser's reports are shown, and how they are grouped.

use std::time::Duration;

use devtools_engine::EngineError;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::frontend;

const DEADLINE: Duration = Duration::from_secs(30);

/// Issues that are shown as one.
#[derive(Debug, Clone, Deserialize)]
pub struct IssueGroup {
    /// Index of the issue that began it.
    pub first: usize,
    /// How many there are.
    pub count: u64,
    /// `None`: DevTools has no words for it, it is not shown.
    pub title: Option<String>,
    /// Markdown with its heading.
    pub description: Option<String>,
    /// Where to read on.
    pub links: Vec<IssueLink>,
    /// The details of each, as the browser gave them.
    pub details: Vec<Value>,
}

/// A link of a description.
#[derive(Debug, Clone, Deserialize, serde::Serialize)]
pub struct IssueLink {
    /// The address.
    pub link: String,
    /// Its text.
    #[serde(rename = "linkTitle")]
    pub title: String,
}

/// Groups the issues of one document, given as `Audits.InspectorIssue` in the order in which they came.
pub async fn group(issues: &[&RawValue]) -> Result<Vec<IssueGroup>, EngineError> {
    let issues: Vec<Value> = issues.iter().map(|issue| crate::cdp::decode(issue.get()).unwrap_or_default()).collect();
    frontend::ask("issues.group", json!({"issues": issues}), DEADLINE).await
}
