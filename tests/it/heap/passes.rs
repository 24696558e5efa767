//! The native passes against the front-end's own: every table, every sum, on public snapshots, on generated ones, and on
//! random graphs whose names, types and references are those that the passes tell apart.

use std::path::{Path, PathBuf};

use devtools_mcp::devtools::heap::{HeapError, HeapSnapshot, LoadOptions};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{MEMORY, block_on, fixtures, generated, load};
use crate::support::large_heap::Shape;

/// Tables that are compared.
const TABLES: usize = 14;

async fn reference(path: &Path) -> Result<HeapSnapshot, HeapError> {
    HeapSnapshot::load(path, LoadOptions { reference: true, ..LoadOptions::new(MEMORY) }).await
}

async fn assert_same(file: &Path) {
    let (ours, theirs) = (load(file).await.unwrap(), reference(file).await.unwrap());
    let (sums, expected) = (ours.summary().await.unwrap(), theirs.summary().await.unwrap());
    assert_eq!(format!("{sums:?}"), format!("{expected:?}"), "{}", file.display());
    let (tables, expected) = (ours.table_checksums().await.unwrap(), theirs.table_checksums().await.unwrap());
    assert_eq!(tables, expected, "{}", file.display());
    assert_eq!(tables.len(), TABLES);
}

#[test]
fn native_passes_are_the_front_ends() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = fixtures();
    files.push(generated(&folder, Shape::Chain, 30_000));
    files.push(generated(&folder, Shape::Star, 30_000));
    files.push(generated(&folder, Shape::Records, 20_000));
    block_on(async {
        for file in files {
            assert_same(&file).await;
        }
    });
}

#[test]
fn native_passes_are_the_front_ends_on_odd_graphs() {
    let folder = tempfile::tempdir().unwrap();
    block_on(async {
        for seed in 1..=12 {
            assert_same(&odd_graph(&folder, seed)).await;
        }
    });
}

/// More ways to user roots than there are objects: the front-end's search gives up, and so does ours.
#[test]
fn what_the_front_ends_search_refuses_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("crowded.heapsnapshot");
    let node = |kind: u64, name: u64, id: u64, edges: u64| [kind, name, id, 8, edges, 0];
    let nodes = [node(9, 0, 1, 3), node(3, 1, 3, 0)].concat();
    write(&path, nodes, vec![1, 1, 6, 5, 1, 6, 1, 2, 6], &["", "Window"], true, 0);
    block_on(async {
        for error in [load(&path).await.err(), reference(&path).await.err()] {
            assert!(error.expect("it must be refused").to_string().contains("isit"));
        }
    });
}

const NAMES: [&str; 30] = [
    "",
    "Object",
    "Array",
    "elements",
    "map",
    "native_context",
    "system / NativeContext",
    "system / NativeContext / https://a.test",
    "Detached system / NativeContext",
    "system / Context",
    "system / Context / f",
    "system / ExternalStringData",
    "system / JSArrayBufferData",
    "(Document DOM trees)",
    "(map descriptors)",
    "sloppy_function_map",
    "<div>",
    "<div id=\"a\" class=\"b\">",
    "Detached <div class=\"b\">",
    "Detached <p>",
    "Detached Thing",
    "4",
    " +7 of them",
    "3",
    "1 / part of key (A @5) -> value (B @7) pair in WeakMap (table @9)",
    "2 / part of key (A @5) -> value (B @7) pair in WeakMap (table @9)",
    "3 / part of key (\u{1f600} \"q\" @11) -> value (B @7) pair in WeakMap (table @13)",
    "4 / part of key (A\nA @5) -> value (B @7) pair in WeakMap (table @9)",
    "map",
    "<b title='\u{1f600} \\ \"'>",
];

/// Nodes that only weak references reach, cycles that nothing reaches, several ways to one node, edges to oneself; with
/// names, types and states at random.
fn odd_graph(folder: &TempDir, seed: u64) -> PathBuf {
    let path = folder.path().join(format!("odd-{seed}.heapsnapshot"));
    const NODES: u64 = 1500;
    let mut state = seed.wrapping_mul(12345);
    let mut random = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % below
    };
    // Some graphs keep to few names, so that rare ones meet.
    let names = if seed.is_multiple_of(3) { 12 } else { NAMES.len() as u64 };
    let has_states = !seed.is_multiple_of(4);
    let root = if seed.is_multiple_of(5) { NODES - 1 } else { 0 };
    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
    for node in 0..NODES {
        let count = if node == root { 12 } else { random(5) };
        let kind = if node == root { 9 } else { random(14) };
        let detached = if random(8) == 0 { random(3) } else { 0 };
        nodes.extend([kind, random(names), 2 * node + 1, random(100), count, detached]);
        for _ in 0..count {
            let kind = random(7);
            let name = if kind == 1 || kind == 4 { random(9) } else { random(NAMES.len() as u64) };
            edges.extend([kind, name, 6 * random(NODES)]);
        }
    }
    write(&path, nodes, edges, &NAMES, has_states, 6 * root);
    path
}

/// Nodes of six fields, the last of which may be called something that the front-end does not know.
fn write(path: &Path, nodes: Vec<u64>, edges: Vec<u64>, strings: &[&str], has_states: bool, root_index: u64) {
    let types: Value = json!([
        "hidden",
        "array",
        "string",
        "object",
        "code",
        "closure",
        "regexp",
        "number",
        "native",
        "synthetic",
        "concatenated string",
        "sliced string",
        "symbol",
        "bigint"
    ]);
    let last = if has_states { "detachedness" } else { "future" };
    let snapshot = json!({
        "snapshot": {
            "meta": {
                "node_fields": ["type", "name", "id", "self_size", "edge_count", last],
                "node_types": [types],
                "edge_fields": ["type", "name_or_index", "to_node"],
                "edge_types": [["context", "element", "property", "internal", "hidden", "shortcut", "weak"]],
            },
            "root_index": root_index,
            "extra_native_bytes": 7,
        },
        "nodes": nodes,
        "edges": edges,
        "strings": strings,
    });
    std::fs::write(path, snapshot.to_string()).unwrap();
}
