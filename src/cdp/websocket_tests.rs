//! The WebSocket against servers of ours: handshakes, frames, limits.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use super::*;

type ServerSocket = WebSocketStream<TcpStream>;

async fn listen() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("ws://{}/devtools/browser/x", listener.local_addr().unwrap());
    (listener, url)
}

/// Both ends of a fresh connection.
async fn connected(options: &Options) -> (WebSocketReader, WebSocketWriter, ServerSocket) {
    let (listener, url) = listen().await;
    let server = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        tokio_tungstenite::accept_async(stream).await.unwrap()
    });
    let (reader, writer) = connect(&url, options).await.unwrap();
    (reader, writer, server.await.unwrap())
}

/// Answers one connection with these bytes; what the client sent.
async fn answer(listener: TcpListener, bytes: String) -> String {
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        request.push(stream.read_u8().await.unwrap());
    }
    stream.write_all(bytes.as_bytes()).await.unwrap();
    String::from_utf8(request).unwrap()
}

async fn refused(url: &str, options: &Options) -> ConnectError {
    match connect(url, options).await {
        Ok(_) => panic!("{url} was connected"),
        Err(error) => error,
    }
}

#[tokio::test]
async fn the_headers_arrive_and_cannot_break_the_handshake() {
    let (listener, url) = listen().await;
    let server = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut seen = None;
        #[allow(clippy::result_large_err, reason = "the library's signature")]
        let note = |request: &Request, response: Response| {
            seen = Some((request.uri().to_string(), request.headers().clone()));
            Ok(response)
        };
        let socket = tokio_tungstenite::accept_hdr_async(stream, note).await.unwrap();
        (seen.unwrap(), socket)
    });
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let headers = vec![header("X-Token", "größe"), header("Upgrade", "nonsense"), header("host", "localhost")];
    let url = url.replace("127.0.0.1", "user:p%40ss@127.0.0.1") + "?token=1#part";
    connect(&url, &Options { headers, ..Options::default() }).await.unwrap();
    let ((uri, headers), _socket) = server.await.unwrap();
    assert_eq!(uri, "/devtools/browser/x?token=1");
    assert_eq!(headers["x-token"].as_bytes(), "größe".as_bytes());
    assert_eq!((&headers["upgrade"], &headers["host"]), (&"websocket".parse().unwrap(), &"localhost".parse().unwrap()));
    assert_eq!(headers["authorization"], "Basic dXNlcjpwQHNz");
    assert!(!headers.contains_key("sec-websocket-extensions"), "no compression is offered");
    let bad = Options { headers: vec![header("a b", "x")], ..Options::default() };
    assert!(matches!(refused(&url, &bad).await, ConnectError::Header { name } if name == "a b"));
}

#[tokio::test]
async fn fragments_and_binary_messages_are_messages_too() {
    let (mut reader, mut writer, mut server) = connected(&Options::default()).await;
    let frame =
        |text: &str, code, last| Message::Frame(Frame::message(text.as_bytes().to_vec(), OpCode::Data(code), last));
    server.send(frame("{\"a\":\"grö", Data::Text, false)).await.unwrap();
    server.send(Message::Ping(Vec::new().into())).await.unwrap();
    server.send(frame("ße\"}", Data::Continue, true)).await.unwrap();
    server.send(Message::binary(b"{}".to_vec())).await.unwrap();
    assert_eq!(reader.receive().await.unwrap().unwrap(), "{\"a\":\"größe\"}".as_bytes());
    assert_eq!(reader.receive().await.unwrap().unwrap(), b"{}");
    writer.send("{\"ü\":1}".as_bytes()).await.unwrap();
    loop {
        match server.next().await.unwrap().unwrap() {
            Message::Pong(_) => {}
            message => break assert_eq!(message, Message::text("{\"ü\":1}")),
        }
    }
    writer.finish().await;
    assert!(matches!(server.next().await, Some(Ok(Message::Close(_)))));
    // Its library answers the goodbye when it is polled again.
    assert!(server.next().await.is_none());
    assert!(reader.receive().await.unwrap().is_none());
}

#[tokio::test]
async fn a_vanished_browser_ends_the_stream() {
    let (mut reader, _writer, server) = connected(&Options::default()).await;
    drop(server);
    assert!(reader.receive().await.unwrap().is_none());
}

