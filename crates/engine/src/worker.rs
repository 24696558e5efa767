//! `HOST_RUNTIME.createWorker`: another isolate behind a `MessagePort`.
//!
//! The front-end hands messages to its workers by structured clone and may transfer ports. deno_web's message ports do
//! both between isolates, so a worker is an entangled pair of ports: one end is a resource of the parent, the other
//! travels to the worker's thread and becomes a resource there.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use deno_core::{JsRuntime, OpState, TransferredResource, op2, v8};
use deno_error::JsErrorBox;

use crate::host::{IsolateOptions, Work, lock};
use crate::isolate::{self, EndState};
use crate::snapshot::{Blob, CONNECT_WORKER, Kind, lookup_function};

/// The worker's end of the pair, on its way to the worker's thread.
pub(crate) type WorkerPort = Box<dyn TransferredResource>;

/// The workers an isolate has started.
pub(crate) struct Workers {
    blob: &'static Blob,
    heap_limit: usize,
    next: u32,
    running: HashMap<u32, Worker>,
    spare: Spare,
}

struct Worker {
    end: Arc<EndState>,
    ready: tokio::sync::oneshot::Receiver<Result<v8::IsolateHandle, String>>,
}

impl Drop for Worker {
    fn drop(&mut self) {
        // If it is still starting it sees this before its first message.
        self.end.set_aborted("its parent ended it");
        if let Ok(Ok(handle)) = self.ready.try_recv() {
            handle.terminate_execution();
        }
    }
}

/// A worker with the parent's end of its ports.
type Started = (Worker, WorkerPort);

/// A worker that was started before anybody asked for it, so that its isolate comes up beside its parent's and not
/// after it.
#[derive(Clone, Default)]
pub(crate) struct Spare(Arc<Mutex<Option<(Kind, Started)>>>);

impl Spare {
    /// Starts one. Must run on a descendant of the thread that initialised V8.
    pub fn fill(&self, blob: &'static Blob, kind: Kind, heap_limit: usize) {
        *lock(&self.0) = Some((kind, start(blob, kind, format!("{}-0", kind.name()), heap_limit)));
    }

    /// Ends it if nobody has taken it.
    pub fn give_up(&self) {
        lock(&self.0).take();
    }

    fn take(&self, kind: Kind) -> Option<Started> {
        lock(&self.0).take_if(|(spare, _)| *spare == kind).map(|(_, started)| started)
    }
}

impl Workers {
    pub fn new(blob: &'static Blob, heap_limit: usize, spare: Spare) -> Self {
        Workers { blob, heap_limit, next: 1, running: HashMap::new(), spare }
    }
}

fn start(blob: &'static Blob, kind: Kind, name: String, heap_limit: usize) -> Started {
    let (parent, child) = deno_web::create_entangled_message_port();
    let end = Arc::new(EndState::new(heap_limit));
    let options = IsolateOptions::new(kind, name, heap_limit).work(Work::Large);
    let ready = isolate::spawn_worker(blob, options, end.clone(), Box::new(child));
    (Worker { end, ready }, Box::new(parent))
}

/// Starts the worker whose entry point's file name is `entry`; returns its id and the parent's port resource.
#[op2]
pub fn op_dtm_worker_start(state: &mut OpState, #[string] entry: &str) -> Result<(u32, u32), JsErrorBox> {
    let kind = match entry {
        "heap_snapshot_worker-entrypoint.js" => Kind::HeapWorker,
        "formatter_worker-entrypoint.js" => Kind::FormatterWorker,
        other => {
            return Err(JsErrorBox::type_error(format!(
                "no worker is built from {other}: only the heap snapshot worker and the formatter worker are in this binary"
            )));
        }
    };
    let workers = state
        .try_borrow_mut::<Workers>()
        .ok_or_else(|| JsErrorBox::generic("workers cannot be started while a snapshot is made"))?;
    let id = workers.next;
    workers.next += 1;
    let new = || start(workers.blob, kind, format!("{}-{id}", kind.name()), workers.heap_limit);
    let (worker, port) = workers.spare.take(kind).unwrap_or_else(new);
    workers.running.insert(id, worker);
    let port = state.resource_table.add_rc_dyn(port.receive());
    Ok((id, port))
}

/// Ends a worker at once, whatever it is doing.
#[op2(fast)]
pub fn op_dtm_worker_terminate(state: &mut OpState, #[smi] id: u32) {
    if let Some(workers) = state.try_borrow_mut::<Workers>() {
        workers.running.remove(&id);
    }
}

/// Gives a fresh worker isolate its port and its role; messages posted while the snapshot was made are sent now.
pub(crate) fn connect(runtime: &mut JsRuntime, kind: Kind, port: WorkerPort) -> Result<(), String> {
    let resource = runtime.op_state().borrow_mut().resource_table.add_rc_dyn(port.receive());
    let connect = lookup_function(runtime, CONNECT_WORKER)?;
    let arguments = {
        deno_core::scope!(scope, runtime);
        let resource: v8::Local<v8::Value> = v8::Integer::new_from_unsigned(scope, resource).into();
        let role = v8::String::new(scope, kind.name()).ok_or("the role's name is too long")?;
        [resource, role.into()].map(|value| v8::Global::new(scope, value))
    };
    // `connectWorker` is synchronous: the future is settled already.
    match futures_util::FutureExt::now_or_never(runtime.call_with_args(&connect, &arguments)) {
        Some(Ok(_)) => Ok(()),
        Some(Err(error)) => Err(error.to_string()),
        None => Err("the worker's connect function did not return".into()),
    }
}
