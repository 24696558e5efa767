//! Chrome's tracing on a page's session: start, end, and the recorded JSON as a stream of bytes into a file and into
//! the analysis at the same time. Events arrive in chunks, so no message holds a whole trace.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use flate2::write::GzEncoder;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::cdp::protocol::tracing as cdp_tracing;
use crate::cdp::{CdpError, Session};

/// How long Chrome may take to hand over the trace's stream after the recording has ended.
const COMPLETE_LIMIT: Duration = Duration::from_secs(120);
/// Size of Chrome's trace buffer in kB as in the original, and of one read of its stream in bytes.
pub const BUFFER_KB: f64 = 1_200_000.0;
const READ_BYTES: i64 = 4 * 1024 * 1024;
/// Milliseconds between Chrome's reports on how full its buffer is; DevTools' own value.
const USAGE_INTERVAL: f64 = 500.0;
/// Chunks that may wait for the analysis.
const CHUNKS_AHEAD: usize = 4;

/// A recording that has ended; its JSON waits in Chrome.
#[derive(Debug, Deserialize)]
pub struct Completed {
    /// The buffer was full and events are missing.
    #[serde(rename = "dataLossOccurred", default)]
    pub data_loss: bool,
    /// Handle of the stream.
    pub stream: String,
}

/// Starts recording these categories, and nothing else, into a buffer of this size.
pub async fn start(page: &Session, categories: &[String], buffer_kb: f64) -> Result<(), CdpError> {
    let config = cdp_tracing::TraceConfig {
        excluded_categories: Some(vec!["*".into()]),
        included_categories: Some(categories.to_vec()),
        trace_buffer_size_in_kb: Some(buffer_kb),
        ..Default::default()
    };
    let command = cdp_tracing::StartParams::builder()
        .transfer_mode(cdp_tracing::StartTransferMode::ReturnAsStream)
        .buffer_usage_reporting_interval(USAGE_INTERVAL)
        .trace_config(config)
        .build();
    page.send(command).await.map(|_| ())
}

/// Ends the recording and waits until its stream can be read.
pub async fn end(page: &Session) -> Result<Completed, CdpError> {
    const COMPLETE: &str = "Tracing.tracingComplete";
    let mut complete = page.subscribe(&[COMPLETE]);
    page.call::<Value>("Tracing.end", json!({})).await?;
    let completed = tokio::time::timeout(COMPLETE_LIMIT, complete.next())
        .await
        .map_err(|_| CdpError::Timeout { method: COMPLETE.into(), after: COMPLETE_LIMIT })?
        .ok_or(CdpError::TargetClosed { method: COMPLETE.into() })?;
    completed.decode().map_err(|e| CdpError::Shape { method: COMPLETE.into(), why: e.to_string() })
}

/// Lets go of a stream that nobody reads any more.
pub fn close(page: &Session, stream: &str) {
    page.post("IO.close", json!({"handle": stream}));
}

/// Where the chunks go on their way to the analysis.
pub type Chunks = mpsc::Sender<io::Result<Vec<u8>>>;

/// The two ends of the way to the analysis.
pub fn channel() -> (Chunks, ChannelReader) {
    let (sender, receiver) = mpsc::channel(CHUNKS_AHEAD);
    (sender, ChannelReader { chunks: receiver, current: io::Cursor::default() })
}

/// Reads the stream to its end, into the file and into the analysis. The outer error is the browser's; the inner one the
/// file's, which does not keep the rest from the analysis.
pub async fn copy(
    page: &Session,
    stream: &str,
    mut file: Option<Sink>,
    analysis: Chunks,
) -> Result<io::Result<()>, CdpError> {
    let mut written = Ok(());
    loop {
        let chunk = match read(page, stream).await {
            Ok(chunk) => chunk,
            Err(error) => {
                let _ = analysis.send(Err(io::Error::other(error.to_string()))).await;
                return Err(error);
            }
        };
        if let Some(sink) = &mut file {
            // Compression takes a while: let the other tasks of this thread go on.
            written = tokio::task::block_in_place(|| sink.write_all(&chunk.bytes));
            if written.is_err() {
                file = None;
            }
        }
        // The analysis may have failed already; the file is still completed.
        let _ = analysis.send(Ok(chunk.bytes)).await;
        if chunk.is_last {
            break;
        }
    }
    close(page, stream);
    if let Some(sink) = file {
        written = tokio::task::block_in_place(|| sink.finish());
    }
    Ok(written)
}

struct Chunk {
    bytes: Vec<u8>,
    is_last: bool,
}

async fn read(page: &Session, stream: &str) -> Result<Chunk, CdpError> {
    #[derive(Deserialize)]
    struct Answer {
        #[serde(rename = "base64Encoded", default)]
        base64: bool,
        data: String,
        eof: bool,
    }
    let answer: Answer = page.call("IO.read", json!({"handle": stream, "size": READ_BYTES})).await?;
    let bytes = if answer.base64 {
        base64::engine::general_purpose::STANDARD
            .decode(&answer.data)
            .map_err(|e| CdpError::Shape { method: "IO.read".into(), why: e.to_string() })?
    } else {
        answer.data.into_bytes()
    };
    Ok(Chunk { bytes, is_last: answer.eof })
}

/// The trace's file, compressed by its name.
pub enum Sink {
    /// As Chrome wrote it.
    Plain(File),
    /// gzip.
    Gzip(Box<GzEncoder<File>>),
}

impl Sink {
    /// Writes to this file from its beginning; `path` is its name.
    pub fn new(file: File, path: &Path) -> Self {
        match path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gz")) {
            true => Sink::Gzip(Box::new(GzEncoder::new(file, flate2::Compression::default()))),
            false => Sink::Plain(file),
        }
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Sink::Plain(file) => file.write_all(bytes),
            Sink::Gzip(encoder) => encoder.write_all(bytes),
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Sink::Plain(file) => file.sync_data(),
            Sink::Gzip(encoder) => encoder.finish()?.sync_data(),
        }
    }
}

/// Reads what arrives on the way to the analysis; for its own thread.
pub struct ChannelReader {
    chunks: mpsc::Receiver<io::Result<Vec<u8>>>,
    current: io::Cursor<Vec<u8>>,
}

impl Read for ChannelReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.current.read(buffer)?;
            if count > 0 {
                return Ok(count);
            }
            match self.chunks.blocking_recv() {
                Some(chunk) => self.current = io::Cursor::new(chunk?),
                None => return Ok(0),
            }
        }
    }
}