#[tokio::test]
async fn silence_ends_the_connection_and_pongs_keep_it() {
    let quick = Options { keep_alive: Duration::from_millis(100), ..Options::default() };
    // This one is read, so its library answers the pings.
    let (mut reader, _writer, mut server) = connected(&quick).await;
    let pinged = tokio::spawn(async move {
        let mut pings = 0;
        while pings < 5 {
            pings += usize::from(matches!(server.next().await.unwrap().unwrap(), Message::Ping(_)));
        }
        server.send(Message::text("alive")).await.unwrap();
        server
    });
    assert_eq!(reader.receive().await.unwrap().unwrap(), b"alive");
    let _server = pinged.await.unwrap();
    // And this one is not.
    let (mut reader, _writer, _server) = connected(&quick).await;
    let error = reader.receive().await.unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (io::ErrorKind::TimedOut, "nothing was heard for 0.1 s"));
}

#[tokio::test]
async fn too_long_a_message_is_an_error_with_its_size() {
    let (mut reader, _writer, mut server) = connected(&Options { max_message: 1000, ..Options::default() }).await;
    server.send(Message::text("x".repeat(1000))).await.unwrap();
    assert_eq!(reader.receive().await.unwrap().unwrap().len(), 1000);
    server.send(Message::text("x".repeat(1001))).await.unwrap();
    let error = reader.receive().await.unwrap_err().to_string();
    assert_eq!(error, "the browser sent a message of 1001 bytes; the limit is 1000");
}

#[tokio::test]
async fn redirects_are_followed_without_carrying_secrets() {
    let (first, first_url) = listen().await;
    let (second, second_url) = listen().await;
    let location = second_url.replace("ws://", "http://");
    let one = tokio::spawn(answer(first, format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\n\r\n")));
    let two = tokio::spawn(answer(second, "HTTP/1.1 307 X\r\nLocation: ftp://a.test/\r\n\r\n".into()));
    let headers = vec![("Authorization".to_owned(), "secret".to_owned()), ("X-Keep".to_owned(), "1".to_owned())];
    let error = refused(&first_url, &Options { headers, ..Options::default() }).await;
    assert!(matches!(error, ConnectError::Address { url } if url == "ftp://a.test/"));
    let (one, two) = (one.await.unwrap().to_lowercase(), two.await.unwrap().to_lowercase());
    assert!(one.contains("authorization: secret") && one.contains("x-keep: 1"), "{one}");
    assert!(!two.contains("secret") && two.contains("x-keep: 1"), "{two}");
}

#[tokio::test]
async fn endless_redirects_end() {
    let (listener, url) = listen().await;
    let server = tokio::spawn(async move {
        for count in 1.. {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut [0; 4096]).await;
            stream.write_all(b"HTTP/1.1 302 Found\r\nLocation: /again\r\n\r\n").await.unwrap();
            if count > REDIRECTS {
                break;
            }
        }
    });
    assert!(matches!(refused(&url, &Options::default()).await, ConnectError::Redirects { .. }));
    server.await.unwrap();
}

#[tokio::test]
async fn every_refusal_says_what_it_was() {
    let (listener, url) = listen().await;
    let body = "HTTP/1.1 403 Forbidden\r\nContent-Length: 20\r\n\r\n\r\nno origin\r\nmore..";
    let server = tokio::spawn(answer(listener, body.into()));
    let error = refused(&format!("{url}?token=secret"), &Options::default()).await;
    assert_eq!(error.to_string(), format!("{url} answered with HTTP 403: no origin"));
    server.await.unwrap();

    // Nothing listens on a port that has just been given back.
    let (listener, url) = listen().await;
    drop(listener);
    let error = refused(&url, &Options::default()).await;
    assert!(error.to_string().ends_with("connection refused, nothing listens there"), "{error}");

    let (listener, url) = listen().await;
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(b"not TLS at all, and no HTTP either").await.unwrap();
        stream
    });
    let error = refused(&url.replace("ws:", "wss:"), &Options::default()).await;
    assert!(matches!(error, ConnectError::Tls { .. }), "{error:?}");
    server.await.unwrap();

    let (_listener, url) = listen().await;
    let short = Options { connect_within: Duration::from_millis(100), ..Options::default() };
    assert!(matches!(refused(&url, &short).await, ConnectError::Timeout { .. }));
    for url in ["http://127.0.0.1:1/", "nonsense"] {
        assert!(matches!(refused(url, &short).await, ConnectError::Address { .. }), "{url}");
    }
}
