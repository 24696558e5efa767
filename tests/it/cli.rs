//! The command line beside the trace commands: help, versions, notices, bad usage.

use crate::support::{run, sample_trace, stdout};

#[test]
fn help_lists_commands_and_options_on_stdout() {
    let text = stdout(&run(&["--help"]));
    for part in [
        "devtools-mcp trace record <URL>",
        "--filesystem-root",
        "--workspace",
        "--engine-heap-limit",
        "[default: true]",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("clearcut"), "options without effect are not advertised");
    let text = stdout(&run(&["trace", "record", "--help"]));
    assert!(text.contains("--no-reload") && text.contains("--duration"), "{text}");
}

#[test]
fn versions_are_pinned_and_printed() {
    assert_eq!(stdout(&run(&["--version"])).trim(), env!("CARGO_PKG_VERSION"));
    let text = stdout(&run(&["--version", "--verbose"]));
    for part in
        ["chrome-devtools-frontend 1.0.1705227", "V8 15.0.245.2", "deno_core 0.413.0", "chrome-devtools-mcp 1.11.0"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn notices_travel_with_the_binary() {
    let text = stdout(&run(&["notices"]));
    for part in ["The Chromium Authors", "acorn", "third-party-web", "deno_core"] {
        assert!(text.contains(part), "{part}");
    }
}

#[test]
fn bad_usage_is_told_on_stderr() {
    let output = run(&["trace", "summary"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    let output = run(&["trace", "insight", "x.json", "--set", "A"]);
    assert_eq!(output.status.code(), Some(2));
    let output = run(&["--engineHeapLimit", "none"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("Invalid engineHeapLimit none."));
}

#[test]
fn one_insight_and_an_unknown_one() {
    let file = sample_trace();
    let file = file.to_str().unwrap();
    let text = stdout(&run(&["trace", "insight", file, "--set", "NAVIGATION_0", "--name", "LCPBreakdown"]));
    assert!(text.starts_with("## Insight Title: LCP breakdown\n"), "{text}");
    let output = run(&["trace", "insight", file, "--set", "NAVIGATION_0", "--name", "toString"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text.contains("there is no insight toString in the set NAVIGATION_0") && text.contains("LCPBreakdown"),
        "{text}"
    );
}

#[test]
fn all_insights_as_json() {
    let file = sample_trace();
    let text = stdout(&run(&["trace", "insight", file.to_str().unwrap(), "--all", "--json"]));
    let answer: serde_json::Value = serde_json::from_str(&text).unwrap();
    let insights = answer["insights"].as_array().unwrap();
    assert_eq!(insights.len(), 19);
    assert!(insights.iter().all(|i| i["text"].as_str().is_some_and(|t| t.starts_with("## Insight Title: "))));
}

/// V8's own diagnostics go to fd 1; it must not be where our data goes.
#[test]
fn what_v8_prints_does_not_reach_stdout() {
    let mut command = std::process::Command::new(crate::support::BINARY);
    command.args(["trace", "summary"]).arg(sample_trace()).env("DEVTOOLS_MCP_V8_FLAGS", "--trace-gc");
    let output = command.output().unwrap();
    assert!(stdout(&output).starts_with("URL: "));
    assert!(String::from_utf8_lossy(&output.stderr).contains("Scavenge"), "the flag works and prints to stderr");
}
