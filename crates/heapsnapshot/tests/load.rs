//! The loader on small snapshots: any order of sections and fields, what may be absent, and everything that is refused.

use devtools_heapsnapshot::{LoadError, Loaded, Watch, load};
use serde_json::{Value, json};

struct Quiet;

impl Watch for Quiet {
    fn read(&mut self, _bytes: u64) -> bool {
        true
    }
}

/// Hands out one byte at a time: every number and string crosses a boundary.
struct Dripping<'a>(&'a [u8]);

impl std::io::Read for Dripping<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.0.len().min(1);
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

fn read(bytes: &[u8]) -> Result<Loaded, LoadError> {
    let whole = load(&mut &bytes[..], Some(bytes.len() as u64), &mut Quiet);
    let dripped = load(&mut Dripping(bytes), None, &mut Quiet);
    let text = |result: &Result<Loaded, LoadError>| match result {
        Ok(loaded) => format!("{:?} {:?} {:?} {:?}", loaded.nodes, loaded.edges, loaded.tables, loaded.strings),
        Err(error) => error.to_string(),
    };
    assert_eq!(text(&whole), text(&dripped), "the same whatever the reader hands out");
    whole
}

/// Three nodes: a root, an object, a string.
fn sample() -> Value {
    json!({
        "snapshot": {
            "meta": {
                "node_fields": ["type", "name", "id", "self_size", "edge_count", "detachedness"],
                "node_types": [["hidden", "object", "string", "synthetic"], "string", "number", "number", "number", "number"],
                "edge_fields": ["type", "name_or_index", "to_node"],
                "edge_types": [["context", "element", "property", "weak"], "string_or_number", "node"],
                "location_fields": ["object_index", "script_id", "line", "column"],
            },
            "node_count": 3,
            "edge_count": 2,
        },
        "nodes": [3, 0, 1, 0, 1, 0, 1, 1, 3, 24, 1, 0, 2, 2, 5, 40, 0, 0],
        "edges": [1, 7, 6, 2, 3, 12],
        "locations": [6, 4, 10, 20],
        "strings": ["", "Thing", "a \"text\"\n\u{1f600}", "name"],
    })
}

fn changed(change: impl FnOnce(&mut Value)) -> Result<Loaded, LoadError> {
    let mut value = sample();
    change(&mut value);
    read(value.to_string().as_bytes())
}

fn refusal(change: impl FnOnce(&mut Value)) -> String {
    match changed(change) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("should have been refused"),
    }
}

fn strings(loaded: &Loaded) -> Vec<String> {
    loaded.strings.iter().flat_map(|piece| serde_json::from_slice::<Vec<String>>(piece).unwrap()).collect()
}

#[test]
fn tables_and_strings_are_what_the_file_says() {
    let loaded = changed(|_| {}).unwrap();
    assert_eq!((loaded.node_count(), loaded.edge_count(), loaded.string_count, loaded.max_js_id), (3, 2, 4, 5));
    assert_eq!(loaded.nodes[6..12], [1, 1, 3, 24, 1, 0]);
    assert_eq!(loaded.edges, [1, 7, 6, 2, 3, 12]);
    assert_eq!(loaded.tables, [("locations", vec![6, 4, 10, 20])]);
    assert_eq!(strings(&loaded), ["", "Thing", "a \"text\"\n\u{1f600}", "name"]);
}

#[test]
fn sections_come_in_any_order_and_some_may_be_absent() {
    let Value::Object(sections) = sample() else { unreachable!() };
    for rotation in 0..sections.len() {
        let mut entries: Vec<_> = sections.clone().into_iter().collect();
        entries.rotate_left(rotation);
        entries.insert(1, ("future".into(), json!({"deep": [[["]}"]], {"x": "\\\""}], "n": -1.5e3})));
        entries.push(("trace_tree".into(), json!([1, 0, 0, 0, [2, 0, 0, 0, []]])));
        let text = Value::Object(entries.into_iter().collect()).to_string();
        let loaded = read(text.as_bytes()).unwrap();
        assert_eq!((loaded.nodes.len(), loaded.edges.len(), loaded.string_count), (18, 6, 4));
    }
    // Space anywhere, a byte order mark, no counts.
    let pretty = serde_json::to_string_pretty(&sample()).unwrap();
    assert!(read(format!("\u{feff}\n{pretty}\n\n").as_bytes()).is_ok());
    let without = |section: &'static str| changed(move |v| _ = v.as_object_mut().unwrap().remove(section)).unwrap();
    assert!(without("locations").tables.is_empty());
    let no_counts = changed(|v| {
        for key in ["node_count", "edge_count"] {
            v["snapshot"].as_object_mut().unwrap().remove(key);
        }
    });
    assert_eq!(no_counts.unwrap().node_count(), 3);
    // A section that the header does not describe is not read.
    let undescribed = changed(|v| _ = v["snapshot"]["meta"].as_object_mut().unwrap().remove("location_fields"));
    assert!(undescribed.unwrap().tables.is_empty());
}

