//! J: performance traces.

use std::time::Duration;

use serde_json::json;

use super::{Browser, case};
use crate::support::{chrome_lock, read_plain_trace};

/// Waits until what is there has been painted.
const PAINTED: &str = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))";

/// The milliseconds of a metric in the first insight set that has it.
fn metric(summary: &str, name: &str) -> f64 {
    let line = summary.lines().find_map(|line| line.trim().strip_prefix(&format!("- {name}: ")));
    let value = line.and_then(|line| line.split(&[' ', '\u{a0}', ','][..]).next()?.parse().ok());
    value.unwrap_or_else(|| panic!("{name} in {summary}"))
}

/// The part of a summary about one insight set.
fn set<'a>(summary: &'a str, id: &str) -> &'a str {
    let heading = format!("## insight set id: {id}\n");
    let rest = summary.split(&heading).nth(1).unwrap_or_else(|| panic!("{id} in {summary}"));
    rest.split("\n## ").next().unwrap_or(rest)
}

#[test]
fn j1_the_end_of_a_busy_recording_is_there_or_its_loss_is_told() {
    let _alone = chrome_lock();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("busy.json");
    let mut browser = Browser::start(&["--no-performance-crux"]);
    browser.go(&case("traces/invalidation.html"));
    let start = json!({"reload": false, "autoStop": false});
    browser.text("performance_start_trace", start.clone());
    assert_eq!(browser.eval("() => churn(2000)"), "done");
    let text = browser.text("performance_stop_trace", json!({"filePath": file}));
    assert!(!text.contains("Warning:"), "{text}");
    let marks: Vec<String> = read_plain_trace(&file)["traceEvents"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|event| event["name"].as_str().filter(|name| ["START", "END"].contains(name)).map(str::to_owned))
        .collect();
    assert!(marks.contains(&"START".to_owned()) && marks.contains(&"END".to_owned()), "{marks:?}");

    // The same into a buffer that is much too small.
    let mut browser = Browser::start_with(&["--no-performance-crux"], |command| {
        command.env("DEVTOOLS_MCP_TRACE_BUFFER_KB", "300");
    });
    browser.go(&case("traces/invalidation.html"));
    browser.text("performance_start_trace", start);
    assert_eq!(browser.eval("() => churn(2000)"), "done");
    let text = browser.text("performance_stop_trace", json!({}));
    let warning = text.lines().find(|line| line.starts_with("Warning: Chrome's trace buffer was full"));
    let warning = warning.unwrap_or_else(|| panic!("a warning in {text}"));
    let numbers: Vec<f64> = warning.split(' ').filter_map(|word| word.parse().ok()).collect();
    let [filled, lost, recorded] = numbers[..] else { panic!("when and how much: {warning}") };
    assert!(recorded >= 2.0 && lost > 0.0 && (filled + lost - recorded).abs() < 0.15, "{warning}");
    assert!(text.contains("\nhint: record a shorter time\n"), "{text}");
}

#[test]
fn j3a_throttling_is_shown_and_felt() {
    let _alone = chrome_lock();
    let mut browser = Browser::start(&["--no-performance-crux"]);
    browser.go(&case("traces/work.html"));
    let record = |browser: &mut Browser| {
        browser.text("performance_start_trace", json!({"autoStop": false}));
        browser.eval(PAINTED);
        browser.text("performance_stop_trace", json!({}))
    };
    // The shortest of some is what the machine's other work disturbs least.
    let (mut plain, mut slow) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..4 {
        browser.text("emulate", json!({}));
        let text = record(&mut browser);
        assert!(text.contains("\nCPU throttling: 1x\nNetwork throttling: none\n"), "{text}");
        plain = plain.min(metric(&text, "LCP"));
        browser.text("emulate", json!({"cpuThrottlingRate": 4, "networkConditions": "Slow 4G"}));
        let text = record(&mut browser);
        assert!(text.contains("\nCPU throttling: 4x\nNetwork throttling: Slow 4G\n"), "{text}");
        let notes = "Emulating network conditions: Slow 4G\nDefault navigation timeout set to 100000 ms\nEmulating CPU throttling: 4x slowdown\n## Summary";
        assert!(text.contains(notes), "{text}");
        slow = slow.min(metric(&text, "LCP"));
        // At least the time that this network takes for anything.
        assert!(slow > 562.0, "{text}");
        if (2.0..12.0).contains(&(slow / plain)) {
            return;
        }
    }
    panic!("{plain} ms without and {slow} ms with throttling");
}

#[test]
fn j3b_a_failed_start_does_not_block_the_next_one() {
    // A port where nothing listens.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut browser = Browser::start(&["--no-performance-crux"]);
    browser.error("navigate_page", json!({"url": format!("http://127.0.0.1:{port}/")}));
    for _ in 0..2 {
        let error = browser.error("performance_start_trace", json!({}));
        assert!(error.contains("net::ERR_CONNECTION_REFUSED") && error.contains("hint:"), "{error}");
        let text = browser.text("performance_stop_trace", json!({}));
        assert!(text.starts_with("Error: no active performance trace"), "{text}");
    }
    browser.go(&case("traces/work.html"));
    let text = browser.text("performance_start_trace", json!({"autoStop": false}));
    assert!(text.starts_with("The performance trace is being recorded."), "{text}");
    let text = browser.text("performance_stop_trace", json!({}));
    assert!(text.starts_with("The performance trace has been stopped.") && text.contains("NAVIGATION_0"), "{text}");
}

#[test]
fn j3c_interactions_routes_and_frames_without_a_load() {
    let _alone = chrome_lock();
    let mut browser = Browser::start(&["--no-performance-crux"]);
    // Something that the browser keeps for a return: it must not be taken for the page that is recorded.
    browser.go(&case("delete.html?cache=600"));
    browser.go(&case("traces/route.html"));
    browser.until("() => ready", json!(true));
    browser.text("performance_start_trace", json!({"reload": false, "autoStop": false}));
    browser.click("Go");
    browser.until("() => document.title", json!("Second"));
    // Not within the time in which shifts count as the user's doing.
    std::thread::sleep(Duration::from_millis(700));
    browser.eval("() => shift()");
    browser.until("() => shifted", json!(true));
    browser.eval(PAINTED);
    let text = browser.text("performance_stop_trace", json!({}));
    let page = case("traces/route.html");
    assert!(set(&text, "NO_NAVIGATION").contains(&format!("URL: {page}\n")), "{text}");
    let inp = metric(set(&text, "NO_NAVIGATION"), "INP");
    assert!((250.0..2000.0).contains(&inp), "{text}");
    let route = set(&text, "NAVIGATION_1");
    assert!(route.contains(&format!("URL: {page}?route=2\n")), "{text}");
    assert!(metric(route, "CLS") > 0.0 && route.contains("insight name: CLSCulprits"), "{text}");
}

#[test]
fn j3d_a_page_that_comes_back_is_named() {
    let mut browser = Browser::start(&["--no-performance-crux"]);
    let (first, second) = (case("delete.html?cache=600"), case("traces/work.html"));
    browser.go(&first);
    browser.eval("() => { mark = 1 }");
    browser.go(&second);
    browser.text("performance_start_trace", json!({"reload": false, "autoStop": false}));
    browser.text("navigate_page", json!({"type": "back"}));
    assert_eq!(browser.eval("() => window.mark ?? 0"), 1, "it came back as it was");
    let text = browser.text("performance_stop_trace", json!({}));
    assert!(text.contains(&format!("Note: {first} came back from the back/forward cache")), "{text}");
    assert!(text.contains(&format!("\nURL: {second}\n")), "{text}");
}
