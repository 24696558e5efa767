//! Performance traces: from bytes to DevTools' words.
//!
//! [`TraceAnalysis`] is one loaded trace. It owns an isolate of its own, so dropping it returns the memory; asking it
//! costs a call into V8. Knows nothing of MCP; a source is a file or any stream of bytes.

mod error;
mod field_data;
mod source;
mod split;
#[cfg(test)]
mod split_tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use devtools_engine::{Call, EngineError, IsolateHandle, IsolateOptions, Kind, Work};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio_util::sync::CancellationToken;

pub use error::TraceError;
pub use source::TraceSource;

use super::blobs;
use crate::progress::{Reporter, rest};

/// A trace of gigabytes takes minutes; this only ends what will never end.
const LOAD_DEADLINE: Duration = Duration::from_secs(30 * 60);
const FORMAT_DEADLINE: Duration = Duration::from_secs(120);

/// Which field data (CrUX) a text shows, as the front-end spells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum DeviceScope {
    /// Pages emulated as mobile.
    Phone,
    /// All others.
    Desktop,
}

/// How to load a trace.
pub struct LoadOptions {
    /// Limit of the isolate's JavaScript heap in bytes.
    pub heap_limit: usize,
    /// Whether this program recorded it just now: then source maps stored in the file are ignored, as in DevTools.
    pub fresh: bool,
    /// Overrides the file's metadata: the CPU slow-down factor, 1 for none.
    pub cpu_throttling: Option<f64>,
    /// Overrides the file's metadata: the network condition's name.
    pub network_throttling: Option<String>,
    /// Ends the loading early.
    pub cancel: CancellationToken,
    /// Where progress goes.
    pub progress: Reporter,
}

impl LoadOptions {
    /// A file analysed as it is, under this heap limit.
    pub fn new(heap_limit: usize) -> Self {
        LoadOptions {
            heap_limit,
            fresh: false,
            cpu_throttling: None,
            network_throttling: None,
            cancel: CancellationToken::new(),
            progress: None,
        }
    }
}

/// Insight sets of a trace: one per navigation (or one for the time without).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Overview {
    /// Number of events in the file.
    pub event_count: u64,
    /// In the front-end's order.
    pub insight_sets: Vec<InsightSet>,
}

/// One insight set.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct InsightSet {
    /// `NAVIGATION_0`, `NO_NAVIGATION`, …
    pub id: String,
    /// The page's URL.
    pub url: String,
    /// Every insight of the set, passed ones included.
    pub insights: Vec<InsightRef>,
}

/// One insight of a set.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct InsightRef {
    /// Name to ask for, for example `LCPBreakdown`.
    pub name: String,
    /// The front-end's key of the model.
    pub key: Option<String>,
    /// `pass`, `fail` or `informative`.
    pub state: Option<String>,
}

/// Answer to a question for one insight.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "status", rename_all = "camelCase")]
pub enum InsightAnswer {
    /// The formatter's text.
    Ok { text: String },
    /// The trace has no insights at all.
    NoInsights,
    /// No set has this id.
    UnknownSet,
    /// The set has no insight of this name.
    UnknownInsight,
}

/// The fixed explanations of how call frames and network requests are written in the texts.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FormatDescriptions {
    /// Of call trees.
    pub call_frames: String,
    /// Of network requests.
    pub network: String,
}

/// A loaded trace.
pub struct TraceAnalysis {
    isolate: IsolateHandle,
    overview: Overview,
}

/// Ends the reading thread when loading ends for whatever reason, also when its future is dropped.
struct StopReading(Arc<AtomicBool>);

impl Drop for StopReading {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// An isolate that is ready for a trace.
pub struct PreparedEngine(IsolateHandle);

impl PreparedEngine {
    /// Starts a fresh isolate under this heap limit (bytes).
    pub async fn start(heap_limit: usize, work: Work) -> Result<Self, TraceError> {
        static NUMBER: AtomicU32 = AtomicU32::new(1);
        let name = format!("trace-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        Ok(PreparedEngine(blobs::engine().start(IsolateOptions::new(Kind::Main, name, heap_limit).work(work)).await?))
    }

    /// The trace categories that DevTools records.
    pub async fn categories(&self) -> Result<Vec<String>, TraceError> {
        Ok(self.0.call(Call::new("trace.categories", json!({}))).await?)
    }

    /// Loads and analyses a trace.
    pub async fn load(self, source: TraceSource, options: LoadOptions) -> Result<TraceAnalysis, TraceError> {
        let stop = Arc::new(AtomicBool::new(false));
        let _stop_reading = StopReading(stop.clone());
        let (input, verdict) = source::start(source, stop, options.progress.clone())
            .map_err(|e| TraceError::Read { path: "the trace".into(), why: e.to_string() })?;
        // Reading fills the first part of the bar, the engine's own progress the rest.
        let progress = rest(&options.progress, source::LOADING_SHARE);
        let params = json!({
            "fresh": options.fresh,
            "cpuThrottling": options.cpu_throttling,
            "networkThrottling": options.network_throttling,
        });
        let call = Call {
            deadline: LOAD_DEADLINE,
            cancel: options.cancel,
            progress,
            input: Some(input),
            ..Call::new("trace.load", params)
        };
        match self.0.call::<Overview>(call).await {
            Ok(overview) => Ok(TraceAnalysis { isolate: self.0, overview }),
            // What the reading thread found is the cause of whatever JavaScript said about it.
            Err(error) => Err(verdict.take().unwrap_or_else(|| error.into())),
        }
    }
}

impl TraceAnalysis {
    /// Loads and analyses a trace in a fresh isolate.
    pub async fn load(source: TraceSource, options: LoadOptions) -> Result<Self, TraceError> {
        PreparedEngine::start(options.heap_limit, source.work()).await?.load(source, options).await
    }

    /// The insight sets.
    pub fn overview(&self) -> &Overview {
        &self.overview
    }

    /// The front-end's summary of the trace.
    pub async fn summary(&self, scope: DeviceScope) -> Result<String, TraceError> {
        self.ask("trace.summary", json!({"deviceScope": scope})).await
    }

    /// The front-end's text on one insight.
    pub async fn insight(&self, set: &str, name: &str, scope: DeviceScope) -> Result<InsightAnswer, TraceError> {
        self.ask("trace.insight", json!({"set": set, "name": name, "deviceScope": scope})).await
    }

    /// How call frames and network requests are written.
    pub async fn format_descriptions(&self) -> Result<FormatDescriptions, TraceError> {
        self.ask("trace.formatDescriptions", json!({})).await
    }

    async fn ask<T: serde::de::DeserializeOwned>(
        &self,
        method: &'static str,
        params: serde_json::Value,
    ) -> Result<T, TraceError> {
        let call = Call { deadline: FORMAT_DEADLINE, ..Call::new(method, params) };
        self.isolate.call(call).await.map_err(|error| match error {
            EngineError::Ended { why } => {
                TraceError::Engine(EngineError::Ended { why: format!("{why}; load the trace again") })
            }
            other => other.into(),
        })
    }
}
