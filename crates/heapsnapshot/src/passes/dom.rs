//! Which DOM nodes are detached, and what may be asked of an object.

use std::collections::HashMap;

use super::heap::Heap;
use crate::texts::{Kind, Texts};

const UNKNOWN: u32 = 0;
const ATTACHED: u32 = 1;
const DETACHED: u32 = 2;
/// The bits of a class entry that hold these.
const STATE: u32 = 3;

const CAN_BE_QUERIED: u8 = 1;
const DETACHED_DOM: u8 = 2;
/// What the page holds, and not only a debugger.
pub(super) const PAGE_OBJECT: u8 = 4;

/// The front-end's `initDetachednessAndClassIndex` and `propagateDOMState`. Detached nodes get another name.
pub(super) fn states(heap: &mut Heap, texts: &mut Texts) -> Vec<u32> {
    let Some(field) = heap.detachedness else {
        // Files of older versions tell it by the name only.
        let native = heap.node_types.native;
        let is_detached = |node| heap.kind(node) == native && texts.is_detached(heap.name(node));
        return heap.ordinals().map(|node| if is_detached(node) { DETACHED } else { UNKNOWN }).collect();
    };
    let states = heap.nodes.chunks_exact(heap.node_width).map(|node| node[field]).collect();
    let mut spread = Spread {
        visited: vec![false; heap.count()],
        states,
        attached: Vec::new(),
        detached: Vec::new(),
        renamed: HashMap::new(),
        heap,
        texts,
    };
    for node in spread.heap.ordinals() {
        match spread.states[node] & STATE {
            UNKNOWN => {}
            state => spread.visit(node, state),
        }
    }
    while let Some(node) = spread.attached.pop() {
        spread.visit_children(node, ATTACHED);
    }
    while let Some(node) = spread.detached.pop() {
        spread.visit_children(node, DETACHED);
    }
    spread.states
}

struct Spread<'a> {
    heap: &'a mut Heap,
    texts: &'a mut Texts,
    visited: Vec<bool>,
    states: Vec<u32>,
    attached: Vec<usize>,
    detached: Vec<usize>,
    /// New names by old ones.
    renamed: HashMap<u32, u32>,
}

impl Spread<'_> {
    fn visit(&mut self, node: usize, state: u32) {
        if std::mem::replace(&mut self.visited[node], true) || self.heap.kind(node) != self.heap.node_types.native {
            return;
        }
        self.states[node] = self.states[node] & !STATE | state;
        match state {
            ATTACHED => self.attached.push(node),
            DETACHED => {
                let name = self.heap.name(node);
                let renamed = *self.renamed.entry(name).or_insert_with(|| self.texts.add_detached(name));
                self.heap.rename(node, renamed);
                self.detached.push(node);
            }
            _ => {}
        }
    }

    fn visit_children(&mut self, node: usize, state: u32) {
        for edge in self.heap.edges_of(node) {
            let (kind, types) = (self.heap.edge_kind(edge), &self.heap.edge_types);
            if kind != types.hidden && kind != types.invisible && kind != types.weak {
                self.visit(self.heap.target(edge), state);
            }
        }
    }
}

/// The front-end's `calculateFlags`.
pub(super) fn flags(heap: &Heap, texts: &Texts, states: &[u32]) -> Vec<u8> {
    let types = &heap.edge_types;
    let native = heap.node_types.native;
    let is_detached = |node: usize| heap.kind(node) == native && states[node] & STATE == DETACHED;
    let mut flags: Vec<u8> = heap.ordinals().map(|node| if is_detached(node) { DETACHED_DOM } else { 0 }).collect();

    let is_user_root = |&node: &usize| heap.kind(node) != heap.node_types.synthetic;
    let roots = heap.edges_of(heap.root).map(|edge| heap.target(edge)).filter(is_user_root).collect();
    mark(heap, &mut flags, CAN_BE_QUERIED, roots, |kind| {
        kind != types.hidden && kind != types.invisible && kind != types.internal && kind != types.weak
    });

    let is_entry = |edge: &usize| match heap.edge_kind(*edge) {
        kind if kind == types.element => is_document(heap, texts, heap.target(*edge)),
        kind => kind == types.shortcut,
    };
    let mut entries: Vec<usize> = heap.edges_of(heap.root).filter(is_entry).map(|edge| heap.target(edge)).collect();
    // Entries are marked in any case, but the front-end's list has no room for more than there are nodes.
    entries.iter().for_each(|&node| flags[node] |= PAGE_OBJECT);
    entries.truncate(heap.count());
    let children = |node: &usize| {
        let edges = heap.edges_of(*node).filter(|&edge| heap.edge_kind(edge) != types.weak);
        edges.map(|edge| heap.target(edge)).collect::<Vec<_>>()
    };
    let below = entries.iter().flat_map(children).filter(|&node| flags[node] & PAGE_OBJECT == 0).collect();
    mark(heap, &mut flags, PAGE_OBJECT, below, |kind| kind != types.weak);
    flags
}

/// Whether a node is the root of the documents' DOM trees.
pub(super) fn is_document(heap: &Heap, texts: &Texts, node: usize) -> bool {
    heap.kind(node) == heap.node_types.synthetic && texts.kind(heap.name(node)) == Kind::DocumentTrees
}

/// Marks what can be reached from some nodes by edges of certain types.
fn mark(heap: &Heap, flags: &mut [u8], flag: u8, from: Vec<usize>, follows: impl Fn(u32) -> bool) {
    let mut open = from;
    while let Some(node) = open.pop() {
        if flags[node] & flag != 0 {
            continue;
        }
        flags[node] |= flag;
        for edge in heap.edges_of(node) {
            let target = heap.target(edge);
            if flags[target] & flag == 0 && follows(heap.edge_kind(edge)) {
                open.push(target);
            }
        }
    }
}
