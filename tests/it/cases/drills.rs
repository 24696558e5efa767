//! Drills: Chrome dies in the middle of calls, pages that never load, ask without end or defend themselves.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Browser, case, data_url};
use crate::support::{chrome_lock, descendants};

/// Chrome's main process.
fn chrome_process(server: u32) -> u32 {
    let is_main = |pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        line.contains("--user-data-dir") && !line.contains("--type=")
    };
    descendants(server).into_iter().find(is_main).expect("Chrome's main process")
}

#[test]
fn chrome_is_killed_in_the_middle_of_calls() {
    let _alone = chrome_lock();
    let mut browser = Browser::start(&["--experimentalVision"]);
    let slow = case("delete.html?delay=9000");
    let page = "<title>Page</title><button id=moving>Moving</button><button>Covered</button>\
        <div style='position:fixed;inset:0'></div><input aria-label=Field oninput='while(1);'>\
        <script>setInterval(() => moving.style.marginLeft = Date.now() % 97 + 'px', 10)</script>";
    let uid = |browser: &mut Browser, name: &str| json!(browser.uid(name));
    type Call = (&'static str, fn(&Value, &str) -> Value, &'static str);
    let calls: [Call; 10] = [
        ("new_page", |_, slow| json!({"url": slow}), ""),
        ("navigate_page", |_, slow| json!({"url": slow}), ""),
        ("evaluate_script", |_, _| json!({"function": "() => new Promise(() => {})"}), ""),
        ("evaluate_script", |_, _| json!({"function": "() => { while (1); }"}), ""),
        ("wait_for", |_, _| json!({"text": ["never there"]}), ""),
        ("click", |uid, _| json!({"uid": uid}), "Covered"),
        ("hover", |uid, _| json!({"uid": uid}), "Moving"),
        ("drag", |uid, _| json!({"from_uid": uid, "to_uid": uid}), "Covered"),
        ("fill", |uid, _| json!({"uid": uid, "value": "x"}), "Field"),
        ("upload_file", |uid, _| json!({"uid": uid, "filePaths": ["Cargo.toml"]}), "Moving"),
    ];
    for (tool, arguments, name) in calls {
        browser.open(page);
        let uid = if name.is_empty() { Value::Null } else { uid(&mut browser, name) };
        let running = browser.begin(tool, arguments(&uid, &slow));
        std::thread::sleep(Duration::from_millis(400));
        assert!(browser.client.finish_within(running, Duration::ZERO).is_none(), "{tool} is still running");
        // SAFETY: a process that our server started for this test.
        unsafe { libc::kill(chrome_process(browser.client.child.id()) as i32, libc::SIGKILL) };
        let answer = browser.client.finish_within(running, Duration::from_secs(10));
        let answer = answer.unwrap_or_else(|| panic!("{tool} answers"));
        assert_eq!(answer["result"]["isError"], true, "{tool}: {answer}");
        let next = browser.text("list_pages", json!({}));
        assert!(next.starts_with("Note: the browser was restarted or reconnected"), "{tool}: {next}");
        assert!(!browser.text("list_pages", json!({})).contains("Note: "), "once");
    }
    browser.open("<title>Well</title>");
}

#[test]
fn a_page_that_never_loads() {
    let mut browser = Browser::start(&[]);
    // Shown, but one picture of it never comes.
    let start = Instant::now();
    let error = browser.error("navigate_page", json!({"url": case("half.html"), "timeout": 700}));
    assert!(error.contains("Navigation timeout of 700 ms exceeded"), "{error}");
    assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
    assert!(browser.snapshot().contains("button \"There\""));
    browser.click("There");
    browser.text("take_screenshot", json!({}));
    // Nothing of it comes at all.
    let error = browser.error("new_page", json!({"url": case("delete.html?delay=10000"), "timeout": 500}));
    assert!(error.contains("Navigation timeout of 500 ms exceeded"), "{error}");
    browser.text("select_page", json!({"pageId": 1}));
    browser.open("<title>Next</title>");
    assert!(browser.text("list_pages", json!({})).contains("1: Next"));
}

/// What never comes to rest is not waited for beyond a limit, whatever it is that moves.
#[test]
fn a_page_that_never_rests() {
    let mut browser = Browser::start(&[]);
    for restless in [
        "(function draw() { moving.textContent = Math.random(); requestAnimationFrame(draw) })()",
        "setInterval(() => document.body.append(document.createElement('i')), 10)",
        "(async () => { for (;;) await fetch('data:,' + Math.random()) })()",
        "moving.animate([{opacity: 0}, {opacity: 1}], {duration: 100, iterations: Infinity})",
    ] {
        browser.open(&format!(
            "<title>Restless</title><p id=moving>x</p><button onclick='hit = 1'>Go</button><script>{restless}</script>"
        ));
        let start = Instant::now();
        browser.click("Go");
        assert_eq!(browser.eval("() => hit"), 1);
        // Click and script each have their own limit of some seconds.
        assert!(start.elapsed() < Duration::from_secs(10), "{restless}: {:?}", start.elapsed());
    }
}

