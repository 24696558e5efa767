//! Hiding the values of headers by the front-end's own list of those that are harmless.

use std::time::Duration;

use devtools_engine::EngineError;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::frontend;

/// The first call loads the front-end.
const DEADLINE: Duration = Duration::from_secs(30);

#[derive(Serialize, Deserialize)]
struct Entry {
    name: String,
    value: String,
}

/// The headers in their order; values that the front-end would not show to a model are `<redacted>`.
pub async fn sanitize(headers: Vec<(String, String)>) -> Result<Vec<(String, String)>, EngineError> {
    let headers: Vec<Entry> = headers.into_iter().map(|(name, value)| Entry { name, value }).collect();
    let sanitized: Vec<Entry> = frontend::ask("network.sanitizeHeaders", json!({"headers": headers}), DEADLINE).await?;
    Ok(sanitized.into_iter().map(|entry| (entry.name, entry.value)).collect())
}
