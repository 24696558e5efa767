//! Trace files: the front-end's words are the same as under Node, whatever the file looks like; each defect has its own
//! error.

use std::io::Write;
use std::path::{Path, PathBuf};

use devtools_mcp::devtools::trace::{DeviceScope, InsightAnswer, LoadOptions, TraceAnalysis, TraceError, TraceSource};
use serde_json::{Value, json};

use crate::support::{oracle, read_trace, run, sample_trace, stdout, trace_fixtures};

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap().block_on(work)
}

async fn load(path: &Path) -> Result<TraceAnalysis, TraceError> {
    TraceAnalysis::load(TraceSource::open(path)?, LoadOptions::new(4 << 30)).await
}

/// Everything we say about a file, in the oracle's shape.
fn ours(path: &Path) -> Value {
    let attempt = |result: Result<String, TraceError>| match result {
        Ok(text) => json!({"text": text}),
        Err(TraceError::Analysis { message }) => json!({"error": message}),
        Err(other) => panic!("{}: {other}", path.display()),
    };
    block_on(async {
        let trace = match load(path).await {
            Ok(trace) => trace,
            Err(TraceError::Analysis { message }) => return json!({"error": message}),
            Err(other) => panic!("{}: {other}", path.display()),
        };
        let mut insights = Vec::new();
        for set in &trace.overview().insight_sets {
            for insight in &set.insights {
                let answer =
                    trace.insight(&set.id, &insight.name, DeviceScope::Desktop).await.map(|answer| match answer {
                        InsightAnswer::Ok { text } => text,
                        other => panic!("{other:?}"),
                    });
                let mut entry = json!({"set": set.id, "name": insight.name});
                entry.as_object_mut().unwrap().extend(attempt(answer).as_object().unwrap().clone());
                insights.push(entry);
            }
        }
        let summary = attempt(trace.summary(DeviceScope::Desktop).await);
        json!({"eventCount": trace.overview().event_count, "summary": summary, "insights": insights})
    })
}

/// Compares field by field, so that a difference is readable.
pub fn assert_same(path: &Path, ours: &Value, theirs: &Value) {
    let name = path.display();
    if let Some(error) = theirs.get("error").and_then(Value::as_str) {
        // Errors that are not plain `Error`s are shown with their name.
        let message =
            ours["error"].as_str().unwrap_or_else(|| panic!("{name}: the oracle failed with {error}, we did not"));
        assert!(message.ends_with(error), "{name}: {message} instead of {error}");
        return;
    }
    assert_eq!(ours["eventCount"], theirs["eventCount"], "{name}");
    assert_text(&format!("{name}: summary"), &ours["summary"], &theirs["summary"]);
    let (ours, theirs) = (ours["insights"].as_array().unwrap(), theirs["insights"].as_array().unwrap());
    assert_eq!(ours.len(), theirs.len(), "{name}: number of insights");
    for (a, b) in ours.iter().zip(theirs) {
        assert_eq!((&a["set"], &a["name"]), (&b["set"], &b["name"]), "{name}");
        assert_text(&format!("{name}: {} {}", a["set"], a["name"]), a, b);
    }
}

fn assert_text(what: &str, ours: &Value, theirs: &Value) {
    if let Some(error) = theirs.get("error").and_then(Value::as_str) {
        let message = ours["error"].as_str().unwrap_or_default();
        assert!(message.ends_with(error), "{what}: {message:?} instead of {error:?}");
        return;
    }
    let (a, b) = (ours["text"].as_str(), theirs["text"].as_str());
    if a != b {
        let (a, b) = (a.unwrap_or_default(), b.unwrap_or_default());
        let line = a
            .lines()
            .zip(b.lines())
            .position(|(x, y)| x != y)
            .unwrap_or_else(|| a.lines().count().min(b.lines().count()));
        panic!("{what}: line {line}\n ours:   {:?}\n oracle: {:?}", a.lines().nth(line), b.lines().nth(line));
    }
}

