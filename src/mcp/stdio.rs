//! JSON-RPC over standard input and output, one message a line.
//!
//! Differences from rmcp's own transport, each because the original's clients rely on it:
//! - the output is the descriptor that was duplicated at start; fd 1 itself points to stderr, so that nothing that
//!   JavaScript, V8 or a library prints can get between two messages;
//! - a line that is not JSON-RPC is dropped without an answer and the connection stays up;
//! - requests that come before `initialize` are served: a session is opened for them with a synthetic one.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};

use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::annotations;

/// Longest line that is read; longer ones are skipped. Screenshots and scripts travel in arguments, traces do not.
const MAX_LINE: usize = 64 * 1024 * 1024;

/// Id of the synthetic `initialize`; its answer is swallowed.
const SYNTHETIC_ID: &str = "devtools-mcp:implicit-initialize";

/// Messages that may wait for a client that does not read.
const OUTGOING: usize = 64;

/// A message on its way out.
struct Outgoing {
    line: Vec<u8>,
    written: oneshot::Sender<io::Result<()>>,
}

/// Writes messages in their order, on a thread of its own: a client that does not read blocks nothing else.
fn start_writer(mut output: File) -> io::Result<mpsc::Sender<Outgoing>> {
    let (sender, mut receiver) = mpsc::channel::<Outgoing>(OUTGOING);
    std::thread::Builder::new().name("mcp-writer".into()).spawn(move || {
        while let Some(Outgoing { line, written }) = receiver.blocking_recv() {
            let _ = written.send(output.write_all(&line).and_then(|()| output.flush()));
        }
    })?;
    Ok(sender)
}

/// The transport.
pub struct Stdio {
    input: BufReader<Box<dyn AsyncRead + Send + Unpin>>,
    output: mpsc::Sender<Outgoing>,
    line: Vec<u8>,
    skipping: bool,
    initialized: bool,
    queued: VecDeque<Value>,
    ended: CancellationToken,
}

impl Stdio {
    /// Fires when the client has closed its end.
    pub fn ended(&self) -> CancellationToken {
        self.ended.clone()
    }

    /// `output` is the real standard output.
    pub fn new(output: File) -> io::Result<Self> {
        Ok(Stdio {
            input: BufReader::with_capacity(64 * 1024, input()?),
            output: start_writer(output)?,
            line: Vec::new(),
            skipping: false,
            initialized: false,
            queued: VecDeque::new(),
            ended: CancellationToken::new(),
        })
    }

    /// The next line without its line break, or `None` at the end. Cancel-safe: what was read stays in `self.line`.
    async fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            let available = self.input.fill_buf().await?;
            if available.is_empty() {
                // An unterminated last line still counts.
                let rest = std::mem::take(&mut self.line);
                return Ok((!rest.is_empty() && !self.skipping).then_some(rest));
            }
            let end = memchr::memchr(b'\n', available);
            let count = end.map_or(available.len(), |e| e + 1);
            if !self.skipping {
                self.line.extend_from_slice(&available[..end.unwrap_or(available.len())]);
            }
            self.input.consume(count);
            if self.line.len() > MAX_LINE {
                tracing::warn!("a message longer than {MAX_LINE} bytes was dropped");
                self.line = Vec::new();
                self.skipping = true;
            }
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                if std::mem::take(&mut self.skipping) {
                    continue;
                }
                return Ok(Some(line));
            }
        }
    }

    /// Opens a session for a client that does not (yet) initialise and does not use the newer, session-less protocol.
    fn admit(&mut self, message: Value) {
        if !self.initialized && message.get("method").is_some() {
            let method = message["method"].as_str().unwrap_or_default();
            let sessionless = message.pointer("/params/_meta").is_some();
            if method == "initialize" || (sessionless && message.get("id").is_some()) {
                self.initialized = true;
            } else if method != "ping" {
                self.initialized = true;
                self.queued.push_back(json!({
                    "jsonrpc": "2.0", "id": SYNTHETIC_ID, "method": "initialize",
                    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "unknown", "version": "0"}},
                }));
            }
        }
        self.queued.push_back(message);
    }
}

/// Standard input without blocking threads where it is a pipe, as MCP clients make it.
#[cfg(target_os = "linux")]
fn input() -> io::Result<Box<dyn AsyncRead + Send + Unpin>> {
    use std::os::unix::fs::FileTypeExt;
    let is_pipe = std::fs::metadata("/proc/self/fd/0").is_ok_and(|m| m.file_type().is_fifo());
    // Reopened, so that the flag for non-blocking reads does not reach whoever else holds the pipe.
    match is_pipe.then(|| tokio::net::unix::pipe::OpenOptions::new().open_receiver("/proc/self/fd/0")) {
        Some(Ok(receiver)) => Ok(Box::new(receiver)),
        _ => Ok(Box::new(tokio::io::stdin())),
    }
}

#[cfg(not(target_os = "linux"))]
fn input() -> io::Result<Box<dyn AsyncRead + Send + Unpin>> {
    Ok(Box::new(tokio::io::stdin()))
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(&mut self, item: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = self.output.clone();
        async move {
            let mut message = serde_json::to_value(&item)?;
            if message.get("id").and_then(Value::as_str) == Some(SYNTHETIC_ID) {
                return Ok(());
            }
            annotations::complete(&mut message);
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let (written, done) = oneshot::channel();
            let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
            output.send(Outgoing { line, written }).await.map_err(|_| gone())?;
            done.await.map_err(|_| gone())?
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            while let Some(message) = self.queued.pop_front() {
                match serde_json::from_value(message) {
                    Ok(message) => return Some(message),
                    Err(error) => tracing::warn!("a message that is not JSON-RPC of MCP was dropped: {error}"),
                }
            }
            let line = match self.next_line().await {
                Ok(Some(line)) => line,
                Ok(None) => {
                    self.ended.cancel();
                    return None;
                }
                Err(error) => {
                    tracing::warn!("standard input failed: {error}");
                    self.ended.cancel();
                    return None;
                }
            };
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match serde_json::from_slice(&line) {
                Ok(message) => self.admit(message),
                Err(error) => tracing::warn!("a line that is not JSON was dropped: {error}"),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}
