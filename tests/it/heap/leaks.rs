//! A page with known leaks: each is found by its class, with its count and what holds it; snapshots that we take
//! are answered about as by the original.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::differential::{Both, everything};
use crate::support::{Client, chrome_lock, pages, run, stdout};

/// A server with the page open, and a folder for files.
fn open() -> (Client, tempfile::TempDir) {
    let mut client = Client::with_browser(&["--memoryDebugging", "--experimentalStructuredContent"]);
    client.text("navigate_page", json!({"url": pages().url("heap/leaks.html")}));
    (client, tempfile::tempdir().unwrap())
}

fn leak(client: &mut Client) {
    client.text("evaluate_script", json!({"function": "() => leak()"}));
}

fn take(client: &mut Client, folder: &Path, name: &str) -> PathBuf {
    let file = folder.canonicalize().unwrap().join(name);
    let text = client.text("take_heapsnapshot", json!({"filePath": file}));
    assert_eq!(text, format!("Heap snapshot saved to {}", file.display()));
    file
}

/// Objects that fit a query.
fn found(client: &mut Client, file: &Path, query: Value) -> Vec<Value> {
    let mut arguments = query;
    arguments["filePath"] = json!(file);
    let answer = client.call("query_heapsnapshot_objects", arguments);
    answer["structuredContent"]["heapSnapshotNodes"].as_array().unwrap_or_else(|| panic!("{answer}")).clone()
}

fn paths(client: &mut Client, file: &Path, node: &Value) -> String {
    client.text("get_heapsnapshot_retaining_paths", json!({"filePath": file, "nodeId": node["id"]}))
}

#[test]
fn each_kind_of_leak_is_found_by_class_count_and_path() {
    let _alone = chrome_lock();
    let (mut client, folder) = open();
    (0..3).for_each(|_| leak(&mut client));
    let file = take(&mut client, folder.path(), "leaks.heapsnapshot");
    for (what, query, count, holders) in [
        (
            "cache",
            json!({"className": "^CachedEntry$", "nodeType": "object"}),
            30,
            vec!["Map via internal table", "Window", "via property leakCache"],
        ),
        (
            "detached DOM",
            json!({"className": "^Detached <section>$", "isDetached": true}),
            15,
            vec!["via property leakedSections"],
        ),
        (
            "event listener",
            json!({"className": "^ListenerState$", "nodeType": "object"}),
            3,
            vec!["via context state", "onNever", "EventListener"],
        ),
        (
            "timer",
            json!({"className": "^TimerState$", "nodeType": "object"}),
            3,
            vec!["via context state", "onTick", "ScheduledAction"],
        ),
        (
            "closure",
            json!({"className": "^ClosureState$", "nodeType": "object"}),
            6,
            vec!["via context state", "read via internal context", "via property leakedReaders"],
        ),
        ("big string", json!({"nodeType": "string", "selfSize": "99kB"}), 3, vec!["via property leakedTexts"]),
    ] {
        let nodes = found(&mut client, &file, query);
        assert_eq!(nodes.len(), count, "{what}: {nodes:?}");
        let text = paths(&mut client, &file, &nodes[0]);
        for holder in holders {
            assert!(text.contains(holder), "{what}: {holder} is missing in\n{text}");
        }
    }
    // In DevTools' list of classes too.
    let classes = client.call("get_heapsnapshot_details", json!({"filePath": file}));
    let classes = classes["structuredContent"]["heapSnapshotAggregates"].as_array().unwrap();
    let count =
        |name: &str| classes.iter().find(|c| c["className"] == name).map_or(0, |c| c["count"].as_u64().unwrap());
    assert_eq!((count("CachedEntry"), count("Detached <section>"), count("ClosureState")), (30, 15, 6));
    let filter = json!({"filePath": file, "filterName": "objectsRetainedByDetachedDomNodes"});
    assert!(client.text("get_heapsnapshot_details", filter).contains(",Detached <section>,15,"));
}

