//! Tabs of a browser that was there before us: documents that were rendered before anybody asked for them, and tabs
//! whose documents the browser has thrown away.

use std::time::{Duration, Instant};

use devtools_mcp::browser::host::BrowserHost;
use devtools_mcp::config::{BrowserConfig, Connect};
use serde_json::{Value, json};

use crate::connect::Foreign;
use crate::support::{Client, chrome_lock, pages};

fn url(path: &str) -> String {
    pages().url(&format!("tabs/{path}"))
}

/// Opens a tab as somebody without a CDP session does; its target.
fn open(chrome: &Foreign, url: &str) -> String {
    let mut answer = ureq::put(format!("{}/json/new?{url}", chrome.url())).send_empty().unwrap();
    let tab: Value = serde_json::from_str(&answer.body_mut().read_to_string().unwrap()).unwrap();
    tab["id"].as_str().unwrap().to_owned()
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let limit = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < limit, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Id of the page whose line in the list contains a text.
fn page(client: &mut Client, text: &str) -> u32 {
    let list = client.text("list_pages", json!({}));
    let line = list.lines().find(|line| line.contains(text)).unwrap_or_else(|| panic!("{text} in {list}"));
    line.split(':').next().unwrap().parse().unwrap()
}

fn evaluate(client: &mut Client, page: u32, function: &str) -> Value {
    let text = client.text("evaluate_script", json!({"pageId": page, "function": function}));
    let (_, json) = text.split_once("```json\n").unwrap_or_else(|| panic!("a value in {text}"));
    serde_json::from_str(json.split("\n```").next().unwrap()).unwrap()
}

fn uid(snapshot: &str, name: &str) -> String {
    let line = snapshot.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{name} in {snapshot}"));
    line.trim().strip_prefix("uid=").unwrap().split(' ').next().unwrap().to_owned()
}

const STATE: &str = "() => [document.title, document.prerendering, \
                     performance.getEntriesByType('navigation')[0].activationStart > 0]";

/// A tab whose next document is there already.
fn prerendered(chrome: &Foreign, name: &str) -> String {
    let next = "/tabs/late.json";
    let before = (pages().hits("/tabs/early.json"), pages().hits(next));
    let target = open(chrome, &url(&format!("index.html?{name}")));
    until("the next document is rendered", || pages().hits("/tabs/early.json") > before.0);
    assert_eq!(pages().hits(next), before.1, "it has not become the page's");
    target
}

#[test]
fn a_document_rendered_before_us_becomes_the_pages() {
    let _alone = chrome_lock();
    let profile = tempfile::tempdir().unwrap();
    let chrome = Foreign::start(profile.path(), 0);
    for (name, element) in [("link", "link \"Next\""), ("script", "button \"By script\"")] {
        prerendered(&chrome, name);
        let mut client = Client::ready(&[&format!("--browserUrl={}", chrome.url())]);
        let id = page(&mut client, &format!("?{name}"));
        let snapshot = client.text("take_snapshot", json!({"pageId": id}));
        let answer = client.text("click", json!({"pageId": id, "uid": uid(&snapshot, element)}));
        assert!(answer.contains(&format!("Page navigated to {}.", url("next.html"))), "{answer}");
        assert_eq!(evaluate(&mut client, id, STATE), json!(["Next", false, true]), "Chrome took what was rendered");
        let said = client.text("list_console_messages", json!({"pageId": id}));
        let said: Vec<&str> =
            said.lines().filter_map(|line| line.split_once(" [log] ")).map(|(_, text)| text).collect();
        assert_eq!(said, ["prerendering: true (1 args)", "activated (1 args)"]);
        let list = client.text("list_network_requests", json!({"pageId": id}));
        assert!(list.contains("/late.json?status=200&text=late [200]"), "{list}");
        assert!(list.contains("recorded since ") && !list.contains("early.json"), "{list}");
        let snapshot = client.text("take_snapshot", json!({"pageId": id}));
        for button in ["button \"Here\"", "button \"Inside\""] {
            client.text("click", json!({"pageId": id, "uid": uid(&snapshot, button)}));
        }
        let said = client.text("list_console_messages", json!({"pageId": id}));
        assert!(said.contains("[log] here (1 args)\n"), "{said}");
        assert!(said.contains("[log] inside (1 args) in "), "{said}");
        // To somebody who comes only now its main frame has another id than the tab.
        let mut late = Client::ready(&[&format!("--browserUrl={}", chrome.url())]);
        let same = page(&mut late, "next.html");
        assert_eq!(evaluate(&mut late, same, STATE), json!(["Next", false, true]));
        let said = late.text("list_console_messages", json!({"pageId": same}));
        assert!(said.contains("[log] here (1 args)\n"), "{said}");
        assert!(said.contains("[log] inside (1 args) in a frame"), "{said}");
        let snapshot = late.text("take_snapshot", json!({"pageId": same}));
        late.text("click", json!({"pageId": same, "uid": uid(&snapshot, "button \"Inside\"")}));
        let picture = late.call("take_screenshot", json!({"pageId": same}));
        assert!(picture.get("isError").is_none(), "{picture}");
        drop(late);
        // Back to the document before, which may still be there: that is told by Chrome.
        let back = client.text("navigate_page", json!({"pageId": id, "type": "back"}));
        assert!(back.contains(&format!("index.html?{name}")), "{back}");
        assert_eq!(evaluate(&mut client, id, "() => document.title"), "Before");
        let snapshot = client.text("take_snapshot", json!({"pageId": id}));
        assert!(snapshot.contains(element), "{snapshot}");
        let away = client.text("navigate_page", json!({"pageId": id, "url": url("next.html?directly")}));
        assert!(away.contains("next.html?directly"), "{away}");
        let list = client.text("list_network_requests", json!({"pageId": id}));
        assert!(list.contains("early.json") && !list.contains("recorded since"), "{list}");
        client.text("close_page", json!({"pageId": id}));
    }
}

/// Presses "Urgent Discard" in Chrome's own page about tabs, in the row of the tab with this in its address.
const DISCARD: &str = r#"
    (async tab => {
        const all = root => [...root.querySelectorAll("*")].flatMap(e => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
        let pressed = 0;
        for (let tries = 0; tries < 200; tries++) {
            const row = all(document).find(e => e.tagName === "TR" && e.textContent.includes(tab));
            if (pressed && /\bdiscarded\b/i.test(row?.innerText)) return "discarded";
            const leaves = row ? [...row.querySelectorAll("*")].filter(e => !e.children.length) : [];
            const button = leaves.find(e => e.textContent.includes("Urgent Discard"));
            if (!pressed && button) {
                button.click();
                pressed = tries + 1;
            }
            if (pressed && tries > pressed + 60) return "kept: " + row?.innerText;
            await new Promise(resolve => setTimeout(resolve, 50));
        }
        return "not in the list";
    })"#;

/// What came of it: `discarded` or `kept: …`.
fn discard(chrome: &Foreign, tab: &str) -> String {
    let about = open(chrome, "chrome://discards");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let config = BrowserConfig { connect: Some(Connect::Http { url: chrome.url() }), ..BrowserConfig::default() };
    let host = BrowserHost::new(config);
    runtime.block_on(async {
        let live = host.get().await.unwrap();
        let params = json!({"targetId": about, "flatten": true});
        let session: Value = live.session().call("Target.attachToTarget", params).await.unwrap();
        let session = live.session().with_id(session["sessionId"].as_str().unwrap());
        let expression = format!("{DISCARD}({})", json!(tab));
        let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer: Value = session.call("Runtime.evaluate", params).await.unwrap();
        host.close().await;
        answer["result"]["value"].as_str().unwrap().to_owned()
    })
}

#[test]
fn a_tab_that_the_browser_has_thrown_away_is_told_and_woken() {
    let _alone = chrome_lock();
    let profile = tempfile::tempdir().unwrap();
    // Without it Chrome does not show its page about tabs.
    std::fs::write(profile.path().join("Local State"), r#"{"internal_only_uis_enabled":true}"#).unwrap();
    let chrome = Foreign::start(profile.path(), 0);
    let tabs = ["to-be-shown", "to-be-reloaded"];
    for tab in tabs {
        let before = pages().hits("/tabs/early.json");
        open(&chrome, &url(&format!("next.html?{tab}")));
        until("the tab is loaded", || pages().hits("/tabs/early.json") > before);
        assert_eq!(discard(&chrome, tab), "discarded");
    }
    let mut client = Client::ready(&[&format!("--browserUrl={}", chrome.url())]);
    let shown = page(&mut client, tabs[0]);
    let error = client.error("take_snapshot", json!({"pageId": shown}));
    assert!(error.contains("asleep") && error.contains("hint: wake it with select_page and bringToFront"), "{error}");
    let list = client.text("list_pages", json!({}));
    let line = list.lines().find(|line| line.contains(tabs[0])).unwrap();
    assert!(line.contains(" [asleep: wake it with select_page and bringToFront"), "{list}");
    client.text("select_page", json!({"pageId": shown, "bringToFront": true}));
    let state = evaluate(&mut client, shown, "() => [document.title, document.wasDiscarded, window.mark = 1]");
    assert_eq!(state, json!(["Next", true, 1]));
    assert!(!client.text("list_pages", json!({})).contains("[asleep"));

    let reloaded = page(&mut client, tabs[1]);
    let answer = client.text("navigate_page", json!({"pageId": reloaded, "type": "reload"}));
    assert!(answer.starts_with("The page was asleep; it was loaded again.\n"), "{answer}");
    assert_eq!(evaluate(&mut client, reloaded, "() => document.title"), "Next");

    // One that is worked on stays: Chrome throws nothing away under somebody's eyes.
    client.text("select_page", json!({"pageId": reloaded, "bringToFront": true}));
    let kept = discard(&chrome, tabs[0]);
    assert!(kept.starts_with("kept: "), "{kept}");
    assert_eq!(evaluate(&mut client, shown, "() => window.mark"), 1);
    let snapshot = client.text("take_snapshot", json!({"pageId": shown}));
    assert!(snapshot.contains("button \"Here\""), "{snapshot}");
}
