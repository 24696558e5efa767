//! E: dialogs, leave-page questions, documents that replace themselves, downloads.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{Browser, case, other_site, script_value};

#[test]
fn e1_a_dialog_after_the_click_holds_nothing_up() {
    let mut browser = Browser::start(&[]);
    browser.open(
        "<button onclick=\"setTimeout(() => answer = confirm('save?'), 0)\">Later</button>\
         <button onclick=\"answer = prompt('name?', 'nobody')\">Now</button>\
         <input aria-label=Keys onkeydown=\"answer = alert('key')\">\
         <button onmouseover=\"alert('over')\">Over</button><script>answer = null</script>",
    );
    browser.text("new_page", json!({"url": "data:text/html,<title>Other</title>", "background": true}));
    browser.text("select_page", json!({"pageId": 1}));
    for (name, section, action, text, answer) in [
        ("Later", "confirm: save?.", "accept", None, json!(true)),
        ("Later", "confirm: save?.", "dismiss", None, json!(false)),
        ("Now", "prompt: name? (default value: \"nobody\").", "accept", Some("me"), json!("me")),
        ("Now", "prompt: name? (default value: \"nobody\").", "dismiss", Some("me"), json!(null)),
    ] {
        browser.eval("() => { answer = 'none' }");
        let uid = browser.uid(name);
        let start = Instant::now();
        let said = browser.text("click", json!({"uid": uid}));
        assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
        assert!(said.contains(&format!("# Open dialog\n{section}\nCall handle_dialog")), "{said}");
        // Tools that need the page say why they cannot, at once; other pages work.
        let start = Instant::now();
        for tool in ["take_screenshot", "take_snapshot"] {
            let error = browser.error(tool, json!({}));
            assert!(error.contains("A dialog is open") && error.contains("handle_dialog"), "{error}");
        }
        assert!(browser.text("take_snapshot", json!({"pageId": 2})).contains("Other"));
        browser.text("list_pages", json!({}));
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
        let mut arguments = json!({"action": action});
        if let Some(text) = text {
            arguments["promptText"] = text.into();
        }
        browser.text("handle_dialog", arguments);
        browser.until("() => answer", answer);
    }
    // Every kind of input, and in a frame of another site.
    browser.click("Keys");
    let (over, keys) = (browser.uid("Over"), browser.uid("Keys"));
    for (tool, arguments, section) in [
        ("press_key", json!({"key": "a"}), "alert: key"),
        ("type_text", json!({"text": "b"}), "alert: key"),
        ("fill", json!({"uid": keys, "value": "c"}), "alert: key"),
        ("hover", json!({"uid": over}), "alert: over"),
    ] {
        let start = Instant::now();
        let said = browser.text(tool, arguments);
        assert!(said.contains(section) && start.elapsed() < Duration::from_secs(5), "{tool}: {said}");
        browser.text("handle_dialog", json!({"action": "accept"}));
    }
    let error = browser.error("handle_dialog", json!({"action": "accept"}));
    assert!(error.contains("No open dialog found"), "{error}");
}

#[test]
fn e1_dialogs_of_frames_and_of_loading_pages() {
    let mut browser = Browser::start(&[]);
    browser.go(&case("delete.html"));
    browser.eval(&format!(
        "() => {{ document.body.innerHTML = \"<iframe src='{}'></iframe>\" }}",
        other_site(&case("asks.html"))
    ));
    let end = Instant::now() + Duration::from_secs(20);
    while !browser.snapshot().contains("\"Ask\"") {
        assert!(Instant::now() < end, "{}", browser.snapshot());
    }
    let said = browser.click("Ask");
    assert!(said.contains("confirm: framed?"), "{said}");
    browser.text("handle_dialog", json!({"action": "accept"}));
    browser.until("() => document.title", json!("After"));
    assert!(browser.snapshot().contains("\"Answered true\""), "{}", browser.snapshot());
    // While a page loads: the load waits, and goes on.
    let said = browser.text("navigate_page", json!({"url": case("asks.html?at-once")}));
    assert!(said.contains("confirm: framed?") && said.contains("opened a dialog"), "{said}");
    browser.text("handle_dialog", json!({"action": "dismiss"}));
    let said = browser.text("wait_for", json!({"text": ["Answered false"]}));
    assert!(!said.contains("dialog"), "{said}");
    // While something waits.
    browser.eval("() => { setTimeout(() => alert('surprise'), 300) }");
    let start = Instant::now();
    let error = browser.error("wait_for", json!({"text": ["never there"]}));
    assert!(error.contains("surprise") && start.elapsed() < Duration::from_secs(10), "{error}");
    browser.text("handle_dialog", json!({"action": "accept"}));
}

