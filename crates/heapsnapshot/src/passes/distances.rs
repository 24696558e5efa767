//! How far objects are from the roots: the front-end's `calculateDistances` and `bfs`.

use std::collections::HashSet;

use super::dom::is_document;
use super::heap::Heap;
use crate::error::{LoadError, damaged};
use crate::texts::{Kind, Texts};

/// What is not reached.
pub(super) const NONE: i32 = -5;
/// Distance of the root when there are user roots: what only it reaches is the system's.
const SYSTEM: i32 = 100_000_000;

/// A search, breadth first.
pub(super) struct Search<'a> {
    heap: &'a Heap,
    distances: Vec<i32>,
    queue: Vec<u32>,
}

impl<'a> Search<'a> {
    pub fn new(heap: &'a Heap) -> Self {
        Search { heap, distances: vec![NONE; heap.count()], queue: Vec::new() }
    }

    /// Adds a start.
    pub fn start(&mut self, node: usize, distance: i32) {
        self.distances[node] = distance;
        self.queue.push(node as u32);
    }

    /// Follows the edges that may be followed: (node, edge).
    pub fn run(&mut self, mut follows: impl FnMut(usize, usize) -> bool) -> Result<(), LoadError> {
        let (heap, weak, limit) = (self.heap, self.heap.edge_types.weak, self.heap.count());
        let mut at = 0;
        // More starts than nodes have no room in the front-end's list.
        while at < self.queue.len().min(limit) {
            let node = self.queue[at] as usize;
            at += 1;
            let distance = self.distances[node] + 1;
            for edge in heap.edges_of(node) {
                let target = heap.target(edge);
                if self.distances[target] == NONE && heap.edge_kind(edge) != weak && follows(node, edge) {
                    self.distances[target] = distance;
                    self.queue.push(target as u32);
                }
            }
        }
        let found = self.queue.len();
        self.queue.clear();
        if found > limit {
            return Err(damaged(format!("{found} objects are to be visited from the root, but there are {limit}")));
        }
        Ok(())
    }

    pub fn finish(self) -> Vec<i32> {
        self.distances
    }
}

/// Distances of all nodes.
pub(super) fn distances(heap: &Heap, texts: &Texts) -> Result<Vec<i32>, LoadError> {
    let (types, edge_types) = (&heap.node_types, &heap.edge_types);
    let mut pending = HashSet::new();
    let mut follows = |node: usize, edge: usize| {
        let kind = heap.kind(node);
        if kind == types.hidden
            && texts.kind(heap.name(node)) == Kind::NativeContext
            && heap.has_string_name(edge)
            && texts.kind(heap.edge_name(edge)) == Kind::SloppyFunctionMap
        {
            return false;
        }
        if kind == types.array && texts.kind(heap.name(node)) == Kind::MapDescriptors {
            // Descriptors may be shared by maps that do not have them.
            let name = heap.edge_name(edge);
            let is_descriptor =
                if heap.has_string_name(edge) { texts.is_descriptor(name) } else { name >= 2 && name % 3 == 1 };
            return !is_descriptor;
        }
        if heap.edge_kind(edge) == edge_types.internal
            && let Some(pair) = texts.pair_of(heap.edge_name(edge))
            && !pending.remove(&pair.part)
        {
            // The second of a pair counts: the farther of map and key.
            pending.insert(pair.part);
            return false;
        }
        true
    };
    let mut search = Search::new(heap);
    let mut has_roots = false;
    for edge in heap.edges_of(heap.root) {
        let node = heap.target(edge);
        if is_user_root(heap, texts, node) {
            search.start(node, 1);
            has_roots = true;
        }
    }
    search.run(&mut follows)?;
    search.start(heap.root, if has_roots { SYSTEM } else { 0 });
    search.run(&mut follows)?;
    Ok(search.finish())
}

/// Whether a node below the root is the page's.
pub(super) fn is_user_root(heap: &Heap, texts: &Texts, node: usize) -> bool {
    heap.kind(node) != heap.node_types.synthetic || is_document(heap, texts, node)
}
