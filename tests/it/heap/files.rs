//! Heap snapshot files: unusual and damaged ones, and generated graphs with known answers.

use std::io::Write;
use std::path::{Path, PathBuf};

use devtools_mcp::devtools::heap::{Filter, HeapError, HeapSnapshot, HeapStore, LoadOptions, Paging, Query};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{MEMORY, block_on, generated, load};
use crate::support::large_heap::{SELF_SIZE, Shape};
use crate::support::{Client, run, stdout};

/// Every answer that is the same for the same graph.
async fn described(snapshot: &HeapSnapshot) -> Value {
    let classes = snapshot.classes(&Filter::default(), Paging::default()).await.unwrap();
    let query = Query { node_type: Some("object".into()), ..Query::default() };
    let nodes = snapshot.query(&query, Paging { page_idx: None, page_size: Some(20) }).await.unwrap();
    let id = nodes.items[1].id as f64;
    let paths = snapshot.retaining_paths(id, json!({})).await.unwrap();
    json!({
        "summary": snapshot.summary().await.unwrap().stats,
        "classes": classes.listed.items,
        "nodes": nodes.items.iter().map(|n| (n.id, n.retained_size, n.distance)).collect::<Vec<_>>(),
        "dominators": snapshot.dominators(id).await.unwrap().iter().map(|d| d.node_id).collect::<Vec<_>>(),
        "paths": paths.edges.iter().map(|e| (e.depth, e.node_id, &e.edge_name)).collect::<Vec<_>>(),
    })
}

#[test]
fn retained_sizes_are_exact_where_the_answer_is_known() {
    let folder = tempfile::tempdir().unwrap();
    chain(&folder, 100_000);
    star(&folder, 50_000);
}

/// A million objects deep, and as many wide.
#[test]
#[ignore = "takes a minute and a gigabyte; run with --ignored"]
fn a_million_objects_deep_and_wide() {
    let folder = tempfile::tempdir().unwrap();
    chain(&folder, 1_000_000);
    star(&folder, 1_000_000);
}

/// Each object of a chain retains itself and all that follow.
fn chain(folder: &TempDir, length: u64) {
    let file = generated(folder, Shape::Chain, length);
    block_on(async {
        let snapshot = load(&file).await.unwrap();
        let query = Query { class_name: Some("^Link$".into()), ..Query::default() };
        let page = |index| Paging { page_idx: Some(index), page_size: Some(5) };
        for index in [0, 1, length / 10] {
            for (at, node) in snapshot.query(&query, page(index)).await.unwrap().items.iter().enumerate() {
                let place = 5 * index + at as u64;
                assert_eq!(node.retained_size as u64, (length - place) * SELF_SIZE, "object {place} of {length}");
            }
        }
        let last = 2.0 * (length + 2) as f64 + 1.0;
        assert_eq!(snapshot.dominators(last).await.unwrap().len() as u64, length + 2);
        // The way is longer than any that is searched for.
        let paths = snapshot.retaining_paths(last, json!({})).await.unwrap();
        assert!(paths.edges.is_empty() && paths.limits_reached["depth"] == true);
    });
}

/// The hub retains all, each leaf itself.
fn star(folder: &TempDir, leaves: u64) {
    let file = generated(folder, Shape::Star, leaves);
    block_on(async {
        let snapshot = load(&file).await.unwrap();
        let classes = snapshot.classes(&Filter::default(), Paging::default()).await.unwrap().listed.items;
        let class = |name: &str| classes.iter().find(|c| c.class_name == name).unwrap();
        assert_eq!(class("Hub").retained_size as u64, (leaves + 1) * SELF_SIZE);
        assert_eq!((class("Leaf").count, class("Leaf").self_size as u64), (leaves, leaves * SELF_SIZE));
        let hub =
            snapshot.edges(7.0, json!({"sortBy": "name"}), Paging { page_idx: Some(3), page_size: Some(7) }).await;
        assert_eq!(hub.unwrap().page.total, leaves);
    });
}

