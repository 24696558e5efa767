//! performance_start_trace, performance_stop_trace, performance_analyze_insight: every parameter, and what happens
//! around a recording.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::cases::{Browser, case, script_value};
use crate::support::{descendants, pages, read_plain_trace, read_trace, text_of};

const PLAIN: &[&str] = &["--no-performance-crux"];

/// Recording what the page does, until it is stopped.
fn running() -> Value {
    json!({"reload": false, "autoStop": false})
}

#[test]
fn recording_by_itself_answers_with_the_summary_while_other_pages_work() {
    let dir = tempfile::tempdir().unwrap();
    let mut browser = Browser::start(PLAIN);
    let page = case("traces/work.html");
    browser.go(&page);
    browser.text("new_page", json!({"url": "data:text/html,<title>Other</title>"}));
    // Nothing is recorded, nothing can be explained.
    let text = browser.text("performance_stop_trace", json!({"filePath": dir.path().join("none.json")}));
    assert!(text.starts_with("Error: no active performance trace.\nhint: "), "{text}");
    assert!(!dir.path().join("none.json").exists());
    let question = json!({"insightSetId": "NAVIGATION_0", "insightName": "LCPBreakdown"});
    let text = browser.text("performance_analyze_insight", question.clone());
    assert!(text.starts_with("No recorded traces found."), "{text}");

    let arguments = json!({"pageId": 1, "filePath": dir.path().join("deep/trace")});
    let id = browser.client.begin(
        "tools/call",
        json!({"name": "performance_start_trace", "arguments": arguments, "_meta": {"progressToken": "p"}}),
    );
    let begun = Instant::now();
    let mut answered = 0;
    while begun.elapsed() < Duration::from_secs(4) {
        let start = Instant::now();
        assert_eq!(browser.eval("() => document.title"), "Other");
        browser.text("list_pages", json!({}));
        assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
        answered += 1;
        let text = browser.text("performance_start_trace", json!({}));
        assert!(text.starts_with("Error: a performance trace is already running: page 1 has been recorded"), "{text}");
        std::thread::sleep(Duration::from_millis(300));
    }
    assert!(answered >= 3, "{answered}");
    let answer = browser.client.finish(id);
    assert!(begun.elapsed() > Duration::from_secs(5), "{:?}", begun.elapsed());
    let text = text_of(&answer["result"]);
    let file = dir.path().canonicalize().unwrap().join("deep/trace.json");
    let lines = format!(
        "The raw trace data was saved to {}.\nThe performance trace has been stopped.\n## Summary of Performance trace findings:\nURL: {page}\n",
        file.display()
    );
    assert!(text.starts_with(&lines), "{text}");
    assert!(
        text.contains("\nCPU throttling: 1x\nNetwork throttling: none\n") && text.contains("NAVIGATION_0"),
        "{text}"
    );
    assert!(text.contains("Metrics (field / real users): n/a"), "{text}");
    assert!(text.contains("## Details on call tree & network request formats:"), "{text}");
    assert!(read_plain_trace(&file)["traceEvents"].as_array().unwrap().len() > 100);
    let progress: Vec<f64> = browser
        .client
        .others
        .iter()
        .filter(|message| message["method"] == "notifications/progress")
        .map(|message| message["params"]["progress"].as_f64().unwrap())
        .collect();
    assert!(progress.len() >= 5 && progress.windows(2).all(|pair| pair[0] < pair[1]), "{progress:?}");

    let text = browser.text("performance_analyze_insight", question);
    assert!(text.starts_with("## Insight Title: LCP breakdown"), "{text}");
    // The file is a trace like any other.
    let text = browser.text("performance_load_trace", json!({"filePath": file}));
    assert!(text.contains(&format!("\nURL: {page}\n")), "{text}");
}

