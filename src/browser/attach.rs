//! Reaching a browser that is already running: by WebSocket, by its HTTP address, or by the port file in its profile.
//!
//! Such a browser is somebody else's: nothing is applied to it here, and it is never closed.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use url::Url;

use super::find::{self, Environment, System};
use super::{BrowserError, launch};
use crate::cdp::trust;
use crate::cdp::websocket::{self, Options, credentials, first_line, shown};
use crate::cdp::{Connection, Session};
use crate::config::Connect;

/// How long the HTTP address may take, and the browser to answer its first call.
const HTTP: Duration = Duration::from_secs(10);
const ANSWER: Duration = Duration::from_secs(30);

/// Longest answer of the HTTP address that is read.
const MAX_BODY: u64 = 1024 * 1024;

/// The file in which Chrome tells its debugging port.
const PORT_FILE: &str = "DevToolsActivePort";

/// A browser of somebody else's. Dropping it disconnects.
pub struct Attached {
    /// The browser's own session.
    pub session: Session,
    /// Name and version.
    pub product: String,
    /// It runs on this machine, as far as its address tells.
    pub local: bool,
}

/// Why there is no connection: the cause and what to do about it.
struct Refusal {
    cause: String,
    hint: &'static str,
}

const RUNNING: &str = "start Chrome with --remote-debugging-port=9222 and a --user-data-dir of its own, and check the address; leave the connection option out to have a browser launched";
const INSPECT: &str = "open chrome://inspect/#remote-debugging in that Chrome and allow remote debugging";
const ALLOW: &str = "Chrome may be asking its user to allow the connection; allow it and try again";
const HOST: &str = "Chrome answers only to localhost and IP addresses: use the IP address instead of the host's name";
const ENDPOINT: &str = "check the address: /json/version of the browser tells its webSocketDebuggerUrl, which changes with each start; a relay may need --wsHeaders";

/// Attaches.
pub async fn attach(connect: &Connect) -> Result<Attached, BrowserError> {
    let (refusal, folder) = match connect {
        Connect::WebSocket { endpoint, headers } => match open(endpoint, headers.clone()).await {
            Ok(attached) => return Ok(attached),
            Err(refusal) => (refusal, None),
        },
        Connect::Http { url } => match endpoint_of(url).await {
            Ok(endpoint) => match open(&endpoint, Vec::new()).await {
                Ok(attached) => return Ok(attached),
                Err(refusal) => (refusal, None),
            },
            Err(refusal) => (refusal, None),
        },
        Connect::Auto { user_data_dir: Some(folder), .. } => {
            match open_by_file(std::slice::from_ref(folder), "127.0.0.1").await {
                Ok(attached) => return Ok(attached),
                Err(refusal) => (refusal, Some(folder.display().to_string())),
            }
        }
        Connect::Auto { user_data_dir: None, channel } => {
            let folders = find::data_folders(System::current(), &find::environment as Environment, *channel);
            match open_by_file(&folders, "localhost").await {
                Ok(attached) => return Ok(attached),
                Err(refusal) => (refusal, None),
            }
        }
    };
    Err(BrowserError::Connect { folder, cause: refusal.cause, hint: refusal.hint })
}

/// Connects to a WebSocket and asks for the version: what listens there must be a browser.
async fn open(endpoint: &str, headers: Vec<(String, String)>) -> Result<Attached, Refusal> {
    let local = Url::parse(endpoint).is_ok_and(|url| is_loopback(&url));
    let connected = websocket::connect(endpoint, &Options { headers, ..Options::default() }).await;
    let (reader, writer) = connected.map_err(|error| Refusal { hint: hint(&error), cause: error.to_string() })?;
    let session = Session::browser(Connection::start(reader, writer));
    match launch::product(&session, ANSWER).await {
        Ok(product) => Ok(Attached { session, product, local }),
        Err(error) => {
            session.connection().close();
            Err(Refusal { cause: error.to_string(), hint: ENDPOINT })
        }
    }
}