#[test]
fn the_three_snapshot_method_names_what_stays() {
    let _alone = chrome_lock();
    let (mut client, folder) = open();
    leak(&mut client);
    let a = take(&mut client, folder.path(), "a.heapsnapshot");
    leak(&mut client);
    let b = take(&mut client, folder.path(), "b.heapsnapshot");
    leak(&mut client);
    let c = take(&mut client, folder.path(), "c.heapsnapshot");
    let files = [&a, &b, &c].map(|file| file.to_str().unwrap().to_owned());
    let arguments = ["heap", "leaks", &files[0], &files[1], &files[2], "--limit", "200", "--json"];
    let leaks: Value = serde_json::from_str(&stdout(&run(&arguments))).unwrap();
    for (class, count, holder) in [
        ("CachedEntry", 10, "leakCache"),
        ("Detached <section>", 5, "leakedSections"),
        ("ListenerState", 1, "state"),
        ("TimerState", 1, "state"),
        ("ClosureState", 2, "leakedReaders"),
    ] {
        let found = leaks["classes"].as_array().unwrap().iter().find(|c| c["className"] == class);
        let found = found.unwrap_or_else(|| panic!("{class} is missing: {leaks}"));
        assert_eq!(found["count"], count, "only what was allocated between the first two: {found}");
        let path = found["example"]["path"].as_array().unwrap();
        assert!(path.iter().any(|step| step["edgeName"] == holder), "{holder}: {found}");
    }
    let text = stdout(&run(&["heap", "leaks", &files[0], &files[1], &files[2], "--limit", "200"]));
    assert!(text.contains("CachedEntry: 10 objects, "), "{text}");
    assert!(text.contains("<- property leakCache of @"), "{text}");
}

#[test]
fn snapshots_that_we_take_are_answered_about_as_by_the_original() {
    let _alone = chrome_lock();
    let (mut client, folder) = open();
    leak(&mut client);
    let file = take(&mut client, folder.path(), "mine.heapsnapshot");
    drop(client);
    let mut both = Both::start();
    everything(&mut both, &file);
    both.end();
}

#[test]
fn other_pages_go_on_and_a_cancelled_capture_leaves_no_file() {
    let _alone = chrome_lock();
    let (mut client, folder) = open();
    client.text("new_page", json!({"url": "about:blank"}));
    client.text("select_page", json!({"pageId": 1}));
    client.text("evaluate_script", json!({"function": "() => grow(600000)"}));
    let folder = folder.path().canonicalize().unwrap();
    let arguments = |name: &str| json!({"name": "take_heapsnapshot", "arguments": {"pageId": 1, "filePath": folder.join(name)}, "_meta": {"progressToken": name}});
    let files = || std::fs::read_dir(&folder).unwrap().flatten().map(|e| e.file_name()).collect::<Vec<_>>();
    let capture = client.begin("tools/call", arguments("big.heapsnapshot"));
    let text = client.text("evaluate_script", json!({"pageId": 2, "function": "() => 6 * 7"}));
    assert!(text.contains("42"));
    assert!(!folder.join("big.heapsnapshot").exists(), "the other page answered before the file had its name");
    let answer = client.finish(capture);
    assert!(answer["result"].get("isError").is_none(), "{answer}");
    let told = client.others.iter().filter(|m| m["method"] == "notifications/progress");
    assert!(told.count() > 0, "progress");
    assert_eq!(files(), ["big.heapsnapshot"]);
    let size = std::fs::metadata(folder.join("big.heapsnapshot")).unwrap().len();
    assert!(size > 20_000_000, "{size}");

    let cancelled = client.begin("tools/call", arguments("cancelled.heapsnapshot"));
    // Until it has begun to write.
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while files().len() < 2 && std::time::Instant::now() < until {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(files().len(), 2, "the temporary file");
    client.notify("notifications/cancelled", json!({"requestId": cancelled}));
    while files().len() > 1 && std::time::Instant::now() < until {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(files(), ["big.heapsnapshot"], "nothing is left of it");
    assert!(client.text("evaluate_script", json!({"pageId": 2, "function": "() => 6 * 7"})).contains("42"));

    let wrong = client.error("take_heapsnapshot", json!({"filePath": folder.join("heap.txt")}));
    assert!(wrong.contains("ends in .txt"), "{wrong}");
    let made = client.text("take_heapsnapshot", json!({"pageId": 2, "filePath": folder.join("new/folder/plain")}));
    assert!(made.ends_with("new/folder/plain.heapsnapshot"), "{made}");
}
