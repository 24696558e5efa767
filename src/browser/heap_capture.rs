//! Taking a heap snapshot of a page: from the browser's chunks straight into a file.
//!
//! A snapshot may be gigabytes. Chunks are never decoded into JSON values; they wait in a bulk subscription (nothing is
//! lost, a bounded number of bytes is in memory) and are written by a thread of their own, so other pages go on. Chrome
//! itself cannot stop what it has begun: who stops waiting only stops listening.
//!
//! The domain stays enabled: `HeapProfiler.disable` makes V8 forget which object had which id, and the snapshots of a page
//! could not be compared any more.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::time::Duration;

use devtools_engine::Progress;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc::{Receiver, UnboundedSender, channel};

use crate::cdp::{CdpError, Event, Session, decode};

const CHUNK: &str = "HeapProfiler.addHeapSnapshotChunk";
const EVENTS: &[&str] = &[CHUNK, "HeapProfiler.reportHeapSnapshotProgress"];

/// Bytes of chunks that may wait for the disk.
const WAITING: usize = 32 << 20;

/// How long Chrome may take; a heap of gigabytes takes minutes.
pub const LIMIT: Duration = Duration::from_secs(30 * 60);

/// Why there is no snapshot.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The browser refused or lost a call.
    #[error(transparent)]
    Cdp(#[from] CdpError),
    /// The file could not be written.
    #[error("the heap snapshot could not be written: {0}")]
    Write(#[from] io::Error),
    /// The browser said that it was done, but not everything came.
    #[error("the browser sent an incomplete heap snapshot ({bytes} bytes)")]
    Incomplete {
        /// What came.
        bytes: u64,
    },
}

impl CaptureError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            CaptureError::Cdp(CdpError::Disconnected { .. }) => "call list_pages: the browser is started again",
            CaptureError::Cdp(_) => "the page may have been closed or have crashed; call list_pages",
            CaptureError::Write(_) => "check the free space and the permissions of the folder",
            CaptureError::Incomplete { .. } => "take it again",
        }
    }
}

/// Takes a snapshot of a page into a file; the number of bytes.
pub async fn capture(
    session: &Session,
    file: File,
    progress: Option<UnboundedSender<Progress>>,
) -> Result<u64, CaptureError> {
    let mut events = session.subscribe_bulk(EVENTS, WAITING);
    session.call::<Value>("HeapProfiler.enable", json!({})).await?;
    session.call_within::<Value>("HeapProfiler.collectGarbage", json!({}), LIMIT).await?;
    let (chunks, receiver) = channel::<Event>(4);
    let writing = tokio::task::spawn_blocking(move || write(file, receiver));
    let params = json!({"reportProgress": progress.is_some()});
    let call = session.call_within::<Value>("HeapProfiler.takeHeapSnapshot", params, LIMIT);
    tokio::pin!(call);
    let answer = loop {
        tokio::select! {
            biased;
            event = events.next() => match event {
                // A writer that has failed says why below.
                Some(event) if event.method == CHUNK => _ = chunks.send(event).await,
                Some(event) => report(&event, progress.as_ref()),
                None => break call.await,
            },
            answer = &mut call => break answer,
        }
        if chunks.is_closed() {
            break Ok(Value::Null);
        }
    };
    // The browser answers after the last chunk; what came with the answer is waiting still.
    while let Some(event) = events.try_next().filter(|_| answer.is_ok()) {
        if event.method == CHUNK && chunks.send(event).await.is_err() {
            break;
        }
    }
    drop(chunks);
    let written = writing.await.map_err(io::Error::other)?;
    answer?;
    match written? {
        (bytes, Some(b'}')) => Ok(bytes),
        (bytes, _) => Err(CaptureError::Incomplete { bytes }),
    }
}

#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow)]
    chunk: Cow<'a, str>,
}

/// Writes chunks as they come; the number of bytes and the last one that is not white space.
fn write(file: File, mut chunks: Receiver<Event>) -> io::Result<(u64, Option<u8>)> {
    let mut file = BufWriter::with_capacity(1 << 20, file);
    let (mut bytes, mut last) = (0, None);
    while let Some(event) = chunks.blocking_recv() {
        let params = event.params.get();
        let text = match serde_json::from_str::<Chunk>(params) {
            Ok(chunk) => chunk.chunk,
            // Half a surrogate pair.
            Err(_) => Cow::Owned(decode::<Owned>(params).map_err(io::Error::other)?.chunk),
        };
        file.write_all(text.as_bytes())?;
        bytes += text.len() as u64;
        last = text.bytes().rev().find(|b| !b.is_ascii_whitespace()).or(last);
    }
    file.flush()?;
    Ok((bytes, last))
}

#[derive(Deserialize)]
struct Owned {
    chunk: String,
}

fn report(event: &Event, progress: Option<&UnboundedSender<Progress>>) {
    #[derive(Deserialize)]
    struct Reported {
        done: f64,
        total: f64,
    }
    if let (Some(progress), Ok(Reported { done, total })) = (progress, event.decode())
        && total > 0.0
    {
        let message = format!("taking the snapshot: {done} of {total} objects");
        let _ = progress.send(Progress { fraction: (done / total).min(1.0), message });
    }
}
