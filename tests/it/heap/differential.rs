//! The same questions about the same files to both servers: text and `structuredContent` must be the same. Errors have
//! the original's marker, then our own words.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::fixtures;
use crate::support::{Client, chrome_lock, text_of};

/// Both servers.
pub struct Both {
    ours: Client,
    theirs: Client,
    pub asked: usize,
    pub failures: Vec<String>,
}

const OPTIONS: [&str; 3] = ["--memoryDebugging", "--experimentalStructuredContent", "--allowUnrestrictedPaths"];

impl Both {
    pub fn start() -> Self {
        let ours = Client::ready(&OPTIONS);
        Both { ours, theirs: crate::peer::original(&OPTIONS), asked: 0, failures: Vec::new() }
    }

    /// Asks both; the answer of ours.
    pub fn ask(&mut self, tool: &str, arguments: Value) -> Value {
        self.asked += 1;
        let params = json!({"name": tool, "arguments": arguments});
        let (id, other) = (self.ours.begin("tools/call", params.clone()), self.theirs.begin("tools/call", params));
        let (a, b) = (self.ours.finish(id), self.theirs.finish(other));
        let (a, b) = (a["result"].clone(), b["result"].clone());
        let (text, expected) = (text_of(&a), text_of(&b));
        if text.contains(" has no objects under the filter ") && expected.contains("reading 'serializeItemsRange'") {
            // Ours names the cause.
            return a;
        }
        if text != expected {
            let line = text.lines().zip(expected.lines()).position(|(x, y)| x != y);
            let at = line.unwrap_or_else(|| text.lines().count().min(expected.lines().count()));
            let show = |text: &str| text.lines().skip(at.saturating_sub(1)).take(3).collect::<Vec<_>>().join("\n   ");
            self.failures.push(format!(
                "{tool} {arguments}: line {at}\n ours {}\n peer {}",
                show(&text),
                show(&expected)
            ));
        } else if a["structuredContent"] != b["structuredContent"] {
            let shown = |value: &Value| value["structuredContent"].to_string().chars().take(1500).collect::<String>();
            self.failures.push(format!("{tool} {arguments}: structured\n ours {}\n peer {}", shown(&a), shown(&b)));
        }
        a
    }

    /// Asks both, who must refuse, with this in their texts.
    pub fn refuse(&mut self, tool: &str, arguments: Value, marker: &str) {
        self.asked += 1;
        for (who, client) in [("ours", &mut self.ours), ("peer", &mut self.theirs)] {
            let text = client.error(tool, arguments.clone());
            if !text.contains(marker) {
                self.failures.push(format!("{tool} {arguments}: {who} says {text}, not {marker}"));
            }
        }
    }

    pub fn end(self) {
        assert!(
            self.failures.is_empty(),
            "{} of {}:\n\n{}",
            self.failures.len(),
            self.asked,
            self.failures.join("\n\n")
        );
    }
}

const FILTERS: [&str; 6] = [
    "objectsRetainedByDetachedDomNodes",
    "objectsRetainedByConsole",
    "objectsRetainedByEventHandlers",
    "objectsRetainedByContexts",
    "sharedNativeContext",
    "noNativeContext",
];