#[test]
fn reordered_extended_and_shortened_snapshots_say_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let file = generated(&folder, Shape::Records, 4000);
    let original: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let write = |name: &str, value: &Value| {
        let path = folder.path().join(name);
        std::fs::write(&path, value.to_string()).unwrap();
        path
    };
    let sections = original.as_object().unwrap().clone();
    let reversed: serde_json::Map<String, Value> = sections.into_iter().rev().collect();
    let node_numbers = |value: &Value| -> Vec<u64> {
        value["nodes"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect()
    };
    // A field in the middle that nobody knows; no detachedness.
    let rebuilt = |keep: &[usize], extra_at: Option<usize>, fields: Value| {
        let mut value = original.clone();
        let width = fields.as_array().unwrap().len() as u64;
        value["nodes"] = node_numbers(&original)
            .chunks(6)
            .flat_map(|node| {
                let mut numbers: Vec<u64> = keep.iter().map(|&at| node[at]).collect();
                extra_at.into_iter().for_each(|at| numbers.insert(at, 99));
                numbers
            })
            .collect();
        for (at, number) in value["edges"].as_array_mut().unwrap().iter_mut().enumerate() {
            if at % 3 == 2 {
                *number = (number.as_u64().unwrap() / 6 * width).into();
            }
        }
        value["snapshot"]["meta"]["node_fields"] = fields;
        value
    };
    let extended = rebuilt(
        &[0, 1, 2, 3, 4, 5],
        Some(3),
        json!(["type", "name", "id", "future", "self_size", "edge_count", "detachedness"]),
    );
    let shortened = rebuilt(&[0, 1, 2, 3, 4], None, json!(["type", "name", "id", "self_size", "edge_count"]));
    let mut bare = original.clone();
    for section in ["locations", "samples", "trace_tree", "trace_function_infos"] {
        bare.as_object_mut().unwrap().remove(section);
    }
    bare["snapshot"]["meta"].as_object_mut().unwrap().remove("location_fields");
    let variants = [
        write("reversed.heaptimeline", &Value::Object(reversed)),
        write("extended.heapsnapshot", &extended),
        write("shortened.heapsnapshot", &shortened),
        write("bare.heapsnapshot", &bare),
        compressed(&file),
    ];
    block_on(async {
        let expected = described(&load(&file).await.unwrap()).await;
        for variant in variants {
            let snapshot = load(&variant).await.unwrap_or_else(|e| panic!("{}: {e}", variant.display()));
            assert_eq!(described(&snapshot).await, expected, "{}", variant.display());
        }
    });
}

fn compressed(file: &Path) -> PathBuf {
    let path = PathBuf::from(format!("{}.gz", file.display()));
    let mut gz = flate2::write::GzEncoder::new(std::fs::File::create(&path).unwrap(), flate2::Compression::fast());
    gz.write_all(&std::fs::read(file).unwrap()).unwrap();
    gz.finish().unwrap();
    path
}

#[test]
fn truncated_and_damaged_files_are_refused_or_answered() {
    let folder = tempfile::tempdir().unwrap();
    let whole = std::fs::read(generated(&folder, Shape::Records, 4000)).unwrap();
    let path = folder.path().join("damaged.heapsnapshot");
    block_on(async {
        for place in 0..200 {
            let length = whole.len() * place / 200;
            std::fs::write(&path, &whole[..length]).unwrap();
            let Err(error) = load(&path).await else { panic!("{length} of {} bytes were accepted", whole.len()) };
            let expected =
                if length == 0 { "the file is empty".into() } else { format!("it ends after {length} bytes") };
            assert!(error.to_string().contains(&expected), "{error}");
            assert!(!error.hint().is_empty());
        }
        let mut accepted = 0;
        for number in 0..30_usize {
            let mut bytes = whole.clone();
            let at = number * 7919 * 131 % bytes.len();
            bytes[at] ^= 1 << (number % 7);
            std::fs::write(&path, &bytes).unwrap();
            // Another size or another letter is nothing that can be noticed; then everything must be answered.
            if let Ok(snapshot) = load(&path).await {
                described(&snapshot).await;
                accepted += 1;
            }
        }
        assert!(accepted < 30, "some of them must have been noticed");
        let gz = compressed(&path);
        let bytes = std::fs::read(&gz).unwrap();
        std::fs::write(&gz, &bytes[..bytes.len() / 2]).unwrap();
        let Err(error) = load(&gz).await else { panic!("half a gzip file was accepted") };
        assert!(matches!(error, HeapError::Gzip { .. }), "{error}");
    });
}

#[test]
fn what_would_not_fit_is_refused_before_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = generated(&folder, Shape::Records, 10_000);
    block_on(async {
        let Err(error) = HeapSnapshot::load(&file, LoadOptions::new(64 << 20)).await else { panic!("too large") };
        let text = error.to_string();
        assert!(text.contains("objects and ") && text.contains(" MB of memory, the limit is 64 MB"), "{text}");
        assert_eq!(error.code(), "too-large");
        // Many strings are only noticed when they come.
        let texts = generated(&folder, Shape::Texts, 20);
        let limit = LoadOptions::new(100 << 20);
        let Err(error) = HeapSnapshot::load(&texts, limit).await else { panic!("too many strings") };
        assert!(error.to_string().contains(" MB of strings needs about "), "{error}");
        let all = load(&texts).await.unwrap().classes(&Filter::default(), Paging::default()).await.unwrap();
        assert_eq!(all.object_count, 21, "the texts and the global object");
    });
}

