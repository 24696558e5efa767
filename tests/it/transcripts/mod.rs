//! Recorded conversations with Chromium, played to our connection and page state.
//!
//! A scenario is written once. With `DEVTOOLS_MCP_RECORD` set it runs against a real browser and what was said is written to
//! `tests/fixtures/cdp`; otherwise the recording plays the browser, over a transport in memory, twice: as it was, and
//! with things between that no browser of today says. The same claims hold in all three.

mod record;
mod replay;

use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use devtools_mcp::browser::frames::Frame;
use devtools_mcp::browser::navigate::{self, Destination};
use devtools_mcp::browser::page::{Attached, Page, PageError};
use devtools_mcp::browser::pages::Pages;
use devtools_mcp::browser::snapshot::{self, render};
use devtools_mcp::cdp::{CdpError, Connection, Session};
use devtools_mcp::config::{BrowserConfig, Connect};
use serde_json::{Value, json};

use crate::support;

/// Set: talk to Chromium and write the recordings anew.
const RECORD: &str = "DEVTOOLS_MCP_RECORD";

/// What a scenario works with.
struct Stage {
    browser: Session,
    pages: Arc<Pages>,
    /// Where the test pages are.
    base: String,
}

/// How a recording is played.
#[derive(Clone, Copy, PartialEq)]
enum Play {
    AsItWas,
    /// Unknown events, targets and fields between, answers after the end of their session.
    WithStrangers,
    /// The targets that a page opened never answer.
    PopupsSleep,
}

impl Stage {
    fn new(connection: Arc<Connection>, base: String) -> Self {
        let browser = Session::browser(connection);
        // Attached to, so that a tab that sleeps is given up after two seconds.
        let connect = Some(Connect::Http { url: base.clone() });
        let config = BrowserConfig { connect, ..BrowserConfig::default() };
        let pages = Pages::new(browser.clone(), Arc::new(AtomicU32::new(1)), config);
        Stage { browser, pages, base }
    }

    /// The page that is there at the start, attached, at an address below `tests/pages/transcripts`.
    async fn open(&self, file: &str) -> (Arc<Page>, Arc<Attached>) {
        let first = self.pages.list().await.unwrap()[0].id;
        let page = self.pages.find(first).await.unwrap().unwrap();
        let on = self.pages.attach(&page).await.unwrap();
        self.go(&on, &format!("{}{file}", self.base)).await;
        (page, on)
    }

    async fn go(&self, on: &Attached, url: &str) {
        navigate::go(on, Destination::Url(url), Duration::from_secs(20)).await.unwrap();
    }

    async fn title(&self, on: &Attached) -> Result<Value, CdpError> {
        evaluate(&on.session, "document.title").await
    }
}

async fn evaluate(session: &Session, expression: &str) -> Result<Value, CdpError> {
    let params = json!({"expression": expression, "returnByValue": true, "userGesture": true});
    let answer: Value = session.call("Runtime.evaluate", params).await?;
    Ok(answer["result"]["value"].clone())
}

/// Begins a call that nobody answers by itself.
async fn endless(session: &Session) -> tokio::task::JoinHandle<Result<Value, CdpError>> {
    let session = session.clone();
    let waiting = tokio::spawn(async move {
        let params = json!({"expression": "new Promise(() => {})", "awaitPromise": true});
        session.call("Runtime.evaluate", params).await
    });
    // Sent before anything else.
    tokio::task::yield_now().await;
    waiting
}

/// Waits for a condition that is seen without asking the browser: the number of questions must not depend on the clock.
async fn until(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !condition().await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(20), waiting).await.is_ok(), "{what}");
}

fn file_of(recording: &str) -> std::path::PathBuf {
    support::root().join(format!("tests/fixtures/cdp/{recording}.jsonl"))
}

/// One thread: what runs in which order must not differ from one play to the next.
fn run(future: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future);
}

/// Runs a scenario against its recording, after having made it if that is asked for.
fn scenario(name: &str, claims: impl AsyncFn(&Stage)) {
    if std::env::var_os(RECORD).is_some() {
        let _alone = support::chrome_lock();
        run(async {
            let recorder = record::Recorder::start();
            let base = support::pages().url("transcripts/");
            claims(&Stage::new(recorder.connection.clone(), base)).await;
            recorder.write(&file_of(name));
        });
    }
    replay(name, Play::AsItWas, &claims);
    replay(name, Play::WithStrangers, &claims);
}

/// Runs a scenario against the recording of one.
fn replay(name: &str, play: Play, claims: impl AsyncFn(&Stage)) {
    run(async { claims(&Stage::new(replay::start(&file_of(name), play), record::BASE.into())).await });
}

#[test]
fn frames_of_other_sites_and_workers() {
    scenario("frames", async |stage| {
        let (page, on) = stage.open("frames.html").await;
        until("both are attached", async || on.children().len() == 2).await;
        let mut kinds: Vec<String> = on.children().into_iter().map(|child| child.kind).collect();
        kinds.sort();
        assert_eq!(kinds, ["iframe", "worker"]);
        let frames = on.frames().await.unwrap();
        let shown = |frame: &Frame| (frame.url.rsplit('/').next().unwrap().to_owned(), frame.depth, frame.cut);
        let expected = [("frames.html", 0), ("inner.html?same", 1), ("inner.html?other", 1)];
        assert_eq!(
            frames.iter().map(shown).collect::<Vec<_>>(),
            expected.map(|(url, depth)| (url.into(), depth, false))
        );
        assert!(frames[1..].iter().all(|frame| frame.parent.as_deref() == Some(&*on.main_frame())));
        assert_eq!(frames[1].session.id(), on.session.id(), "the same process");
        assert_ne!(frames[2].session.id(), on.session.id(), "a process of its own");
        let snapshot = snapshot::take(&on, false).await.unwrap();
        let text = render::text(&snapshot, &render::View::default());
        assert_eq!(text.matches("button \"Inside\"").count(), 2, "{text}");
        // They end with the document; the page stays the same one.
        stage.go(&on, "about:blank").await;
        until("both are gone", async || on.children().is_empty()).await;
        let gone = frames[2].session.call::<Value>("Page.getFrameTree", json!({})).await.unwrap_err();
        assert!(matches!(gone, CdpError::Protocol { .. } | CdpError::TargetClosed { .. }), "{gone}");
        assert_eq!(stage.pages.list().await.unwrap()[0].id, page.id);
    });
}

