//! MCP over real stdio: life cycle, discovery, validation, paths, progress, answers.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Client, node, root, run, sample_trace, stdout, text_of};

#[test]
fn initialize_answers_without_v8_or_browser() {
    let mut client = Client::start(&[]);
    let answer = client.initialize(json!({}));
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(answer["result"]["capabilities"], json!({"logging": {}, "tools": {"listChanged": true}}));
    assert_eq!(answer["result"]["serverInfo"]["name"], "devtools-mcp");
    client.request("tools/list", json!({}));
    assert!(client.memory("VmRSS") < 20 * 1024, "{} kB", client.memory("VmRSS"));
    let threads = std::fs::read_dir(format!("/proc/{}/task", client.child.id())).unwrap().count();
    assert!(threads <= 4, "{threads} threads: V8 has not been started");
}

#[test]
fn protocol_versions_are_negotiated() {
    for (asked, expected) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2025-03-26"),
        ("2024-11-05", "2024-11-05"),
    ] {
        let mut client = Client::start(&[]);
        let params = json!({"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        assert_eq!(client.request("initialize", params)["result"]["protocolVersion"], expected);
    }
}

#[test]
fn simple_methods() {
    let mut client = Client::ready(&[]);
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    assert_eq!(client.request("logging/setLevel", json!({"level": "debug"}))["result"], json!({}));
    assert_eq!(client.request("resources/list", json!({}))["error"]["code"], -32601);
    assert_eq!(client.request("no/such", json!({}))["error"]["code"], -32601);
}

#[test]
fn requests_before_initialize_are_served() {
    let mut client = Client::start(&[]);
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    assert!(client.request("tools/list", json!({}))["result"]["tools"].is_array());
    assert_eq!(client.initialize(json!({}))["result"]["serverInfo"]["name"], "devtools-mcp");
    assert!(client.others.is_empty(), "the implicit session is invisible: {:?}", client.others);
}

#[test]
fn malformed_lines_are_dropped_and_the_connection_stays() {
    let mut client = Client::ready(&[]);
    for line in [
        "garbage",
        "",
        "[1,2",
        "{\"jsonrpc\":\"2.0\"}",
        "null",
        "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":7}",
        "\u{0}\u{1}",
    ] {
        client.raw(line);
    }
    client.raw(&format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"x\",\"params\":{{\"x\":\"{}\"}}}}",
        "y".repeat(70 * 1024 * 1024)
    ));
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
}

#[test]
fn tools_are_listed_with_closed_schemas_and_annotations() {
    let mut client = Client::ready(&[]);
    let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
    let names: Vec<&str> = tools.as_array().unwrap().iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert!(names.windows(2).all(|pair| pair[0] < pair[1]), "{names:?}");
    for name in ["click", "evaluate_script", "navigate_page", "performance_load_trace", "take_snapshot", "wait_for"] {
        assert!(names.contains(&name), "{name} is missing: {names:?}");
    }
    for name in ["click_at", "evaluate", "navigate", "screenshot"] {
        assert!(!names.contains(&name), "{name} needs an option");
    }
    for tool in tools.as_array().unwrap() {
        assert_eq!(tool["inputSchema"]["additionalProperties"], false);
        assert!(tool["annotations"]["category"].is_string());
        assert!(tool["annotations"]["readOnlyHint"].is_boolean());
        let mut keys: Vec<&String> = tool.as_object().unwrap().keys().collect();
        keys.sort();
        assert_eq!(keys, ["annotations", "description", "inputSchema", "name"]);
    }
    let find = |tools: &Value, name: &str| {
        tools.as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap()["inputSchema"].clone()
    };
    let analyze = find(&tools, "performance_analyze_insight");
    assert_eq!(analyze["required"], json!(["insightSetId", "insightName"]));
    assert_eq!(analyze["properties"]["pageId"]["type"], "number");
    let mut without = Client::ready(&["--no-page-id-routing"]);
    let tools = without.request("tools/list", json!({}))["result"]["tools"].clone();
    assert!(find(&tools, "performance_analyze_insight")["properties"].get("pageId").is_none());
    assert!(find(&tools, "click")["properties"].get("pageId").is_none());
    let mut slim = Client::ready(&["--slim"]);
    let tools = slim.request("tools/list", json!({}))["result"]["tools"].clone();
    let names: Vec<&str> = tools.as_array().unwrap().iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["evaluate", "navigate", "screenshot"]);
    let answer = slim.request("tools/call", json!({"name": "click", "arguments": {}}));
    assert_eq!(answer["error"], json!({"code": -32602, "message": "Tool click not found"}));
    let off = ["performance", "navigation", "input", "emulation", "debugging", "memory", "network"]
        .map(|c| format!("--no-category-{c}"));
    let off: Vec<&str> = off.iter().map(String::as_str).collect();
    let mut none = Client::ready(&off);
    assert_eq!(none.request("tools/list", json!({}))["result"]["tools"], json!([]));
    let answer = none.request("tools/call", json!({"name": "performance_load_trace", "arguments": {}}));
    assert_eq!(answer["error"], json!({"code": -32602, "message": "Tool performance_load_trace disabled"}));
}