#[test]
fn recordings_are_stopped_from_any_page_and_kept() {
    let dir = tempfile::tempdir().unwrap();
    let mut browser = Browser::start(&["--no-performance-crux", "--experimentalStructuredContent"]);
    browser.go(&case("traces/work.html"));
    let text = browser.text("performance_start_trace", json!({"autoStop": false, "filePath": dir.path().join("x")}));
    assert!(text.starts_with("The performance trace is being recorded.\nhint: "), "{text}");
    browser.text("new_page", json!({"url": case("delete.html")}));
    // What cannot be written does not end the recording.
    for (path, says) in [("/etc/trace.json", "Access denied"), (dir.path().to_str().unwrap(), "it is a directory")] {
        let error = browser.error("performance_stop_trace", json!({"filePath": path}));
        assert!(error.contains(says), "{error}");
    }
    let file = dir.path().join("t.json.gz");
    let result = browser.client.call("performance_stop_trace", json!({"filePath": file}));
    let text = text_of(&result);
    assert!(text.starts_with("Note: the recording is of page 1.\nThe raw trace data was saved to "), "{text}");
    assert!(text.contains(&format!("\nURL: {}\n", case("traces/work.html"))), "{text}");
    assert!(!read_trace(&file)["traceEvents"].as_array().unwrap().is_empty());
    assert!(!dir.path().join("x.json").exists(), "only with autoStop");
    let content = &result["structuredContent"];
    assert!(content["message"].as_str().unwrap().ends_with("The performance trace has been stopped."), "{content}");
    assert!(content["traceSummary"].as_str().unwrap().starts_with("## Summary of Performance trace findings:\n"));
    let insights = content["traceInsights"].as_array().unwrap();
    assert!(insights.iter().any(|i| i["insightName"] == "LCPBreakdown" && i["insightKey"] == "LCPBreakdown"));

    // A second one, without a load; the first can still be asked about.
    browser.text("performance_start_trace", running());
    browser.eval("() => { const until = performance.now() + 1200; while (performance.now() < until); }");
    let text = browser.text("performance_stop_trace", json!({}));
    assert!(text.contains(&format!("\nURL: {}\n", case("delete.html"))) && !text.contains("NAVIGATION_0"), "{text}");
    let ask = |back: i32| json!({"insightSetId": "NAVIGATION_0", "insightName": "LCPBreakdown", "tracesBack": back});
    let text = browser.text("performance_analyze_insight", ask(0));
    assert!(text.starts_with("No Performance Insights for the given insight set id."), "{text}");
    let text = browser.text("performance_analyze_insight", ask(1));
    assert!(text.starts_with("## Insight Title: LCP breakdown"), "{text}");
    for back in [2, -1] {
        let error = browser.error("performance_analyze_insight", ask(back));
        assert!(error.contains(&format!("there is no trace {back} traces back\nhint: these are kept: 0: ")), "{error}");
    }
}

#[test]
fn dialogs_closed_pages_and_cancelled_calls() {
    let mut browser = Browser::start(PLAIN);
    browser.open("<button onclick=\"alert('hello')\">Ask</button>");
    browser.text("performance_start_trace", running());
    browser.click("Ask");
    for tool in ["performance_start_trace", "performance_stop_trace"] {
        let error = browser.error(tool, json!({}));
        assert!(
            error.contains("Error: A dialog is open (alert: hello).") && error.contains("handle_dialog"),
            "{error}"
        );
    }
    // Through another page it is stopped all the same.
    browser.text("new_page", json!({"url": case("traces/work.html")}));
    let text = browser.text("performance_stop_trace", json!({}));
    assert!(text.contains("The performance trace has been stopped.\n"), "{text}");
    browser.text("handle_dialog", json!({"pageId": 1, "action": "accept"}));

    // The recorded page goes away.
    browser.text("performance_start_trace", running());
    browser.text("close_page", json!({"pageId": 2}));
    let text = browser.text("performance_stop_trace", json!({"pageId": 1}));
    assert!(text.starts_with("Error: no active performance trace: page 2, which was recorded, was closed"), "{text}");
    let text = browser.text("performance_stop_trace", json!({"pageId": 1}));
    assert!(text.starts_with("Error: no active performance trace.\n"), "{text}");

    // Its process dies: what was recorded until then is there, and the next recording works.
    browser.go(&case("traces/work.html"));
    browser.text("performance_start_trace", running());
    let renderers: Vec<u32> = descendants(browser.client.child.id())
        .into_iter()
        .filter(|pid| {
            let command = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            command.contains("--type=renderer")
        })
        .collect();
    assert!(!renderers.is_empty());
    for pid in renderers {
        // SAFETY: a process of our own server's browser.
        unsafe { libc::kill(pid as i32, libc::SIGKILL) };
    }
    let text = browser.text("performance_stop_trace", json!({}));
    assert!(text.starts_with("The performance trace has been stopped.") && text.contains("work.html"), "{text}");
    browser.go(&case("traces/work.html"));
    browser.text("performance_start_trace", json!({"autoStop": false}));
    let text = browser.text("performance_stop_trace", json!({}));
    assert!(text.contains("NAVIGATION_0"), "{text}");

    // The call is cancelled in the middle of a recording.
    browser.go(&case("traces/work.html"));
    browser.text("new_page", json!({"url": "about:blank"}));
    let end = Instant::now() + Duration::from_secs(20);
    let id = loop {
        let id = browser.begin("performance_start_trace", json!({"pageId": 1}));
        browser.text("list_pages", json!({}));
        if browser.text("performance_start_trace", running()).contains("page 1 has been recorded") {
            break id;
        }
        // This one came first.
        browser.text("performance_stop_trace", json!({}));
        assert!(Instant::now() < end);
    };
    browser.client.notify("notifications/cancelled", json!({"requestId": id, "reason": "test"}));
    // The browser takes a moment to let go of what was recorded.
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let text = browser.text("performance_start_trace", running());
        if text.starts_with("The performance trace is being recorded.") {
            break;
        }
        assert!(Instant::now() < end, "{text}");
        std::thread::sleep(Duration::from_millis(50));
    }
    let text = browser.text("performance_stop_trace", json!({}));
    assert!(text.starts_with("The performance trace has been stopped."), "{text}");
}

