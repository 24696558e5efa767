//! The official MCP conformance suite. It speaks HTTP, our server speaks stdio: `tests/node/bridge.mjs` stands between and
//! hands on every message as it is, but for the names of the suite's example tools, for which tools of ours are called.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{BINARY, NO_DISCOVERY, browser_arguments, chrome_lock, node, root, sample_trace, trace_fixtures};

/// Scenarios whose every check must succeed.
const PASSING: &[&str] = &[
    "server-initialize",
    "ping",
    "tools-list",
    "logging-set-level",
    "tools-call-simple-text",
    "tools-call-error",
    "tools-call-with-progress",
    "tools-call-image",
];

/// Scenarios about what a server like ours does not offer, each with the reason.
const NOT_OURS: &[(&str, &str)] = &[
    ("completion-complete", "no completions: there are neither prompts nor resource templates"),
    ("tools-call-audio", "no tool answers with audio"),
    ("tools-call-embedded-resource", "no tool answers with a resource"),
    (
        "tools-call-mixed-content",
        "asks for text, a picture and a resource in one answer; text and picture are in tools-call-image",
    ),
    (
        "tools-call-with-logging",
        "no tool logs while it runs; comments made in DevTools are log messages (see comments.rs)",
    ),
    ("tools-call-sampling", "the client's model is not used"),
    ("tools-call-elicitation", "the user is not asked"),
    ("elicitation-sep1034-defaults", "the user is not asked"),
    ("elicitation-sep1330-enums", "the user is not asked"),
    (
        "json-schema-2020-12",
        "wants $schema and $defs in an example tool's schema; ours need neither, and every word of them costs",
    ),
    ("resources-list", "no resources"),
    ("resources-read-text", "no resources"),
    ("resources-read-binary", "no resources"),
    ("resources-templates-read", "no resources"),
    ("resources-subscribe", "no resources"),
    ("resources-unsubscribe", "no resources"),
    ("prompts-list", "no prompts"),
    ("prompts-get-simple", "no prompts"),
    ("prompts-get-with-args", "no prompts"),
    ("prompts-get-embedded-resource", "no prompts"),
    ("prompts-get-with-image", "no prompts"),
    ("server-sse-polling", "about HTTP streams: it would test the bridge"),
    ("server-sse-multiple-streams", "about HTTP streams: it would test the bridge"),
    ("dns-rebinding-protection", "about HTTP servers: it would test the bridge"),
];

fn suite(arguments: &[&str]) -> Value {
    let mut command = Command::new(node());
    command.arg(root().join("tests/node/conformance.mjs")).args(arguments).env(NO_DISCOVERY, "1");
    let output = command.stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success(), "the suite did not run");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn each_scenario_of_the_suite_is_passed_or_is_not_ours() {
    let listed = suite(&["list"]);
    let listed: BTreeSet<&str> = listed.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let known: BTreeSet<&str> = PASSING.iter().copied().chain(NOT_OURS.iter().map(|(name, _)| *name)).collect();
    assert_eq!(known, listed, "scenarios that are decided about, and those that there are");
    assert_eq!(known.len(), PASSING.len() + NOT_OURS.len(), "none is in both lists");

    let _alone = chrome_lock();
    let mut arguments = browser_arguments();
    arguments.push("--workspace=/".into());
    // The suite wants three progress notifications: a trace that takes long enough for them on any machine.
    let long = trace_fixtures().into_iter().find(|path| path.ends_with("lh-speedindex-1ms.json.gz"));
    let load = |path| json!({"name": "performance_load_trace", "arguments": {"filePath": path}});
    let plan = json!({
        "server": BINARY,
        "arguments": arguments,
        "scenarios": PASSING,
        "tools": {
            "test_simple_text": load(sample_trace()),
            "test_tool_with_progress": load(long.expect("the fixture")),
            "test_error_handling": load(root().join("no-such-trace.json")),
            "test_image_content": {"name": "take_screenshot", "arguments": {}},
        },
    });
    let answers = suite(&["run", &plan.to_string()]);
    let answers = answers.as_array().unwrap();
    assert_eq!(answers.len(), PASSING.len());
    for answer in answers {
        let checks = answer["checks"].as_array().unwrap();
        let passed = checks.iter().filter(|check| check["status"] == "SUCCESS").count();
        // What is only noted (INFO) is no result.
        let results = checks.iter().filter(|check| check["status"] != "INFO").count();
        assert!(passed > 0 && passed == results, "{}: {checks:#?}\n{}", answer["scenario"], answer["output"]);
    }
}

/// What a scenario that is not ours asks for is refused as the protocol wants it, not by silence.
#[test]
fn what_we_do_not_offer_is_not_announced_and_is_refused() {
    let mut client = crate::support::Client::start(&[]);
    let capabilities = client.initialize(json!({}))["result"]["capabilities"].clone();
    for offer in ["resources", "prompts", "completions"] {
        assert!(capabilities.get(offer).is_none(), "{capabilities}");
    }
    for method in ["resources/list", "resources/read", "prompts/list", "prompts/get", "completion/complete"] {
        let answer = client.request(method, json!({}));
        assert!([-32601, -32602].contains(&answer["error"]["code"].as_i64().unwrap()), "{method}: {answer}");
    }
}
