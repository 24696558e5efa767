//! One isolate on its thread: start from the blob, take jobs, run the event loop, end.
//!
//! The thread owns a current-thread tokio runtime with time enabled: V8's delayed tasks are put on the runtime that was
//! current when the `JsRuntime` was created, and the process aborts if there was none.

use std::cell::RefCell;
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock, Mutex};
use std::task::Poll;

use deno_core::error::JsError;
use deno_core::{JsRuntime, OpState, PollEventLoopOptions, RuntimeOptions, SharedArrayBufferStore, v8};
use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::error::EngineError;
use crate::extension::extensions;
use crate::host::{InputPiece, IsolateOptions, Progress, lock};
use crate::link::{Link, Links};
use crate::loader::BundleLoader;
use crate::ops::{CallState, Calls, IsolateState};
use crate::snapshot::{Blob, DISPATCH, Kind, lookup_function};
use crate::worker::{WorkerPort, Workers};

/// Where array buffers lie while they travel from one isolate to another.
static TRANSFERS: LazyLock<SharedArrayBufferStore> = LazyLock::new(SharedArrayBufferStore::default);

/// Native stack of an isolate's thread. V8 uses about 1 MB of it; JSON and the front-end's recursive walkers need room.
const THREAD_STACK: usize = 8 * 1024 * 1024;

/// Extra heap granted when the limit is reached, so that the termination can unwind. One input piece (a few megabytes
/// of JSON) may still be in the middle of becoming objects, since native code does not look at the termination flag.
const UNWIND_SLACK: usize = 192 * 1024 * 1024;

/// How often [`UNWIND_SLACK`] is granted before the thread is stopped where it is. Optimised loops that call nothing do
/// not look at the termination flag when it is set by a garbage collection (seen in V8 15.0): they would go on until V8
/// ends the process.
const MAX_GRANTS: u32 = 4;

/// A request on its way to the isolate.
pub(crate) struct Job {
    pub id: u32,
    pub method: &'static str,
    pub params: serde_json::Value,
    pub input: Option<std::sync::mpsc::Receiver<InputPiece>>,
    pub output: Option<std::sync::mpsc::SyncSender<InputPiece>>,
    pub progress: Option<mpsc::UnboundedSender<Progress>>,
    pub cancelled: Arc<AtomicBool>,
    pub link: Option<Link>,
    pub reply: oneshot::Sender<Result<serde_json::Value, EngineError>>,
}

#[derive(Clone)]
enum End {
    OutOfMemory,
    Aborted(&'static str),
    Failed(String),
}

/// Why an isolate ended, readable from both sides. The first reason stays.
pub(crate) struct EndState {
    heap_limit: usize,
    end: Mutex<Option<End>>,
    ended: CancellationToken,
}

impl EndState {
    pub fn new(heap_limit: usize) -> Self {
        EndState { heap_limit, end: Mutex::new(None), ended: CancellationToken::new() }
    }

    fn set(&self, end: End) {
        lock(&self.end).get_or_insert(end);
        self.ended.cancel();
    }

    /// Completes when there is a reason.
    pub async fn ended(&self) {
        self.ended.cancelled().await;
    }

    pub fn set_aborted(&self, why: &'static str) {
        self.set(End::Aborted(why));
    }

    pub fn is_set(&self) -> bool {
        lock(&self.end).is_some()
    }

