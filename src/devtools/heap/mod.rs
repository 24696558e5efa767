//! Heap snapshots: from a file to DevTools' numbers.
//!
//! [`HeapSnapshot`] is one loaded file. It owns an isolate, so dropping it returns the memory. Rust reads, checks
//! and prepares (`devtools_heapsnapshot`), the front-end's `JSHeapSnapshot` answers. Knows nothing of MCP and of the browser.

pub mod answers;
mod error;
mod handover;
mod identity;
mod source;
mod store;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use devtools_engine::{Call, EngineError, IsolateHandle, IsolateOptions, Kind, Progress, Work};
use devtools_heapsnapshot::Loaded;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

pub use error::{HeapError, Question};
pub use identity::Identity;
pub use store::HeapStore;

use super::blobs;
use answers::{
    ChangeDetail, Changes, Classes, Contexts, Dominator, DuplicateString, Edge, Leaks, Listed, Node, ObjectDetails,
    RetainingPaths, Summary,
};

/// Gigabytes take minutes; this only ends what will never end.
const LOAD_DEADLINE: Duration = Duration::from_secs(30 * 60);
const ASK_DEADLINE: Duration = Duration::from_secs(10 * 60);

/// From this number of objects on V8 gets a larger young generation.
const LARGE_NODES: u64 = 500_000;

/// How to load a heap snapshot.
pub struct LoadOptions {
    /// Bytes of memory that the analysis may take.
    pub memory: usize,
    /// Ends the loading early.
    pub cancel: CancellationToken,
    /// Where progress goes.
    pub progress: Option<UnboundedSender<Progress>>,
    /// Let the front-end's own code compute everything, slower and larger; for tests.
    pub reference: bool,
}

impl LoadOptions {
    /// Without progress or cancellation.
    pub fn new(memory: usize) -> Self {
        LoadOptions { memory, cancel: CancellationToken::new(), progress: None, reference: false }
    }
}

/// Which part of a list is wanted.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Paging {
    /// From 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_idx: Option<u64>,
    /// Rows of a page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_size: Option<u64>,
}

/// Which objects count.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Filter {
    /// One of the front-end's filters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter_name: Option<String>,
    /// A native context, for the filter that needs one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_id: Option<f64>,
}

/// A question for objects.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the front-end's names")]
pub struct Query {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_retained_size: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_retained_size: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_self_size: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_self_size: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_detached: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort_by: Option<String>,
}

/// A loaded heap snapshot.
#[derive(Clone)]
pub struct HeapSnapshot {
    isolate: IsolateHandle,
    /// Distinguishes loaded files in comparisons.
    number: u32,
    memory: u64,
}

impl HeapSnapshot {
    /// Reads a file and analyses it in a fresh isolate.
    pub async fn load(path: &Path, options: LoadOptions) -> Result<Self, HeapError> {
        static NUMBER: AtomicU32 = AtomicU32::new(1);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let (announce, announced) = tokio::sync::oneshot::channel();
        let reading = source::Reading { announce: Some(announce), ..source::Reading::new(&options) };
        // V8 starts while the file is being read, as soon as the header tells how large its heap may become.
        let (loaded, isolate) = tokio::join!(read(path, reading), async {
            let size = announced.await.ok()?;
            Some(start(number, size, options.memory).await)
        });
        let loaded = loaded?;
        let isolate = match isolate {
            Some(isolate) => isolate?,
            None => start(number, Size::of(&loaded), options.memory).await?,
        };
        let memory = source::memory_needed(loaded.node_count(), loaded.edge_count()) + loaded.string_bytes();
        Self::analyse(loaded, &isolate, options).await?;
        Ok(HeapSnapshot { isolate, number, memory })
    }

    async fn analyse(loaded: Loaded, isolate: &IsolateHandle, options: LoadOptions) -> Result<(), HeapError> {
        let (sender, input) = std::sync::mpsc::channel();
        let call = Call {
            deadline: LOAD_DEADLINE,
            cancel: options.cancel,
            progress: options.progress.map(second_part),
            input: Some(input),
            ..Call::new("heap.load", handover::params(&loaded, options.reference))
        };
        let handed = tokio::task::spawn_blocking(move || handover::run(loaded, options.reference, &sender));
        let (handed, analysed) = tokio::join!(handed, isolate.call::<Value>(call));
        handed.map_err(failed)?.map_err(|error| HeapError::Analysis { message: error.to_string() })?;
        analysed?;
        Ok(())
    }