#[test]
fn arguments_are_validated_in_the_originals_words() {
    let mut client = Client::ready(&[]);
    let answer = client.request("tools/call", json!({"name": "nope"}));
    assert_eq!(answer["error"], json!({"code": -32602, "message": "Tool nope not found"}));
    let text = client.error("performance_analyze_insight", json!({"pageId": "1", "insightName": 3, "x": 1}));
    assert_eq!(
        text,
        "Input validation error: Invalid arguments for tool performance_analyze_insight: \
         pageId: Invalid input: expected number, received string, \
         insightSetId: Invalid input: expected string, received undefined, \
         insightName: Invalid input: expected string, received number, \
         Unrecognized key: \"x\"\n\
         hint: performance_analyze_insight takes pageId, insightSetId, insightName, tracesBack"
    );
    let answer = client.request("tools/call", json!({"name": "performance_load_trace"}));
    assert_eq!(text_of(&answer["result"]).matches("received undefined").count(), 1);
}

#[test]
fn a_trace_is_loaded_and_its_insights_are_explained() {
    let file = sample_trace();
    let path = file.to_str().unwrap();
    let mut client =
        Client::ready(&["--workspace", file.parent().unwrap().to_str().unwrap(), "--experimentalStructuredContent"]);
    let analyze = |set: &str, name: &str| json!({"pageId": 1, "insightSetId": set, "insightName": name});
    let none = client.text("performance_analyze_insight", analyze("NAVIGATION_0", "LCPBreakdown"));
    assert!(none.starts_with("No recorded traces found.\nhint: "), "{none}");

    let result = client.call("performance_load_trace", json!({"filePath": path}));
    let text = text_of(&result);
    let summary = stdout(&run(&["trace", "summary", path]));
    assert!(text.starts_with("Loaded "), "{text}");
    assert!(
        text.contains(&format!("\n## Summary of Performance trace findings:\n{}", summary.trim_end())),
        "the same words as the command line's"
    );
    assert!(text.contains("\n\n## Details on call tree & network request formats:\n"));
    let structured = &result["structuredContent"];
    assert!(structured["message"].as_str().unwrap().starts_with("Loaded "));
    assert!(
        structured["traceSummary"].as_str().unwrap().starts_with("## Summary of Performance trace findings:\nURL: ")
    );
    assert_eq!(structured["traceInsights"].as_array().unwrap().len(), 19);
    let key = json!({"insightName": "LCPBreakdown", "insightKey": "LCPBreakdown"});
    assert!(structured["traceInsights"].as_array().unwrap().contains(&key));

    let insight = client.text("performance_analyze_insight", analyze("NAVIGATION_0", "LCPBreakdown"));
    assert_eq!(
        insight,
        stdout(&run(&["trace", "insight", path, "--set", "NAVIGATION_0", "--name", "LCPBreakdown"])).trim_end()
    );
    let unknown = client.text("performance_analyze_insight", analyze("NAVIGATION_7", "LCPBreakdown"));
    assert_eq!(
        unknown,
        "No Performance Insights for the given insight set id.\nhint: this trace has the sets NAVIGATION_0"
    );
    let unknown = client.text("performance_analyze_insight", analyze("NAVIGATION_0", "constructor"));
    assert!(unknown.starts_with("No Insight with the name constructor found.\nhint: NAVIGATION_0 has "), "{unknown}");

    // A bad file does not lose the trace that is there.
    let error = client.error("performance_load_trace", json!({"filePath": format!("{path}.missing")}));
    assert!(error.contains("Error: cannot read") && error.contains("\nhint: "), "{error}");
    assert_eq!(client.text("performance_analyze_insight", analyze("NAVIGATION_0", "LCPBreakdown")), insight);
}

#[test]
fn the_legend_can_be_left_out() {
    let file = sample_trace();
    let arguments = json!({"filePath": file});
    let with = Client::ready(&["--workspace=/"]).text("performance_load_trace", arguments.clone());
    let without = Client::ready(&["--workspace=/", "--no-traceLegend"]).text("performance_load_trace", arguments);
    assert!(with.starts_with(&without) && with.len() > without.len() + 4000);
}

#[test]
fn long_work_reports_progress_that_only_grows() {
    let mut client = Client::ready(&["--workspace=/"]);
    let id = client.begin(
        "tools/call",
        json!({"name": "performance_load_trace", "arguments": {"filePath": sample_trace()}, "_meta": {"progressToken": "t"}}),
    );
    client.finish(id);
    let updates: Vec<&Value> = client.others.iter().filter(|m| m["method"] == "notifications/progress").collect();
    assert!(updates.len() >= 2, "the first at once and the last before the answer: {updates:?}");
    let values: Vec<f64> = updates.iter().map(|u| u["params"]["progress"].as_f64().unwrap()).collect();
    assert!(
        values.windows(2).all(|pair| pair[0] < pair[1]) && values.iter().all(|v| (0.0..=100.0).contains(v)),
        "{values:?}"
    );
    assert!(updates.iter().all(|u| u["params"]["progressToken"] == "t" && u["params"]["message"].is_string()));
}

