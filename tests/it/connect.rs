//! Reaching a running browser, launching one with every setting, and what is left of it afterwards.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use base64::Engine as _;
use devtools_mcp::browser::BrowserError;
use devtools_mcp::browser::host::{BrowserHost, LiveBrowser};
use devtools_mcp::browser::launch::{Browser, LaunchOptions};
use devtools_mcp::browser::{find, url_rules};
use devtools_mcp::cdp::Session;
use devtools_mcp::config::{BrowserConfig, Channel, Config, Connect, UrlPolicy, parse};
use devtools_mcp::devtools::frontend::Purpose;
use devtools_mcp::devtools::live::LoadingRules;
use devtools_mcp::files::PathPolicy;
use serde_json::{Value, json};

use crate::support::{BINARY, Client, alive, chrome, chrome_arguments, chrome_lock, descendants, pages};

/// Somebody else's browser.
pub struct Foreign {
    child: Child,
    endpoint: String,
    port: u16,
}

impl Foreign {
    pub fn start(profile: &Path, port: u16) -> Self {
        let mut command = Command::new(find::executable(chrome().as_deref(), None).unwrap());
        command
            .args(["--headless=new", "--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args(["--no-first-run", "--disable-dev-shm-usage"])
            .args(chrome_arguments())
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(format!("--remote-debugging-port={port}"))
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0);
        let mut child = command.spawn().unwrap();
        let mut output = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        let endpoint = loop {
            line.clear();
            assert!(output.read_line(&mut line).unwrap() > 0, "Chrome ended");
            if let Some((_, endpoint)) = line.split_once("DevTools listening on ") {
                break endpoint.trim().to_owned();
            }
        };
        std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
        let port = endpoint.split([':', '/']).nth(4).unwrap().parse().unwrap();
        Foreign { child, endpoint, port }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    fn is_alive(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    fn kill(&mut self) {
        // SAFETY: the group of our own child.
        unsafe { libc::killpg(self.child.id() as i32, libc::SIGKILL) };
        self.child.wait().unwrap();
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        if self.is_alive() {
            self.kill();
        }
    }
}

fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap().block_on(test);
}

/// Runs a test that uses Chrome.
fn alone(test: impl Future<Output = ()>) {
    let _alone = chrome_lock();
    run(test);
}

fn attached(connect: Connect) -> Arc<BrowserHost> {
    BrowserHost::new(BrowserConfig { connect: Some(connect), ..BrowserConfig::default() })
}

fn launched(more: BrowserConfig) -> Arc<BrowserHost> {
    let arguments = chrome_arguments().into_iter().chain(more.arguments).collect();
    BrowserHost::new(BrowserConfig { headless: true, executable: chrome(), arguments, ..more })
}

async fn list(live: &LiveBrowser) -> Vec<u32> {
    live.pages.list().await.unwrap().iter().map(|page| page.id).collect()
}

/// The session of the first page.
async fn first_page(live: &LiveBrowser) -> Session {
    let id = list(live).await[0];
    let page = live.pages.find(id).await.unwrap().unwrap();
    live.pages.attach(&page).await.unwrap().session.clone()
}

async fn evaluate(page: &Session, expression: &str) -> Value {
    let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
    let answer: Value = page.call("Runtime.evaluate", params).await.unwrap();
    answer["result"]["value"].clone()
}

async fn navigate(page: &Session, url: &str) -> Value {
    let answer: Value = page.call("Page.navigate", json!({"url": url})).await.unwrap();
    answer["errorText"].clone()
}

async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let limit = Instant::now() + Duration::from_secs(10);
    while !holds() {
        assert!(Instant::now() < limit, "{what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Passes connections on to a port and records the head of each.
fn relay(to: u16) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let heads = Arc::new(Mutex::new(Vec::new()));
    let seen = heads.clone();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") && (&client).read(&mut byte).is_ok_and(|count| count > 0) {
                head.push(byte[0]);
            }
            let mut browser = TcpStream::connect(("127.0.0.1", to)).unwrap();
            browser.write_all(&head).unwrap();
            seen.lock().unwrap().push(String::from_utf8(head).unwrap());
            let pass = |mut from: TcpStream, mut to: TcpStream| {
                std::thread::spawn(move || {
                    let _ = std::io::copy(&mut from, &mut to);
                    let _ = to.shutdown(Shutdown::Both);
                });
            };
            pass(client.try_clone().unwrap(), browser.try_clone().unwrap());
            pass(browser, client);
        }
    });
    (port, heads)
}

