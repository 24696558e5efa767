//! F: the console tells what was said, by whom, and keeps it.

use serde_json::json;

use super::{Browser, data_url};
use crate::support::pages;

/// The list once it has this text, as events take a moment.
#[track_caller]
pub fn list_with(browser: &mut Browser, text: &str, stacks: bool) -> String {
    let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
    loop {
        let list = browser.text("list_console_messages", json!({"includeStackTraces": stacks}));
        if list.contains(text) {
            return list;
        }
        assert!(std::time::Instant::now() < end, "{text} in {list}");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

/// The number of the line with this text.
#[track_caller]
pub fn id_of(list: &str, text: &str) -> u32 {
    let line = list.lines().find(|line| line.starts_with("msgid=") && line.contains(text));
    let id = line.and_then(|line| line.strip_prefix("msgid=")?.split(' ').next()?.parse().ok());
    id.unwrap_or_else(|| panic!("{text} in {list}"))
}

#[test]
fn f1_in_page_navigations_keep_the_history() {
    let mut browser = Browser::start(&[]);
    browser.go(&pages().url("console/mapped.html"));
    browser.eval(
        "() => { console.log('one'); console.log('two'); history.pushState({}, '', '?pushed'); \
         console.log('three'); location.hash = 'hash'; console.log('four') }",
    );
    let list = list_with(&mut browser, "four", false);
    let texts: Vec<usize> =
        ["one", "two", "three", "four"].map(|text| list.find(&format!("[log] {text} (1 args)")).unwrap()).to_vec();
    assert!(texts.is_sorted(), "{list}");
    // Another document begins anew, and the old one is kept for who asks.
    browser.go(&data_url("<script>console.log('five')</script>"));
    let list = list_with(&mut browser, "five", false);
    assert!(!list.contains("four"), "{list}");
    let all = browser.text("list_console_messages", json!({"includePreservedMessages": true}));
    assert!(all.find("four").unwrap() < all.find("five").unwrap(), "{all}");
    let id = id_of(&all, "four");
    assert!(id_of(&all, "five") > id, "{all}");
    assert!(browser.text("get_console_message", json!({"msgid": id})).contains("Message: log> four"));
}

#[test]
fn f3_uncaught_values_rejections_workers_and_frames() {
    let mut browser = Browser::start(&[]);
    browser.go(&pages().url("console/errors.html"));
    list_with(&mut browser, "worker broke", false);
    let list = list_with(&mut browser, "frame broke", true);
    for text in [
        "[error] Uncaught Error: outer 1 (0 args)\n  at thrower (console/errors.js:1:67)\n  at t1 (console/errors.js:2:28)",
        "[error] Uncaught plain (0 args)\n  at t2 (",
        "[error] Uncaught {code: 7} (0 args)\n  at t3 (",
        "[error] Uncaught undefined (0 args)\n  at t4 (",
        "[error] Uncaught null (0 args)\n  at t5 (",
        "[error] Uncaught (in promise) {why: \"x\"} (0 args)\n  at t6 (",
        "[error] Uncaught (in promise) y (0 args)\n  at t7 (",
        "[error] Uncaught (in promise) Error: rejected (0 args)\n  at t8 (",
        "  Caused by: a text",
        "[error] Uncaught Error: frame broke (0 args) in frame about:srcdoc",
        "[log] in worker {w: 1} (2 args) in worker blob:",
        "[error] Uncaught Error: worker broke (0 args) in worker blob:",
        "  --- Worker Created ---------------------\n  at t11 (console/errors.js:12:29)",
    ] {
        assert!(list.contains(text), "{text} in {list}");
    }
    // Causes to the end of the chain, each with its own stack; a chain that comes back is cut.
    let text = browser.text("get_console_message", json!({"msgid": id_of(&list, "outer 1")}));
    let parts: Vec<&str> = text.split("\nCaused by: ").collect();
    assert_eq!(parts.len(), 3, "{text}");
    assert!(parts[1].starts_with("TypeError: inner 1\nat thrower (console/errors.js:1:96)"), "{text}");
    assert!(parts[2].starts_with("RangeError: root 1\nat thrower (console/errors.js:1:35)"), "{text}");
    let text = browser.text("get_console_message", json!({"msgid": id_of(&list, "Error: b (1 args)")}));
    assert!(text.contains("Caused by: Error: a\n") && text.contains("comes back to an earlier error"), "{text}");
    // Two errors at once keep their own causes.
    let text = browser.text("get_console_message", json!({"msgid": id_of(&list, "with Error: solo")}));
    assert!(
        text.contains("Arg #1: Error: solo\nat t10 (") && text.contains("Caused by: Error: c1\nat t10 ("),
        "{text}"
    );
}

#[test]
fn f4_arguments_of_every_kind() {
    let mut browser = Browser::start(&[]);
    browser.go(&pages().url("console/messages.html"));
    let list = list_with(&mut browser, "nothing.txt", false);
    for text in [
        "[log] hello 1 {a: 1} [1, 2] (4 args)",
        "[log] same (1 args) [3 times]",
        "[log]  second (2 args)",
        "[log]  styled str 42 (4 args)",
        "[log] undefined null NaN -0 10n Symbol(s) () => … Thu Jan 01 1970",
        "/x/g Map(1) {\"k\" => {v: 1}} <body#b.bd>  [1, Array(1)] (13 args)",
        "[log] x is 5 (3 args)",
        "[log] Set(2) {1, \"two\"} Uint8Array(3) [1, 2, 3] class A function named(a, b) (4 args)",
        "… (400 characters) (1 args)",
        "[error] Failed to load resource: the server responded with a status of 404",
    ] {
        assert!(list.contains(text), "{text} in {list}");
    }
    let details =
        |browser: &mut Browser, text: &str| browser.text("get_console_message", json!({"msgid": id_of(&list, text)}));
    let text = details(&mut browser, "name: \"loop\"");
    assert!(text.contains(r#"Arg #0: {"name":"loop","list":[1,[Circular ^1]],"self":[Circular]}"#), "{text}");
    let text = details(&mut browser, "[dir]");
    assert!(text.contains(r#"Arg #0: {"deep":{"er":{"still":[1,2,{"x":1}]}}}"#), "{text}");
    let text = details(&mut browser, "[log] undefined null");
    for argument in [
        "#2: NaN",
        "#3: -0",
        "#4: 10n",
        "#5: Symbol(s)",
        "#7: 1970-01-01T00:00:00.000Z",
        "#8: /x/g",
        "#9: Map(1) {\"k\" => {\"v\":1}}",
        "#10: <body class=\"bd\" id=\"b\">",
    ] {
        assert!(text.contains(&format!("\nArg {argument}\n")), "{argument} in {text}");
    }
    // What a removed frame said is still there, structure and all.
    browser.go(&pages().url("console/errors.html"));
    let list = list_with(&mut browser, "frame broke", false);
    browser.until("() => document.querySelectorAll('iframe').length", json!(0));
    let text = browser.text("get_console_message", json!({"msgid": id_of(&list, "from srcdoc")}));
    assert!(text.contains(r#"Arg #1: {"gone":{"soon":true}}"#), "{text}");
    assert!(
        browser.error("get_console_message", json!({"msgid": 9999})).starts_with("Request not found for selected page")
    );
}

#[test]
fn f6_half_characters_in_the_console() {
    let mut browser = Browser::start(&["--experimentalStructuredContent"]);
    browser.open(
        "<script>for (const half of [0xd83d, 0xdc00]) { const c = String.fromCharCode(half);\
         console.log('Said ' + c, {['k' + c]: 'v' + c}); setTimeout(() => { throw new Error('Thrown ' + c) }) }</script>",
    );
    let list = list_with(&mut browser, "Thrown \u{fffd}", true);
    assert!(list.contains("Said \u{fffd} {k\u{fffd}: \"v\u{fffd}\"}"), "{list}");
    let text = browser.text("get_console_message", json!({"msgid": 1}));
    assert!(text.contains("Arg #1: {"), "{text}");
}
