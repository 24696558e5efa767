//! Hiding the values of headers by the front-end's own list of those that are harmless.

use std::sync::Arc;
use std::time::Duration;

use devtools_engine::{Call, EngineError, IsolateHandle, IsolateOptions, Kind, Work};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::Mutex;

use super::blobs;

/// Memory of the isolate, in bytes; the list needs next to nothing.
const HEAP_LIMIT: usize = 256 * 1024 * 1024;

/// The first call loads the front-end.
const DEADLINE: Duration = Duration::from_secs(30);

/// The process's isolate for this, started by the first call.
static ISOLATE: Mutex<Option<Arc<IsolateHandle>>> = Mutex::const_new(None);

#[derive(Serialize, Deserialize)]
struct Entry {
    name: String,
    value: String,
}

/// The headers in their order; values that the front-end would not show to a model are `<redacted>`.
pub async fn sanitize(headers: Vec<(String, String)>) -> Result<Vec<(String, String)>, EngineError> {
    let headers: Vec<Entry> = headers.into_iter().map(|(name, value)| Entry { name, value }).collect();
    let params = json!({"headers": headers});
    let sanitized = match ask(params.clone()).await {
        // One that has ended is replaced once.
        Err(EngineError::Ended { .. }) => {
            ISOLATE.lock().await.take();
            ask(params).await?
        }
        result => result?,
    };
    Ok(sanitized.into_iter().map(|entry| (entry.name, entry.value)).collect())
}

async fn ask(params: serde_json::Value) -> Result<Vec<Entry>, EngineError> {
    let call = Call { deadline: DEADLINE, ..Call::new("network.sanitizeHeaders", params) };
    isolate().await?.call(call).await
}

async fn isolate() -> Result<Arc<IsolateHandle>, EngineError> {
    let mut isolate = ISOLATE.lock().await;
    if let Some(isolate) = &*isolate {
        return Ok(isolate.clone());
    }
    let options =
        IsolateOptions { kind: Kind::Main, name: "headers".into(), heap_limit: HEAP_LIMIT, work: Work::Small };
    let started = Arc::new(blobs::engine().start(options).await?);
    *isolate = Some(started.clone());
    Ok(started)
}
