//! The start-up snapshot: the builder that `build.rs` runs, and the blob the binary embeds.
//!
//! A blob holds the *evaluated* bundle: loading it runs no module code. Before it is written the bundle is warmed by
//! analysing small fixtures, because the blob keeps the bytecode of functions that have run.

use std::sync::Arc;

use deno_core::{JsRuntime, JsRuntimeForSnapshot, PollEventLoopOptions, RuntimeOptions, v8};

use crate::extension::extensions;
use crate::ops::ResourceLookup;

/// Global under which a bundle leaves its entry points.
pub const GLOBAL: &str = "__devtoolsMcp";
/// Entry point of service isolates: `dispatch(callId, method, params)`.
pub const DISPATCH: &str = "dispatch";
/// Entry point of worker isolates: `connectWorker(portResource, role)`.
pub const CONNECT_WORKER: &str = "connectWorker";

/// What an isolate is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The front-end: traces, universes of live pages, issues, CSS.
    Main,
    /// The front-end's heap snapshot worker.
    HeapWorker,
    /// The front-end's formatter worker (pretty printing, scopes for source maps).
    FormatterWorker,
}

impl Kind {
    /// Name for threads and logs, and of the role that a worker is told.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Main => "main",
            Kind::HeapWorker => "heap",
            Kind::FormatterWorker => "formatter",
        }
    }
}

/// Everything the binary embeds for the engine.
///
/// One snapshot for all kinds: V8's isolates share one read-only heap per process, which comes from the first isolate's
/// blob, and a snapshot made from scratch gets a read-only heap of its own (V8 15.0, `ReadOnlyPromotion`). A second blob
/// in the same process ends in a failed check inside V8.
pub struct Blob {
    /// Output of [`build`].
    pub snapshot: &'static [u8],
    /// The bundle's source map, gzip-compressed.
    pub source_map_gz: &'static [u8],
    /// Finds the front-end's text files.
    pub resources: ResourceLookup,
}

/// Evaluates a bundle, warms it and writes the snapshot.
///
/// `warm_ups` are JSON texts handed one after the other to the bundle's `warmUp`, which analyses them; then `seal` puts
/// the environment into the state a fresh isolate should see.
///
/// Must not run in a process that also runs isolates: V8's flags differ and nothing would notice.
pub fn build(bundle: Arc<str>, warm_ups: &[String]) -> Result<Box<[u8]>, String> {
    if let Some(position) = bundle.bytes().position(|b| b > 0x7f) {
        return Err(format!("the bundle has a byte above 0x7F at offset {position}; V8 would read it as Latin-1"));
    }
    let tokio = tokio::runtime::Builder::new_current_thread().enable_time().build().map_err(|e| e.to_string())?;
    let _entered = tokio.enter();
    let mut runtime =
        JsRuntimeForSnapshot::try_new(RuntimeOptions { extensions: extensions(Some(bundle)), ..Default::default() })
            .map_err(|error| format!("the bundle did not evaluate: {error}"))?;
    for text in warm_ups {
        let warm_up = lookup_function(&mut runtime, "warmUp")?;
        let argument = {
            deno_core::scope!(scope, &mut *runtime);
            let value: v8::Local<v8::Value> = v8::String::new(scope, text).ok_or("a warm-up text is too long")?.into();
            v8::Global::new(scope, value)
        };
        let future = runtime.call_with_args(&warm_up, &[argument]);
        tokio
            .block_on(runtime.with_event_loop_promise(future, PollEventLoopOptions::default()))
            .map_err(|error| format!("warming the bundle failed: {error}"))?;
    }
    let seal = lookup_function(&mut runtime, "seal")?;
    let future = runtime.call_with_args(&seal, &[]);
    tokio
        .block_on(runtime.with_event_loop_promise(future, PollEventLoopOptions::default()))
        .map_err(|error| format!("sealing the bundle failed: {error}"))?;
    drop(seal);
    tokio
        .block_on(runtime.run_event_loop(PollEventLoopOptions::default()))
        .map_err(|error| format!("the bundle left failing work behind: {error}"))?;
    // Real Intl objects made while warming hold native handles; they must be gone before V8 looks for such handles.
    runtime.v8_isolate().low_memory_notification();
    Ok(runtime.snapshot())
}

/// Fetches an entry point that the bundle left under [`GLOBAL`].
pub(crate) fn lookup_function(runtime: &mut JsRuntime, name: &str) -> Result<v8::Global<v8::Function>, String> {
    let value = runtime
        .execute_script("devtools-mcp:entry", format!("globalThis.{GLOBAL}.{name}"))
        .map_err(|error| error.to_string())?;
    deno_core::scope!(scope, runtime);
    let value = v8::Local::new(scope, value);
    let function: v8::Local<v8::Function> =
        value.try_into().map_err(|_| format!("the bundle does not export {name}"))?;
    Ok(v8::Global::new(scope, function))
}
