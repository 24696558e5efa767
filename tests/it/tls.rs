//! Encrypted ways: to a browser behind an authority of one's own, and to pages that mix in what is not encrypted.

use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use serde_json::json;
use tokio::io::copy_bidirectional;
use tokio_rustls::TlsAcceptor;

use crate::connect::Foreign;
use crate::peer::original;
use crate::support::{BINARY, Client, chrome_lock, pages, text_of};

/// Takes encrypted connections and hands them on, in the clear, to a port of this machine.
struct Tunnel {
    port: u16,
    /// The authority's certificate, PEM.
    authority: String,
    _runtime: tokio::runtime::Runtime,
}

impl Tunnel {
    fn to(target: u16) -> Self {
        let authority_key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = params.self_signed(&authority_key).unwrap().pem();
        let issuer = Issuer::new(params, authority_key);
        let key = KeyPair::generate().unwrap();
        let own = CertificateParams::new(vec!["127.0.0.1".into(), "localhost".into()]).unwrap();
        let certificate = own.signed_by(&key, &issuer).unwrap();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let port = listener.local_addr().unwrap().port();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    let Ok(mut inside) = acceptor.accept(stream).await else { return };
                    let Ok(mut outside) = tokio::net::TcpStream::connect(("127.0.0.1", target)).await else { return };
                    let _ = copy_bidirectional(&mut inside, &mut outside).await;
                });
            }
        });
        Tunnel { port, authority, _runtime: runtime }
    }
}

fn client(endpoint: &str, authority: Option<(&str, &Path)>) -> Client {
    let mut command = Command::new(BINARY);
    command.arg(endpoint);
    if let Some((variable, file)) = authority {
        command.env(variable, file);
    }
    let mut client = Client::spawn(command);
    client.initialize(json!({}));
    client
}

#[test]
fn a_browser_behind_an_authority_of_ones_own() {
    let _alone = chrome_lock();
    let profile = tempfile::tempdir().unwrap();
    let chrome = Foreign::start(profile.path(), 0);
    let tunnel = Tunnel::to(chrome.port());
    let file = profile.path().join("authority.pem");
    std::fs::write(&file, &tunnel.authority).unwrap();
    let path = chrome.endpoint().split_once("/devtools/").unwrap().1;
    let endpoint = format!("--wsEndpoint=wss://127.0.0.1:{}/devtools/{path}", tunnel.port);
    for variable in ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"] {
        let mut client = client(&endpoint, Some((variable, &file)));
        let list = client.text("list_pages", json!({}));
        assert!(list.contains("1: about:blank"), "{variable}: {list}");
    }
    // The browser's description over the same way; where its endpoint is comes from there.
    let by_url = format!("--browserUrl=https://127.0.0.1:{}", tunnel.port);
    let list = client(&by_url, Some(("NODE_EXTRA_CA_CERTS", &file))).text("list_pages", json!({}));
    assert!(list.contains("1: about:blank"), "{list}");
    // Nobody is believed who is not known.
    for endpoint in [endpoint, by_url] {
        let error = text_of(&client(&endpoint, None).call("list_pages", json!({})));
        assert!(error.starts_with("Could not connect to Chrome.") && error.contains("certificate"), "{error}");
    }
    assert!(TcpStream::connect(("127.0.0.1", chrome.port())).is_ok(), "the browser lives");
}

/// A page over https with a picture, a script, a style sheet and a request over plain http. Addresses of this machine are
/// trusted without encryption, so a name is made up for them.
#[test]
fn mixed_content_is_an_issue_as_in_the_original() {
    let _alone = chrome_lock();
    let tunnel = Tunnel::to(pages().port());
    let plain = format!("http://plain.test:{}/requests", pages().port());
    let text = format!(
        "<!doctype html><title>Mixed</title><link rel=icon href='data:,'><img src='{plain}/missing.png'>\
         <script src='{plain}/missing.js'></script><link rel=stylesheet href='{plain}/missing.css'>\
         <script>fetch('{plain}/missing.json').catch(() => {{}})</script>"
    );
    let text = percent_encoding::utf8_percent_encode(&text, percent_encoding::NON_ALPHANUMERIC);
    let url = format!("https://127.0.0.1:{}/requests/x?type=text/html&text={text}", tunnel.port);
    let arguments = ["--acceptInsecureCerts", "--chromeArg=--host-resolver-rules=MAP plain.test 127.0.0.1"];
    let issues = |client: &mut Client| {
        client.text("new_page", json!({"url": url}));
        // Until nothing is added any more.
        let mut list = String::new();
        let end = Instant::now() + Duration::from_secs(20);
        loop {
            std::thread::sleep(Duration::from_millis(500));
            let now = client.text("list_console_messages", json!({"pageId": 2, "types": ["issue"]}));
            if now == list && now.contains("msgid=") {
                break;
            }
            assert!(Instant::now() < end, "{now}");
            list = now;
        }
        let ids = list.lines().filter_map(|line| line.strip_prefix("msgid=")?.split(' ').next()?.parse::<u32>().ok());
        let details = ids.map(|id| client.text("get_console_message", json!({"pageId": 2, "msgid": id})));
        details.collect::<Vec<_>>()
    };
    let ours = issues(&mut Client::with_browser(&arguments));
    let theirs = issues(&mut original(&arguments));
    let title = |text: &String| text.lines().find(|line| line.starts_with("Message: ")).unwrap_or_default().to_owned();
    let titles: Vec<String> = ours.iter().map(title).collect();
    assert!(
        titles.iter().any(|title| title.to_lowercase().contains("mixed content") || title.contains("HTTPS")),
        "{ours:?}"
    );
    assert_eq!(titles, theirs.iter().map(title).collect::<Vec<_>>());
}