#[test]
fn reloads_keep_the_method_leave_busy_pages_and_pass_the_cache() {
    let mut browser = Browser::start(PLAIN);
    let start = json!({"autoStop": false, "ignoreCache": true});
    // A page that was posted is posted again.
    browser.open(&format!("<form method=post action='{}'><button>Send</button></form>", case("delete.html?headers=1")));
    browser.click("Send");
    let method = "() => document.body.innerText.split(' ')[0]";
    browser.until(method, json!("POST"));
    browser.eval("() => { mark = 1 }");
    let text = browser.text("performance_start_trace", start.clone());
    assert!(text.starts_with("Note: the page came from a form; the reload sends the form again.\n"), "{text}");
    assert_eq!(browser.eval(method), "POST");
    assert_eq!(browser.eval("() => window.mark ?? 0"), 0, "it was loaded anew");
    browser.text("performance_stop_trace", json!({}));

    // A page that asks before it is left, and a cached script.
    browser.go(&case("cached.html"));
    browser.eval("() => { addEventListener('beforeunload', event => event.preventDefault()) }");
    let sizes = "() => performance.getEntriesByType('resource').map(entry => entry.transferSize > 0)";
    browser.text("performance_start_trace", json!({"autoStop": false}));
    assert_eq!(browser.eval(sizes), json!([false]), "from the cache");
    browser.text("performance_stop_trace", json!({}));
    browser.text("performance_start_trace", start);
    assert_eq!(browser.eval(sizes), json!([true]), "from the server");
    browser.text("performance_stop_trace", json!({}));
    // Afterwards the cache is used again.
    browser.text("navigate_page", json!({"url": case("cached.html?again")}));
    assert_eq!(browser.eval(sizes), json!([false]), "from the cache");

    // A dialog while the page loads holds the load up, not the recording.
    let arguments = json!({"url": case("traces/asks.html")});
    let text = browser.text("navigate_page", arguments);
    assert!(text.contains("# Open dialog"), "{text}");
    browser.text("handle_dialog", json!({"action": "accept"}));
    let text = browser.text("performance_start_trace", json!({"autoStop": false}));
    assert!(
        text.starts_with("Note: the page opened a dialog while it loaded") && text.contains("# Open dialog"),
        "{text}"
    );
    browser.text("handle_dialog", json!({"action": "accept"}));
    let text = browser.text("performance_stop_trace", json!({}));
    assert!(text.contains("NAVIGATION_0"), "{text}");
    assert_eq!(script_value(&browser.text("evaluate_script", json!({"function": "() => document.title"}))), "Asks");
}

/// What the service double does.
#[derive(Clone, Copy, PartialEq)]
enum Service {
    /// Knows every page and device.
    Knows,
    /// Has no data, said as the real service says it.
    NotFound,
    /// Takes the question and never answers.
    Hangs,
    /// Answers nonsense.
    Broken,
}

/// Starts a double of the field data service; its address, and the questions it was asked.
fn field_data_service(service: Service) -> (String, Arc<Mutex<Vec<Value>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1/records:queryRecord?key=test", listener.local_addr().unwrap());
    let questions = Arc::<Mutex<Vec<Value>>>::default();
    let noted = questions.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let noted = noted.clone();
            std::thread::spawn(move || _ = answer_question(stream, service, &noted));
        }
    });
    (address, questions)
}