    pub fn error(&self) -> EngineError {
        match lock(&self.end).clone() {
            Some(End::OutOfMemory) => EngineError::OutOfMemory { limit_bytes: self.heap_limit },
            Some(End::Aborted(why)) => EngineError::Ended { why: why.into() },
            Some(End::Failed(why)) => EngineError::Ended { why },
            None => EngineError::Ended { why: "it was dropped".into() },
        }
    }
}

type Ready = oneshot::Sender<Result<v8::IsolateHandle, String>>;

/// Starts the isolate's thread. Must run on a descendant of the thread that initialised V8.
pub(crate) fn spawn(
    blob: &'static Blob,
    options: IsolateOptions,
    jobs: mpsc::UnboundedReceiver<Job>,
    end: Arc<EndState>,
    ready: Ready,
) {
    spawn_thread(blob, options, end, ready, Role::Service(jobs));
}

/// Starts the thread of a worker (`HOST_RUNTIME.createWorker`), which talks through `port` only.
pub(crate) fn spawn_worker(
    blob: &'static Blob,
    options: IsolateOptions,
    end: Arc<EndState>,
    port: WorkerPort,
) -> oneshot::Receiver<Result<v8::IsolateHandle, String>> {
    let (ready, receiver) = oneshot::channel();
    spawn_thread(blob, options, end, ready, Role::Worker(port));
    receiver
}

enum Role {
    Service(mpsc::UnboundedReceiver<Job>),
    Worker(WorkerPort),
}

fn spawn_thread(blob: &'static Blob, options: IsolateOptions, end: Arc<EndState>, ready: Ready, role: Role) {
    let name = options.name.clone();
    let thread = std::thread::Builder::new().name(name.clone()).stack_size(THREAD_STACK).spawn(move || {
        let tokio = match tokio::runtime::Builder::new_current_thread().enable_time().build() {
            Ok(tokio) => tokio,
            Err(error) => {
                let _ = ready.send(Err(error.to_string()));
                return;
            }
        };
        let _entered = tokio.enter();
        let started = std::time::Instant::now();
        match start(blob, &options, &end) {
            Ok(mut runtime) => {
                let heap = runtime.v8_isolate().get_heap_statistics();
                tracing::debug!(
                    isolate = %options.name,
                    elapsed = ?started.elapsed(),
                    heap_used = heap.used_heap_size(),
                    heap_physical = heap.total_physical_size(),
                    "isolate ready"
                );
                let _ = ready.send(Ok(runtime.v8_isolate().thread_safe_handle()));
                match role {
                    Role::Service(jobs) => tokio.block_on(serve(&mut runtime, jobs, &end)),
                    Role::Worker(port) => tokio.block_on(serve_worker(&mut runtime, options.kind, port, &end)),
                }
                drop(runtime);
                release_memory();
            }
            Err(why) => {
                let _ = ready.send(Err(why));
            }
        }
    });
    if let Err(error) = thread {
        tracing::error!(%error, isolate = %name, "the system refuses a thread");
    }
}

/// Gives freed memory back to the system. V8 returns its heap with the isolate; what the C++ and Rust sides freed stays in
/// glibc's arenas unless told. Does nothing with other allocators.
pub fn release_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: malloc_trim has no preconditions.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Once an isolate has started, most of the blob it was read from is not looked at again. Its pages belong to the
/// executable's file: dropping them costs nothing, and what is needed again (sources) is read in again.
fn forget_pages(blob: &'static [u8]) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 4096;
        let (start, end) = (blob.as_ptr() as usize, blob.as_ptr() as usize + blob.len());
        let (first, last) = (start.next_multiple_of(PAGE), end / PAGE * PAGE);
        if first < last {
            // SAFETY: the range lies inside a read-only mapping of the executable; its pages are clean and come back
            // from the file when they are touched.
            unsafe {
                libc::madvise(first as *mut libc::c_void, last - first, libc::MADV_DONTNEED);
            }
        }
    }
    let _ = blob;
}

fn start(blob: &'static Blob, options: &IsolateOptions, end: &Arc<EndState>) -> Result<JsRuntime, String> {
    let mut runtime = JsRuntime::try_new(RuntimeOptions {
        startup_snapshot: Some(blob.snapshot),
        extensions: extensions(None),
        skip_op_registration: true,
        create_params: Some(
            v8::CreateParams::default()
                .heap_limits(0, options.heap_limit)
                .set_max_young_generation_size_in_bytes(options.work.young_generation()),
        ),
        // Buffers and ports that workers hand to each other pass through it: one for all isolates of the process.
        shared_array_buffer_store: Some(TRANSFERS.clone()),
        module_loader: Some(Rc::new(BundleLoader { source_map_gz: blob.source_map_gz })),
        ..Default::default()
    })
    .map_err(|error| error.to_string())?;
    forget_pages(blob.snapshot);
    let handle = runtime.v8_isolate().thread_safe_handle();
    let limit_end = end.clone();
    let mut grants = 0;
    // Runs inside the garbage collector: no allocation in JavaScript, only flags.
    runtime.add_near_heap_limit_callback(move |current, _initial| {
        limit_end.set(End::OutOfMemory);
        handle.terminate_execution();
        grants += 1;
        if grants > MAX_GRANTS {
            tracing::error!("an isolate that is out of memory does not stop; its thread is parked and its memory kept");
            loop {
                std::thread::park();
            }
        }
        current + UNWIND_SLACK
    });
    let state = runtime.op_state();
    let mut state = state.borrow_mut();
    state.put(IsolateState {
        name: options.name.clone(),
        started: std::time::Instant::now(),
        resources: crate::host::resources(blob),
    });
    state.put(Calls::default());
    state.put(Links::default());
    state.put(Workers::new(blob, options.heap_limit, options.spare.clone()));
    drop(state);
    Ok(runtime)
}

type Answer = (u32, Result<v8::Global<v8::Value>, Box<JsError>>);
type RunningCall = Pin<Box<dyn Future<Output = Answer>>>;
type Running = FuturesUnordered<RunningCall>;