fn hint(error: &websocket::ConnectError) -> &'static str {
    use websocket::ConnectError as E;
    match error {
        E::Status { line, .. } if line.contains("Host header") => HOST,
        E::Timeout { .. } | E::Status { status: 403, .. } => ALLOW,
        E::Unreachable { .. } => RUNNING,
        _ => ENDPOINT,
    }
}

/// Whether an address is on this machine.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(ip)) => ip.is_loopback(),
        Some(url::Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    }
}

/// Asks a browser's HTTP address for its WebSocket.
async fn endpoint_of(url: &str) -> Result<String, Refusal> {
    let wrong = |cause: String| Refusal { cause, hint: RUNNING };
    let url = version_address(url).ok_or_else(|| wrong(format!("{url} is not an http: or https: address")))?;
    let asked = tokio::task::spawn_blocking(move || ask(&url)).await;
    asked.unwrap_or_else(|error| Err(wrong(error.to_string())))
}

/// `<path>/json/version`, with the query and without the fragment.
fn version_address(url: &str) -> Option<Url> {
    let mut url = Url::parse(url).ok().filter(|url| ["http", "https"].contains(&url.scheme()))?;
    url.set_fragment(None);
    let path = format!("{}/json/version", url.path().trim_end_matches('/'));
    url.set_path(&path);
    Some(url)
}

/// ureq believes either Mozilla's roots or those it is given; a system's store has them all.
fn tls(url: &Url) -> TlsConfig {
    let config = TlsConfig::builder();
    let local = if url.scheme() == "https" { trust::local() } else { &[] };
    if local.is_empty() {
        return config.build();
    }
    let roots = local.iter().map(|der| Certificate::from_der(der).to_owned());
    config.root_certs(RootCerts::new_with_certs(&roots.collect::<Vec<_>>())).build()
}

/// Blocking. No proxy, also not that of the environment: the WebSocket that follows would not use it either.
fn ask(url: &Url) -> Result<String, Refusal> {
    let mut plain = url.clone();
    let _ = plain.set_username("");
    let _ = plain.set_password(None);
    let agent = ureq::Agent::config_builder()
        .proxy(None)
        .timeout_global(Some(HTTP))
        .http_status_as_error(false)
        .tls_config(tls(url))
        .build()
        .new_agent();
    let mut request = agent.get(plain.as_str());
    if let Some(login) = credentials(url) {
        request = request.header("Authorization", login);
    }
    let address = shown(url);
    let unreachable = |why: String| Refusal { cause: format!("cannot reach {address}: {why}"), hint: RUNNING };
    let response = request.call().map_err(|error| unreachable(error.to_string()))?;
    let status = response.status();
    let mut body = String::new();
    let read = response.into_body().into_reader().take(MAX_BODY).read_to_string(&mut body);
    if !status.is_success() {
        let line = first_line(&body);
        let hint = match line.contains("Host header") {
            true => HOST,
            // Chrome's own switch for remote debugging opens the WebSocket only.
            false if status.as_u16() == 404 => {
                "what listens there is no browser, or one that only offers its WebSocket: use --autoConnect"
            }
            false => RUNNING,
        };
        let colon = if line.is_empty() { "" } else { ": " };
        return Err(Refusal { cause: format!("{address} answered with HTTP {}{colon}{line}", status.as_u16()), hint });
    }
    read.map_err(|error| unreachable(error.to_string()))?;
    #[derive(Deserialize)]
    struct Version {
        #[serde(rename = "webSocketDebuggerUrl")]
        endpoint: String,
    }
    serde_json::from_str::<Version>(&body).map(|version| encrypted_like(url, version.endpoint)).map_err(|_| Refusal {
        cause: format!("{address} did not tell a webSocketDebuggerUrl"),
        hint: "what listens there is no browser; check the address",
    })
}