#[test]
fn a_running_browser_is_reached_in_every_way_and_outlives_us() {
    alone(async {
        let profile = tempfile::tempdir().unwrap();
        let mut chrome = Foreign::start(profile.path(), 0);

        let host = attached(Connect::Http { url: format!("{}/?x=1#y", chrome.url()) });
        let live = host.get().await.unwrap();
        assert!(live.is_local() && !live.is_launched() && live.generation == 1 && live.note.is_none());
        assert!(live.product().contains("Chrome/"), "{}", live.product());
        assert_eq!(list(&live).await, [1]);
        live.pages.create(true, Some("context")).await.unwrap();
        assert!(Arc::ptr_eq(&live, &host.get().await.unwrap()), "one connection for all");
        host.close().await;
        assert!(live.is_gone());
        assert!(matches!(host.get().await, Err(BrowserError::Ending)));

        let (port, heads) = relay(chrome.port);
        let endpoint = chrome.endpoint.replace(&chrome.port.to_string(), &port.to_string());
        let headers = vec![("X-Token".to_owned(), "secret".to_owned())];
        let host = attached(Connect::WebSocket { endpoint, headers });
        let live = host.get().await.unwrap();
        assert_eq!(list(&live).await.len(), 2, "both tabs outlived the first connection");
        let head = heads.lock().unwrap()[0].to_lowercase();
        assert!(head.contains("\r\nx-token: secret\r\n") && !head.contains("sec-websocket-extensions"), "{head}");
        host.close().await;

        let host = attached(Connect::Auto { user_data_dir: Some(profile.path().into()), channel: Channel::Stable });
        assert_eq!(list(&host.get().await.unwrap()).await.len(), 2);
        // Also when nobody says goodbye.
        drop(host);
        assert!(chrome.is_alive());
        let answer = attached(Connect::Http { url: chrome.url() }).get().await.unwrap();
        assert_eq!(list(&answer).await.len(), 2);
    });
}

#[test]
fn a_page_takes_its_universe_with_it() {
    alone(async {
        let host = launched(BrowserConfig { isolated: true, ..BrowserConfig::default() });
        let live = host.get().await.unwrap();
        let page = live.pages.create(true, None).await.unwrap();
        let on = live.pages.attach(&page).await.unwrap();
        let config = Config::from_parsed(&parse(Vec::new()).unwrap());
        let rules = LoadingRules { urls: UrlPolicy::default(), paths: PathPolicy::new(&config, None) };
        let open = || on.universe(rules.clone(), true, Purpose::Stacks);
        let universe = open().await.unwrap();
        assert!(universe.is_alive() && Arc::ptr_eq(&universe, &open().await.unwrap()), "one for a page");
        let left = Arc::downgrade(&universe);
        drop(universe);
        assert!(left.upgrade().is_some_and(|universe| universe.is_alive()), "kept for the next question");
        drop(on);
        live.pages.close(&page).await.unwrap();
        drop(page);
        list(&live).await;
        until("it is dropped", || left.upgrade().is_none()).await;
        host.close().await;
    });
}

#[test]
fn a_restarted_browser_is_reached_again() {
    alone(async {
        let profile = tempfile::tempdir().unwrap();
        let mut chrome = Foreign::start(profile.path(), 0);
        let host = attached(Connect::Http { url: chrome.url() });
        let first = host.get().await.unwrap();
        assert_eq!(list(&first).await, [1]);
        chrome.kill();
        until("the end is noticed", || first.is_gone()).await;
        for _ in 0..2 {
            let error = host.get().await.err().expect("nobody is there");
            let text = error.to_string();
            assert!(text.starts_with("Could not connect to Chrome. Check if Chrome is running.\nCause: "), "{text}");
            assert!(error.hint().contains("--remote-debugging-port"), "{}", error.hint());
        }
        let _chrome = Foreign::start(profile.path(), chrome.port);
        let second = host.get().await.unwrap();
        assert_eq!(second.generation, 2);
        assert_eq!(list(&second).await, [2], "ids are not used again");
    });
}

