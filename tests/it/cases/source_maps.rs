//! G: positions and names of the sources, however their maps are given, and under the address rules.

use std::time::{Duration, Instant};

use serde_json::json;

use super::Browser;
use super::console::{id_of, list_with};
use crate::support::pages;

/// The lines of a message's stack in a list.
#[track_caller]
fn stack_of(list: &str, text: &str) -> Vec<String> {
    let mut lines = list.lines().skip_while(|line| !line.contains(&format!("[error] {text} (")));
    lines.next().unwrap_or_else(|| panic!("{text} in {list}"));
    lines.take_while(|line| line.starts_with("  ")).map(|line| line.trim_start().to_owned()).collect()
}

#[test]
fn g1_all_the_ways_to_name_a_map() {
    let mut browser = Browser::start(&[]);
    browser.go(&pages().url("maps/all.html"));
    let list = list_with(&mut browser, "[error] html", true);
    for (name, source) in [
        ("external", "maps/ts/external.ts"),
        ("inline", "maps/ts/inline.ts"),
        ("header", "maps/ts/header.ts"),
        ("rooted", "maps/ts/deep/rooted.ts"),
        ("hijack", "maps/ts/hijack.ts"),
        ("größe", "maps/ts/größe 日本.ts"),
    ] {
        assert_eq!(
            stack_of(&list, name),
            [format!("at a ({source}:11:5)"), format!("at <anonymous> ({source}:21:3)")],
            "{list}"
        );
    }
    let evaluated = stack_of(&list, "evaluated");
    // Its map's addresses are relative to the page, or to the script's own address if the page is not known yet.
    let places = ["at a (ts/evaluated.ts:11:5)", "at a (maps/ts/evaluated.ts:11:5)"];
    assert!(places.contains(&evaluated[0].as_str()), "{list}");
    assert_eq!(evaluated.last().unwrap(), "at  (maps/evaluated.js:1:1)", "{list}");
    for name in ["missing", "html"] {
        let source = format!("maps/{name}.js");
        assert_eq!(stack_of(&list, name), [format!("at a ({source}:1:22)"), format!("at  ({source}:2:1)")], "{list}");
        let why = list.lines().find(|line| line.starts_with(&format!("Note: {source}: generated positions, ")));
        let why = why.unwrap_or_else(|| panic!("a reason for {name} in {list}"));
        assert!(why.contains(if name == "missing" { "404" } else { "not a source map" }), "{why}");
    }
    // Without maps everything is as generated, and nothing is said about it.
    let mut browser = Browser::start(&["--no-sourceMaps"]);
    browser.go(&pages().url("maps/all.html"));
    let list = list_with(&mut browser, "[error] html", true);
    assert_eq!(stack_of(&list, "external"), ["at a (maps/external.js:1:22)", "at  (maps/external.js:2:1)"]);
    assert!(!list.contains("generated positions"), "{list}");
}

#[test]
fn g2_indexed_maps_and_columns() {
    let mut browser = Browser::start(&[]);
    browser.go(&pages().url("maps/indexed.html"));
    let list = list_with(&mut browser, "[error] column", true);
    let stack = stack_of(&list, "indexed");
    assert_eq!(stack[0], "at a (maps/ts/first.ts:11:5)", "{list}");
    assert_eq!(stack[1], "at b (maps/ts/second.ts:31:7)", "{list}");
    let stack = stack_of(&list, "column");
    assert!(stack[0].contains("(maps/ts/third.ts:42:3)"), "{list}");
    // Its third line has no mapping: DevTools shows the one before it, which may be far away.
    browser.go(&pages().url("maps/gap.html"));
    let list = list_with(&mut browser, "[error] gap", true);
    let stack = stack_of(&list, "gap");
    assert!(stack[0].contains("(maps/ts/gap.ts:1:1)") && stack[1].contains("(maps/ts/gap.ts:1:1)"), "{list}");
    let note = "maps/gap.js:3: nothing is mapped on this line, the last position before it is shown";
    assert!(list.contains(note) && !list.contains("maps/gap.js:1: "), "{list}");
}

