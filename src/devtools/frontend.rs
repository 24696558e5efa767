//! The isolate that all live pages share: issues, stacks, styles. Started on first use, given up when nobody has used it
//! for a while, replaced when it has ended.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use devtools_engine::{Call, EngineError, IsolateHandle, IsolateOptions, Kind, Link};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::blobs;

/// Heap of the isolate: universes of some hundred pages with their scripts and source maps.
const HEAP_LIMIT: usize = 1024 * 1024 * 1024;

/// Without universes and calls for so long, it is given up.
const IDLE: Duration = Duration::from_secs(60);

/// An isolate that does not answer even a ping within this is ended: something in it does not return.
const PING: Duration = Duration::from_secs(5);

struct Shared {
    isolate: Option<IsolateHandle>,
    used: Instant,
}

static SHARED: LazyLock<Mutex<Shared>> = LazyLock::new(|| Mutex::new(Shared { isolate: None, used: Instant::now() }));

/// Universes that are open.
static UNIVERSES: AtomicU64 = AtomicU64::new(0);

/// Counts one open universe while it lives.
pub(super) struct OpenUniverse(());

impl OpenUniverse {
    pub fn new() -> Self {
        UNIVERSES.fetch_add(1, Ordering::Relaxed);
        OpenUniverse(())
    }
}

impl Drop for OpenUniverse {
    fn drop(&mut self) {
        UNIVERSES.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What the isolate is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Stacks: the names of their functions usually take the formatter.
    Stacks,
    /// Anything else.
    Other,
}

/// The isolate, started if there is none.
pub(super) async fn isolate(purpose: Purpose) -> Result<IsolateHandle, EngineError> {
    static NUMBER: AtomicU32 = AtomicU32::new(1);
    let mut shared = SHARED.lock().await;
    shared.used = Instant::now();
    if let Some(isolate) = shared.isolate.as_ref().filter(|isolate| !isolate.is_ended()) {
        return Ok(isolate.clone());
    }
    let name = format!("frontend-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    let mut options = IsolateOptions::new(Kind::Main, name, HEAP_LIMIT);
    if purpose == Purpose::Stacks {
        options = options.with_worker(Kind::FormatterWorker);
    }
    let isolate = blobs::engine().start(options).await?;
    if shared.isolate.replace(isolate.clone()).is_none() {
        tokio::spawn(give_up_when_idle());
    }
    Ok(isolate)
}

async fn give_up_when_idle() {
    loop {
        tokio::time::sleep(IDLE / 4).await;
        let mut shared = SHARED.lock().await;
        if UNIVERSES.load(Ordering::Relaxed) == 0 && shared.used.elapsed() >= IDLE {
            shared.isolate = None;
            return;
        }
    }
}

/// Asks a method of the shared isolate.
pub async fn ask<T: DeserializeOwned>(
    method: &'static str,
    params: Value,
    deadline: Duration,
) -> Result<T, EngineError> {
    ask_on(&isolate(Purpose::Other).await?, method, params, deadline, None).await
}

/// The same on an isolate that is known, maybe with a link. A call that takes too long is given up; the isolate goes on
/// if it still answers.
pub(super) async fn ask_on<T: DeserializeOwned>(
    isolate: &IsolateHandle,
    method: &'static str,
    params: Value,
    deadline: Duration,
    link: Option<Link>,
) -> Result<T, EngineError> {
    let call = Call { deadline, link, shared: true, ..Call::new(method, params) };
    let result = isolate.call(call).await;
    if matches!(result, Err(EngineError::Deadline { .. })) {
        let isolate = isolate.clone();
        tokio::spawn(async move {
            // Not shared: if this takes too long as well, the isolate is ended.
            let ping = Call { deadline: PING, ..Call::new("live.ping", json!({})) };
            let _: Result<bool, _> = isolate.call(ping).await;
        });
    }
    result
}
