//! K: heap snapshots from whatever engine, and loads that fail.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Client, node, text_of};

/// How many objects of a class a snapshot has, by the answer of a tool.
fn count(client: &mut Client, file: &std::path::Path, class: &str) -> u64 {
    let answer = client.call("get_heapsnapshot_details", json!({"filePath": file}));
    assert!(answer.get("isError").is_none(), "{answer}");
    let classes = answer["structuredContent"]["heapSnapshotAggregates"].as_array().unwrap();
    let found = classes.iter().find(|found| found["className"] == class);
    found.unwrap_or_else(|| panic!("no {class} in {answer}"))["count"].as_u64().unwrap()
}

/// Variants of field order and of missing sections are in `heap/files.rs`; these are what engines of other versions write.
#[test]
fn k1_snapshots_of_node_are_read_as_those_of_browsers() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("node.heapsnapshot");
    let script = "class Leaky { constructor(n) { this.n = n } } globalThis.kept = Array.from({length: 7}, (_, n) => new Leaky(n)); \
                  require('v8').writeHeapSnapshot(process.argv[1])";
    assert!(Command::new(node()).args(["-e", script]).arg(&file).status().unwrap().success());
    let mut client = Client::ready(&["--memoryDebugging", "--experimentalStructuredContent"]);
    assert_eq!(count(&mut client, &file, "Leaky"), 7);
    // The same with an object type that nobody knows, at the place of one that is known.
    let mut snapshot: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let types = snapshot["snapshot"]["meta"]["node_types"][0].as_array_mut().unwrap();
    types.push("of the future".into());
    let future = types.len() - 1;
    let width = snapshot["snapshot"]["meta"]["node_fields"].as_array().unwrap().len();
    let name = snapshot["strings"].as_array().unwrap().iter().position(|text| text == "Leaky").unwrap();
    let nodes = snapshot["nodes"].as_array_mut().unwrap();
    let is_object = |node: &&mut [Value]| node[0] == 3 && node[1] == name;
    let changed = nodes.chunks_mut(width).filter(is_object).take(1).map(|node| node[0] = future.into()).count();
    assert_eq!(changed, 1);
    let newer = folder.path().join("newer.heapsnapshot");
    std::fs::write(&newer, snapshot.to_string()).unwrap();
    let summary = client.text("get_heapsnapshot_summary", json!({"filePath": newer}));
    assert!(summary.contains("\"total\": "), "{summary}");
    assert!(count(&mut client, &newer, "Leaky") >= 6, "all others are what they were");
}

/// Large and deep files are in `heap/files.rs`.
#[test]
fn k3_loads_that_fail_leave_neither_threads_nor_files() {
    let folder = tempfile::tempdir().unwrap();
    let (missing, broken) = (folder.path().join("missing.heapsnapshot"), folder.path().join("broken.heapsnapshot"));
    std::fs::write(&broken, "{\"snapshot\":{\"meta\":{").unwrap();
    let mut client = Client::ready(&["--memoryDebugging"]);
    let held = |client: &Client| {
        let files = std::fs::read_dir(format!("/proc/{}/fd", client.child.id())).unwrap().count() as u64;
        (client.memory("Threads"), files)
    };
    let mut fail = |times: usize| {
        for _ in 0..times {
            for file in [&missing, &broken] {
                let answer = client.call("get_heapsnapshot_summary", json!({"filePath": file}));
                assert_eq!(answer["isError"], true, "{answer}");
                assert!(text_of(&answer).contains("hint: "), "{answer}");
            }
        }
        held(&client)
    };
    let before = fail(3);
    let after = fail(50);
    // The pool's threads come and go.
    assert!(after.0 <= before.0 + 4 && after.1 <= before.1 + 1, "threads and files: {before:?}, then {after:?}");
}