#[test]
fn e2_an_answered_dialog_leaves_nothing_behind() {
    let mut browser = Browser::start(&[]);
    browser.open("<title>E2</title>");
    for (action, script, value) in [
        (None, "() => confirm('hello')", json!(true)),
        (Some("dismiss"), "() => [confirm('hello'), prompt('p', 'd')]", json!([false, null])),
        (Some("typed"), "() => prompt('hello', 'd')", json!("typed")),
    ] {
        let mut arguments = json!({"function": script});
        if let Some(action) = action {
            arguments["dialogAction"] = action.into();
        }
        let text = browser.text("evaluate_script", arguments);
        assert_eq!(script_value(&text), value, "{text}");
        let word = if action == Some("dismiss") { "Dismissed" } else { "Accepted" };
        assert!(text.contains(&format!("{word} a dialog of the script")) && text.contains("hello"), "{text}");
        for tool in ["take_snapshot", "take_screenshot"] {
            let next = browser.text(tool, json!({}));
            assert!(!next.to_lowercase().contains("dialog"), "{next}");
        }
    }
    // Not answered at all: the call says so instead of hanging, and the script gets the later answer.
    let text =
        browser.text("evaluate_script", json!({"function": "() => { x = confirm('open?') }", "dialogAction": ""}));
    assert!(text.contains("confirm: open?"), "{text}");
    // However long the answer takes.
    std::thread::sleep(Duration::from_millis(1500));
    browser.text("handle_dialog", json!({"action": "accept"}));
    browser.until("() => x", json!(true));
    // One that its document takes with it is not announced on the next page.
    browser
        .text("evaluate_script", json!({"function": "() => { setTimeout(() => alert('a'), 0) }", "dialogAction": ""}));
    let end = Instant::now() + Duration::from_secs(15);
    while !browser.client.call("take_snapshot", json!({})).to_string().contains("A dialog is open (alert: a)") {
        assert!(Instant::now() < end, "the dialog opens");
    }
    let text = browser.text("navigate_page", json!({"url": case("delete.html")}));
    assert!(text.contains("Dismissed the dialog that was open (alert: a).\nSuccessfully navigated to"), "{text}");
    let next = browser.text("take_snapshot", json!({}));
    assert!(!next.to_lowercase().contains("dialog"), "{next}");
}

#[test]
fn a_dialog_in_the_middle_of_any_tool_is_told_soon() {
    let mut browser = Browser::start(&[]);
    browser.open("<title>Asking</title><button onclick='alert(\"before a file\")'>Choose</button>");
    let file = tempfile::NamedTempFile::new().unwrap();
    let uid = browser.uid("Choose");
    let start = Instant::now();
    let error = browser.error("upload_file", json!({"uid": uid, "filePaths": [file.path()]}));
    assert!(error.contains("A dialog opened meanwhile (alert: before a file)."), "{error}");
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    browser.text("handle_dialog", json!({"action": "accept"}));
    // The page is as it was; file choosers are the page's own again.
    assert_eq!(browser.eval("() => document.title"), "Asking");
    assert!(browser.snapshot().contains("button \"Choose\""));
}

#[test]
fn e4_leave_page_questions_are_answered_as_asked() {
    let mut browser = Browser::start(&[]);
    let (form, after) = (case("form.html"), case("delete.html"));
    browser.go(&form);
    browser.fill("Field", "dirty");
    for arguments in [json!({"url": after}), json!({"type": "reload"})] {
        let mut arguments = arguments;
        arguments["handleBeforeUnload"] = "dismiss".into();
        let start = Instant::now();
        let error = browser.error("navigate_page", arguments);
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
        assert!(error.contains("Dismissed a beforeunload dialog.") && error.contains("asked to stay"), "{error}");
        assert!(error.contains("Dirty form"), "{error}");
        assert_eq!(
            browser.eval("() => [document.title, document.querySelector('input').value]"),
            json!(["Dirty form", "dirty"])
        );
    }
    let text = browser.text("navigate_page", json!({"url": after, "handleBeforeUnload": "accept"}));
    assert!(text.contains("Successfully navigated") && text.contains("Accepted a beforeunload dialog."), "{text}");
    assert!(!text.contains("Open dialog"), "{text}");
    // Accepting is the default; a click that leaves shows the question instead.
    browser.go(&form);
    browser.fill("Field", "dirty");
    let text = browser.text("navigate_page", json!({"type": "back"}));
    assert!(text.contains("Successfully navigated back"), "{text}");
    browser.text("new_page", json!({"url": form}));
    browser.fill("Field", "dirty");
    browser.text(
        "evaluate_script",
        json!({"function": "() => { document.body.innerHTML += '<a href=delete.html>Leave</a>' }"}),
    );
    let text = browser.click("Leave");
    assert!(text.contains("# Open dialog\nbeforeunload"), "{text}");
    browser.text("handle_dialog", json!({"action": "dismiss"}));
    assert_eq!(browser.eval("() => document.title"), "Dirty form");
    let text = browser.text("close_page", json!({"pageId": 2}));
    assert!(text.contains("Page 1 is now selected.") && !text.contains("2: "), "{text}");
}

