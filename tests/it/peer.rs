//! Against the original, chrome-devtools-mcp 1.11.0: the same trace, the same words. Intended differences are listed in
//! docs/differences.md; here they are the few replacements in [`normalised`].

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Client, chrome, chrome_arguments, chrome_lock, node, pages, peer_modules, root, sample_trace};

/// The introduction of the legend is each server's own sentence; everything else of a summary is the front-end's.
fn normalised(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    if let Some(at) = lines.iter().position(|l| l.starts_with("## Details on call tree & network request formats:")) {
        lines[at + 1] = "<introduction>";
    }
    lines.join("\n")
}

/// The first line in which two texts differ.
pub fn difference(what: &str, ours: &str, theirs: &str) -> Option<String> {
    let (ours, theirs) = (normalised(ours), normalised(theirs));
    let line = ours.lines().zip(theirs.lines()).position(|(a, b)| a != b).unwrap_or(0);
    let (mine, other) = (ours.lines().nth(line), theirs.lines().nth(line));
    (ours != theirs).then(|| format!("{what}: line {line}\n ours: {mine:?}\n peer: {other:?}"))
}

pub fn assert_equal(what: &str, ours: &str, theirs: &str) {
    if let Some(difference) = difference(what, ours, theirs) {
        panic!("{difference}");
    }
}

/// Lines before the summary are the tools' own.
pub fn summary_of(text: &str) -> &str {
    &text[text.find("## Summary of Performance trace findings:").expect("a summary")..]
}

fn compare_file(path: &Path, client: &mut Client, theirs: &Value) {
    let text = client.text("performance_load_trace", json!({"filePath": path}));
    assert_equal(&format!("{}: summary", path.display()), summary_of(&text), theirs["summary"].as_str().unwrap());
    let insights = theirs["insights"].as_array().unwrap();
    assert!(!insights.is_empty());
    for insight in insights {
        let (set, name) = (&insight["set"], insight["name"].as_str().unwrap());
        let ours = client.text("performance_analyze_insight", json!({"insightSetId": set, "insightName": name}));
        assert_equal(&format!("{}: {name}", path.display()), &ours, insight["text"].as_str().unwrap());
    }
}

#[test]
fn the_sample_trace_is_explained_as_by_the_original() {
    let answers = peer_modules(&[sample_trace()]);
    let mut client = Client::ready(&["--workspace=/"]);
    compare_file(&sample_trace(), &mut client, &answers[&sample_trace()]);
}

/// The original server with a browser of its own, initialised.
pub fn original(arguments: &[&str]) -> Client {
    let mut command = Command::new(node());
    command
        .arg(root().join("tests/node/node_modules/chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js"))
        .args(["--headless", "--isolated", "--no-usage-statistics"])
        .args(arguments)
        .arg(format!("--executablePath={}", chrome().unwrap_or_else(|| "/usr/bin/chromium".into())))
        .args(chrome_arguments().iter().map(|a| format!("--chromeArg={a}")))
        .env("CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS", "1");
    let mut peer = Client::spawn(command);
    peer.initialize(json!({}));
    peer
}

/// The original records pages in its own Chrome and answers; we are given the file it saved.
#[test]
fn recordings_of_the_original_are_explained_as_by_the_original() {
    let _alone = chrome_lock();
    let dir = tempfile::tempdir().unwrap();
    let mut peer = original(&["--no-performance-crux", "--workspace=/"]);
    let mut ours = Client::ready(&["--workspace=/"]);
    for (number, page) in
        ["render-blocking/index.html", "layout-shifts/index.html", "größe 日本/seite.html"].iter().enumerate()
    {
        let file = dir.path().join(format!("{number}.json"));
        peer.text("navigate_page", json!({"pageId": 1, "url": pages().url(page)}));
        let theirs = peer.text("performance_start_trace", json!({"pageId": 1, "filePath": file}));
        let text = ours.text("performance_load_trace", json!({"filePath": file}));
        // The original notes the emulated CPU rate while recording; it is not in the file.
        let theirs = theirs.replace("\nCPU throttling: 1x\n", "\nCPU throttling: none\n");
        assert_equal(page, summary_of(&text), summary_of(&theirs));
        for name in
            ["LCPBreakdown", "RenderBlocking", "CLSCulprits", "NetworkDependencyTree", "DocumentLatency", "Cache"]
        {
            let arguments = json!({"pageId": 1, "insightSetId": "NAVIGATION_0", "insightName": name});
            let theirs = peer.text("performance_analyze_insight", arguments.clone());
            assert_equal(&format!("{page}: {name}"), &ours.text("performance_analyze_insight", arguments), &theirs);
        }
    }
}