/// Bundles of rollup, plain and minified, modules in the form of webpack's `eval`, a map without names; and who requested.
#[test]
fn bundles_lead_to_their_modules_also_from_requests() {
    let mut browser = Browser::start(&[]);
    browser.go(&pages().url("maps/bundles.html"));
    let list = list_with(&mut browser, "[error] unnamed", true);
    let plain = stack_of(&list, "Uncaught TypeError: not a price");
    assert_eq!(plain[0], "at addPrices (maps/rollup/src/sum.js:8:13)", "{list}");
    assert_eq!(plain[1], "at total (maps/rollup/src/main.js:13:12)", "{list}");
    let later = stack_of(&list, "bundled later 3");
    assert!(later.contains(&"at main (maps/rollup/src/main.js:27:3)".to_owned()), "{list}");
    // Minified: the same places, whatever is left of the names.
    let minified = list.rsplit_once("[error] Uncaught TypeError: not a price (").unwrap().1;
    assert!(minified.contains("(maps/rollup/src/sum.js:8:13)") && !minified.contains("minified.js"), "{list}");
    for module in ["basket", "main"] {
        let stack = stack_of(&list, &format!("module {module}"));
        assert_eq!(stack[..2], [format!("at a ({module}.ts:11:5)"), format!("at <anonymous> ({module}.ts:21:3)")]);
    }
    assert_eq!(stack_of(&list, "unnamed")[0], "at a (maps/ts/unnamed.ts:11:5)", "{list}");
    let requests = browser.text("list_network_requests", json!({"resourceTypes": ["fetch"]}));
    let ids = requests
        .lines()
        .filter(|line| line.contains("asked=3"))
        .filter_map(|line| line.strip_prefix("reqid=")?.split(' ').next()?.parse::<u32>().ok());
    let ids: Vec<u32> = ids.collect();
    assert_eq!(ids.len(), 2, "{requests}");
    for (id, caller) in
        ids.into_iter().zip(["at askServer (maps/rollup/src/main.js:23:10)", "(maps/rollup/src/main.js:23:10)"])
    {
        let request = browser.text("get_network_request", json!({"reqid": id}));
        let initiator = request.split_once("### Initiator\nscript\n").expect("an initiator").1;
        assert!(initiator.lines().next().unwrap().contains(caller), "{request}");
    }
}

#[test]
fn g4_maps_obey_the_address_rules() {
    let origin = pages().url("");
    let pattern = format!("--blockedUrlPattern={origin}maps/secret/*");
    let mut browser = Browser::start(&[&pattern]);
    for (page, reason) in [("guarded", "blocked"), ("redirected", "blocked")] {
        browser.go(&pages().url(&format!("maps/{page}.html")));
        let list = list_with(&mut browser, &format!("[error] {page}"), true);
        let source = format!("maps/{page}.js");
        assert_eq!(stack_of(&list, page)[0], format!("at a ({source}:1:22)"), "{list}");
        let note = list.lines().find(|line| line.contains("generated positions")).unwrap_or_default();
        assert!(!note.is_empty(), "{reason}: {list}");
    }
    assert_eq!(pages().hits("/maps/secret/x.map"), 0, "nothing reached the blocked address");
    // The same pages without the rule.
    let mut browser = Browser::start(&[]);
    browser.go(&pages().url("maps/redirected.html"));
    let list = list_with(&mut browser, "[error] redirected", true);
    assert!(stack_of(&list, "redirected")[0].ends_with("ts/guarded.ts:11:5)"), "{list}");
}

#[test]
fn a_slow_map_is_not_waited_for_and_a_forbidden_one_leaves_no_trace() {
    let mut browser = Browser::start(&[]);
    browser.go(&pages().url("maps/slow.html"));
    list_with(&mut browser, "[error] slow", false);
    let start = Instant::now();
    let list = browser.text("list_console_messages", json!({"includeStackTraces": true}));
    assert!(start.elapsed() < Duration::from_secs(9), "{:?}", start.elapsed());
    assert_eq!(stack_of(&list, "slow"), ["at a (maps/slow.js:1:22)", "at  (maps/slow.js:2:1)"], "{list}");
    assert!(list.contains("it took too long"), "{list}");
    // A page that may connect nowhere: no map, and no new console entry about the attempt.
    browser.go(&pages().url("maps/csp.html"));
    let list = list_with(&mut browser, "[error] external", true);
    assert_eq!(stack_of(&list, "external")[0], "at a (maps/external.js:1:22)", "{list}");
    let again = browser.text("list_console_messages", json!({}));
    assert_eq!(again.matches("msgid=").count(), 1, "{again}");
    assert_eq!(id_of(&again, "external"), id_of(&list, "external"));
}