#[test]
fn e5_where_a_page_went_and_what_was_a_download() {
    let mut browser = Browser::start(&[]);
    let end = case("delete.html?final");
    for hop in ["replace.html", "refresh.html"] {
        let text = browser.text("navigate_page", json!({"url": case(hop)}));
        assert!(text.contains(&format!("Successfully navigated to {}", case(hop))), "{text}");
        assert!(text.contains(&format!("The page is now at {end}.")), "the final address: {text}");
        assert!(text.contains(&format!("After ({end}) [selected]")), "{text}");
    }
    let text = browser.text("navigate_page", json!({"url": case("twelve.bin?redirect=/cases/delete.html")}));
    assert!(text.contains(&format!("The page is now at {}.", case("delete.html"))), "{text}");
    for tool in ["navigate_page", "new_page"] {
        let result = browser.client.call(tool, json!({"url": case("twelve.bin")}));
        let text = crate::support::text_of(&result);
        assert!(text.contains("download") && text.contains("twelve.bin"), "{tool}: {text}");
    }
    let text = browser.text("navigate_page", json!({"pageId": 1, "url": case("twelve.bin")}));
    assert!(text.contains("Download started: \"twelve.bin\" (12 bytes)."), "{text}");
    // Through a link, too.
    browser.text("select_page", json!({"pageId": 1}));
    browser.eval(&format!("() => {{ document.body.innerHTML = '<a href={}>Get</a>' }}", case("twelve.bin")));
    let text = browser.click("Get");
    assert!(text.contains("Download started: \"twelve.bin\""), "{text}");
    // What cannot be reached is an error.
    let error = browser.error("navigate_page", json!({"url": "http://127.0.0.1:1/"}));
    assert!(error.contains("Unable to navigate in the selected page: net::ERR_UNSAFE_PORT"), "{error}");
    let error = browser.error("navigate_page", json!({"type": "forward"}));
    assert!(error.contains("Unable to navigate forward"), "{error}");
}

#[test]
fn f6_half_characters_do_not_reach_the_client() {
    // The client's parser refuses lone escapes, as many do.
    let mut browser = Browser::start(&["--experimentalStructuredContent"]);
    browser.open(
        "<body><script>for (const half of [0xd83d, 0xdc00]) { const c = String.fromCharCode(half);\
         document.body.insertAdjacentHTML('beforeend', `<p>text</p><button>b</button><input><a href=x>l</a>`);\
         document.querySelector('p:last-of-type').textContent = 'Text ' + c + ' end';\
         document.querySelector('button:last-of-type').textContent = 'Button ' + c;\
         document.querySelector('button:last-of-type').onclick = () => alert('Alert ' + c);\
         document.querySelector('input:last-of-type').setAttribute('aria-label', 'Label ' + c);\
         document.querySelector('input:last-of-type').value = 'Value ' + c;\
         document.querySelector('a:last-of-type').href = 'about:blank#' + c;\
         document.title = 'Title ' + c; }</script>",
    );
    let snapshot = browser.snapshot();
    for text in ["Text \u{fffd} end", "Button \u{fffd}", "Label \u{fffd}", "Value \u{fffd}", "Title \u{fffd}"] {
        assert!(snapshot.contains(text), "{text} in {snapshot}");
    }
    assert!(browser.text("list_pages", json!({})).contains("Title \u{fffd}"));
    for half in ["0xd83d", "0xdc00"] {
        let value =
            browser.eval(&format!("() => [String.fromCharCode({half}), {{['k' + String.fromCharCode({half})]: 1}}]"));
        assert_eq!(value, json!(["\u{fffd}", {"k\u{fffd}": 1}]));
        let script = format!("'x' + String.fromCharCode({half})");
        let text = browser.text("evaluate_script", json!({"function": script, "format": "script"}));
        assert_eq!(script_value(&text), "x\u{fffd}");
        let error =
            browser.error("evaluate_script", json!({"function": format!("() => {{ throw new Error({script}) }}")}));
        assert!(error.contains("x\u{fffd}"), "{error}");
        browser.text("evaluate_script", json!({"function": format!("() => prompt({script})")}));
    }
    let text = browser.click("Button \u{fffd}");
    assert!(text.contains("alert: Alert \u{fffd}"), "{text}");
    browser.text("handle_dialog", json!({"action": "accept"}));
    // A whole pair is not touched.
    assert_eq!(browser.eval("() => '😀'"), "😀");
}

#[test]
fn typing_stops_at_a_dialog_and_says_where() {
    let mut browser = Browser::start(&[]);
    browser.open("<input aria-label=Field oninput=\"if (value === 'ab') alert('stop')\" autofocus>");
    browser.click("Field");
    let text = browser.text("type_text", json!({"text": "abcd", "submitKey": "Enter"}));
    assert!(text.contains("Typed \"a\", then \"b\" opened a dialog; not typed: \"cd + Enter\"."), "{text}");
    browser.text("handle_dialog", json!({"action": "accept"}));
    assert_eq!(browser.eval("() => document.querySelector('input').value"), "ab");
}
