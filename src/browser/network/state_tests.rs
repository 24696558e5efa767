//! Events as Chrome sends them, in the orders in which they come.

use serde_json::{Value, json};

use super::*;
use crate::cdp::Connection;

fn origin() -> Arc<Origin> {
    let (near, _) = tokio::io::duplex(64);
    let (input, output) = tokio::io::split(near);
    let (reader, writer) = crate::cdp::pipe::pair(input, output);
    let session = Session::browser(Connection::start(reader, writer)).with_id("S");
    Arc::new(Origin { session, part: Part::Page, frame: "F".into(), url: String::new() })
}

struct Log {
    state: State,
    origin: Arc<Origin>,
}

impl Log {
    fn new() -> Self {
        let state = State { main_frame: "F".into(), ..State::default() };
        Log { state, origin: origin() }
    }

    fn event(&mut self, method: &str, params: Value) {
        let params = serde_json::value::to_raw_value(&params).unwrap();
        let event = Event { method: format!("Network.{method}"), session: Some("S".into()), params, place: 0 };
        self.state.note(event, &self.origin);
    }

    fn sent(&mut self, id: &str, url: &str, more: Value) {
        let mut params = json!({
            "requestId": id, "loaderId": "L", "timestamp": 1.0, "wallTime": 1.0, "type": "Document", "frameId": "F",
            "request": {"url": url, "method": "GET", "headers": {"A": "event"}},
        });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.event("requestWillBeSent", params);
    }

    fn lines(&self) -> Vec<String> {
        let lines = self.state.entries.current().map(Request::summary);
        lines.map(|request| format!("{} {} {}", request.id, request.url, request.status)).collect()
    }
}

fn redirect(status: i64) -> Value {
    json!({"redirectResponse": {"status": status, "headers": {"Location": "x"}}, "redirectHasExtraInfo": true})
}

#[tokio::test]
async fn a_document_that_was_there_before_takes_what_came_with_its_contexts() {
    let mut log = Log::new();
    log.sent("before", "one", json!({"type": "Image"}));
    log.state.contexts_cleared();
    log.sent("at once", "two", json!({"type": "Fetch"}));
    log.state.split_at_contexts();
    log.sent("later", "three", json!({"type": "Fetch"}));
    assert_eq!(log.lines(), ["2 two pending", "3 three pending"]);
}

#[tokio::test]
async fn a_redirected_document_is_split_off_with_all_its_hops() {
    let mut log = Log::new();
    log.sent("other", "data:,", json!({"type": "Image"}));
    log.sent("L", "one", json!({}));
    log.sent("L", "two", redirect(301));
    log.sent("L", "three", redirect(302));
    log.event("responseReceived", json!({"requestId": "L", "response": {"status": 200, "headers": {}}}));
    log.state.split();
    assert_eq!(log.lines(), ["2 one 301", "3 two 302", "4 three 200"]);
    let last = log.state.entries.current().next_back().unwrap();
    assert_eq!((&last.hops[..], last.next), (&[2, 3][..], None));
    // Without a new request (from the cache of whole pages) everything moves on, as in the original.
    log.state.split();
    assert_eq!(log.lines().len(), 3);
}

#[tokio::test]
async fn what_comes_before_the_announcement_waits_for_it() {
    let mut log = Log::new();
    log.event("requestWillBeSentExtraInfo", json!({"requestId": "R", "headers": {"a": "wire", "Cookie": "c"}}));
    log.event("responseReceived", json!({
        "requestId": "R", "hasExtraInfo": true, "type": "Preflight", "response": {"status": 200, "headers": {"X": "1"}},
    }));
    log.event("loadingFinished", json!({"requestId": "R", "timestamp": 2.0}));
    assert!(log.lines().is_empty());
    log.sent("R", "late", json!({"type": "Other"}));
    log.event(
        "responseReceivedExtraInfo",
        json!({
            "requestId": "R", "statusCode": 304, "headers": {"Set-Cookie": "a=1\nb=2", "Vary": "x\ny"},
        }),
    );
    assert_eq!(log.lines(), ["1 late 304"]);
    let request = log.state.entries.current().next().unwrap();
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(request.request_headers(), [header("a", "wire"), header("cookie", "c")]);
    assert_eq!(request.response_headers().unwrap(), [header("set-cookie", "a=1\n b=2"), header("vary", "x, y")]);
    assert!(!request.is_open() && request.is_of(&["preflight".into()]) && request.is_of(&["other".into()]));
}

#[tokio::test]
async fn failures_and_requests_that_two_sessions_tell() {
    let mut log = Log::new();
    log.sent("R", "twice", json!({}));
    log.sent("R", "twice", json!({}));
    assert_eq!(log.lines(), ["1 twice pending"]);
    log.event("loadingFailed", json!({"requestId": "R", "timestamp": 2.0, "errorText": "", "blockedReason": "csp"}));
    assert_eq!(log.lines(), ["1 twice blocked:csp"]);
    log.event("dataReceived", json!({"requestId": "unknown"}));
    log.sent("R", "again", json!({}));
    assert_eq!(log.lines().len(), 2, "an id that is used again");
}