/// The endpoint, over TLS if that is the way to its host and port: a browser behind a tunnel does not know of it.
fn encrypted_like(description: &Url, endpoint: String) -> String {
    let same = |other: &Url| {
        other.host_str() == description.host_str()
            && other.port_or_known_default() == description.port_or_known_default()
    };
    match Url::parse(&endpoint.replacen("ws://", "wss://", 1)) {
        Ok(url) if description.scheme() == "https" && same(&url) => url.into(),
        _ => endpoint,
    }
}

/// Connects by the port file of the first folder whose browser answers.
async fn open_by_file(folders: &[PathBuf], host: &str) -> Result<Attached, Refusal> {
    let mut missing = Vec::new();
    let mut failure: Option<Refusal> = None;
    for folder in folders {
        let file = folder.join(PORT_FILE);
        match read_port_file(&file) {
            Ok((port, path)) => match open(&format!("ws://{host}:{port}{path}"), Vec::new()).await {
                Ok(attached) => return Ok(attached),
                // The file stays when Chrome is killed.
                Err(refusal) => {
                    let hint = if refusal.hint == RUNNING { INSPECT } else { refusal.hint };
                    let cause = format!("{} (from {})", refusal.cause, file.display());
                    failure.get_or_insert(Refusal { cause, hint });
                }
            },
            Err(PortFile::Missing) => missing.push(file.display().to_string()),
            Err(PortFile::Invalid(why)) => {
                let cause = format!("{} is not what Chrome writes: {why}", file.display());
                failure.get_or_insert(Refusal { cause, hint: INSPECT });
            }
        }
    }
    Err(failure.unwrap_or_else(|| {
        let places =
            if missing.is_empty() { "any place: no home folder is known".into() } else { missing.join(" or ") };
        Refusal { cause: format!("Could not find DevToolsActivePort for chrome at {places}"), hint: INSPECT }
    }))
}

#[derive(Debug, PartialEq)]
enum PortFile {
    Missing,
    Invalid(String),
}

