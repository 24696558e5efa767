//! Pages of different trouble, recorded here and now in real Chrome: what we say about each recording equals the
//! oracle's words, and the trouble is found.

use std::path::{Path, PathBuf};
use std::time::Duration;

use devtools_mcp::browser::launch::LaunchOptions;
use devtools_mcp::browser::recording::{RecordOptions, Recording, record};
use devtools_mcp::cdp::Session;
use devtools_mcp::devtools::trace::{DeviceScope, InsightAnswer, TraceAnalysis};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{BINARY, chrome, chrome_arguments, chrome_lock, pages, read_trace, stdout};
use crate::traces::compare_with_oracle;

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap().block_on(work)
}

fn options(url: String, file: &Path) -> RecordOptions {
    RecordOptions {
        url,
        reload: true,
        duration: Duration::from_millis(1500),
        file: Some(file.to_path_buf()),
        browser: LaunchOptions {
            executable: chrome(),
            headed: false,
            arguments: chrome_arguments(),
            ..LaunchOptions::default()
        },
        heap_limit: 4 << 30,
        cancel: CancellationToken::new(),
        progress: None,
        during: None,
    }
}

/// Records a page, compares the saved file with the oracle and returns both.
fn recorded(path: &str, adapt: impl FnOnce(&mut RecordOptions)) -> (Recording, PathBuf, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("trace.json.gz");
    let mut options = options(pages().url(path), &file);
    adapt(&mut options);
    let recording = {
        let _alone = chrome_lock();
        block_on(record(options)).unwrap()
    };
    assert!(!recording.data_loss && !recording.load_timed_out);
    compare_with_oracle(std::slice::from_ref(&file));
    (recording, file, dir)
}

fn summary(trace: &TraceAnalysis) -> String {
    block_on(trace.summary(DeviceScope::Desktop)).unwrap()
}