async fn serve(runtime: &mut JsRuntime, mut jobs: mpsc::UnboundedReceiver<Job>, end: &EndState) {
    let dispatch = match lookup_function(runtime, DISPATCH) {
        Ok(function) => function,
        Err(why) => return end.set(End::Failed(why)),
    };
    let state = runtime.op_state();
    let mut running: Running = FuturesUnordered::new();
    let mut replies: HashMap<u32, oneshot::Sender<_>> = HashMap::new();
    std::future::poll_fn(|cx| {
        loop {
            let mut progressed = false;
            match jobs.poll_recv(cx) {
                Poll::Ready(Some(job)) => {
                    progressed = true;
                    let id = job.id;
                    let (reply, result) = begin(runtime, &dispatch, &state, job);
                    match result {
                        Ok(future) => {
                            replies.insert(id, reply);
                            running.push(future);
                        }
                        Err(error) => {
                            state.borrow_mut().borrow_mut::<Calls>().0.remove(&id);
                            let _ = reply.send(Err(error));
                        }
                    }
                }
                Poll::Ready(None) => return Poll::Ready(()),
                Poll::Pending => {}
            }
            if let Poll::Ready(Err(error)) = runtime.poll_event_loop(cx, PollEventLoopOptions::default()) {
                // An unhandled rejection belongs to no call; the calls themselves report their own.
                tracing::warn!(target: "engine", "uncaught in the engine: {error}");
                progressed = true;
            }
            if end.is_set() {
                return Poll::Ready(());
            }
            while let Poll::Ready(Some((id, answer))) = running.poll_next_unpin(cx) {
                progressed = true;
                state.borrow_mut().borrow_mut::<Calls>().0.remove(&id);
                if let Some(reply) = replies.remove(&id) {
                    let _ = reply.send(decode(runtime, answer));
                }
            }
            if end.is_set() {
                return Poll::Ready(());
            }
            if !progressed {
                return Poll::Pending;
            }
        }
    })
    .await;
    // Everything that waits for this isolate learns why it ended.
    for (_, reply) in replies {
        let _ = reply.send(Err(end.error()));
    }
    jobs.close();
    while let Ok(job) = jobs.try_recv() {
        let _ = job.reply.send(Err(end.error()));
    }
}

type Reply = oneshot::Sender<Result<serde_json::Value, EngineError>>;

/// Calls `dispatch(id, method, params)`; the future settles while the event loop is polled.
fn begin(
    runtime: &mut JsRuntime,
    dispatch: &v8::Global<v8::Function>,
    state: &Rc<RefCell<OpState>>,
    job: Job,
) -> (Reply, Result<RunningCall, EngineError>) {
    let Job { id, method, params, input, output, progress, cancelled, link, reply } = job;
    state.borrow_mut().borrow_mut::<Calls>().0.insert(id, CallState { input, output, progress, cancelled, link });
    let arguments = {
        deno_core::scope!(scope, runtime);
        let params = match serde_v8::to_v8(scope, &params) {
            Ok(params) => params,
            Err(error) => return (reply, Err(EngineError::Shape { method, why: error.to_string() })),
        };
        let id: v8::Local<v8::Value> = v8::Integer::new_from_unsigned(scope, id).into();
        let Some(name) = v8::String::new(scope, method) else {
            return (reply, Err(EngineError::Shape { method, why: "the method name is too long".into() }));
        };
        [id, name.into(), params].map(|value| v8::Global::new(scope, value))
    };
    let future = runtime.call_with_args(dispatch, &arguments);
    (reply, Ok(Box::pin(async move { (id, future.await) })))
}

fn decode(
    runtime: &mut JsRuntime,
    answer: Result<v8::Global<v8::Value>, Box<JsError>>,
) -> Result<serde_json::Value, EngineError> {
    let value = answer.map_err(|error| js_error(&error))?;
    deno_core::scope!(scope, runtime);
    let value = v8::Local::new(scope, value);
    serde_v8::from_v8(scope, value).map_err(|error| EngineError::Shape { method: "dispatch", why: error.to_string() })
}

/// Turns a JavaScript error into ours, with the frames that deno_core mapped through our source maps.
pub(crate) fn js_error(error: &JsError) -> EngineError {
    let name = error.name.clone().unwrap_or_else(|| "Error".into());
    let message = error.message.clone().filter(|m| !m.is_empty()).unwrap_or_else(|| error.exception_message.clone());
    let mut stack = String::new();
    for frame in &error.frames {
        let function = frame.function_name.as_deref().unwrap_or("<anonymous>");
        let file = frame.file_name.as_deref().unwrap_or("<unknown>");
        let (line, column) = (frame.line_number.unwrap_or(0), frame.column_number.unwrap_or(0));
        stack.push_str(&format!("    at {function} ({file}:{line}:{column})\n"));
    }
    if stack.is_empty() {
        stack = error.stack.clone().unwrap_or_default();
    }
    EngineError::Js { name, message, stack }
}

async fn serve_worker(runtime: &mut JsRuntime, kind: Kind, port: WorkerPort, end: &EndState) {
    if let Err(why) = crate::worker::connect(runtime, kind, port) {
        tracing::error!("a worker did not start: {why}");
        return end.set(End::Failed(why));
    }
    std::future::poll_fn(|cx| {
        let polled = runtime.poll_event_loop(cx, PollEventLoopOptions::default());
        if end.is_set() {
            return Poll::Ready(());
        }
        match polled {
            Poll::Ready(Ok(())) => Poll::Ready(()),
            Poll::Ready(Err(error)) => {
                tracing::warn!(target: "engine", "uncaught in a worker: {error}");
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            Poll::Pending => Poll::Pending,
        }
    })
    .await;
}