#[test]
fn dialogs_without_end() {
    let mut browser = Browser::start(&[]);
    browser.text("new_page", json!({"url": data_url("<title>Other</title>"), "background": true}));
    browser.text("select_page", json!({"pageId": 1}));
    browser.open("<title>Asking</title><button onclick='n = 0; for (;;) alert(n++)'>Ask</button>");
    let text = browser.click("Ask");
    assert!(text.contains("alert: 0."), "{text}");
    // The next one may open before or after the answer to this one.
    for _ in 0..3 {
        browser.client.call("handle_dialog", json!({"action": "accept"}));
    }
    browser.text("list_pages", json!({}));
    assert!(browser.text("take_snapshot", json!({"pageId": 2})).contains("Other"));
    // Nobody gets out of the loop by answering; the page can be closed.
    browser.text("close_page", json!({"pageId": 1}));
    assert!(!browser.text("list_pages", json!({})).contains("1: "));
    // A script's own endless dialogs end with its time. Not every version of Chrome stops such a script; what is said is so.
    let script = json!({"pageId": 2, "function": "() => { for (;;) alert('again') }", "timeout": 1500});
    let start = Instant::now();
    let error = browser.error("evaluate_script", script);
    assert!(error.contains("did not finish within 1500 ms"), "{error}");
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    if error.contains("the script was stopped") {
        let title = browser.text("evaluate_script", json!({"pageId": 2, "function": "() => document.title"}));
        assert!(title.contains("\"Other\""), "{title}");
    } else {
        assert!(error.contains("could not stop"), "{error}");
    }
    let text = browser.text("new_page", json!({"url": data_url("<title>Fresh</title>")}));
    assert!(text.contains("3: Fresh"), "{text}");
    assert_eq!(browser.eval("() => document.title"), "Fresh");
    browser.text("close_page", json!({"pageId": 2}));
}

#[test]
fn a_page_that_asks_without_end_can_be_left() {
    let mut browser = Browser::start(&[]);
    let asking = data_url("<title>Asking</title><button onclick='for (;;) alert(1)'>Ask</button>");
    browser.go(&asking);
    browser.click("Ask");
    // The next one may open before or after the answer to this one.
    let end = Instant::now() + Duration::from_secs(30);
    while !browser
        .client
        .call("handle_dialog", json!({"action": "accept"}))
        .to_string()
        .contains("navigate_page leaves")
    {
        assert!(Instant::now() < end, "it is told how to get out");
    }
    let text = browser.text("navigate_page", json!({"url": data_url("<title>Out</title><button>Well</button>")}));
    assert!(text.contains("its process was ended.\nSuccessfully navigated to"), "{text}");
    assert!(text.contains("1: Out"), "{text}");
    assert_eq!(browser.eval("() => document.title"), "Out");
    browser.click("Well");
    // Back to it: it is as it was before anybody asked.
    browser.text("navigate_page", json!({"type": "back"}));
    assert_eq!(browser.eval("() => document.title"), "Asking");
}

#[test]
fn a_frame_that_hangs_has_a_line_and_holds_nobody_up_for_long() {
    let mut browser = Browser::start(&[]);
    let other = case("frame.html").replace("127.0.0.1", "localhost");
    browser.go(&case(&format!("frames.html?frame={other}")));
    let frame = browser.eval("() => document.querySelectorAll('iframe')[1].src");
    assert_eq!(frame, json!(other));
    let hang = case("hang.html").replace("127.0.0.1", "localhost");
    browser.eval(&format!("() => {{ frames[1].location = '{hang}' }}"));
    let end = Instant::now() + Duration::from_secs(60);
    let mut snapshot = browser.snapshot();
    while !snapshot.contains("the frame does not answer") {
        assert!(Instant::now() < end, "{snapshot}");
        snapshot = browser.snapshot();
    }
    // The other frames are there, and the next calls know that one.
    for tool in ["take_snapshot", "emulate", "take_snapshot"] {
        let start = Instant::now();
        let arguments = if tool == "emulate" { json!({"colorScheme": "dark"}) } else { json!({}) };
        browser.text(tool, arguments);
        assert!(start.elapsed() < Duration::from_secs(8), "{tool}: {:?}", start.elapsed());
    }
}