    /// Whether its isolate has ended (out of memory, or ended by force) and it must be loaded again.
    pub fn is_ended(&self) -> bool {
        self.isolate.is_ended()
    }

    /// Bytes of memory it takes, estimated.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// Numbers about the whole snapshot.
    pub async fn summary(&self) -> Result<Summary, HeapError> {
        self.ask("heap.summary", json!({})).await
    }

    /// Classes by retained size.
    pub async fn classes(&self, filter: &Filter, paging: Paging) -> Result<Classes, HeapError> {
        self.ask("heap.classes", merged(filter, paging, json!({}))).await
    }

    /// Objects of a class.
    pub async fn class_nodes(&self, class: f64, filter: &Filter, paging: Paging) -> Result<Listed<Node>, HeapError> {
        self.ask("heap.classNodes", merged(filter, paging, json!({"id": class}))).await
    }

    /// What refers to an object.
    pub async fn retainers(&self, node: f64, paging: Paging) -> Result<Listed<Edge>, HeapError> {
        self.ask("heap.retainers", merged(&json!({}), paging, json!({"nodeId": node}))).await
    }

    /// What an object refers to; `options` are the front-end's.
    pub async fn edges(&self, node: f64, options: Value, paging: Paging) -> Result<Listed<Edge>, HeapError> {
        self.ask("heap.edges", merged(&json!({}), paging, json!({"nodeId": node, "options": options}))).await
    }

    /// Ways from an object to the roots; `limits` may have `maxDepth`, `maxNodes`, `maxSiblings`.
    pub async fn retaining_paths(&self, node: f64, limits: Value) -> Result<RetainingPaths, HeapError> {
        self.ask("heap.retainingPaths", merged(&limits, Paging::default(), json!({"nodeId": node}))).await
    }

    /// From an object up to the root.
    pub async fn dominators(&self, node: f64) -> Result<Vec<Dominator>, HeapError> {
        self.ask("heap.dominators", json!({"nodeId": node})).await
    }

    /// One object.
    pub async fn object_details(&self, node: f64) -> Result<ObjectDetails, HeapError> {
        self.ask("heap.objectDetails", json!({"nodeId": node})).await
    }

    /// Strings that are there more than once.
    pub async fn duplicate_strings(&self, paging: Paging) -> Result<Listed<DuplicateString>, HeapError> {
        self.ask("heap.duplicateStrings", merged(&json!({}), paging, json!({}))).await
    }

    /// Objects that fit.
    pub async fn query(&self, query: &Query, paging: Paging) -> Result<Listed<Node>, HeapError> {
        self.ask("heap.query", merged(&json!({}), paging, json!({"options": query}))).await
    }

    /// Contexts with dead variables; `filter` may have `min`, `max` (bytes) and `scopeInfoNodeId`.
    pub async fn contexts(&self, filter: Value, paging: Paging) -> Result<Contexts, HeapError> {
        self.ask("heap.contexts", merged(&filter, paging, json!({}))).await
    }

    /// The classes that changed since `base`.
    pub async fn changes(&self, base: &HeapSnapshot, paging: Paging) -> Result<Changes, HeapError> {
        self.compare(base).await?;
        self.ask("heap.changes", merged(&json!({}), paging, json!({"base": base.number}))).await
    }

    /// One class that changed since `base`, by its position in the list of [`HeapSnapshot::changes`].
    pub async fn change_detail(&self, base: &HeapSnapshot, class: f64) -> Result<ChangeDetail, HeapError> {
        #[derive(serde::Deserialize)]
        struct Answer {
            detail: ChangeDetail,
        }
        self.compare(base).await?;
        let answer: Answer = self.ask("heap.changes", json!({"base": base.number, "classIndex": class})).await?;
        Ok(answer.detail)
    }

