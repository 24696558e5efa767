//! Generated heap snapshots for benches, drills and tests: graphs whose retained sizes are known, in the format of
//! current V8, of any size.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

const NODE_TYPES: &str = r#"["hidden","array","string","object","code","closure","regexp","number","native","synthetic","concatenated string","sliced string","symbol","bigint","object shape"]"#;
const EDGE_TYPES: &str = r#"["context","element","property","internal","hidden","shortcut","weak"]"#;
const STRING: u64 = 2;
const OBJECT: u64 = 3;
const SYNTHETIC: u64 = 9;
const ELEMENT: u64 = 1;
const PROPERTY: u64 = 2;
const FIELDS: u64 = 6;

/// Own size of every object that is not synthetic.
pub const SELF_SIZE: u64 = 32;

/// What the objects below the global one look like.
#[allow(dead_code, reason = "the bench has records only")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One list: each object holds the next.
    Chain,
    /// All held by one.
    Star,
    /// As in an application: lists of records with shared strings and a few properties each.
    Records,
    /// Texts of a megabyte each: a file of gigabytes with few objects.
    Texts,
}

/// Characters of each text in [`Shape::Texts`].
const LONG: usize = 1_000_000;

/// Writes a snapshot with about this many objects; the number of objects.
pub fn write(path: &Path, shape: Shape, objects: u64) -> io::Result<u64> {
    let mut graph = Graph::default();
    match shape {
        Shape::Chain => graph.chain(objects),
        Shape::Star => graph.star(objects),
        Shape::Records => graph.records(objects),
        Shape::Texts => graph.texts(objects),
    }
    graph.write(&mut BufWriter::with_capacity(1 << 20, File::create(path)?))?;
    Ok(graph.nodes.len() as u64)
}

/// Objects that make about this many bytes of JSON in [`Shape::Records`].
#[allow(dead_code, reason = "tests count objects")]
pub fn objects_for(bytes: u64) -> u64 {
    bytes / 74
}

/// `cargo xtask heap-file SHAPE OBJECTS PATH`.
#[allow(dead_code, reason = "tests call `write`")]
pub fn run(arguments: &[String]) -> Result<(), String> {
    const USAGE: &str = "usage: cargo xtask heap-file chain|star|records|texts OBJECTS PATH";
    let [shape, objects, path] = arguments else { return Err(USAGE.into()) };
    let shape = match shape.as_str() {
        "chain" => Shape::Chain,
        "star" => Shape::Star,
        "records" => Shape::Records,
        "texts" => Shape::Texts,
        _ => return Err(USAGE.into()),
    };
    let objects = objects.parse().map_err(|_| USAGE)?;
    let written = write(Path::new(path), shape, objects).map_err(|e| format!("{path}: {e}"))?;
    println!("{path}: {written} objects");
    Ok(())
}

#[derive(Default)]
struct Graph {
    /// Type, string, edges from this index on.
    nodes: Vec<(u64, u32, usize)>,
    /// Type, string or number, target.
    edges: Vec<(u64, u32, u32)>,
    strings: Vec<String>,
    /// Characters that follow each string of [`Shape::Texts`]; they are made when they are written.
    padding: usize,
}

impl Graph {
    fn string(&mut self, text: impl Into<String>) -> u32 {
        self.strings.push(text.into());
        self.strings.len() as u32 - 1
    }

    /// Adds a node; edges added next belong to it.
    fn node(&mut self, kind: u64, name: u32) -> u32 {
        self.nodes.push((kind, name, self.edges.len()));
        self.nodes.len() as u32 - 1
    }

    /// The root, the roots of the collector, and a global object: nodes 0 to 2.
    fn base(&mut self) {
        let (empty, roots, global) = (self.string(""), self.string("(GC roots)"), self.string("Window"));
        self.node(SYNTHETIC, empty);
        self.edges.extend([(ELEMENT, 1, 1), (5, global, 2)]);
        self.node(SYNTHETIC, roots);
        self.edges.push((ELEMENT, 1, 2));
        self.node(OBJECT, global);
    }

    fn chain(&mut self, objects: u64) {
        self.base();
        let (name, next, first) = (self.string("Link"), self.string("next"), self.string("first"));
        self.edges.push((PROPERTY, first, 3));
        for at in 0..objects as u32 {
            self.node(OBJECT, name);
            if u64::from(at) + 1 < objects {
                self.edges.push((PROPERTY, next, at + 4));
            }
        }
    }