#[test]
fn everybody_waits_for_one_attempt_which_is_given_up_in_time() {
    run(async {
        // Accepts connections and never says anything.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("ws://{}/", listener.local_addr().unwrap());
        let config =
            BrowserConfig { connect: Some(Connect::WebSocket { endpoint, headers: Vec::new() }), ..Default::default() };
        let host = BrowserHost::with_limit(config.clone(), Duration::from_millis(500));
        let calls: Vec<_> = (0..5)
            .map(|_| {
                let host = host.clone();
                tokio::spawn(async move { host.get().await.err().map(|e| e.to_string()) })
            })
            .collect();
        // A caller that goes away takes nothing from the others.
        calls[0].abort();
        for call in calls.into_iter().skip(1) {
            let error = call.await.unwrap().expect("no browser");
            assert!(error.starts_with("timed out after 0.5 s while waiting for the browser"), "{error}");
        }
        let accepted = |listener: &TcpListener| {
            listener.set_nonblocking(true).unwrap();
            std::iter::from_fn(|| listener.accept().ok()).map(|(stream, _)| stream).collect::<Vec<_>>()
        };
        let mut streams = accepted(&listener);
        assert_eq!(streams.len(), 1);
        streams[0].set_nonblocking(false).unwrap();
        streams[0].set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let mut request = Vec::new();
        streams[0].read_to_end(&mut request).expect("what is given up is closed");

        // The end of the server does not wait for the limit.
        let host = BrowserHost::new(config);
        let waiting = tokio::spawn({
            let host = host.clone();
            async move { host.get().await.err() }
        });
        // Kept open: a connection that is closed would end the attempt in another way.
        let mut open = Vec::new();
        until("the second attempt", || {
            open.extend(accepted(&listener));
            !open.is_empty()
        })
        .await;
        tokio::time::timeout(Duration::from_secs(10), host.close()).await.unwrap();
        let error = waiting.await.unwrap();
        assert!(matches!(error, Some(BrowserError::Ending)), "{error:?}");
    });
}

/// A certificate for 127.0.0.1 that nobody has signed, and its key. Both are for this test only.
const CERTIFICATE: &str = "MIIBkDCCATagAwIBAgIUctOLLFtFyywTfCmHo8M5M/CaFHwwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEzMDIwMTg1MloYDzIxMjYxMTA2MjAxODUyWjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARzk+HuxdU7uWSIlvYtgGKZ7u9gNFvRQ855X1ZanQtbeKdPPCzGCFT/me3VPyrcMSbHQhTE7EsytWAk8LNm3mU7o2QwYjAdBgNVHQ4EFgQUF1Cd0nV2UYeaZ8wSsdic2kLqsoowHwYDVR0jBBgwFoAUF1Cd0nV2UYeaZ8wSsdic2kLqsoowDwYDVR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0gAMEUCIDMfCKKmDjXqY1MWXbUwMxRPq/Rv20VXNiou4GSHMkThAiEA5JMXfcCTdRb443F08Y1jk/3j2jqTmrPmNlx29eEc8uU=";
const KEY: &str = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgoDfd5FAR/BMOOfp8XBhdRy73tq6EM9e/9gzZD1sXej2hRANCAARzk+HuxdU7uWSIlvYtgGKZ7u9gNFvRQ855X1ZanQtbeKdPPCzGCFT/me3VPyrcMSbHQhTE7EsytWAk8LNm3mU7";

/// Serves one page over TLS.
fn secure_server() -> String {
    let decode = |text: &str| base64::engine::general_purpose::STANDARD.decode(text).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![decode(CERTIFICATE).into()], rustls::pki_types::PrivateKeyDer::Pkcs8(decode(KEY).into()))
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let config = config.clone();
            std::thread::spawn(move || {
                let mut stream = rustls::StreamOwned::new(rustls::ServerConnection::new(config).unwrap(), stream);
                let mut request = [0; 4096];
                if stream.read(&mut request).is_ok_and(|count| count > 0) {
                    let page = "<title>secure</title>";
                    let head =
                        format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", page.len());
                    let _ = stream.write_all((head + page).as_bytes());
                    stream.conn.send_close_notify();
                    let _ = stream.flush();
                }
            });
        }
    });
    url
}

