//! list_console_messages, get_console_message.

use serde_json::json;

use crate::cases::{Browser, data_url, id_of, list_with, other_site, uid_in};
use crate::support::{pages, text_of};

#[test]
fn lists_are_filtered_paged_and_kept_short() {
    let mut browser = Browser::start(&["--experimentalStructuredContent"]);
    browser.open("<!doctype html><script>for (let i = 0; i < 25; i++) { console.log('line ' + i); console.warn('warn ' + i) }</script>");
    let list = list_with(&mut browser, "warn 24", false);
    assert!(list.contains("Showing 1-50 of 50 (Page 1 of 1).\nmsgid=1 [log] line 0 (1 args)"), "{list}");
    let part = browser.text("list_console_messages", json!({"types": ["warn"], "pageSize": 10, "pageIdx": 1}));
    assert!(part.contains("Showing 11-20 of 25 (Page 2 of 3).\nNext page: 2\nPrevious page: 0\nmsgid="), "{part}");
    assert!(part.contains("[warn] warn 10 (1 args)") && !part.contains("[log]"), "{part}");
    let second = browser.text("list_console_messages", json!({"pageIdx": 1}));
    assert!(second.contains("Showing 21-40 of 50 (Page 2 of 3)."), "{second}");
    let beyond = browser.text("list_console_messages", json!({"pageSize": 5, "pageIdx": 99}));
    assert!(beyond.contains("Invalid page number provided. Showing first page.\nShowing 1-5 of 50"), "{beyond}");
    let none = browser.client.call("list_console_messages", json!({"types": ["issue"]}));
    assert_eq!(text_of(&none), "## Console messages\n<no console messages found>");
    assert_eq!(none["structuredContent"], json!({}));
    let error = text_of(&browser.client.call("list_console_messages", json!({"types": ["noise"]})));
    assert!(error.contains("types.0: Invalid option: expected one of \"log\"|\"debug\""), "{error}");
    let structured = &browser.client.call("list_console_messages", json!({"pageSize": 1}))["structuredContent"];
    assert_eq!(structured["consoleMessages"], json!([{"type": "log", "id": 1, "text": "line 0", "argsCount": 1}]));
    assert_eq!(structured["pagination"]["totalPages"], 50);
    // Ten thousand lines: the newest fit, the others are counted, and reachable.
    browser.open("<!doctype html><script>for (let i = 0; i < 9000; i++) console.log('entry ' + i)</script>");
    let list = list_with(&mut browser, "entry 8999", false);
    assert!(list.len() < 62_000 && !list.contains("entry 0 "), "{} bytes", list.len());
    assert!(
        list.contains("older ones are left out to keep the answer short. hint: list_console_messages with pageSize"),
        "{list}"
    );
    let first = browser.text("list_console_messages", json!({"pageSize": 2}));
    assert!(first.contains("entry 0 (1 args)") && first.contains("of 9000 (Page 1 of 4500)"), "{first}");
    // A long text is clipped in the list and read on in parts.
    browser.open("<!doctype html><script>console.log('x'.repeat(12000) + 'end')</script>");
    let list = list_with(&mut browser, "… (12003 characters) (1 args)", false);
    let id = id_of(&list, "xxx");
    let text = browser.text("get_console_message", json!({"msgid": id}));
    assert!(text.contains("characters 0 to 10000 of 12003 are shown; the rest with offset 10000"), "{text}");
    let rest = browser.text("get_console_message", json!({"msgid": id, "offset": 10000}));
    assert!(rest.contains("xxxend\n") && rest.contains("characters 10000 to 12003 of 12003"), "{rest}");
}

