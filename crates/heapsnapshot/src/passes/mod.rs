//! The front-end's initialisation of a heap snapshot, pass by pass, with the same results.
//!
//! What the passes mean is decided by `HeapSnapshot.ts`, whose methods are named at each. Tests compare every table with
//! the front-end's own on real, generated and odd snapshots. Natively they take a small part of the time, need no objects,
//! and run while V8 reads the strings.

mod classes;
mod contexts;
mod distances;
mod dom;
mod heap;
mod sizes;

use crate::error::{LoadError, damaged};
use crate::graph::{self, Analysis, Graph};
use crate::load::Loaded;
use crate::texts::{Added, Texts};
use heap::Heap;

pub use contexts::{NativeContexts, RetainedByContext};
pub use sizes::Statistics;

/// What the front-end has computed when its initialisation is done, except for what it does with plain objects' names.
pub struct Prepared {
    /// The nodes, with the names of detached DOM nodes and with sizes moved to owners.
    pub nodes: Vec<u32>,
    /// The edges, as they were.
    pub edges: Vec<u32>,
    /// For each node the index of its first edge, and the number of edges' numbers.
    pub first_edge: Vec<u32>,
    /// For each node two bits of detachedness and the index of its class name above them.
    pub classes: Vec<u32>,
    /// For each node what can be asked of it.
    pub flags: Vec<u8>,
    /// For each node its distance, signed.
    pub distances: Vec<u32>,
    /// For each node the ordinal of its native context, signed.
    pub attribution: Vec<u32>,
    /// Retainers, dominators and retained sizes.
    pub analysis: Analysis,
    /// Names that were added to the strings, as JSON.
    pub added_strings: String,
    /// Sizes by kind of object.
    pub statistics: Statistics,
    /// Sizes by native context.
    pub native_contexts: NativeContexts,
    /// What contexts retain.
    pub retained_by_context: RetainedByContext,
}

/// Runs all passes. The strings have been handed on by then: what is needed of them was noted while they were read.
pub fn prepare(loaded: Loaded) -> Result<Prepared, LoadError> {
    let Loaded { header, nodes, edges, mut texts, .. } = loaded;
    let mut heap = Heap::new(&header, nodes, edges)?;
    let mut classes = dom::states(&mut heap, &mut texts);
    let flags = dom::flags(&heap, &texts, &classes);
    let essential = sizes::essential_edges(&heap, &texts, &flags);
    sizes::move_to_owners(&mut heap, &texts);
    let self_sizes: Vec<u32> = heap.ordinals().map(|node| heap.size(node)).collect();
    let heap = heap;
    let graph = Graph {
        edge_to_node: &heap.targets,
        first_edge: &heap.first_edge,
        edge_fields: heap.edge_width as u32,
        node_fields: heap.node_width as u32,
        root: heap.root as u32,
        essential: &essential,
        self_sizes: &self_sizes,
    };
    let (analysis, others) = std::thread::scope(|scope| {
        // The dominators take about as long as everything else.
        let analysis = scope.spawn(|| graph::analyse(&graph));
        let others = (|| -> Result<_, LoadError> {
            let distances = distances::distances(&heap, &texts)?;
            let attribution = contexts::attribution(&heap, &texts);
            let retained = contexts::retained_by_context(&heap, &texts, &distances)?;
            classes::name(&heap, &mut texts, &mut classes);
            Ok((distances, attribution, retained))
        })();
        (analysis.join(), others)
    });
    let analysis = analysis.map_err(|_| damaged("its references cannot be followed"))?.map_err(damaged)?;
    let (distances, (attribution, native_contexts), retained_by_context) = others?;
    let statistics = sizes::statistics(&heap, &texts, &analysis.first_retainer);
    let Heap { nodes, edges, first_edge, .. } = heap;
    Ok(Prepared {
        nodes,
        edges,
        first_edge,
        classes,
        flags,
        distances: unsigned(distances),
        attribution: unsigned(attribution),
        analysis,
        added_strings: added(&texts),
        statistics,
        native_contexts,
        retained_by_context,
    })
}

fn unsigned(numbers: Vec<i32>) -> Vec<u32> {
    numbers.into_iter().map(i32::cast_unsigned).collect()
}

/// The added strings as JSON: a number for "`Detached ` and that string", else the text.
fn added(texts: &Texts) -> String {
    let shown: Vec<String> = texts
        .added
        .iter()
        .map(|added| match added {
            Added::Detached(of) => of.to_string(),
            Added::Text(units) => quoted(units),
        })
        .collect();
    format!("[{}]", shown.join(","))
}

/// Escapes keep lone surrogates as they are.
fn quoted(units: &[u16]) -> String {
    let mut json = String::from("\"");
    for &unit in units {
        match u8::try_from(unit) {
            Ok(byte @ b' '..=b'~') if byte != b'"' && byte != b'\\' => json.push(byte as char),
            _ => json.push_str(&format!("\\u{unit:04x}")),
        }
    }
    json.push('"');
    json
}