/// Summary and all insights of these files equal the oracle's, byte for byte.
pub fn compare_with_oracle(files: &[PathBuf]) {
    let answers = oracle(files);
    for file in files {
        assert_same(file, &ours(file), &answers[file]);
    }
}

#[test]
fn fixtures_are_explained_in_the_same_words() {
    let files = trace_fixtures();
    assert!(files.contains(&sample_trace()));
    println!("{} traces", files.len());
    compare_with_oracle(&files);
}

fn write(path: &Path, bytes: &[u8]) -> PathBuf {
    std::fs::write(path, bytes).unwrap();
    path.to_path_buf()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn the_layout_of_a_file_does_not_matter() {
    let dir = tempfile::tempdir().unwrap();
    let trace = read_trace(&sample_trace());
    let events = trace["traceEvents"].clone();
    let metadata =
        json!({"source": "DevTools", "title": "Größe 日本", "cpuThrottling": 4, "networkThrottling": "Slow 4G"});
    let expected = {
        let path = write(
            &dir.path().join("plain.json"),
            json!({"traceEvents": events, "metadata": metadata}).to_string().as_bytes(),
        );
        let text = stdout(&run(&["trace", "summary", path.to_str().unwrap()]));
        assert!(text.contains("CPU throttling: 4x\nNetwork throttling: Slow 4G\n"), "metadata is honoured: {text}");
        text
    };
    let with_metadata = [
        json!({"metadata": metadata, "other": {"traceEvents": [1, 2]}, "traceEvents": events}).to_string().into_bytes(),
        serde_json::to_vec_pretty(&json!({"traceEvents": events, "metadata": metadata})).unwrap(),
        gzip(json!({"traceEvents": events, "metadata": metadata}).to_string().as_bytes()),
        // Two gzip members, as parallel compressors write them.
        {
            let text = json!({"metadata": metadata, "traceEvents": events}).to_string();
            let (a, b) = text.as_bytes().split_at(text.len() / 3);
            [gzip(a), gzip(b)].concat()
        },
    ];
    for (number, bytes) in with_metadata.iter().enumerate() {
        let path = write(&dir.path().join(format!("{number}.trace")), bytes);
        assert_eq!(stdout(&run(&["trace", "summary", path.to_str().unwrap()])), expected, "layout {number}");
    }
    let array = write(&dir.path().join("array.json"), events.to_string().as_bytes());
    let text = stdout(&run(&["trace", "summary", array.to_str().unwrap()]));
    assert_eq!(
        text,
        expected.replace(
            "CPU throttling: 4x\nNetwork throttling: Slow 4G\n",
            "CPU throttling: none\nNetwork throttling: none\n"
        )
    );
    compare_with_oracle(&[array, dir.path().join("plain.json")]);
}

#[test]
fn each_defect_has_its_own_message_hint_and_exit_code() {
    let dir = tempfile::tempdir().unwrap();
    let trace = read_trace(&sample_trace());
    let text = trace.to_string();
    let packed = gzip(text.as_bytes());
    let mut damaged = packed.clone();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 64].fill(0x55);
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("empty", Vec::new(), "empty"),
        ("html", b"<!doctype html>".to_vec(), "not-json"),
        ("trailing", format!("{text} trailing").into_bytes(), "not-json"),
        ("har", br#"{"log":{"entries":[]}}"#.to_vec(), "not-a-trace"),
        ("number", b"42".to_vec(), "not-a-trace"),
        ("no-events", br#"{"traceEvents":[],"metadata":{}}"#.to_vec(), "no-events"),
        ("cut", text.as_bytes()[..text.len() / 2].to_vec(), "truncated"),
        ("cut-gzip", packed[..packed.len() / 2].to_vec(), "gzip"),
        ("damaged-gzip", damaged, "gzip"),
        ("bad-event", br#"[{"name":"a","ts":1},{"name":oops}]"#.to_vec(), "bad-event"),
        ("brackets", br#"[{"name":["a"},{"b":1}]}]"#.to_vec(), "not-json"),
        ("wrong-events", br#"[{"name":"TracingStartedInBrowser","ts":1,"args":{}}]"#.to_vec(), "analysis"),
    ];
    let mut messages = std::collections::HashMap::new();
    for (name, bytes, code) in &cases {
        let path = write(&dir.path().join(name), bytes);
        let output = run(&["trace", "summary", path.to_str().unwrap(), "--json"]);
        assert_eq!(output.status.code(), Some(1), "{name}");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["error"]["code"], *code, "{name}: {answer}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        let message = answer["error"]["message"].as_str().unwrap().to_owned();
        assert!(stderr.contains(&format!("error: {message}\n\nhint: ")), "{name}: {stderr}");
        messages.entry(*code).or_insert(answer["error"]["hint"].clone());
    }
    let hints: std::collections::HashSet<_> = messages.values().map(Value::to_string).collect();
    assert_eq!(hints.len(), messages.len(), "each kind of defect has a hint of its own");
    let missing = run(&["trace", "summary", dir.path().join("nothing.json").to_str().unwrap()]);
    assert!(String::from_utf8_lossy(&missing.stderr).contains("there is no such file"));
    let folder = run(&["trace", "summary", dir.path().to_str().unwrap()]);
    assert!(String::from_utf8_lossy(&folder.stderr).contains("is not a regular file"));
}

/// Field data that a file brings along is shown, as DevTools does.
#[test]
fn field_data_in_the_file_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let mut trace = read_trace(&sample_trace());
    let url = "http://127.0.0.1:8099/sample/index.html";
    let record = json!({"record": {"key": {"url": url}, "metrics": {
        "largest_contentful_paint": {"percentiles": {"p75": 2400}, "histogram": []},
        "interaction_to_next_paint": {"percentiles": {"p75": 100}, "histogram": []},
        "cumulative_layout_shift": {"percentiles": {"p75": "0.05"}, "histogram": []}
    }, "collectionPeriod": {}}});
    trace["metadata"] = json!({"cruxFieldData": [{
        "url-DESKTOP": record, "url-ALL": record, "url-PHONE": null, "url-TABLET": null,
        "origin-ALL": null, "origin-DESKTOP": null, "origin-PHONE": null, "origin-TABLET": null,
        "warnings": [], "normalizedUrl": url
    }]});
    let path = write(&dir.path().join("crux.json"), trace.to_string().as_bytes());
    let text = stdout(&run(&["trace", "summary", path.to_str().unwrap()]));
    assert!(text.contains("Metrics (field / real users):\n  - LCP: 2400 ms (scope: url)"), "{text}");
    assert!(text.contains("  - INP: 100 ms (scope: url)\n  - CLS: 0.05 (scope: url)"), "{text}");
    compare_with_oracle(&[path]);
}

#[test]
fn half_a_surrogate_pair_in_a_trace_does_no_harm() {
    let dir = tempfile::tempdir().unwrap();
    let trace = read_trace(&sample_trace());
    let text = trace.to_string().replace("sample/index.html", "sample/\\ud83d/index.html");
    let path = write(&dir.path().join("surrogate.json"), text.as_bytes());
    let summary = stdout(&run(&["trace", "summary", path.to_str().unwrap()]));
    assert!(summary.contains("URL: http://127.0.0.1:8099/sample/"), "{summary}");
}

/// The snapshot is made after a trace has been analysed in it; a trace without frames must not show that one's.
#[test]
fn nothing_of_the_warm_up_is_left() {
    let dir = tempfile::tempdir().unwrap();
    let event = r#"{"name":"a","cat":"x","ph":"I","pid":1,"tid":1,"ts":1,"args":{}}"#;
    let path = write(&dir.path().join("bare.json"), format!("[{event}]").as_bytes());
    let text = stdout(&run(&["trace", "summary", path.to_str().unwrap()]));
    assert!(text.starts_with("URL: \n"), "{text}");
    compare_with_oracle(&[path]);
}