#[test]
fn issues_in_the_words_of_devtools() {
    let mut browser = Browser::start(&["--experimentalStructuredContent"]);
    browser.go(&pages().url("console/issues.html"));
    list_with(&mut browser, "Incorrect use of <label", false);
    let list = list_with(&mut browser, "Ignored @property rule", false);
    for line in [
        "[issue] Verify stylesheet URLs (count: 1)",
        "[issue] Content Security Policy blocks inline execution of scripts and stylesheets (count: 2)",
        "[issue] Page layout may be unexpected due to Quirks Mode (count: 1)",
        "[issue] A form field element should have an id or name attribute (count: 2)",
    ] {
        assert!(list.contains(line), "{line} in {list}");
    }
    let id = id_of(&list, "A form field element");
    let text = browser.text("get_console_message", json!({"msgid": id}));
    assert!(
        text.starts_with(&format!("ID: {id}\nMessage: issue> A form field element should have an id or name")),
        "{text}"
    );
    assert!(text.contains("### Affected resources\ndata={\"violatingNodeId\":"), "{text}");
    // With a snapshot the elements are named by their uids.
    let snapshot = browser.snapshot();
    let result = browser.client.call("get_console_message", json!({"msgid": id}));
    let text = text_of(&result);
    let uids: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("uid=")?.split(' ').next()).collect();
    assert_eq!(uids.len(), 2, "{text}");
    assert!(uids.iter().all(|uid| snapshot.contains(&format!("uid={uid} "))), "{text}\n{snapshot}");
    let message = &result["structuredContent"]["consoleMessage"];
    assert_eq!((&message["type"], &message["count"]), (&json!("issue"), &json!(2)));
    assert_eq!(message["affectedResources"].as_array().unwrap().len(), 2);
    assert!(message["description"].as_str().unwrap().starts_with("# A form field"), "{message}");
    // Numbers stay when the page says more.
    browser.eval("() => { console.log('later'); document.body.append(document.createElement('input')) }");
    let again = list_with(&mut browser, "later", false);
    assert_eq!(id_of(&again, "A form field element"), id);
}

#[test]
fn frames_of_other_sites_popups_and_dialogs() {
    let mut browser = Browser::start(&[]);
    // A cross-site frame has its own process, session and scripts; its stacks are mapped all the same.
    let frame = other_site(&pages().url("console/mapped.html"));
    browser.go(&pages().url("differential/final.html"));
    browser.eval(&format!(
        "() => {{ const f = document.createElement('iframe'); f.src = '{frame}'; document.body.append(f) }}"
    ));
    let list = list_with(&mut browser, "Uncaught Error: too many items", true);
    let place = format!("[error] Uncaught Error: too many items (0 args) in frame {frame}");
    assert!(list.contains(&place), "{list}");
    assert!(list.contains("at computeTotal (") && list.contains("console/src/app.ts:17:11)"), "{list}");
    assert!(list.contains("  Caused by: RangeError: limit is 1\n  at computeTotal ("), "{list}");
    // A popup's first words are not lost, although no tool has looked at it yet.
    let popup = pages().url("console/messages.html");
    browser.open(&format!("<button onclick=\"window.open('{popup}')\">Open</button>"));
    browser.click("Open");
    let pages = browser.text("list_pages", json!({}));
    let line = pages.lines().find(|line| line.contains(": Messages (")).unwrap_or_else(|| panic!("{pages}"));
    let id: u32 = line.split(':').next().unwrap().parse().unwrap();
    browser.text("select_page", json!({"pageId": id}));
    let list = list_with(&mut browser, "nothing.txt", false);
    // Chrome repeats what was said before we attached, without previews.
    let first = list.lines().find(|line| line.starts_with("msgid=1 ")).unwrap_or_default();
    assert!(
        first == "msgid=1 [log] hello 1 {a: 1} [1, 2] (4 args)"
            || first == "msgid=1 [log] hello 1 {\"a\":1} [1,2] (4 args)",
        "{list}"
    );
    // An open dialog does not hold the console up, not even its stacks.
    browser.go(&data_url("<button onclick=\"console.log('before'); alert('stop')\">Go</button>"));
    let snapshot = browser.snapshot();
    let go = uid_in(&snapshot, "Go").unwrap();
    browser.text("click", json!({"uid": go}));
    let start = std::time::Instant::now();
    let list = browser.text("list_console_messages", json!({"includeStackTraces": true}));
    assert!(list.contains("[log] before (1 args)") && list.contains("alert: stop"), "{list}");
    assert!(start.elapsed() < std::time::Duration::from_secs(20), "{:?}", start.elapsed());
    browser.text("handle_dialog", json!({"action": "accept"}));
}