#[test]
fn paths_outside_the_roots_are_denied() {
    let dir = tempfile::tempdir_in("/var/tmp").unwrap();
    let (inside, outside) = (dir.path().join("in"), dir.path().join("out"));
    std::fs::create_dir_all(&inside).unwrap();
    std::fs::create_dir_all(&outside).unwrap();
    for folder in [&inside, &outside] {
        std::fs::copy(sample_trace(), folder.join("t.json.gz")).unwrap();
    }
    let load = |folder: &std::path::Path| json!({"filePath": folder.join("t.json.gz")});

    let mut client = Client::ready(&["--filesystem-root", inside.to_str().unwrap()]);
    let error = client.error("performance_load_trace", load(&outside));
    assert!(
        error.starts_with("Error: Access denied: path \"")
            && error.contains("(canonical: \"")
            && error.contains("\nhint: "),
        "{error}"
    );
    client.text("performance_load_trace", load(&inside));
    client
        .text("performance_load_trace", json!({"filePath": format!("file://{}", inside.join("t.json.gz").display())}));
    assert!(client.error("performance_load_trace", json!({"filePath": " "})).contains("filePath is empty"));

    // Roots that the client announces, and a change of them.
    let mut client = Client::start(&[]);
    client.initialize(json!({"roots": {"listChanged": true}}));
    answer_roots(&mut client, &inside);
    client.text("performance_load_trace", load(&inside));
    client.error("performance_load_trace", load(&outside));
    client.notify("notifications/roots/list_changed", json!({}));
    answer_roots(&mut client, &outside);
    client.text("performance_load_trace", load(&outside));
    client.error("performance_load_trace", load(&inside));

    // No check at all only while no roots are known.
    Client::ready(&["--allowUnrestrictedPaths"]).text("performance_load_trace", load(&outside));
}

fn answer_roots(client: &mut Client, folder: &std::path::Path) {
    let request = loop {
        let message = client.next_message(Duration::from_secs(10)).expect("roots/list");
        if message["method"] == "roots/list" {
            break message;
        }
    };
    let roots = json!([{"uri": format!("file://{}", folder.display()), "name": "r"}]);
    client.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": {"roots": roots}}));
    // The answer has no acknowledgement; a round trip puts it before what follows.
    client.request("ping", json!({}));
}

#[test]
fn flags_of_the_original_are_accepted_and_notices_are_written() {
    let stderr = |more: &[&str]| {
        let mut command = std::process::Command::new(crate::support::BINARY);
        command.args(["--no-usage-statistics", "--clearcutEndpoint=http://x.test", "--someFutureFlag", "x"]);
        command.args(more).env(crate::support::NO_DISCOVERY, "1").stdin(std::process::Stdio::null());
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stderr).unwrap()
    };
    let text = stderr(&[]);
    assert!(text.starts_with("Unknown arguments: --someFutureFlag\ndevtools-mcp lets its client see "), "{text}");
    assert!(text.contains("Chrome UX Report") && text.lines().count() == 5, "{text}");
    for option in ["--no-performance-crux", "--slim", "--no-category-performance"] {
        let text = stderr(&[option]);
        assert!(!text.contains("Chrome UX Report") && text.lines().count() == 4, "{option}: {text}");
    }
}

#[test]
fn a_log_file_is_written_and_an_impossible_one_refused() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("log.txt");
    let mut client = Client::ready(&["--workspace=/", "--logFile", log.to_str().unwrap()]);
    client.text("performance_load_trace", json!({"filePath": sample_trace()}));
    drop(client);
    let text = std::fs::read_to_string(log).unwrap();
    assert!(text.contains("called tool=\"performance_load_trace\"") && text.contains("isolate ready"), "{text}");
    let output = run(&["--logFile", "/nowhere/log.txt"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot open the log file /nowhere/log.txt"));
}

/// The official TypeScript SDK's client, which checks every message against its own schemas.
#[test]
fn an_independent_client_gets_along() {
    let output = std::process::Command::new(node())
        .arg(root().join("tests/node/client.mjs"))
        .arg(crate::support::BINARY)
        .arg(sample_trace())
        .output()
        .unwrap();
    let seen: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(seen["version"]["name"], "devtools-mcp");
    assert!(seen["tools"].as_array().unwrap().contains(&json!("performance_load_trace")), "{seen}");
    assert!(seen["loaded"][0].as_str().unwrap().starts_with("Loaded "), "{seen}");
    assert!(seen["progress"].as_u64().unwrap() > 0, "{seen}");
    assert_eq!(seen["insight"], "## Insight Title: LCP breakdown");
    assert_eq!((&seen["invalid"], &seen["aborted"], &seen["pinged"]), (&json!(true), &json!(true), &json!({})));
    assert!(seen["rootsAsked"].as_u64().unwrap() > 0, "{seen}");
}