#[test]
fn failed_loads_leave_nothing_and_changed_files_are_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let (small, large) = (generated(&folder, Shape::Star, 10), generated(&folder, Shape::Star, 20));
    let path = folder.path().join("again.heapsnapshot");
    let store = HeapStore::default();
    block_on(async {
        let leaves = async |store: &HeapStore| {
            let snapshot = store.get(&path, LoadOptions::new(MEMORY)).await.unwrap();
            let query = Query { class_name: Some("Leaf".into()), ..Query::default() };
            snapshot.query(&query, Paging::default()).await.unwrap().page.total
        };
        for _ in 0..50 {
            assert!(store.get(&path, LoadOptions::new(MEMORY)).await.is_err(), "missing");
        }
        std::fs::write(&path, "{").unwrap();
        for _ in 0..50 {
            assert!(store.get(&path, LoadOptions::new(MEMORY)).await.is_err(), "broken");
        }
        assert!(store.paths().is_empty());
        std::fs::copy(&small, &path).unwrap();
        let (one, two) = tokio::join!(leaves(&store), leaves(&store));
        assert_eq!((one, two), (10, 10), "loaded once for both");
        std::fs::copy(&large, &path).unwrap();
        assert_eq!(leaves(&store).await, 20);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(leaves(&store).await, 20, "what was loaded stays");
        store.close(&path).unwrap();
        assert!(matches!(store.close(&path), Err(HeapError::NotLoaded { .. })));
    });
}

#[test]
fn closing_returns_the_memory_and_long_lists_come_in_pages() {
    let folder = tempfile::tempdir().unwrap();
    let file = generated(&folder, Shape::Records, 100_000);
    let mut client = Client::ready(&["--memoryDebugging", "--experimentalStructuredContent"]);
    let cached = json!({"filePath": generated(&folder, Shape::Star, 10)});
    client.text("get_heapsnapshot_summary", cached);
    let before = client.memory("RssAnon");
    let classes = client.call("get_heapsnapshot_details", json!({"filePath": file}));
    let strings = classes["structuredContent"]["heapSnapshotAggregates"].as_array().unwrap();
    let strings = strings.iter().find(|c| c["className"] == "(string)").unwrap();
    let nodes = client.call("get_heapsnapshot_class_nodes", json!({"filePath": file, "id": strings["id"]}));
    assert_eq!(nodes["structuredContent"]["heapSnapshotNodes"].as_array().unwrap().len(), 1000);
    let text = crate::support::text_of(&nodes);
    assert!(text.contains("\nShowing 1-1000 of ") && text.ends_with("Next page: 1"), "{}", &text[text.len() - 100..]);
    let loaded = client.memory("RssAnon");
    assert!(loaded > before + 15_000, "it takes some megabytes: {before} kB, {loaded} kB");
    client.text("close_heapsnapshot", json!({"filePath": file}));
    // V8 keeps empty pages of ended isolates for some seconds.
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while client.memory("RssAnon") > before + (loaded - before) / 3 {
        assert!(
            std::time::Instant::now() < until,
            "{before} kB before, {loaded} kB loaded, {} kB after",
            client.memory("RssAnon")
        );
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}

#[test]
fn the_command_line_answers_and_refuses() {
    let folder = tempfile::tempdir().unwrap();
    let file = generated(&folder, Shape::Records, 4000);
    let name = file.to_str().unwrap();
    let text = |arguments: &[&str]| stdout(&run(&[&["heap"], arguments].concat()));
    assert!(text(&["summary", name]).starts_with("Statistics: {\n  \"total\": "));
    assert!(text(&["classes", name, "--page-size", "3"]).contains("\nShowing 1-3 of "));
    let strings: Value =
        serde_json::from_str(&text(&["query", name, "--node-type", "string", "--json", "--page-size", "2"])).unwrap();
    let id = strings["heapSnapshotNodes"][0]["id"].to_string();
    for command in ["retainers", "edges", "paths", "dominators"] {
        assert!(text(&[command, name, &id]).lines().count() >= 2 || command == "edges", "{command}");
    }
    assert!(text(&["compare", name, name]).contains("Total: # new: 0, "));
    assert!(text(&["strings", name]).starts_with("### Duplicate Strings"));
    assert!(text(&["nodes", name, "1", "--page-size", "2"]).contains("Page 1 of "));
    assert!(text(&["contexts", name]).contains("No live contexts"));
    assert!(text(&["leaks", name, name, name]).starts_with("Nothing that was allocated"));
    let other = generated(&folder, Shape::Chain, 4000);
    let note = text(&["leaks", other.to_str().unwrap(), name, name]);
    assert!(note.starts_with("Note: the snapshots are not of one page"), "{note}");
    let refused = run(&["heap", "dominators", name, "2", "--json"]);
    assert!(!refused.status.success());
    let error: Value = serde_json::from_slice(&refused.stdout).unwrap();
    assert_eq!(error["error"]["code"], "unknown-node");
    assert!(String::from_utf8_lossy(&refused.stderr).contains("hint: "));
}