/// Every question about one file.
pub fn everything(both: &mut Both, file: &Path) {
    let with = |more: Value| {
        let mut arguments = json!({"filePath": file});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    let summary = both.ask("get_heapsnapshot_summary", with(json!({})));
    both.ask("get_heapsnapshot_summary", with(json!({"maxNameLength": 5})));
    both.ask("get_heapsnapshot_details", with(json!({})));
    for page in
        [json!({"pageSize": 8}), json!({"pageIdx": 2, "pageSize": 3, "maxNameLength": 5}), json!({"pageIdx": 999})]
    {
        both.ask("get_heapsnapshot_details", with(page));
    }
    for filter in FILTERS {
        both.ask("get_heapsnapshot_details", with(json!({"filterName": filter, "pageSize": 30})));
    }
    let contexts = &summary["structuredContent"]["heapSnapshot"]["nativeContextSizes"]["nativeContexts"];
    if let Some(context) = contexts.get(0) {
        let filter = json!({"filterName": "attributedToSpecificNativeContext", "objectId": context["nodeId"]});
        both.ask("get_heapsnapshot_details", with(filter));
    }
    for class in [1, 2, 3, 7, 11, 40] {
        both.ask("get_heapsnapshot_class_nodes", with(json!({"id": class, "pageIdx": 1, "pageSize": 12})));
        both.ask(
            "get_heapsnapshot_class_nodes",
            with(json!({"id": class, "pageSize": 5, "filterName": "objectsRetainedByContexts"})),
        );
    }
    let mut nodes = Vec::new();
    for query in [
        json!({"nodeType": "object", "pageSize": 6}),
        json!({"nodeType": "closure", "pageSize": 2, "sortBy": "id"}),
        json!({"nodeType": "native", "pageSize": 2, "sortBy": "selfSize"}),
        json!({"className": "^Array$", "nodeType": "Object", "pageSize": 2}),
        json!({"propertyName": "^__proto__$", "retainedSize": "1kB-50KB", "pageSize": 4}),
        json!({"selfSize": "-16", "nodeType": "string", "pageSize": 3}),
        json!({"isDetached": true, "pageSize": 3}),
        json!({"className": "no such name"}),
    ] {
        let answer = both.ask("query_heapsnapshot_objects", with(query));
        let found = answer["structuredContent"]["heapSnapshotNodes"].as_array().unwrap();
        // Two of each kind.
        nodes.extend(found.iter().take(2).map(|node| node["id"].clone()));
    }
    for node in nodes {
        both.ask("get_heapsnapshot_object_details", with(json!({"nodeId": node})));
        both.ask("get_heapsnapshot_retainers", with(json!({"nodeId": node, "pageSize": 7})));
        both.ask("get_heapsnapshot_dominators", with(json!({"nodeId": node})));
        both.ask("get_heapsnapshot_edges", with(json!({"nodeId": node, "pageSize": 9})));
        both.ask("get_heapsnapshot_retaining_paths", with(json!({"nodeId": node, "maxNodes": 200})));
    }
    both.ask("get_heapsnapshot_edges", with(json!({"nodeId": 1})));
    for sort in ["selfSize", "name", "retainedSize"] {
        let more =
            json!({"nodeId": 3, "sortBy": sort, "excludePrimitives": false, "retainedSize": "1kb-2kb", "pageIdx": 1});
        both.ask("get_heapsnapshot_edges", with(more));
    }
    both.ask("get_heapsnapshot_retaining_paths", with(json!({"nodeId": 1})));
    both.ask("get_heapsnapshot_dominators", with(json!({"nodeId": 1})));
    both.ask("get_heapsnapshot_duplicate_strings", with(json!({"pageSize": 30, "maxNameLength": 20})));
    both.ask("analyze_heapsnapshot_contexts", with(json!({})));
    both.ask("analyze_heapsnapshot_contexts", with(json!({"retainedSize": "1B-10kB", "pageSize": 3, "pageIdx": 1})));
}

fn comparisons(both: &mut Both, files: &[PathBuf]) {
    for pair in files.windows(2) {
        let with = |more: Value| {
            let mut arguments = json!({"baseFilePath": pair[0], "currentFilePath": pair[1]});
            arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            arguments
        };
        both.ask("compare_heapsnapshots", with(json!({"pageSize": 6})));
        both.ask("compare_heapsnapshots", with(json!({"pageIdx": 1, "pageSize": 100, "maxNameLength": 8})));
        both.ask("compare_heapsnapshots", with(json!({"classIndex": 1})));
        both.refuse(
            "compare_heapsnapshots",
            with(json!({"classIndex": 4000})),
            "Invalid classIndex: 4000. Total classes",
        );
        // Sorted by ids now, which decides among equal sizes.
        let file = json!({"filePath": pair[1], "id": 2, "pageSize": 50, "pageIdx": 20});
        both.ask("get_heapsnapshot_class_nodes", file);
    }
    both.ask("compare_heapsnapshots", json!({"baseFilePath": files[0], "currentFilePath": files[0]}));
    both.ask("compare_heapsnapshots", json!({"baseFilePath": files[1], "currentFilePath": files[0], "pageSize": 4}));
}

fn refusals(both: &mut Both, file: &Path) {
    let node = |id: Value| json!({"filePath": file, "nodeId": id});
    both.refuse("get_heapsnapshot_retainers", node(json!(2)), "Node with ID 2 not found");
    both.refuse("get_heapsnapshot_dominators", node(json!(1.5)), "Node with ID 1.5 not found");
    let class = |id: i32| json!({"filePath": file, "id": id});
    both.refuse("get_heapsnapshot_class_nodes", class(0), "Class with ID 0 not found in heap snapshot");
    both.refuse("get_heapsnapshot_class_nodes", class(99_999), "Class with ID 99999 not found in heap snapshot");
    let filter = json!({"filePath": file, "filterName": "attributedToSpecificNativeContext"});
    both.refuse("get_heapsnapshot_details", filter, "objectId is required");
    for (range, marker) in [
        ("2MB-1MB", "Invalid byte size range: \"2MB-1MB\"."),
        ("-", "Invalid byte size range: \"-\"."),
        ("abc", "Invalid byte size format: \"abc\"."),
        ("5QB", "Unknown unit \"QB\" in \"5QB\"."),
        ("", "Invalid byte size: \"\""),
    ] {
        let query = json!({"filePath": file, "retainedSize": range});
        let marker = format!("Invalid arguments for tool query_heapsnapshot_objects: retainedSize: {marker}");
        both.refuse("query_heapsnapshot_objects", query, &marker);
    }
    let wrong = file.with_extension("json");
    both.refuse("get_heapsnapshot_summary", json!({"filePath": wrong}), &format!("File {} must have", wrong.display()));
    both.refuse("get_heapsnapshot_summary", json!({"filePath": "/nowhere/x.heapsnapshot"}), "/nowhere/x.heapsnapshot");
    let dotted = file.parent().unwrap().join("a/..").join(file.file_name().unwrap());
    both.ask("close_heapsnapshot", json!({"filePath": dotted}));
    let closed = format!("Failed to close heap snapshot: {} was not loaded.", file.display());
    both.refuse("close_heapsnapshot", json!({"filePath": file}), &closed);
    // The ids of classes are the same after loading again.
    both.ask("get_heapsnapshot_details", json!({"filePath": file, "pageSize": 50}));
}

#[test]
fn answers_about_public_fixtures_are_the_originals() {
    let _alone = chrome_lock();
    let files = fixtures();
    if files.is_empty() {
        eprintln!("no fixtures beside the repository; snapshots taken by the tests are compared elsewhere");
        return;
    }
    let mut both = Both::start();
    // The three of one page are alike.
    everything(&mut both, &files[0]);
    everything(&mut both, &files[3]);
    comparisons(&mut both, &files);
    refusals(&mut both, &files[1]);
    both.end();
}