#[test]
fn a_popup_is_followed_from_its_birth_to_its_end() {
    scenario("popup", async |stage| {
        let (page, on) = stage.open("opener.html").await;
        evaluate(&on.session, "popup = open('popup.html'); 0").await.unwrap();
        let popup = async || stage.pages.known().await.into_iter().find(|known| known.id != page.id);
        until("it is attached", async || popup().await.is_some_and(|popup| popup.if_attached().is_some())).await;
        let popup = popup().await.unwrap();
        let inside = popup.if_attached().unwrap().clone();
        assert_eq!((page.id, popup.id), (1, 2));
        let list = stage.pages.list().await.unwrap();
        assert_eq!(list.iter().map(|info| info.id).collect::<Vec<_>>(), [1, 2]);
        let waiting = endless(&inside.session).await;
        evaluate(&on.session, "popup.close()").await.unwrap();
        let error = waiting.await.unwrap().unwrap_err();
        assert!(matches!(&error, CdpError::TargetClosed { method } if method == "Runtime.evaluate"), "{error}");
        assert_eq!(stage.pages.list().await.unwrap().iter().map(|info| info.id).collect::<Vec<_>>(), [1]);
        assert_eq!(stage.title(&on).await.unwrap(), "Opener");
    });
}

#[test]
fn a_tab_that_does_not_answer_is_asleep_and_holds_nobody_up() {
    // The popup's recording, in which the popup says nothing.
    replay("popup", Play::PopupsSleep, async |stage| {
        let (page, on) = stage.open("opener.html").await;
        evaluate(&on.session, "popup = open('popup.html'); 0").await.unwrap();
        until("it is known", async || stage.pages.known().await.len() == 2).await;
        let popup = stage.pages.known().await.into_iter().find(|known| known.id != page.id).unwrap();
        let Err(error) = stage.pages.attach(&popup).await else { panic!("it does not answer") };
        assert!(matches!(error, PageError::Asleep { id: 2 }), "{error}");
        let list = stage.pages.list().await.unwrap();
        assert_eq!(list.iter().map(|info| info.asleep).collect::<Vec<_>>(), [false, true]);
    });
}

#[test]
fn a_page_that_crashes_and_is_loaded_again() {
    scenario("crash", async |stage| {
        let (page, on) = stage.open("opener.html").await;
        let mut crashed = on.session.subscribe(&["Inspector.targetCrashed"]);
        let waiting = endless(&on.session).await;
        on.session.post("Page.crash", json!({}));
        crashed.next().await.expect("it is told");
        let error = waiting.await.unwrap().unwrap_err();
        assert!(matches!(&error, CdpError::Crashed { method } if method == "Runtime.evaluate"), "{error}");
        let list = stage.pages.list().await.unwrap();
        assert_eq!((list.len(), list[0].id), (1, page.id));
        stage.go(&on, &format!("{}popup.html", stage.base)).await;
        assert_eq!(stage.title(&on).await.unwrap(), "Popup");
    });
}

#[test]
fn failures_are_of_the_right_kind_and_name_the_method() {
    scenario("failures", async |stage| {
        let (page, on) = stage.open("opener.html").await;
        let refused = on.session.call::<Value>("Page.nonsense", json!({})).await.unwrap_err();
        assert!(
            matches!(&refused, CdpError::Protocol { method, code: -32601, .. } if method == "Page.nonsense"),
            "{refused}"
        );
        let params = json!({"expression": "new Promise(() => {})", "awaitPromise": true});
        let short = Duration::from_millis(50);
        let late = on.session.call_within::<Value>("Runtime.evaluate", params, short).await.unwrap_err();
        assert!(matches!(&late, CdpError::Timeout { method, .. } if method == "Runtime.evaluate"), "{late}");
        // Another page goes while somebody waits for it.
        let other = stage.pages.create(true, None).await.unwrap();
        let inside = stage.pages.attach(&other).await.unwrap();
        let waiting = endless(&inside.session).await;
        stage.pages.close(&other).await.unwrap();
        let closed = waiting.await.unwrap().unwrap_err();
        assert!(matches!(&closed, CdpError::TargetClosed { method } if method == "Runtime.evaluate"), "{closed}");
        let list = stage.pages.list().await.unwrap();
        assert_eq!(list.iter().map(|info| info.id).collect::<Vec<_>>(), [page.id]);
        // The browser goes.
        let waiting = endless(&on.session).await;
        stage.browser.post("Browser.close", json!({}));
        let lost = waiting.await.unwrap().unwrap_err();
        let is_lost = matches!(&lost, CdpError::TargetClosed { .. } | CdpError::Disconnected { .. });
        assert!(is_lost && lost.to_string().contains("Runtime.evaluate"), "{lost}");
        until("the connection has ended", async || stage.browser.connection().is_ended()).await;
        let after = stage.pages.list().await.unwrap_err();
        assert!(matches!(&after, CdpError::Disconnected { method } if method == "Target.getTargets"), "{after}");
    });
}