/// Port and path: the first two lines with something in them.
fn read_port_file(file: &Path) -> Result<(u16, String), PortFile> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(PortFile::Missing),
        Err(error) => return Err(PortFile::Invalid(error.to_string())),
    };
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let invalid = |why: &str| PortFile::Invalid(why.to_owned());
    let (port, path) = lines.next().zip(lines.next()).ok_or_else(|| invalid("it has fewer than two lines"))?;
    let port = port.parse().ok().filter(|port| *port != 0).ok_or_else(|| invalid("its first line is no port"))?;
    if !path.starts_with('/') {
        return Err(invalid("its second line is no path"));
    }
    Ok((port, path.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::config::Channel;

    #[test]
    fn the_version_address_keeps_path_and_query() {
        let address = |url| version_address(url).map(|url| url.to_string());
        assert_eq!(address("http://h:9222").unwrap(), "http://h:9222/json/version");
        assert_eq!(address("https://h/base/?token=1#x").unwrap(), "https://h/base/json/version?token=1");
        assert_eq!(address("ws://h:1/"), None);
        assert_eq!(address("nonsense"), None);
    }

    #[test]
    fn the_port_file_is_read_leniently_and_checked() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join(PORT_FILE);
        assert_eq!(read_port_file(&file), Err(PortFile::Missing));
        let read = |text: &str| {
            std::fs::write(&file, text).unwrap();
            read_port_file(&file)
        };
        assert_eq!(read("9222\n/devtools/browser/x"), Ok((9222, "/devtools/browser/x".into())));
        assert_eq!(read("\r\n 9222 \r\n\r\n /p \r\n more"), Ok((9222, "/p".into())));
        for bad in ["", "9222", "0\n/p", "65536\n/p", "x\n/p", "9222\np"] {
            assert!(matches!(read(bad), Err(PortFile::Invalid(_))), "{bad:?}");
        }
    }

    #[test]
    fn what_is_on_this_machine() {
        for url in ["ws://localhost:1/", "ws://a.localhost/", "ws://127.8.0.1/", "wss://[::1]:2/x"] {
            assert!(is_loopback(&Url::parse(url).unwrap()), "{url}");
        }
        for url in ["ws://localhost.test/", "ws://10.0.0.1/", "wss://[fe80::1]/", "data:x"] {
            assert!(!is_loopback(&Url::parse(url).unwrap()), "{url}");
        }
    }

    /// Answers one HTTP request with these bytes.
    fn serve(answer: &'static str) -> (String, std::thread::JoinHandle<String>) {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let served = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = Vec::new();
            let mut byte = [0];
            while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() > 0 {
                request.push(byte[0]);
            }
            stream.write_all(answer.as_bytes()).unwrap();
            String::from_utf8(request).unwrap()
        });
        (url, served)
    }

    async fn fails(connect: Connect) -> (String, &'static str) {
        match attach(&connect).await {
            Ok(_) => panic!("attached"),
            Err(error) => (error.to_string(), error.hint()),
        }
    }

    #[tokio::test]
    async fn each_refusal_has_its_cause_and_hint() {
        let first = "Could not connect to Chrome. Check if Chrome is running.\nCause: ";
        let host = "HTTP/1.1 500 X\r\nConnection: close\r\n\r\nHost header is specified and is not an IP address or localhost.";
        let (url, served) = serve(host);
        let (text, hint) = fails(Connect::Http { url: format!("{url}/a?token=secret") }).await;
        let said = "Host header is specified and is not an IP address or localhost.";
        assert_eq!(text, format!("{first}{url}/a/json/version answered with HTTP 500: {said}"));
        assert_eq!(hint, HOST);
        assert!(served.join().unwrap().starts_with("GET /a/json/version?token=secret HTTP/1.1\r\n"));

        let (url, _served) = serve("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"Browser\":\"x\"}");
        let (text, _) = fails(Connect::Http { url: url.clone() }).await;
        assert_eq!(text, format!("{first}{url}/json/version did not tell a webSocketDebuggerUrl"));

        let (url, _served) = serve("HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n");
        let (text, hint) = fails(Connect::Http { url: url.clone() }).await;
        assert_eq!(text, format!("{first}{url}/json/version answered with HTTP 404"));
        assert!(hint.contains("--autoConnect"));

        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let (text, hint) = fails(Connect::Http { url: format!("http://{free}") }).await;
        assert!(text.starts_with(&format!("{first}cannot reach http://{free}/json/version: ")), "{text}");
        assert_eq!(hint, RUNNING);
        let endpoint = format!("ws://{free}/x");
        let (text, hint) = fails(Connect::WebSocket { endpoint, headers: Vec::new() }).await;
        assert_eq!(text, format!("{first}cannot reach {free}: connection refused, nothing listens there"));
        assert_eq!(hint, RUNNING);

        let temp = tempfile::tempdir().unwrap();
        let auto = Connect::Auto { user_data_dir: Some(temp.path().into()), channel: Channel::Stable };
        let (text, hint) = fails(auto.clone()).await;
        let folder = temp.path().display();
        assert!(text.starts_with(&format!("Could not connect to Chrome in {folder}. ")), "{text}");
        assert!(text.contains("chrome://inspect/#remote-debugging"), "{text}");
        assert!(
            text.ends_with(&format!("\nCause: Could not find DevToolsActivePort for chrome at {folder}/{PORT_FILE}"))
        );
        assert_eq!(hint, INSPECT);
        // A file that a killed Chrome has left behind.
        std::fs::write(temp.path().join(PORT_FILE), format!("{}\n/x", free.port())).unwrap();
        let (text, _) = fails(auto).await;
        assert!(text.contains("connection refused") && text.contains("(from "), "{text}");
    }
}