#[test]
fn fields_are_found_by_name() {
    // No detachedness, as in older versions.
    let old = changed(|v| {
        v["snapshot"]["meta"]["node_fields"] = json!(["type", "name", "id", "self_size", "edge_count"]);
        v["nodes"] = json!([3, 0, 1, 0, 1, 1, 1, 3, 24, 1, 2, 2, 5, 40, 0]);
        v["edges"] = json!([1, 7, 5, 2, 3, 10]);
        v["locations"] = json!([5, 4, 10, 20]);
    });
    assert_eq!(old.unwrap().header.fields.node, 5);
    // An unknown one in the middle, another order, more types than fields, types nobody knows.
    let new = changed(|v| {
        v["snapshot"]["meta"]["node_fields"] = json!(["id", "type", "colour", "name", "edge_count", "self_size"]);
        v["snapshot"]["meta"]["node_types"] = json!([
            "number",
            ["hidden", "object", "string", "synthetic", "wasm thing"],
            "number",
            "string",
            "number",
            "number",
            "more"
        ]);
        v["snapshot"]["meta"]["edge_fields"] = json!(["to_node", "type", "name_or_index", "age"]);
        v["snapshot"]["meta"]["edge_types"] =
            json!(["node", ["context", "element", "property", "weak", "magic"], "string_or_number", "number"]);
        v["nodes"] = json!([1, 3, 9, 0, 1, 0, 3, 4, 9, 1, 1, 24, 5, 2, 9, 2, 0, 40]);
        v["edges"] = json!([6, 4, 70_000, 9, 12, 2, 3, 9]);
    });
    let fields = new.unwrap().header.fields;
    assert_eq!((fields.node_id, fields.node_type, fields.node_name, fields.edge_to, fields.edge), (0, 1, 3, 0, 4));
}

#[test]
fn what_does_not_fit_together_is_refused_with_its_place() {
    let damaged = |change: fn(&mut Value), wanted: &str| {
        let text = refusal(change);
        assert!(text.contains(wanted), "{text:?} should have {wanted:?}");
    };
    damaged(|v| v["snapshot"]["node_count"] = json!(4), "the header promises 4 nodes, there are 3");
    damaged(|v| v["snapshot"]["edge_count"] = json!(1), "the header promises 1 edges, there are 2");
    damaged(|v| v["snapshot"]["edge_count"] = json!(-1), "\"edge_count\" is -1, not a count");
    damaged(|v| v["snapshot"]["root_index"] = json!(6), "neither the first nor the last");
    damaged(|v| v["nodes"][1] = json!(4), "object 0 is named by string 4 of 4");
    damaged(|v| v["nodes"][6] = json!(4), "object 1 has the type 4, there are 4");
    damaged(|v| v["nodes"][4] = json!(0), "count 1 references together, but there are 2");
    damaged(|v| v["edges"][3] = json!(9), "reference 1 has the type 9");
    damaged(|v| v["edges"][4] = json!(4), "reference 1 is named by string 4 of 4");
    damaged(|v| v["edges"][5] = json!(13), "reference 1 leads to index 13");
    damaged(|v| v["edges"][5] = json!(18), "reference 1 leads to index 18");
    damaged(|v| v["locations"] = json!([6, 4, 10]), "\"locations\" has 3 numbers");
    damaged(|v| v["nodes"] = json!([]), "the header promises 3 nodes");
    damaged(|v| v["nodes"][0] = json!("x"), "'\"' where a whole number belongs, in the section \"nodes\"");
    damaged(|v| v["nodes"][0] = json!(-3), "'-' where a whole number belongs");
    damaged(|v| v["edges"][0] = json!(1.5), "'.' where a whole number belongs");
    damaged(
        |v| v["snapshot"]["meta"]["node_fields"] = json!(["type", "name", "id", "self_size"]),
        "lacks \"edge_count\"",
    );
    damaged(|v| v["snapshot"]["meta"]["edge_types"] = json!("x"), "\"edge_types\" is not a list");
    damaged(|v| v["strings"] = json!([1]), "where '\"' belongs, in the strings");
    for section in ["snapshot", "nodes", "edges", "strings"] {
        let text = refusal(move |v| _ = v.as_object_mut().unwrap().remove(section));
        assert_eq!(text, format!("not a heap snapshot: it has no section \"{section}\""));
    }
}

