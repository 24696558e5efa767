//! What the rest of the program holds: an [`EngineHost`] that starts isolates, and [`IsolateHandle`]s to call them.
//!
//! Nothing of V8 is paid for until the first isolate is started: the platform is initialised then, on a thread of its
//! own from which all isolate threads descend (V8 protects its code pages with memory protection keys, which threads
//! inherit). Handles are cheap clones; when the last one goes, the isolate is terminated and its memory returned.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use deno_core::{JsRuntime, v8};
use serde::de::DeserializeOwned;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::error::EngineError;
use crate::isolate::{self, EndState, Job};
use crate::link::Link;
use crate::ops::ResourceLookup;
use crate::snapshot::{Blob, Kind};
use crate::worker::Spare;

/// How long JavaScript may take to notice a cancellation before its isolate is ended by force.
const ABORT_GRACE: Duration = Duration::from_millis(100);

/// How far a call has come.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// Share of the work that is done, 0 to 1.
    pub fraction: f64,
    /// What is being done, for people.
    pub message: String,
}

/// One piece of a call's bulk input.
pub enum InputPiece {
    /// A JSON text in UTF-8. Pure ASCII pieces reach V8 without a copy.
    Text(Vec<u8>),
    /// A table of numbers. JavaScript gets an `ArrayBuffer` over it, without a copy.
    Table(crate::bulk::Table),
    /// The producer failed; it keeps the reason for the caller, JavaScript only sees that there is no more.
    Failed,
}

/// How long an isolate that has ended may take to answer its calls itself.
const END_GRACE: Duration = Duration::from_secs(10);

/// How long a worker waits for being asked for that was started beside its parent.
const SPARE: Duration = Duration::from_secs(10);

/// One request to an isolate.
pub struct Call {
    /// `service.method` as registered in `js/`.
    pub method: &'static str,
    /// The method's parameters.
    pub params: serde_json::Value,
    /// How long the caller is willing to wait.
    pub deadline: Duration,
    /// Ends the call early.
    pub cancel: CancellationToken,
    /// Where progress goes, if anybody wants it.
    pub progress: Option<mpsc::UnboundedSender<Progress>>,
    /// Bulk input, pulled piece by piece by JavaScript; use a bounded channel.
    pub input: Option<std::sync::mpsc::Receiver<InputPiece>>,
    /// Bulk output, usually another call's input. JavaScript waits while the channel is full.
    pub output: Option<std::sync::mpsc::SyncSender<InputPiece>>,
    /// A link that JavaScript may keep beyond the call.
    pub link: Option<Link>,
    /// Others use the isolate too: on deadline or cancellation only this call is given up.
    pub shared: bool,
}

impl Call {
    /// A call without bulk input, link, progress or cancellation, with a deadline of one minute.
    pub fn new(method: &'static str, params: serde_json::Value) -> Self {
        Call {
            method,
            params,
            deadline: Duration::from_secs(60),
            cancel: CancellationToken::new(),
            progress: None,
            input: None,
            output: None,
            link: None,
            shared: false,
        }
    }
}

/// How to start an isolate.
#[derive(Clone)]
pub struct IsolateOptions {
    /// What it is for.
    pub kind: Kind,
    /// Name for logs and the thread, for example `trace-3`.
    pub name: String,
    /// Limit of the JavaScript heap in bytes.
    pub heap_limit: usize,
    /// How much work is expected, which decides how large V8's young generation may become.
    pub work: Work,
    worker: Option<Kind>,
    pub(crate) spare: Spare,
}

impl IsolateOptions {
    /// For little work, without a worker.
    pub fn new(kind: Kind, name: String, heap_limit: usize) -> Self {
        IsolateOptions { kind, name, heap_limit, work: Work::Small, worker: None, spare: Spare::default() }
    }

    /// For so much work.
    pub fn work(self, work: Work) -> Self {
        IsolateOptions { work, ..self }
    }

    /// With a worker that will probably be asked for soon: it is started beside the isolate, and ended if it is not.
    pub fn with_worker(self, kind: Kind) -> Self {
        IsolateOptions { worker: Some(kind), ..self }
    }
}

/// Expected amount of data in one isolate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Up to some ten thousand objects of input: memory counts. V8's default half-spaces would cost a fifth of the peak
    /// of such a trace and save no time that can be measured.
    Small,
    /// More: a quarter of the time is lost to early promotion with small half-spaces.
    Large,
}

impl Work {
    /// Bytes of the young generation: V8 divides them by three for each half-space (`Heap::SemiSpaceSizeFromYoungGenerationSize`).
    pub(crate) fn young_generation(self) -> usize {
        let half_space = match self {
            Work::Small => 8 * 1024 * 1024,
            Work::Large => 32 * 1024 * 1024,
        };
        3 * half_space
    }
}

/// Starts isolates. One per process.
pub struct EngineHost {
    blob: &'static Blob,
    root: OnceLock<std::sync::mpsc::Sender<Box<dyn FnOnce() + Send>>>,
}

impl EngineHost {
    /// A host over the embedded snapshot. Costs nothing until [`EngineHost::start`].
    pub fn new(blob: &'static Blob) -> Arc<Self> {
        Arc::new(EngineHost { blob, root: OnceLock::new() })
    }

