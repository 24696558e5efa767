//! A small HTTP server for test pages on 127.0.0.1: static files, and troubles on demand by query parameters.
//!
//! `?delay=MS` waits before answering, `?status=N` answers with that status, `?redirect=URL` redirects there,
//! `?header=NAME:VALUE` adds a header (as often as given), `?cache=S` allows caching, `?repeat=N` sends the file's text N
//! times, `?headers=1` answers with the request's head.
//! With `redirect`, `status` is the redirect's. `?cookie=A=B` sets a cookie, `?type=T` is the content type, `?text=T`
//! answers with that text, `?cors=all` allows other sites everything and `?cors=none` nothing, `?open=MS` keeps the answer
//! open that long after its content.
//! Used by `cargo xtask demo` and by the tests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// A running server; it serves until the process ends.
pub struct Pages {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Pages {
    /// Serves a folder on a free port.
    pub fn start(folder: PathBuf) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let port = listener.local_addr()?.port();
        let folder = Arc::new(folder);
        let requests = Arc::new(Mutex::default());
        let log = requests.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (folder, log) = (folder.clone(), log.clone());
                thread::spawn(move || {
                    let _ = answer(&folder, &log, stream);
                });
            }
        });
        Ok(Pages { port, requests })
    }

    /// How often a path was asked for, with or without a query.
    #[allow(dead_code, reason = "one of the two users does not need it")]
    pub fn hits(&self, path: &str) -> usize {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.iter().filter(|target| target.split('?').next() == Some(path)).count()
    }

    /// The address of a page.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }

    /// The port.
    #[allow(dead_code, reason = "one of the two users does not need it")]
    pub fn port(&self) -> u16 {
        self.port
    }
}

fn answer(folder: &Path, log: &Mutex<Vec<String>>, mut stream: TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut headers = String::new();
    while reader.read_line(&mut headers)? > 2 {}
    let target = request.split(' ').nth(1).unwrap_or("/");
    log.lock().unwrap_or_else(PoisonError::into_inner).push(target.to_owned());
    let length = headers.lines().filter_map(|line| line.split_once(':'));
    let length = length.filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length = length.filter_map(|(_, value)| value.trim().parse::<u64>().ok()).next().unwrap_or(0);
    // Closing the connection with something unread would reset it.
    std::io::copy(&mut reader.by_ref().take(length), &mut std::io::sink())?;
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let parameter = |name: &str| {
        query.split('&').filter_map(|p| p.split_once('=')).find(|(key, _)| *key == name).map(|(_, value)| decode(value))
    };
    let number = |name: &str| parameter(name).and_then(|value| value.parse::<u64>().ok());
    if let Some(delay) = number("delay") {
        thread::sleep(Duration::from_millis(delay.min(10_000)));
    }
    let cookie = parameter("cookie").map_or_else(String::new, |cookie| format!("Set-Cookie: {cookie}\r\n"));
    if let Some(location) = parameter("redirect") {
        let status = number("status").unwrap_or(302);
        return write!(
            stream,
            "HTTP/1.1 {status} Found\r\nLocation: {location}\r\n{cookie}Content-Length: 0\r\nConnection: close\r\n\r\n"
        );
    }
    if parameter("headers").is_some() {
        let body = format!("{request}{headers}");
        let length = body.len();
        return write!(
            stream,
            "HTTP/1.1 200 Status\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n{body}"
        );
    }
    let path = decode(path);
    let file = folder.join(path.trim_start_matches('/'));
    let safe = !path.split('/').any(|part| part == "..");
    let content = if safe { std::fs::read(&file).ok() } else { None };
    let (status, mut body) = match (parameter("text"), content) {
        (Some(text), _) => (number("status").unwrap_or(200), text.into_bytes()),
        (None, Some(body)) => (number("status").unwrap_or(200), body),
        (None, None) => (404, b"not found".to_vec()),
    };
    if let Some(times) = number("repeat") {
        body = body.repeat(times.min(10_000) as usize);
    }
    let more: String = query
        .split('&')
        .filter_map(|part| part.strip_prefix("header="))
        .filter_map(|header| decode(header).split_once(':').map(|(name, value)| format!("{name}: {value}\r\n")))
        .collect();
    let cors = match parameter("cors").as_deref() {
        Some("none") => "",
        Some("all") => {
            "Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Methods: *\r\nAccess-Control-Allow-Headers: *\r\n"
        }
        _ => "Access-Control-Allow-Origin: *\r\n",
    };
    let kind = parameter("type").unwrap_or_else(|| content_type(&file).to_owned());
    let open = number("open");
    let length = match (open, status) {
        (Some(_), _) | (_, 204 | 304) => String::new(),
        _ => format!("Content-Length: {}\r\n", body.len()),
    };
    let cache = number("cache").map_or("no-store".to_owned(), |seconds| format!("max-age={seconds}"));
    write!(
        stream,
        "HTTP/1.1 {status} Status\r\nContent-Type: {kind}\r\n{length}Cache-Control: {cache}\r\n{cors}{cookie}{more}Connection: close\r\n\r\n"
    )?;
    if status == 204 || status == 304 {
        return Ok(());
    }
    stream.write_all(&body)?;
    if let Some(milliseconds) = open {
        thread::sleep(Duration::from_millis(milliseconds.min(60_000)));
    }
    Ok(())
}

fn content_type(file: &Path) -> &'static str {
    match file.extension().and_then(|e| e.to_str()).unwrap_or_default() {
        // Without a character set on purpose: one of DevTools' insights is about that.
        "html" => "text/html",
        "css" => "text/css",
        "js" => "text/javascript",
        "json" | "map" => "application/json",
        "svg" => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

/// Percent-decoding.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut result = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match hex.and_then(|h| u8::from_str_radix(h, 16).ok()) {
            Some(byte) => {
                result.push(byte);
                at += 3;
            }
            None => {
                result.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&result).into_owned()
}