#[test]
fn a_launched_browser_gets_its_settings() {
    alone(async {
        let secure = secure_server();
        let host = launched(BrowserConfig {
            isolated: true,
            viewport: Some((800, 600)),
            accept_insecure_certs: true,
            // With a port of the user's there is no pipe.
            arguments: vec!["--remote-debugging-port=0".into(), "--force-device-scale-factor=1".into()],
            ..BrowserConfig::default()
        });
        let live = host.get().await.unwrap();
        assert!(live.is_local() && live.is_launched());
        assert_eq!(list(&live).await, [1]);
        let page = first_page(&live).await;
        assert_eq!(evaluate(&page, "`${innerWidth}x${innerHeight}`").await, "800x600");
        assert_eq!(navigate(&page, &secure).await, Value::Null);
        host.close().await;
        assert!(live.is_gone());

        // A second time without: the settings, not the surroundings, made the difference. A proxy that nobody runs shows
        // that the proxy is used.
        let host = launched(BrowserConfig {
            isolated: true,
            proxy_server: Some("127.0.0.1:9".into()),
            ..BrowserConfig::default()
        });
        let live = host.get().await.unwrap();
        let page = first_page(&live).await;
        assert_eq!(navigate(&page, &secure).await, "net::ERR_CERT_AUTHORITY_INVALID");
        assert_eq!(navigate(&page, "http://a.test/").await, "net::ERR_PROXY_CONNECTION_FAILED");
        host.close().await;
    });
}

#[test]
fn a_profile_locked_from_elsewhere_is_left_alone() {
    alone(async {
        let profile = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("other-host-1", profile.path().join("SingletonLock")).unwrap();
        let host = launched(BrowserConfig { user_data_dir: Some(profile.path().into()), ..BrowserConfig::default() });
        let live = host.get().await.unwrap();
        let note = live.note.clone().unwrap();
        assert!(note.contains("is locked by a browser on another machine (other-host;"), "{note}");
        assert!(note.ends_with("; this one has a temporary profile."), "{note}");
        host.close().await;
        let left: Vec<_> = std::fs::read_dir(profile.path()).unwrap().flatten().map(|e| e.file_name()).collect();
        assert_eq!(left, ["SingletonLock"]);
    });
}

#[test]
fn a_profile_that_chrome_finds_in_use_is_named() {
    alone(async {
        let profile = tempfile::tempdir().unwrap();
        let mut other = Foreign::start(profile.path(), 0);
        let options = LaunchOptions {
            executable: chrome(),
            arguments: chrome_arguments(),
            profile: Some(profile.path().into()),
            ..LaunchOptions::default()
        };
        let error = Browser::launch(&options).await.err().expect("two browsers cannot share a profile");
        let first = format!("The browser is already running for {}.", profile.path().display());
        assert_eq!(error.to_string().lines().next(), Some(first.as_str()));
        assert!(error.hint().contains("--isolated"), "{}", error.hint());
        assert!(other.is_alive());
    });
}

#[test]
fn address_lists_hold_for_requests() {
    alone(async {
        let host = launched(BrowserConfig { isolated: true, ..BrowserConfig::default() });
        let live = host.get().await.unwrap();
        let page = first_page(&live).await;
        navigate(&page, &pages().url("redirects/index.html")).await;
        let fetch = async |path: &str| {
            let script = format!("fetch('{}').then(r => r.status, e => `${{e}}`)", pages().url(path));
            evaluate(&page, &script).await
        };
        let fails = json!("TypeError: Failed to fetch");
        let pattern = |path: &str| vec![format!("http://127.0.0.1:{}/{path}", pages().port())];
        assert_eq!(fetch("layout-shifts/index.html").await, 200);

        url_rules::apply(&page, &UrlPolicy::new(&pattern("layout-shifts/*"), &[]).unwrap()).await.unwrap();
        assert_eq!(fetch("layout-shifts/index.html").await, fails);
        assert_eq!(fetch("many-nodes/index.html").await, 200);
        let blocked = pages().url("layout-shifts/index.html");
        assert_eq!(fetch(&format!("redirects/index.html?redirect={blocked}")).await, fails, "behind a redirect too");
        assert_eq!(navigate(&page, &blocked).await, "net::ERR_INTERNET_DISCONNECTED");

        navigate(&page, &pages().url("redirects/index.html")).await;
        url_rules::apply(&page, &UrlPolicy::new(&[], &pattern("redirects/*")).unwrap()).await.unwrap();
        assert_eq!(fetch("redirects/index.html").await, 200);
        assert_eq!(fetch("many-nodes/index.html").await, fails);
        host.close().await;
    });
}

