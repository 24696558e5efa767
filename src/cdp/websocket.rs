//! The WebSocket transport: handshake with headers and redirects, keep-alive, whole messages.
//!
//! No compression: on one machine it costs more than it saves, and Chrome offers none. Text and binary messages are the
//! same to us; some relays send binary ones.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use base64::Engine as _;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::error::{CapacityError, ProtocolError};
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Bytes, Error as WsError, Message};
use tokio_tungstenite::{Connector, MaybeTlsStream, WebSocketStream};
use tokio_util::sync::{CancellationToken, DropGuard};
use url::Url;

use super::transport::{BoxFuture, Reader, Writer};
use super::trust;

/// Redirects that are followed.
const REDIRECTS: usize = 10;

/// Headers that belong to the handshake itself.
const RESERVED: [&str; 6] = [
    "connection",
    "upgrade",
    "sec-websocket-key",
    "sec-websocket-version",
    "sec-websocket-accept",
    "sec-websocket-extensions",
];

/// Headers that are for one server only and are not carried to another one by a redirect.
const SECRET: [&str; 4] = ["authorization", "proxy-authorization", "cookie", "host"];

/// How to connect.
#[derive(Debug, Clone)]
pub struct Options {
    /// More headers of the handshake.
    pub headers: Vec<(String, String)>,
    /// How long one server may take to accept the TCP connection.
    pub reach_within: Duration,
    /// How long all of it may take. Chrome may be asking its user for permission meanwhile.
    pub connect_within: Duration,
    /// Time between pings, and the longest silence after one.
    pub keep_alive: Duration,
    /// Longest message that is read, in bytes.
    pub max_message: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            headers: Vec::new(),
            reach_within: Duration::from_secs(10),
            connect_within: Duration::from_secs(50),
            keep_alive: Duration::from_secs(30),
            max_message: 256 * 1024 * 1024,
        }
    }
}

/// Why there is no connection. Addresses are told without their query and user: both may be secrets.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ConnectError {
    /// Not an address for a WebSocket.
    #[error("{url} is not a ws: or wss: address")]
    Address { url: String },
    /// A header that cannot be sent.
    #[error("the header {name:?} has a name or value that HTTP does not allow")]
    Header { name: String },
    /// Nobody there.
    #[error("cannot reach {address}: {why}")]
    Unreachable { address: String, why: String },
    /// Certificate or TLS itself.
    #[error("no secure connection to {address}: {why}")]
    Tls { address: String, why: String },
    /// An HTTP answer instead of a WebSocket.
    #[error("{url} answered with HTTP {status}{}", if line.is_empty() { String::new() } else { format!(": {line}") })]
    Status { url: String, status: u16, line: String },
    /// An answer that is neither.
    #[error("{url} did not open a WebSocket: {why}")]
    Handshake { url: String, why: String },
    /// Redirected round and round.
    #[error("{url} redirects more than {REDIRECTS} times")]
    Redirects { url: String },
    /// It took too long.
    #[error("{url} did not open a WebSocket within {} s", after.as_secs_f32())]
    Timeout { url: String, after: Duration },
}

/// An address as it may be shown: without user, query and fragment.
pub fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.to_string()
}

/// `Basic` credentials of an address that carries a user.
pub fn credentials(url: &Url) -> Option<String> {
    if url.username().is_empty() && url.password().is_none() {
        return None;
    }
    let pair = format!("{}:{}", percent_decoded(url.username()), percent_decoded(url.password().unwrap_or_default()));
    Some(format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(pair)))
}

/// Percent-decoding, for the user part of an address.
fn percent_decoded(text: &str) -> String {
    // A form's decoder with its one difference taken back.
    let query = format!("v={}", text.replace('+', "%2B").replace('&', "%26"));
    url::form_urlencoded::parse(query.as_bytes()).next().map(|(_, value)| value.into_owned()).unwrap_or_default()
}

/// A TCP stream that notes when something arrives.
struct Watched {
    stream: TcpStream,
    heard: Arc<AtomicBool>,
}

impl AsyncRead for Watched {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        let result = Pin::new(&mut self.stream).poll_read(context, into);
        if into.filled().len() > before {
            self.heard.store(true, Ordering::Relaxed);
        }
        result
    }
}

