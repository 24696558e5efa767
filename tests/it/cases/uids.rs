//! D: a uid means one element of one document, for ever.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{Browser, case, data_url, script_value, uid_in, uids_in};
use crate::support::pages;

#[test]
fn d1_a_uid_of_the_page_before_is_refused() {
    let mut browser = Browser::start(&[]);
    let second = data_url("<title>Second</title><button disabled>Go</button><button onclick='hit=1'>Delete</button>");
    browser
        .open(&format!("<button onclick=\"location = '{}'\">Go</button><button>Delete</button>", case("delete.html")));
    let first = browser.snapshot();
    let (go, delete) = (uid_in(&first, "Go").unwrap(), uid_in(&first, "Delete").unwrap());
    let text = browser.text("click", json!({"uid": go}));
    assert!(text.contains(&format!("Page navigated to {}", case("delete.html"))), "{text}");
    let start = Instant::now();
    for (tool, arguments) in [
        ("click", json!({"uid": delete})),
        ("hover", json!({"uid": delete})),
        ("fill", json!({"uid": delete, "value": "x"})),
        ("drag", json!({"from_uid": delete, "to_uid": delete})),
        ("upload_file", json!({"uid": delete, "filePaths": ["Cargo.toml"]})),
        ("take_screenshot", json!({"uid": delete})),
        ("evaluate_script", json!({"function": "e => e.click()", "args": [delete]})),
    ] {
        let error = browser.error(tool, arguments);
        assert!(error.contains("belongs to an earlier document"), "{tool}: {error}");
    }
    assert!(start.elapsed() < Duration::from_secs(7), "seven at once: {:?}", start.elapsed());
    assert_eq!(browser.eval("() => window.hit ?? 0"), 0);
    // Back in the first document, be it restored or loaded again, a uid is right or refused, never another element.
    browser.go(&second);
    browser.text("navigate_page", json!({"type": "back"}));
    browser.client.call("click", json!({"uid": delete}));
    assert_eq!(browser.eval("() => window.hit ?? 0"), 0);
}

#[test]
fn d3_an_element_that_was_removed_is_told_at_once() {
    let mut browser = Browser::start(&[]);
    browser.open(
        "<div id=list><button>Save</button></div><button id=lone>Lone</button><input aria-label=Field>\
         <iframe srcdoc='<button>Framed</button>'></iframe><p>Some text</p>",
    );
    let mut snapshot = browser.snapshot();
    for _ in 0..100 {
        if uid_in(&snapshot, "Framed").is_some() {
            break;
        }
        snapshot = browser.snapshot();
    }
    let uid = |name: &str| uid_in(&snapshot, name).unwrap();
    browser.eval(
        "() => { kept = document.querySelector('#list button'); \
         document.querySelector('#list').innerHTML = '<button onclick=\"hit=1\">Save</button>'; \
         for (const e of document.querySelectorAll('#lone, input, iframe, p')) e.remove(); hit = 0; }",
    );
    for (tool, name, more) in [
        ("click", "Save", json!({})),
        ("hover", "Save", json!({})),
        ("fill", "Field", json!({"value": "x"})),
        ("click", "Lone", json!({})),
        ("click", "Some text", json!({})),
        ("click", "Framed", json!({})),
    ] {
        let mut arguments = json!({"uid": uid(name)});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        // The first error takes a snapshot of its own, in which the old uids are not known any more.
        let start = Instant::now();
        let error = browser.error(tool, arguments);
        assert!(start.elapsed() < Duration::from_secs(2), "{tool} {name}: {:?}", start.elapsed());
        assert!(error.contains("no longer exists") || error.contains("not found on page"), "{tool} {name}: {error}");
        if tool == "click" && name == "Save" {
            let now = browser.uid("Save");
            assert!(error.contains(&format!("Same role and name now: {now}")), "{error}, not {now}");
            assert_ne!(now, uid("Save"));
        }
    }
    assert_eq!(browser.eval("() => hit"), 0);
    browser.click("Save");
    assert_eq!(browser.eval("() => hit"), 1);
}

#[test]
fn d4_equal_documents_in_several_processes_are_told_apart() {
    let mut browser = Browser::start(&[]);
    let port = pages().port();
    let frame = |host: &str| format!("http://{host}:{port}/cases/frame.html");
    let hosts = ["127.0.0.1", "localhost", "a.localhost", "b.localhost"];
    let frames: String = hosts.iter().map(|host| format!("<iframe src='{}'></iframe>", frame(host))).collect();
    browser.go(&case("delete.html"));
    browser.eval(&format!("() => {{ document.body.innerHTML = \"{frames}\"; }}"));
    let end = Instant::now() + Duration::from_secs(20);
    let snapshot = loop {
        let snapshot = browser.snapshot();
        if uids_in(&snapshot, "Field").len() == hosts.len() {
            break snapshot;
        }
        assert!(Instant::now() < end, "{snapshot}");
        std::thread::sleep(Duration::from_millis(100));
    };
    let all: Vec<&str> = snapshot.split("uid=").skip(1).filter_map(|l| l.split([' ', '\n']).next()).collect();
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len(), "{snapshot}");
    let fields = uids_in(&snapshot, "Field");
    for (field, host) in fields.iter().zip(hosts) {
        browser.text("fill", json!({"uid": field, "value": host}));
    }
    for (field, host) in fields.iter().zip(hosts) {
        let script = json!({"function": "e => [location.hostname, e.value]", "args": [field]});
        let text = browser.text("evaluate_script", script);
        assert_eq!(script_value(&text), json!([host, host]));
    }
    // The same document again is another document.
    let old = &fields[2];
    let reload = json!({"function": "e => { setTimeout(() => location.reload()) }", "args": [old]});
    browser.text("evaluate_script", reload);
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let result = browser.client.call("fill", json!({"uid": old, "value": "again"}));
        let text = crate::support::text_of(&result);
        if result["isError"] == true {
            assert!(text.contains("no longer exists") || text.contains("earlier document"), "{text}");
            break;
        }
        assert!(Instant::now() < end, "{text}");
    }
    let snapshot = browser.snapshot();
    assert!(!uids_in(&snapshot, "Field").contains(old), "{snapshot}");
    assert_eq!(uids_in(&snapshot, "Field")[1], fields[1], "the other frames keep theirs");
    assert!(!snapshot.contains("again"), "{snapshot}");
}