fn insight(trace: &TraceAnalysis, name: &str) -> String {
    let set = &trace.overview().insight_sets[0].id;
    match block_on(trace.insight(set, name, DeviceScope::Desktop)).unwrap() {
        InsightAnswer::Ok { text } => text,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn a_slow_lcp_image() {
    let (recording, ..) = recorded("lcp-image/index.html", |_| {});
    let text = summary(&recording.trace);
    assert!(text.contains("CPU throttling: 1x"), "{text}");
    assert!(text.contains("- Load delay:") && text.contains("LCPDiscovery"), "{text}");
    assert!(insight(&recording.trace, "LCPDiscovery").contains("photo.png"));
}

#[test]
fn layout_shifts() {
    let (recording, ..) = recorded("layout-shifts/index.html", |_| {});
    let text = insight(&recording.trace, "CLSCulprits");
    assert!(text.contains("Layout shift") && text.contains("photo.png"), "{text}");
}

#[test]
fn render_blocking_requests() {
    let (recording, ..) = recorded("render-blocking/index.html", |_| {});
    let text = insight(&recording.trace, "RenderBlocking");
    for file in ["a.css", "b.css", "a.js", "b.js"] {
        assert!(text.contains(file), "{file} in {text}");
    }
}

#[test]
fn long_tasks_with_interactions() {
    let (recording, ..) = recorded("interactions/index.html", |options| {
        options.during = Some(Box::new(|page: Session| {
            Box::pin(async move {
                tokio::time::sleep(Duration::from_millis(500)).await;
                for kind in ["mousePressed", "mouseReleased"] {
                    let event = json!({"type": kind, "x": 100, "y": 50, "button": "left", "clickCount": 1});
                    let _: Value = page.call("Input.dispatchMouseEvent", event).await.unwrap();
                }
            })
        }));
    });
    let text = summary(&recording.trace);
    assert!(text.contains("- INP:"), "{text}");
    assert!(insight(&recording.trace, "INPBreakdown").contains("Processing duration"));
}

#[test]
fn third_parties() {
    let (recording, ..) = recorded("third-party/index.html", |options| {
        let port = pages().port();
        options.browser.arguments.push(format!("--host-resolver-rules=MAP *:80 127.0.0.1:{port}"));
    });
    let text = insight(&recording.trace, "ThirdParties");
    assert!(text.contains("JSDelivr CDN"), "{text}");
}

#[test]
fn redirects() {
    let start = "redirects/index.html?redirect=/redirects/index.html%3Fredirect=/redirects/index.html%253Fend%253D1";
    let (recording, ..) = recorded(start, |_| {});
    assert!(recording.url.ends_with("/redirects/index.html?end=1"), "{}", recording.url);
    let text = insight(&recording.trace, "DocumentLatency");
    assert!(text.contains("redirect"), "{text}");
}

#[test]
fn duplicated_modules_are_seen_through_source_maps_stored_in_the_trace() {
    let (recording, file, dir) = recorded("duplicated-js/index.html", |_| {});
    assert!(
        insight(&recording.trace, "DuplicatedJavaScript").contains("There is no duplicated JavaScript"),
        "no maps yet"
    );
    // DevTools stores maps in the traces it saves; Chrome's own JSON has none.
    let mut trace = read_trace(&file);
    let maps: Vec<Value> = ["one", "two"]
        .map(|name| {
            let path = crate::support::root().join(format!("tests/pages/duplicated-js/{name}.js.map"));
            let map: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
            let url = pages().url(&format!("duplicated-js/{name}.js"));
            json!({"url": url, "sourceMapUrl": format!("{url}.map"), "sourceMap": map})
        })
        .to_vec();
    trace["metadata"]["sourceMaps"] = maps.into();
    let enhanced = dir.path().join("enhanced.json");
    std::fs::write(&enhanced, trace.to_string()).unwrap();
    compare_with_oracle(std::slice::from_ref(&enhanced));
    let arguments =
        ["trace", "insight", enhanced.to_str().unwrap(), "--set", "NAVIGATION_0", "--name", "DuplicatedJavaScript"];
    let text = stdout(&crate::support::run(&arguments));
    assert!(text.contains("node_modules/lodash") && text.contains("node_modules/react"), "{text}");
}

#[test]
fn many_dom_nodes() {
    let (recording, ..) = recorded("many-nodes/index.html", |_| {});
    assert!(insight(&recording.trace, "DOMSize").contains("elements"), "{}", insight(&recording.trace, "DOMSize"));
}

#[test]
fn non_ascii_addresses_names_and_selectors() {
    let (recording, file, _dir) = recorded("größe 日本/seite.html?q=ä%20😀", |_| {});
    let text = summary(&recording.trace);
    assert!(text.contains("/gr%C3%B6%C3%9Fe%20%E6%97%A5%E6%9C%AC/seite.html"), "{text}");
    let saved = read_trace(&file).to_string();
    assert!(saved.contains("größe 😀"), "the mark's name is in the file");
    let all = stdout(&crate::support::run(&["trace", "insight", file.to_str().unwrap(), "--all"]));
    assert!(all.contains("stil-%C3%A4.css"), "{all}");
}

#[test]
fn without_reload_the_time_after_loading_is_recorded() {
    let (recording, ..) = recorded("layout-shifts/index.html", |options| options.reload = false);
    let ids: Vec<&str> = recording.trace.overview().insight_sets.iter().map(|s| s.id.as_str()).collect();
    assert_eq!(ids, ["NO_NAVIGATION"]);
}

/// The command line as a user types it: progress and notes on stderr, data on stdout, the file where it was asked for,
/// no browser and no profile left.
#[test]
fn the_record_command() {
    let _alone = chrome_lock();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("deep/er/trace.json");
    let mut command = std::process::Command::new(BINARY);
    command
        .args(["trace", "record", &pages().url("sample/index.html"), "--duration", "0.5", "--json", "-o"])
        .arg(&file);
    command.env("TMPDIR", dir.path());
    command.args(chrome_arguments().iter().map(|a| format!("--chrome-arg={a}")));
    command.args(chrome().iter().map(|c| format!("--executable-path={c}")));
    let output = command.output().unwrap();
    let answer: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(answer["insightSets"][0]["id"], "NAVIGATION_0");
    assert!(answer["summary"].as_str().unwrap().starts_with("URL: http://127.0.0.1:"));
    assert!(serde_json::from_slice::<Value>(&std::fs::read(&file).unwrap()).unwrap()["traceEvents"].is_array());
    assert!(String::from_utf8_lossy(&output.stderr).contains("The raw trace data was saved to"));
    let left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().flatten().map(|e| e.file_name()).collect();
    assert_eq!(left, ["deep"], "the profile is gone");
}

#[test]
fn recording_fails_with_a_reason_and_a_hint() {
    let _alone = chrome_lock();
    let record = |arguments: &[&str]| {
        let mut command = std::process::Command::new(BINARY);
        command.args(["trace", "record"]).args(arguments);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(output.stdout.is_empty());
        String::from_utf8(output.stderr).unwrap()
    };
    let arguments: Vec<String> = chrome_arguments().iter().map(|a| format!("--chrome-arg={a}")).collect();
    let refused: Vec<&str> = ["http://127.0.0.1:1/"].into_iter().chain(arguments.iter().map(String::as_str)).collect();
    let text = record(&refused);
    assert!(text.contains("cannot open http://127.0.0.1:1/: net::ERR_") && text.contains("\n\nhint: "), "{text}");
    let text = record(&["http://127.0.0.1:1/", "--executable-path=/nowhere/chrome"]);
    assert!(text.contains("there is no browser at /nowhere/chrome"), "{text}");
    let text = record(&["http://127.0.0.1:1/", "--executable-path=/bin/false", "--chrome-arg=--no-sandbox"]);
    assert!(text.contains("Chrome did not start"), "{text}");
}
