//! Manners: looking at a page does not disturb it, paths that are not the agent's are left alone, and what cannot be done is
//! said at once.

use serde_json::{Value, json};

use crate::cases::{Browser, data_url, list_with, script_value, uid_in};
use crate::support::{pages, root};

/// A page that remembers whether anything made it visible, hidden, focused or blurred.
const WATCHING: &str = "<title>Watching</title><button>Fine</button><script>var felt = []; \
    for (const type of ['focus', 'blur']) addEventListener(type, () => felt.push(type)); \
    document.addEventListener('visibilitychange', () => felt.push(document.visibilityState))</script>";

/// What a page has felt since it was asked last.
fn felt(browser: &mut Browser, page: u32) -> Value {
    let script = json!({"pageId": page, "function": "() => felt.splice(0)", "waitForStableDom": false});
    script_value(&browser.text("evaluate_script", script))
}

#[test]
fn looking_at_a_page_neither_raises_nor_focuses_it() {
    let mut browser = Browser::start(&[]);
    browser.open(WATCHING);
    browser.text("new_page", json!({"url": data_url(WATCHING)}));
    browser.text("select_page", json!({"pageId": 2, "bringToFront": true}));
    browser.until("() => document.visibilityState", json!("visible"));
    felt(&mut browser, 1);
    felt(&mut browser, 2);
    let mut look = |tool: &str, arguments: Value| browser.text(tool, arguments);
    for tool in ["take_snapshot", "list_console_messages", "list_network_requests"] {
        look(tool, json!({"pageId": 1}));
    }
    look("evaluate_script", json!({"pageId": 1, "function": "() => document.title"}));
    look("wait_for", json!({"pageId": 1, "text": ["Fine"]}));
    look("list_pages", json!({}));
    assert_eq!((felt(&mut browser, 1), felt(&mut browser, 2)), (json!([]), json!([])));
    // A new page in the background stays there.
    browser.text("new_page", json!({"url": data_url(WATCHING), "background": true}));
    assert_eq!(felt(&mut browser, 2), json!([]));
}

#[test]
fn filling_what_is_no_field_is_refused_at_once() {
    let mut browser = Browser::start(&[]);
    browser.open("<label for=f>Street</label><input id=f><p>Only text</p>");
    let snapshot = browser.snapshot();
    let uid = uid_in(&snapshot, "Only text").unwrap();
    let start = std::time::Instant::now();
    let error = browser.error("fill", json!({"uid": uid, "value": "x"}));
    assert!(error.contains("hint: "), "{error}");
    // The original waits for five seconds.
    assert!(start.elapsed() < std::time::Duration::from_secs(4), "{:?}: {error}", start.elapsed());
}

#[test]
fn maps_of_pages_from_files_and_from_other_sites() {
    let mut browser = Browser::start(&[&format!("--workspace={}", root().display())]);
    let page = url::Url::from_file_path(root().join("tests/pages/maps/all.html")).unwrap();
    browser.go(page.as_str());
    let list = list_with(&mut browser, "[error] external", true);
    assert!(list.contains("at a (") && list.contains("ts/external.ts:11:5)"), "{list}");
    // The map of another site than the script's.
    let map = pages().url("maps/header.js.map").replace("127.0.0.1", "localhost");
    let script = pages().url(&format!("maps/header.js?header=SourceMap:{map}"));
    browser.go(&pages().url("bench/static.html"));
    browser.eval(&format!(
        "() => {{ document.head.append(Object.assign(document.createElement('script'), {{src: '{script}'}})); return 1 }}"
    ));
    let list = list_with(&mut browser, "[error] header", true);
    assert!(list.contains("ts/header.ts:11:5)"), "{list}");
}