/// Parameters that only ours has, by tool.
const ADDITIONAL: &[(&str, &[&str])] = &[
    ("evaluate_script", &["timeout"]),
    ("get_console_message", &["offset"]),
    ("get_network_request", &["offset", "limit"]),
    ("performance_analyze_insight", &["tracesBack"]),
    ("take_snapshot", &["uid", "query", "changesOnly"]),
];

/// The tool lists of both under the same options.
fn tool_lists(options: &[&str]) -> (Vec<Value>, Vec<Value>) {
    let mut peer = original(options);
    let list = |client: &mut Client| {
        client.request("tools/list", json!({}))["result"]["tools"].as_array().expect("tools").clone()
    };
    let theirs = list(&mut peer);
    (list(&mut Client::ready(options)), theirs)
}

/// A schema without what is worded, and without bounds that every exact integer has.
fn without_words(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(without_words).collect(),
        Value::Object(map) => {
            let is_bound = |key: &str, value: &Value| {
                matches!(key, "minimum" | "maximum") && value.as_i64().is_some_and(|n| n.abs() == (1 << 53) - 1)
            };
            map.iter()
                .filter(|(key, value)| !is_bound(key, value) && (*key != "description" || !value.is_string()))
                .map(|(key, value)| (key.clone(), without_words(value)))
                .collect()
        }
        other => other.clone(),
    }
}

/// Compares the tools that both have; our pageId is optional, our descriptions are our own. How many there are.
fn compare_tools(ours: &[Value], theirs: &[Value]) -> usize {
    let mut compared = 0;
    for tool in ours {
        let name = tool["name"].as_str().unwrap();
        let Some(other) = theirs.iter().find(|t| t["name"] == name) else { continue };
        compared += 1;
        assert_eq!(tool["annotations"], other["annotations"], "{name}");
        assert!(!tool["description"].as_str().unwrap().is_empty(), "{name}");
        let (mine, other) = (&tool["inputSchema"], &other["inputSchema"]);
        assert_eq!((&mine["type"], &mine["additionalProperties"]), (&other["type"], &other["additionalProperties"]));
        let mut required = other["required"].as_array().cloned().unwrap_or_default();
        // Ours is optional where it only says which page a tool works on.
        required.retain(|r| r != "pageId" || mine["required"].as_array().is_some_and(|m| m.contains(r)));
        assert_eq!(mine["required"].as_array().cloned().unwrap_or_default(), required, "{name}");
        let mut properties = without_words(&mine["properties"]);
        let map = properties.as_object_mut().unwrap();
        let additional = ADDITIONAL.iter().find(|(tool, _)| *tool == name).map_or(&[] as &[&str], |(_, list)| list);
        for parameter in additional {
            assert!(other["properties"].get(parameter).is_none(), "{name}: the original has {parameter} too");
            assert!(map.shift_remove(*parameter).is_some(), "{name} has no {parameter}");
        }
        let other = without_words(&other["properties"]);
        let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(&properties), keys(&other), "{name}: the order of the parameters");
        assert_eq!(properties, other, "{name}");
    }
    compared
}

#[test]
fn tools_have_the_originals_names_and_parameters() {
    let (ours, theirs) = tool_lists(&["--experimentalVision"]);
    assert_eq!(compare_tools(&ours, &theirs), 30, "the original's tools that are here so far");
}

#[test]
fn slim_mode_has_the_originals_tools() {
    let (ours, theirs) = tool_lists(&["--slim"]);
    assert_eq!(compare_tools(&ours, &theirs), 3);
    assert_eq!((ours.len(), theirs.len()), (3, 3));
}

/// The list is part of every conversation with a model.
#[test]
fn the_tool_list_is_at_most_half_as_long_as_the_originals() {
    let (ours, theirs) = tool_lists(&["--experimentalVision"]);
    let length = |list: &[Value], other: &[Value]| -> usize {
        let common = list.iter().filter(|tool| other.iter().any(|t| t["name"] == tool["name"]));
        common.map(|tool| tool.to_string().len()).sum()
    };
    let (mine, other) = (length(&ours, &theirs), length(&theirs, &ours));
    assert!(other > 15_000 && mine * 2 <= other, "{mine} of {other} bytes");
}