    /// Runs `job` on the thread that initialised V8, so that threads it spawns descend from it.
    fn on_root(&self, job: impl FnOnce() + Send + 'static) {
        let sender = self.root.get_or_init(|| {
            let (sender, receiver) = std::sync::mpsc::channel::<Box<dyn FnOnce() + Send>>();
            std::thread::Builder::new()
                .name("engine-root".into())
                .spawn(move || {
                    set_v8_flags();
                    JsRuntime::init_platform(None);
                    for job in receiver {
                        job();
                    }
                })
                .expect("the system refuses a thread");
            sender
        });
        // The root thread ends only with this sender.
        let _ = sender.send(Box::new(job));
    }

    /// Starts an isolate and waits until it can take calls.
    pub async fn start(&self, options: IsolateOptions) -> Result<IsolateHandle, EngineError> {
        let (ready_sender, ready) = oneshot::channel();
        let blob = self.blob;
        let heap_limit = options.heap_limit;
        let name = options.name.clone();
        let (jobs, job_receiver) = mpsc::unbounded_channel();
        let end = Arc::new(EndState::new(heap_limit));
        let thread_end = end.clone();
        if let Some(kind) = options.worker {
            let (spare, later) = (options.spare.clone(), options.spare.clone());
            self.on_root(move || spare.fill(blob, kind, heap_limit));
            tokio::spawn(async move {
                tokio::time::sleep(SPARE).await;
                later.give_up();
            });
        }
        self.on_root(move || isolate::spawn(blob, options, job_receiver, thread_end, ready_sender));
        let v8 = ready
            .await
            .map_err(|_| EngineError::Start { why: "its thread ended at once".into() })?
            .map_err(|why| EngineError::Start { why })?;
        Ok(IsolateHandle { shared: Arc::new(Shared { name, jobs, v8, end, next_call: AtomicU32::new(1) }) })
    }
}

/// Flags that deno_core does not set.
fn set_v8_flags() {
    let mut flags: Vec<String> = [
        "devtools-mcp",
        // Stack traces of our own errors should reach through the front-end's depth.
        "--stack-trace-limit=30",
        // The pages of an ended isolate would wait for the next one, for ever if there is none.
        "--no-memory-pool-share-memory-on-teardown",
    ]
    .map(str::to_owned)
    .to_vec();
    // For experiments with memory and speed; documented in docs/architecture.md.
    if let Ok(extra) = std::env::var("DEVTOOLS_MCP_V8_FLAGS") {
        flags.extend(extra.split_whitespace().map(str::to_owned));
    }
    let unknown = deno_core::v8_set_flags(flags);
    if unknown.len() > 1 {
        tracing::warn!(?unknown, "V8 does not know these flags");
    }
}

struct Shared {
    name: String,
    jobs: mpsc::UnboundedSender<Job>,
    v8: v8::IsolateHandle,
    end: Arc<EndState>,
    next_call: AtomicU32,
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.end.set_aborted("it was dropped");
        self.v8.terminate_execution();
        tracing::debug!(isolate = %self.name, "isolate dropped");
    }
}

/// A running isolate. Clones share it; it ends when the last clone is dropped.
#[derive(Clone)]
pub struct IsolateHandle {
    shared: Arc<Shared>,
}

impl IsolateHandle {
    /// Calls a method and decodes its answer.
    ///
    /// Dropping the future marks the call as cancelled. On deadline or cancellation JavaScript gets a short grace to
    /// stop by itself, then the isolate is ended: half-done module state cannot be trusted. Not if others use it too.
    pub async fn call<T: DeserializeOwned>(&self, call: Call) -> Result<T, EngineError> {
        let Call { method, params, deadline, cancel, progress, input, output, link, shared } = call;
        let cancelled = Arc::new(AtomicBool::new(false));
        let _mark_cancelled_on_drop = SetOnDrop(cancelled.clone());
        let (reply, mut answer) = oneshot::channel();
        let id = self.shared.next_call.fetch_add(1, Ordering::Relaxed);
        let job = Job { id, method, params, input, output, progress, cancelled: cancelled.clone(), link, reply };
        if self.is_ended() || self.shared.jobs.send(job).is_err() {
            return Err(self.shared.end.error());
        }
        let end = &self.shared.end;
        let abort = tokio::select! {
            biased;
            answer = &mut answer => {
                let value = answer.unwrap_or_else(|_| Err(end.error()))?;
                return serde_json::from_value(value).map_err(|e| EngineError::Shape { method, why: e.to_string() });
            }
            // The thread answers its calls when it ends. One that cannot (see `MAX_GRANTS` in isolate.rs) must not keep them.
            () = async { end.ended().await; tokio::time::sleep(END_GRACE).await } => return Err(end.error()),
            () = cancel.cancelled() => EngineError::Cancelled,
            () = tokio::time::sleep(deadline) => EngineError::Deadline { deadline },
        };
        cancelled.store(true, Ordering::Relaxed);
        if shared {
            return Err(abort);
        }
        if tokio::time::timeout(ABORT_GRACE, &mut answer).await.is_err() {
            self.shared.end.set_aborted("a call did not stop when it was cancelled or timed out");
            self.shared.v8.terminate_execution();
        }
        Err(abort)
    }

    /// Whether the isolate can no longer take calls.
    pub fn is_ended(&self) -> bool {
        self.shared.jobs.is_closed() || self.shared.end.is_set()
    }

    /// The name given at start.
    pub fn name(&self) -> &str {
        &self.shared.name
    }
}

struct SetOnDrop(Arc<AtomicBool>);

impl Drop for SetOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Texts embedded by the binary, for [`crate::ops`].
pub(crate) fn resources(blob: &'static Blob) -> ResourceLookup {
    blob.resources
}

/// A `Mutex` that outlives panics of other holders: the data is plain values, never half-written.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