impl AsyncWrite for Watched {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

type Socket = WebSocketStream<MaybeTlsStream<Watched>>;
type Sink = Arc<Mutex<SplitSink<Socket, Message>>>;

/// Sends to the browser.
pub struct WebSocketWriter(Sink);

/// Receives from the browser.
pub struct WebSocketReader {
    stream: SplitStream<Socket>,
    /// Cancelled by the keep-alive task when the other side is silent.
    dead: CancellationToken,
    silence: Duration,
    /// Ends the keep-alive task.
    _alive: DropGuard,
}

/// Connects, following redirects.
pub async fn connect(url: &str, options: &Options) -> Result<(WebSocketReader, WebSocketWriter), ConnectError> {
    let url = Url::parse(url).map_err(|_| ConnectError::Address { url: url.to_owned() })?;
    let (socket, heard) = tokio::time::timeout(options.connect_within, follow(url.clone(), options))
        .await
        .map_err(|_| ConnectError::Timeout { url: shown(&url), after: options.connect_within })??;
    let (sink, stream) = socket.split();
    let sink = Arc::new(Mutex::new(sink));
    let (dead, stop) = (CancellationToken::new(), CancellationToken::new());
    tokio::spawn(keep_alive(Arc::downgrade(&sink), heard, options.keep_alive, dead.clone(), stop.clone()));
    let reader = WebSocketReader { stream, dead, silence: options.keep_alive, _alive: stop.drop_guard() };
    Ok((reader, WebSocketWriter(sink)))
}

async fn follow(mut url: Url, options: &Options) -> Result<(Socket, Arc<AtomicBool>), ConnectError> {
    let first = url.clone();
    let mut headers = options.headers.clone();
    for _ in 0..=REDIRECTS {
        match handshake(&url, &headers, options).await? {
            Answer::Open(socket, heard) => return Ok((*socket, heard)),
            Answer::Redirect(location) => {
                let mut next = url.join(&location).map_err(|_| ConnectError::Address { url: location.clone() })?;
                let scheme = match next.scheme() {
                    "http" => "ws",
                    "https" => "wss",
                    other => other,
                }
                .to_owned();
                // Only fails for schemes of another kind, which the next handshake refuses.
                let _ = next.set_scheme(&scheme);
                let same = (next.scheme(), next.host_str(), next.port_or_known_default())
                    == (url.scheme(), url.host_str(), url.port_or_known_default());
                if !same {
                    headers.retain(|(name, _)| !SECRET.contains(&name.to_ascii_lowercase().as_str()));
                }
                url = next;
            }
        }
    }
    Err(ConnectError::Redirects { url: shown(&first) })
}

enum Answer {
    Open(Box<Socket>, Arc<AtomicBool>),
    Redirect(String),
}

async fn handshake(url: &Url, headers: &[(String, String)], options: &Options) -> Result<Answer, ConnectError> {
    let not_ours = || ConnectError::Address { url: shown(url) };
    if !["ws", "wss"].contains(&url.scheme()) {
        return Err(not_ours());
    }
    let host = match url.host().ok_or_else(not_ours)? {
        url::Host::Domain(name) => name.to_owned(),
        url::Host::Ipv4(ip) => ip.to_string(),
        url::Host::Ipv6(ip) => ip.to_string(),
    };
    let port = url.port_or_known_default().ok_or_else(not_ours)?;
    let mut plain = url.clone();
    plain.set_fragment(None);
    let _ = plain.set_username("");
    let _ = plain.set_password(None);
    let mut request = plain.as_str().into_client_request().map_err(|_| not_ours())?;
    let login = credentials(url).map(|value| ("Authorization".to_owned(), value));
    for (name, value) in login.iter().chain(headers) {
        if RESERVED.contains(&name.to_ascii_lowercase().as_str()) {
            continue;
        }
        let bad = |_| ConnectError::Header { name: name.clone() };
        let value = HeaderValue::from_bytes(value.as_bytes()).map_err(|e| bad(e.to_string()))?;
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|e| bad(e.to_string()))?;
        request.headers_mut().insert(key, value);
    }
    let address = if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
    let unreachable = |why: String| ConnectError::Unreachable { address: address.clone(), why };
    let stream = match tokio::time::timeout(options.reach_within, TcpStream::connect((host.as_str(), port))).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionRefused => {
            return Err(unreachable("connection refused, nothing listens there".into()));
        }
        Ok(Err(error)) => return Err(unreachable(error.to_string())),
        Err(_) => return Err(unreachable(format!("no answer within {} s", options.reach_within.as_secs_f32()))),
    };
    let _ = stream.set_nodelay(true);
    let heard = Arc::new(AtomicBool::new(true));
    let stream = Watched { stream, heard: heard.clone() };
    let connector = (url.scheme() == "wss").then(|| Connector::Rustls(trust::client_config()));
    let config = WebSocketConfig::default()
        .max_message_size(Some(options.max_message))
        .max_frame_size(Some(options.max_message));
    match tokio_tungstenite::client_async_tls_with_config(request, stream, Some(config), connector).await {
        Ok((socket, _)) => Ok(Answer::Open(Box::new(socket), heard)),
        Err(WsError::Http(response)) => {
            let status = response.status();
            let location = response.headers().get("location").and_then(|l| l.to_str().ok());
            if let (true, Some(location)) = (status.is_redirection(), location) {
                return Ok(Answer::Redirect(location.to_owned()));
            }
            let body = response.body().as_deref().unwrap_or_default();
            let line = first_line(&String::from_utf8_lossy(body));
            Err(ConnectError::Status { url: shown(url), status: status.as_u16(), line })
        }
        Err(WsError::Tls(error)) => Err(ConnectError::Tls { address, why: error.to_string() }),
        // How rustls' failures arrive.
        Err(WsError::Io(error)) if error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>()) => {
            Err(ConnectError::Tls { address, why: error.to_string() })
        }
        Err(error) => Err(ConnectError::Handshake { url: shown(url), why: explain(error) }),
    }
}