#[test]
fn other_files_are_told_apart() {
    let text = |bytes: &[u8]| read(bytes).err().expect("refused").to_string();
    assert_eq!(text(b""), "the file is empty");
    assert_eq!(text(b" \n"), "the file is empty");
    assert_eq!(text(b"{}"), "not a heap snapshot: it is an empty object");
    assert_eq!(text(b"[1]"), "not a heap snapshot: it is a JSON array");
    assert_eq!(text(b"GIF89a"), "not JSON: 'G' at byte 0");
    assert_eq!(text(br#"{"traceEvents":[{"a":"x"}]}"#), "not a heap snapshot: it has no section \"snapshot\"");
    assert_eq!(text(br#"{"snapshot":{}}"#), "not a heap snapshot: \"snapshot\" has no \"meta\"");
    let whole = sample().to_string();
    assert!(text(format!("{whole}{{").as_bytes()).contains("after the end of the snapshot"));
    let twice = format!("{},\"edges\":[]}}", &whole[..whole.len() - 1]);
    assert!(text(twice.as_bytes()).contains("the section \"edges\" is there a second time"));
    let deep = format!(r#"{{"x":{}"#, "[".repeat(200_000));
    assert!(text(deep.as_bytes()).contains("nested deeper than"));
    let long = whole.replace("24", "123456789012345678901234");
    assert!(text(long.as_bytes()).contains("a number of more than 18 digits"));
    let control = whole.replace("Thing", "Th\u{1}ing");
    assert!(text(control.as_bytes()).contains("byte 0x01 inside a string"));
    let escape = whole.replace("Thing", "Th\\xing");
    assert!(text(escape.as_bytes()).contains("an escape of 'x'"));
    let mut invalid = whole.clone().into_bytes();
    let at = whole.find("Thing").unwrap();
    invalid[at] = 0xff;
    assert!(text(&invalid).contains("not UTF-8"));
}

#[test]
fn every_truncation_is_an_error() {
    let whole = sample().to_string();
    for length in 0..whole.len() {
        let error = read(&whole.as_bytes()[..length]).err().unwrap_or_else(|| panic!("{length} bytes were accepted"));
        let right = match error {
            LoadError::Truncated { offset, .. } => offset == length as u64,
            LoadError::Empty => length == 0,
            _ => false,
        };
        assert!(right, "{length} of {} bytes: {error}", whole.len());
    }
}

#[test]
fn flipped_bytes_never_do_harm() {
    let whole = sample().to_string().into_bytes();
    let mut accepted = 0;
    for at in 0..whole.len() {
        for flip in [0x01, 0x08, 0x20, 0x80] {
            let mut bytes = whole.clone();
            bytes[at] ^= flip;
            if let Ok(loaded) = read(&bytes) {
                accepted += 1;
                // Whatever was accepted is safe to follow.
                let fields = &loaded.header.fields;
                assert!(
                    loaded
                        .edges
                        .iter()
                        .skip(fields.edge_to)
                        .step_by(fields.edge)
                        .all(|&to| (to as usize) < loaded.nodes.len())
                );
            }
        }
    }
    assert!(accepted > 0, "a changed letter of a string is no damage that can be seen");
}

#[test]
fn whoever_watches_can_end_it() {
    struct Stop(bool);
    impl Watch for Stop {
        fn read(&mut self, _bytes: u64) -> bool {
            self.0
        }
        fn header(&mut self, nodes: u64, edges: u64) -> Result<(), LoadError> {
            Err(LoadError::TooLarge {
                what: format!("{nodes} objects and {edges} references"),
                needed_mb: 2,
                limit_mb: 1,
            })
        }
    }
    let whole = sample().to_string();
    let result = |stop: &mut Stop| load(&mut whole.as_bytes(), None, stop).err().expect("an error");
    assert!(matches!(result(&mut Stop(false)), LoadError::Cancelled));
    let text = result(&mut Stop(true)).to_string();
    assert_eq!(text, "analysing 3 objects and 2 references needs about 2 MB of memory, the limit is 1 MB");
}

#[test]
fn a_false_header_reserves_nothing() {
    let text = sample().to_string().replace("\"node_count\":3", "\"node_count\":1000000000000");
    let error = load(&mut text.as_bytes(), Some(text.len() as u64), &mut Quiet).err().expect("an error");
    assert!(error.to_string().contains("promises 1000000000000 nodes"), "{error}");
}