/// Run by the next test in a process of its own, whose memory nobody else uses.
#[test]
#[ignore = "run by a_hundred_tabs_cost_next_to_nothing"]
fn attach_to_a_hundred_tabs() {
    run(async {
        let url = std::env::var("DEVTOOLS_MCP_TEST_BROWSER").unwrap();
        let memory = || -> u64 {
            let status = std::fs::read_to_string("/proc/self/status").unwrap();
            let line = status.lines().find(|line| line.starts_with("RssAnon:")).unwrap();
            line.split_whitespace().nth(1).unwrap().parse().unwrap()
        };
        let before = memory();
        let host = attached(Connect::Http { url });
        let live = host.get().await.unwrap();
        let start = Instant::now();
        let pages = live.pages.list().await.unwrap().len();
        let took = start.elapsed();
        let growth = memory().saturating_sub(before);
        assert!(pages > 100, "{pages} pages");
        assert!(took < Duration::from_secs(1), "{took:?}");
        assert!(growth < 30_000, "{growth} kB");
        host.close().await;
    });
}

#[test]
fn a_hundred_tabs_cost_next_to_nothing() {
    alone(async {
        let profile = tempfile::tempdir().unwrap();
        let chrome = Foreign::start(profile.path(), 0);
        let host = attached(Connect::Http { url: chrome.url() });
        let live = host.get().await.unwrap();
        let params = json!({"url": "about:blank", "background": true});
        for _ in 0..100 {
            let _: Value = live.session().call("Target.createTarget", params.clone()).await.unwrap();
        }
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["connect::attach_to_a_hundred_tabs", "--exact", "--ignored"])
            .env("DEVTOOLS_MCP_TEST_BROWSER", chrome.url())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
    });
}

fn profiles(within: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(within).unwrap().flatten();
    entries
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .filter(|n| n.starts_with("devtools-mcp-profile-"))
        .collect()
}

#[test]
fn a_killed_server_leaves_neither_processes_nor_profile() {
    let _alone = chrome_lock();
    for lasting in [false, true] {
        let temp = tempfile::tempdir().unwrap();
        let mut command = Command::new(BINARY);
        command.arg("--headless").env("TMPDIR", temp.path());
        command.args(chrome().map(|c| format!("--executablePath={c}")));
        command.args(chrome_arguments().iter().map(|a| format!("--chromeArg={a}")));
        let kept = temp.path().join("kept");
        match lasting {
            true => command.arg(format!("--userDataDir={}", kept.display())),
            false => command.arg("--isolated"),
        };
        // What an owner that nothing could clean up after has left.
        let stale = temp.path().join("devtools-mcp-profile-stale");
        std::fs::create_dir(&stale).unwrap();
        std::fs::write(stale.join("devtools-mcp-owner"), "1").unwrap();

        let mut client = Client::spawn(command);
        client.initialize(json!({}));
        client.text("new_page", json!({"url": pages().url("redirects/index.html")}));
        assert_eq!(profiles(temp.path()).len(), usize::from(!lasting), "{:?}", profiles(temp.path()));
        assert!(!stale.exists());
        let processes = descendants(client.child.id());
        assert!(processes.len() > 2, "{processes:?}");
        let killed = Instant::now();
        client.child.kill().unwrap();
        loop {
            let left: Vec<&u32> = processes.iter().filter(|pid| alive(**pid)).collect();
            if left.is_empty() && profiles(temp.path()).is_empty() {
                break;
            }
            assert!(killed.elapsed() < Duration::from_secs(2), "{left:?} {:?}", profiles(temp.path()));
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(kept.join("Default").is_dir(), lasting, "a lasting profile lasts");
    }
}

#[test]
fn the_doctor_attaches_as_the_server_does() {
    let _alone = chrome_lock();
    let profile = tempfile::tempdir().unwrap();
    let mut chrome = Foreign::start(profile.path(), 0);
    let doctor = |option: &str| {
        let output = crate::support::run(&["doctor", option]);
        String::from_utf8(output.stdout).unwrap()
    };
    for option in [format!("--browserUrl={}", chrome.url()), format!("--wsEndpoint={}", chrome.endpoint)] {
        let text = doctor(&option);
        assert!(text.contains("ok    connection: ") && text.contains(" answers at "), "{text}");
    }
    assert!(chrome.is_alive(), "it is left running");
    // What listens there is no browser: a port that accepts connections is not enough.
    let text = doctor(&format!("--browserUrl={}", pages().url("")));
    assert!(text.contains("fail  connection: cannot connect to ") && text.contains("answered with HTTP 404"), "{text}");
}