/// The first line of an answer's body that says something, at most 200 characters.
pub fn first_line(body: &str) -> String {
    body.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().chars().take(200).collect()
}

fn explain(error: WsError) -> String {
    match error {
        WsError::Protocol(ProtocolError::HandshakeIncomplete) => {
            "the connection was closed during the handshake".into()
        }
        WsError::Protocol(ProtocolError::HttparseError(_)) => "what listens there does not speak HTTP".into(),
        WsError::Capacity(CapacityError::MessageTooLong { size, max_size }) => {
            format!("the browser sent a message of {size} bytes; the limit is {max_size}")
        }
        other => other.to_string(),
    }
}

/// Pings at each tick. Anything that arrives until the next one counts as life: a peer in the middle of a long message
/// cannot send its pong in between.
async fn keep_alive(
    sink: std::sync::Weak<Mutex<SplitSink<Socket, Message>>>,
    heard: Arc<AtomicBool>,
    every: Duration,
    dead: CancellationToken,
    stop: CancellationToken,
) {
    let mut ticks = tokio::time::interval(every);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    ticks.tick().await;
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = stop.cancelled() => return,
        }
        let Some(sink) = sink.upgrade() else { return };
        if !heard.swap(false, Ordering::Relaxed) {
            return dead.cancel();
        }
        // A sink that is stuck is found out by the next tick: nothing will be heard.
        let ping = async { sink.lock().await.send(Message::Ping(Vec::new().into())).await };
        tokio::select! {
            _ = tokio::time::timeout(every, ping) => {}
            () = stop.cancelled() => return,
        }
    }
}

impl Writer for WebSocketWriter {
    fn send<'a>(&'a mut self, message: &'a [u8]) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move {
            let text = std::str::from_utf8(message).map_err(io::Error::other)?;
            self.0.lock().await.send(Message::text(text)).await.map_err(io::Error::other)
        })
    }

    fn finish(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            let _ = self.0.lock().await.close().await;
        })
    }
}

impl Reader for WebSocketReader {
    fn receive(&mut self) -> BoxFuture<'_, io::Result<Option<Vec<u8>>>> {
        Box::pin(async move {
            loop {
                let message = tokio::select! {
                    message = self.stream.next() => message,
                    () = self.dead.cancelled() => {
                        let why = format!("nothing was heard for {} s", self.silence.as_secs_f32());
                        return Err(io::Error::new(io::ErrorKind::TimedOut, why));
                    }
                };
                match message {
                    Some(Ok(Message::Text(text))) => return Ok(Some(Bytes::from(text).into())),
                    Some(Ok(Message::Binary(bytes))) => return Ok(Some(bytes.into())),
                    Some(Ok(Message::Close(_))) | None => return Ok(None),
                    Some(Ok(_)) => {}
                    Some(Err(WsError::ConnectionClosed | WsError::AlreadyClosed)) => return Ok(None),
                    Some(Err(WsError::Protocol(ProtocolError::ResetWithoutClosingHandshake))) => return Ok(None),
                    Some(Err(error)) => return Err(io::Error::other(explain(error))),
                }
            }
        })
    }
}

#[cfg(test)]
#[path = "websocket_tests.rs"]
mod tests;
