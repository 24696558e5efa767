//! The router against a browser of ours: callers, failures, subscribers.

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};

use super::super::pipe;
use super::*;

/// The browser's side of a connection, driven by the test.
struct Browser {
    input: BufReader<ReadHalf<DuplexStream>>,
    output: WriteHalf<DuplexStream>,
}

impl Browser {
    async fn next(&mut self) -> Value {
        let mut message = Vec::new();
        self.input.read_until(0, &mut message).await.unwrap();
        message.pop();
        serde_json::from_slice(&message).unwrap()
    }

    async fn send(&mut self, message: Value) {
        self.output.write_all(format!("{message}\0").as_bytes()).await.unwrap();
    }
}

fn connect() -> (Arc<Connection>, Browser) {
    let (near, far) = tokio::io::duplex(64 * 1024);
    let (input, output) = tokio::io::split(near);
    let (reader, writer) = pipe::pair(input, output);
    let (input, output) = tokio::io::split(far);
    (Connection::start(reader, writer), Browser { input: BufReader::new(input), output })
}

#[tokio::test]
async fn answers_find_their_callers_in_any_order() {
    let (connection, mut browser) = connect();
    let call = |n: u32| {
        let connection = connection.clone();
        tokio::spawn(async move { connection.call(Some("S"), "A.b", json!({"n": n}), DEFAULT_TIMEOUT).await })
    };
    let (one, two) = (call(1), call(2));
    let (a, b) = (browser.next().await, browser.next().await);
    assert_eq!(a["sessionId"], "S");
    for message in [&b, &a] {
        browser.send(json!({"id": message["id"], "sessionId": "S", "result": {"n": message["params"]["n"]}})).await;
    }
    assert_eq!(one.await.unwrap().unwrap().get(), r#"{"n":1}"#);
    assert_eq!(two.await.unwrap().unwrap().get(), r#"{"n":2}"#);
    assert_eq!(connection.pending(), 0);
}

#[tokio::test]
async fn the_failures_differ_and_name_the_method() {
    let (connection, mut browser) = connect();
    let spawn = |session: Option<&'static str>, timeout| {
        let connection = connection.clone();
        tokio::spawn(async move { connection.call(session, "Page.navigate", json!({}), timeout).await.unwrap_err() })
    };
    let refused = spawn(None, DEFAULT_TIMEOUT);
    let id = browser.next().await["id"].clone();
    browser.send(json!({"id": id, "error": {"code": -32000, "message": "No", "data": "because"}})).await;
    assert_eq!(refused.await.unwrap().to_string(), "Protocol error (Page.navigate): No because");

    let closed = spawn(Some("S"), DEFAULT_TIMEOUT);
    let other = spawn(Some("T"), DEFAULT_TIMEOUT);
    browser.next().await;
    browser.next().await;
    browser.send(json!({"method": "Target.detachedFromTarget", "params": {"sessionId": "S"}})).await;
    assert!(matches!(closed.await.unwrap(), CdpError::TargetClosed { method } if method == "Page.navigate"));

    let late = spawn(None, Duration::from_millis(10)).await.unwrap();
    assert!(matches!(late, CdpError::Timeout { .. }), "{late}");

    drop(browser);
    assert!(matches!(other.await.unwrap(), CdpError::Disconnected { .. }));
    let after = connection.call(None, "A.b", json!({}), DEFAULT_TIMEOUT).await.unwrap_err();
    assert!(matches!(after, CdpError::Disconnected { .. }));
    assert_eq!(connection.pending(), 0);
}

#[tokio::test]
async fn a_crash_ends_what_the_page_would_have_answered_and_no_more() {
    let (connection, mut browser) = connect();
    let spawn = |method: &'static str| {
        let connection = connection.clone();
        tokio::spawn(async move { connection.call(Some("S"), method, json!({}), DEFAULT_TIMEOUT).await })
    };
    let (page, recording) = (spawn("Runtime.evaluate"), spawn("Tracing.end"));
    let mut ids = HashMap::new();
    for _ in 0..2 {
        let call = browser.next().await;
        ids.insert(call["method"].as_str().unwrap().to_owned(), call["id"].clone());
    }
    browser.send(json!({"method": "Inspector.targetCrashed", "sessionId": "S", "params": {}})).await;
    let error = page.await.unwrap().unwrap_err();
    assert!(matches!(&error, CdpError::Crashed { method } if method == "Runtime.evaluate"), "{error}");
    browser.send(json!({"id": ids["Tracing.end"], "sessionId": "S", "result": {"stream": 1}})).await;
    assert_eq!(recording.await.unwrap().unwrap().get(), r#"{"stream":1}"#);
}

#[tokio::test]
async fn a_caller_that_stops_waiting_leaves_no_entry() {
    let (connection, mut browser) = connect();
    let waiting = connection.clone();
    let task = tokio::spawn(async move { waiting.call(None, "A.b", json!({}), DEFAULT_TIMEOUT).await });
    let id = browser.next().await["id"].clone();
    task.abort();
    let _ = task.await;
    assert_eq!(connection.pending(), 0);
    browser.send(json!({"id": id, "result": {}})).await;
    browser.send(json!({"id": 999_999, "result": {}})).await;
    browser.output.write_all(b"garbage\0").await.unwrap();
    let mut events = connection.subscribe(None, &["A.event"], 4);
    browser.send(json!({"method": "A.event", "params": {}})).await;
    assert_eq!(events.next().await.unwrap().method, "A.event");
}

#[tokio::test]
async fn a_session_that_has_ended_is_not_waited_for() {
    let (connection, mut browser) = connect();
    let mut before = connection.subscribe(Some("S"), &[], 3);
    browser.send(json!({"method": "Target.detachedFromTarget", "params": {"sessionId": "S"}})).await;
    assert!(before.next().await.is_none());
    assert!(connection.subscribe(Some("S"), &[], 3).next().await.is_none());
    let mut other = connection.subscribe(Some("T"), &[], 3);
    browser.send(json!({"method": "A.event", "sessionId": "T", "params": {}})).await;
    assert_eq!(other.next().await.unwrap().method, "A.event");
}

#[tokio::test]
async fn a_slow_subscriber_loses_the_oldest_and_knows_it() {
    let (connection, mut browser) = connect();
    let mut slow = connection.subscribe(Some("S"), &["A.event"], 3);
    let mut marker = connection.subscribe(None, &["A.end"], 1);
    for n in 0..10 {
        browser.send(json!({"method": "A.event", "sessionId": "S", "params": {"n": n}})).await;
        browser.send(json!({"method": "A.event", "sessionId": "other", "params": {"n": 100}})).await;
    }
    browser.send(json!({"method": "A.end"})).await;
    marker.next().await.unwrap();
    assert_eq!(slow.lost(), 7);
    for n in 7..10 {
        assert_eq!(slow.next().await.unwrap().params.get(), format!(r#"{{"n":{n}}}"#));
    }
    browser.send(json!({"method": "Target.detachedFromTarget", "params": {"sessionId": "S"}})).await;
    assert!(slow.next().await.is_none());
}

#[tokio::test]
async fn bulk_data_is_complete_and_holds_the_browser_up_until_it_is_taken() {
    let (connection, mut browser) = connect();
    let mut bulk = connection.subscribe_bulk(None, &["A.chunk"], 500);
    let mut marker = connection.subscribe(None, &["A.end"], 1);
    // More than the pipe in between holds, so that the browser's side has to wait as well.
    const CHUNKS: usize = 2000;
    let sending = tokio::spawn(async move {
        for n in 0..CHUNKS {
            browser.send(json!({"method": "A.chunk", "params": {"n": n, "text": "x".repeat(100)}})).await;
        }
        browser.send(json!({"method": "A.end"})).await;
        browser
    });
    while bulk.waiting_bytes() <= 500 {
        tokio::task::yield_now().await;
    }
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
    assert!(bulk.waiting_bytes() < 1000, "one more than the limit allows, then nothing");
    assert!(marker.try_next().is_none());
    for n in 0..CHUNKS / 2 {
        let params: Value = bulk.next().await.unwrap().decode().unwrap();
        assert_eq!(params["n"], n);
    }
    assert_eq!(bulk.lost(), 0);
    // Who is no longer interested holds nobody up.
    drop(bulk);
    marker.next().await.unwrap();
    sending.await.unwrap();
}
