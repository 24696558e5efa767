//! Workers that serve several pages, and service workers of extensions: their messages, requests and scripts.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::cases::{Browser, list_with, script_value};
use crate::support::{pages, root, text_of};

/// A list's entry with what belongs to it, as soon as it is there.
fn lines_of<'a>(list: &'a str, entry: &str) -> Vec<&'a str> {
    let lines = list.lines().skip_while(|line| !line.contains(entry)).skip(1);
    lines.take_while(|line| line.starts_with(' ')).map(str::trim_start).collect()
}

#[test]
fn service_and_shared_workers_belong_to_the_pages_that_use_them() {
    let mut browser = Browser::start(&[]);
    browser.go(&pages().url("console/workers.html"));
    list_with(&mut browser, "service broke", false);
    list_with(&mut browser, "the service worker is ready", false);
    let list = list_with(&mut browser, "shared broke", true);
    let (service, shared) = (pages().url("console/workers-service.js"), pages().url("console/workers-shared.js"));
    for line in [
        format!("[log] service begins (1 args) in service worker {service}"),
        format!("[error] Uncaught Error: service broke (0 args) in service worker {service}"),
        format!("[error] Uncaught Error: shared broke (0 args) in shared worker {shared}"),
    ] {
        assert!(list.contains(&line), "{line} in {list}");
    }
    assert!(list.contains("[log] shared begins {") && list.contains("[log] the shared worker says hello"), "{list}");
    // The front-end knows their scripts: paths are shortened as those of the page are.
    let stack = lines_of(&list, "Uncaught Error: shared broke");
    assert!(stack[0].contains("later (console/workers-shared.js:5:"), "{list}");
    let stack = lines_of(&list, "Uncaught Error: service broke");
    assert!(stack[0].contains("later (console/workers-service.js:7:"), "{list}");
    // Their requests are told from the page's own.
    let answer = browser.eval("async () => (await fetch('src/app.ts?through')).status");
    assert_eq!(answer, 200);
    let list = browser.text("list_network_requests", json!({}));
    for line in ["app.ts?service [200] by service worker", "app.ts?shared [200] by shared worker"] {
        assert!(list.lines().any(|known| known.ends_with(line)), "{line} in {list}");
    }
    let through = list.lines().filter(|line| line.contains("?through")).map(|line| line.rsplit("] ").next().unwrap());
    assert_eq!(through.filter(|end| end.ends_with("by service worker")).count(), 1, "{list}");
    // A second page of the same origin sees what runs already; one of another origin does not.
    browser.text("new_page", json!({"url": pages().url("console/workers.html")}));
    list_with(&mut browser, "shared begins", false);
    browser.text("new_page", json!({"url": pages().url("differential/final.html").replace("127.0.0.1", "localhost")}));
    browser.eval("() => console.log('elsewhere')");
    let list = list_with(&mut browser, "elsewhere", false);
    assert!(!list.contains("shared") && !list.contains("service"), "{list}");
}

#[test]
fn service_workers_of_extensions_have_a_console_and_run_scripts() {
    let folder = root().join("tests/pages/extension");
    let load = format!("--chromeArg=--load-extension={}", folder.display());
    let mut browser = Browser::start(&["--categoryExtensions", "--experimentalStructuredContent", &load]);
    let end = Instant::now() + Duration::from_secs(20);
    let (list, workers) = loop {
        let answer = browser.client.call("list_pages", json!({}));
        let workers = answer["structuredContent"]["extensionServiceWorkers"].clone();
        if workers.as_array().is_some_and(|list| !list.is_empty()) {
            break (text_of(&answer), workers);
        }
        assert!(Instant::now() < end, "{answer}");
        std::thread::sleep(Duration::from_millis(50));
    };
    let (id, url) = (workers[0]["id"].as_str().unwrap().to_owned(), workers[0]["url"].as_str().unwrap().to_owned());
    assert!(list.ends_with(&format!("## Extension Service Workers\n{id}: {url}")), "{list}");
    let extension = url.split('/').nth(2).unwrap().to_owned();
    for name in [&extension, &id] {
        let list = loop {
            let list = browser.text("list_console_messages", json!({"serviceWorkerId": name}));
            if list.contains("extension broke") {
                break list;
            }
            assert!(Instant::now() < end, "{list}");
            std::thread::sleep(Duration::from_millis(50));
        };
        let begins = list.contains("msgid=1 [log] extension begins {") && list.contains("} (2 args)\n");
        assert!(begins && list.ends_with("msgid=3 [error] Uncaught Error: extension broke (0 args)"), "{list}");
    }
    let warnings = browser.text("list_console_messages", json!({"serviceWorkerId": id, "types": ["warn"]}));
    assert!(warnings.contains("Showing 1-1 of 1") && warnings.contains("extension warns"), "{warnings}");
    let none = browser.text("list_console_messages", json!({"serviceWorkerId": "sw-99"}));
    assert!(none.contains("<no console messages found>"), "{none}");
    // Scripts.
    let run =
        json!({"serviceWorkerId": id, "function": "async () => [location.href, chrome.runtime.getManifest().name]"});
    assert_eq!(script_value(&browser.text("evaluate_script", run)), json!([url, "Sample"]));
    for (arguments, expected) in [
        (json!({"serviceWorkerId": "sw-99", "function": "() => 1"}), "Service worker not found."),
        (
            json!({"serviceWorkerId": id, "pageId": 1, "function": "() => 1"}),
            "pageId and serviceWorkerId exclude each other.",
        ),
        (json!({"serviceWorkerId": id, "args": ["1_1"], "function": "() => 1"}), "args and serviceWorkerId exclude"),
        (json!({"serviceWorkerId": id, "function": "() => { throw new Error('no') }"}), "Error: no"),
        (
            json!({"serviceWorkerId": id, "timeout": 300, "function": "() => { for (;;); }"}),
            "did not finish within 300 ms",
        ),
    ] {
        let error = browser.error("evaluate_script", arguments);
        assert!(error.contains(expected), "{error}");
    }
    // Without the category there is neither.
    let mut browser = Browser::start(&[]);
    let list = browser.text("list_console_messages", json!({"serviceWorkerId": extension}));
    assert!(list.contains("--categoryExtensions"), "{list}");
    assert!(!browser.text("list_pages", json!({})).contains("Extension"));
}