fn answer_question(mut stream: TcpStream, service: Service, noted: &Mutex<Vec<Value>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let question: Value = serde_json::from_slice(&body)?;
    noted.lock().unwrap().push(question.clone());
    let (status, answer) = match service {
        Service::Hangs => {
            std::thread::sleep(Duration::from_secs(60));
            return Ok(());
        }
        Service::Broken => ("500 Error", "<html>".to_owned()),
        Service::NotFound => ("404 Not Found", json!({"error": {"code": 404, "status": "NOT_FOUND"}}).to_string()),
        Service::Knows => {
            let mut key = question.clone();
            key.as_object_mut().unwrap().shift_remove("metrics");
            // Phones are slower, origins are slower than pages.
            let slow =
                if key["formFactor"] == "PHONE" { 1000 } else { 0 } + if key.get("url").is_some() { 0 } else { 5000 };
            let value = |p75: Value| json!({"percentiles": {"p75": p75}});
            let record = json!({"key": key, "metrics": {
                "largest_contentful_paint": value((2400 + slow).into()),
                "interaction_to_next_paint": value((100 + slow).into()),
                "cumulative_layout_shift": value("0.05".into()),
                "largest_contentful_paint_image_time_to_first_byte": value(300.into()),
            }});
            ("200 OK", json!({"record": record}).to_string())
        }
    };
    write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{answer}", answer.len())
}

/// A server whose browser finds our pages at `example.test`, and which asks this service for field data.
fn with_service(service: &str, more: &[&str]) -> Browser {
    let rule = format!("--chromeArg=--host-resolver-rules=MAP example.test:80 127.0.0.1:{}", pages().port());
    let arguments: Vec<&str> = [rule.as_str()].into_iter().chain(more.iter().copied()).collect();
    Browser::start_with(&arguments, |command| {
        for proxy in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
            command.env_remove(proxy);
        }
        command.env("DEVTOOLS_MCP_CRUX_ENDPOINT", service);
    })
}

/// The part of a recording's summary about field data.
fn field_data(browser: &mut Browser) -> String {
    browser.text("performance_start_trace", json!({"autoStop": false}));
    let text = browser.text("performance_stop_trace", json!({}));
    let part = text.split("Metrics (field / real users)").nth(1).and_then(|rest| rest.split("Available").next());
    part.unwrap_or_else(|| panic!("field data in {text}")).to_owned()
}

const NO_DATA: &str = ": n/a";

#[test]
fn field_data_of_public_pages_is_shown() {
    const PAGE: &str = "http://example.test/cases/traces/work.html";
    let (service, questions) = field_data_service(Service::Knows);
    let mut browser = with_service(&service, &[]);
    // A page of this machine is nobody else's business.
    browser.go(&case("traces/work.html"));
    assert!(field_data(&mut browser).starts_with(NO_DATA));
    assert!(questions.lock().unwrap().is_empty());

    browser.go(PAGE);
    let text = field_data(&mut browser);
    for line in [
        "- LCP: 2400 ms (scope: url)",
        "- TTFB: 300 ms (scope: url)",
        "- INP: 100 ms (scope: url)",
        "- CLS: 0.05 (scope: url)",
    ] {
        assert!(text.contains(line), "{text}");
    }
    let asked = std::mem::take(&mut *questions.lock().unwrap());
    assert_eq!(asked.len(), 6, "{asked:?}");
    for scope in [json!({"origin": "http://example.test"}), json!({"url": PAGE})] {
        for device in [Value::Null, "DESKTOP".into(), "PHONE".into()] {
            let matches = |question: &&Value| {
                scope.as_object().unwrap().iter().all(|(key, value)| &question[key] == value)
                    && question["formFactor"] == device
                    && question["metrics"].as_array().is_some_and(|metrics| metrics.len() == 10)
            };
            assert_eq!(asked.iter().filter(matches).count(), 1, "{scope} {device}: {asked:?}");
        }
    }
    // A phone's data for a page that is shown as on a phone.
    browser.text("emulate", json!({"viewport": "400x800x2,mobile,touch"}));
    let text = field_data(&mut browser);
    assert!(text.contains("- LCP: 3400 ms (scope: url)"), "{text}");
}

#[test]
fn field_data_that_is_missing_holds_nothing_up() {
    const PAGE: &str = "http://example.test/cases/traces/work.html?query=is-not-sent";
    for (kind, count) in [(Service::NotFound, 6), (Service::Broken, 6), (Service::Hangs, 6)] {
        let (service, questions) = field_data_service(kind);
        let mut browser = with_service(&service, &[]);
        browser.go(PAGE);
        let start = Instant::now();
        let text = field_data(&mut browser);
        assert!(text.starts_with(NO_DATA), "{text}");
        assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
        let asked = questions.lock().unwrap().clone();
        assert_eq!(asked.len(), count, "{asked:?}");
        assert!(asked.iter().all(|question| !question.to_string().contains("is-not-sent")), "{asked:?}");
    }
    let (service, questions) = field_data_service(Service::Knows);
    let mut browser = with_service(&service, PLAIN);
    browser.go("http://example.test/cases/traces/work.html");
    assert!(field_data(&mut browser).starts_with(NO_DATA));
    assert!(questions.lock().unwrap().is_empty(), "it is switched off");
}