    /// Makes this isolate know what changed since `base`, whose objects stream over from its isolate.
    async fn compare(&self, base: &HeapSnapshot) -> Result<(), HeapError> {
        let number = base.number;
        if self.ask("heap.knowsDiff", json!({"base": number})).await? {
            return Ok(());
        }
        if number == self.number {
            return self.ask("heap.diff", json!({"base": number, "self": true})).await;
        }
        let interfaces: String = self.ask("heap.interfaces", json!({})).await?;
        let (output, input) = std::sync::mpsc::sync_channel(2);
        let hand_on = Call { output: Some(output), ..Self::call("heap.handOn", json!({"interfaces": interfaces})) };
        let diff = Call { input: Some(input), ..Self::call("heap.diff", json!({"base": number, "self": false})) };
        let (handed, compared) = tokio::join!(async { base.isolate.call::<String>(hand_on).await }, async {
            self.isolate.call::<String>(diff).await
        });
        handed?;
        compared?;
        Ok(())
    }

    /// Objects of this snapshot whose ids are above `after` and not above `up_to`.
    pub async fn leaks(&self, after: u64, up_to: u64, most: usize, internal: bool) -> Result<Leaks, HeapError> {
        self.ask("heap.leaks", json!({"after": after, "upTo": up_to, "most": most, "internal": internal})).await
    }

    /// Checksums of what was computed before the first question, by name, for comparing two ways to compute it.
    pub async fn table_checksums(&self) -> Result<BTreeMap<String, u32>, HeapError> {
        self.ask("heap.tables", json!({})).await
    }

    fn call(method: &'static str, params: Value) -> Call {
        Call { deadline: ASK_DEADLINE, ..Call::new(method, params) }
    }

    async fn ask<T: DeserializeOwned>(&self, method: &'static str, params: Value) -> Result<T, HeapError> {
        let text: String = self.isolate.call(Self::call(method, params)).await?;
        crate::cdp::decode(&text).map_err(|e| HeapError::Engine(EngineError::Shape { method, why: e.to_string() }))
    }
}

/// Which heap a file is of, without analysing it.
pub async fn identity(path: &Path, options: &LoadOptions) -> Result<Identity, HeapError> {
    let reading = source::Reading { memory: u64::MAX, progress: None, ..source::Reading::new(options) };
    Ok(Identity::of(&read(path, reading).await?))
}

async fn read(path: &Path, reading: source::Reading) -> Result<Loaded, HeapError> {
    source::check_name(path)?;
    let owned = path.to_owned();
    tokio::task::spawn_blocking(move || source::read(&owned, reading)).await.map_err(failed)?
}

fn failed(error: tokio::task::JoinError) -> HeapError {
    HeapError::Analysis { message: error.to_string() }
}

/// What the size of an isolate follows from.
struct Size {
    nodes: u64,
    /// At most so many bytes of strings.
    string_bytes: u64,
}

impl Size {
    fn of(loaded: &Loaded) -> Self {
        Size { nodes: loaded.node_count(), string_bytes: loaded.string_bytes() }
    }
}

async fn start(number: u32, size: Size, memory: usize) -> Result<IsolateHandle, EngineError> {
    let work = if size.nodes >= LARGE_NODES { Work::Large } else { Work::Small };
    let options = IsolateOptions::new(Kind::Main, format!("heap-{number}"), heap_limit(&size, memory)).work(work);
    blobs::engine().start(options).await
}

/// Limit of V8's heap in bytes. Tables are outside of it; what is inside are the strings, and lists of node indices.
fn heap_limit(&Size { nodes, string_bytes }: &Size, memory: usize) -> usize {
    const BASE: u64 = 256 << 20;
    const PER_NODE: u64 = 400;
    let wanted = BASE + nodes.saturating_mul(PER_NODE).saturating_add(string_bytes.saturating_mul(4));
    // V8 wants its reservations aligned.
    usize::try_from(wanted).unwrap_or(usize::MAX).min(memory) >> 20 << 20
}

/// Parameters in one object.
fn merged(first: &impl Serialize, paging: Paging, rest: Value) -> Value {
    let mut result = rest;
    for part in [serde_json::to_value(first), serde_json::to_value(paging)] {
        if let (Some(all), Ok(Value::Object(part))) = (result.as_object_mut(), part) {
            all.extend(part);
        }
    }
    result
}

/// Reading fills the first part of the bar, the analysis the rest.
fn second_part(outer: UnboundedSender<Progress>) -> UnboundedSender<Progress> {
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel::<Progress>();
    tokio::spawn(async move {
        while let Some(Progress { fraction, message }) = receiver.recv().await {
            let fraction = source::READING_SHARE + fraction * (1.0 - source::READING_SHARE);
            let _ = outer.send(Progress { fraction, message });
        }
    });
    sender
}