    fn star(&mut self, objects: u64) {
        self.base();
        let (hub, leaf, held) = (self.string("Hub"), self.string("Leaf"), self.string("hub"));
        self.edges.push((PROPERTY, held, 3));
        self.node(OBJECT, hub);
        self.edges.extend((0..objects as u32).map(|at| (ELEMENT, at, at + 4)));
        for _ in 0..objects {
            self.node(OBJECT, leaf);
        }
    }

    fn texts(&mut self, objects: u64) {
        self.base();
        self.padding = LONG;
        self.edges.extend((0..objects as u32).map(|at| (ELEMENT, at, at + 3)));
        for number in 0..objects {
            let name = self.string(format!("{number} "));
            self.node(STRING, name);
        }
    }

    fn records(&mut self, objects: u64) {
        const PER_LIST: u32 = 1000;
        self.base();
        // A list and its records: each with a text of its own, one shared with others, the list, the record before.
        let lists = (objects as u32 / (1 + 2 * PER_LIST)).max(1);
        let names: Vec<u32> = (0..40).map(|n| self.string(format!("Record{n}"))).collect();
        let keys: Vec<u32> = ["text", "kind", "list", "previous"].map(|key| self.string(key)).to_vec();
        let (list_name, all) = (self.string("RecordList"), self.string("lists"));
        let kinds: Vec<u32> = (0..100).map(|n| self.string(format!("kind of record number {n}"))).collect();
        let first_kind = 3;
        self.edges.extend((0..100).map(|n| (PROPERTY, all, first_kind + n)));
        let first_list = first_kind + 100;
        let size = 1 + 2 * PER_LIST;
        self.edges.extend((0..lists).map(|n| (ELEMENT, n, first_list + n * size)));
        for kind in kinds {
            self.node(STRING, kind);
        }
        for list in 0..lists {
            let start = first_list + list * size;
            self.node(OBJECT, list_name);
            self.edges.extend((0..PER_LIST).map(|n| (ELEMENT, n, start + 1 + 2 * n)));
            for record in 0..PER_LIST {
                let number = list * PER_LIST + record;
                self.node(OBJECT, names[number as usize % names.len()]);
                self.edges.extend([
                    (PROPERTY, keys[0], start + 2 + 2 * record),
                    (PROPERTY, keys[1], first_kind + number % 100),
                    (PROPERTY, keys[2], start),
                ]);
                if record > 0 {
                    self.edges.push((PROPERTY, keys[3], start + 2 * record - 1));
                }
                let text = self.string(format!("text of record {number}"));
                self.node(STRING, text);
            }
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let (nodes, edges) = (self.nodes.len(), self.edges.len());
        write!(
            out,
            r#"{{"snapshot":{{"meta":{{"node_fields":["type","name","id","self_size","edge_count","detachedness"],"node_types":[{NODE_TYPES},"string","number","number","number","number"],"edge_fields":["type","name_or_index","to_node"],"edge_types":[{EDGE_TYPES},"string_or_number","node"],"location_fields":["object_index","script_id","line","column"]}},"node_count":{nodes},"edge_count":{edges},"trace_function_count":0,"extra_native_bytes":0}},"#
        )?;
        out.write_all(b"\n\"nodes\":[")?;
        for (at, (kind, name, from)) in self.nodes.iter().enumerate() {
            let to = self.nodes.get(at + 1).map_or(edges, |(.., from)| *from);
            let size = if *kind == SYNTHETIC { 0 } else { SELF_SIZE };
            let comma = if at == 0 { "" } else { "\n," };
            write!(out, "{comma}{kind},{name},{},{size},{},0", 2 * at + 1, to - from)?;
        }
        out.write_all(b"],\n\"edges\":[")?;
        for (at, (kind, name, to)) in self.edges.iter().enumerate() {
            let comma = if at == 0 { "" } else { "\n," };
            write!(out, "{comma}{kind},{name},{}", u64::from(*to) * FIELDS)?;
        }
        out.write_all(
            b"],\n\"trace_function_infos\":[],\n\"trace_tree\":[],\n\"samples\":[],\n\"locations\":[],\n\"strings\":[",
        )?;
        let padding = vec![b'x'; self.padding];
        for (at, text) in self.strings.iter().enumerate() {
            write!(out, "{}\"{text}", if at == 0 { "" } else { ",\n" })?;
            if text.ends_with(' ') {
                out.write_all(&padding)?;
            }
            out.write_all(b"\"")?;
        }
        out.write_all(b"]}")?;
        out.flush()
    }
}
