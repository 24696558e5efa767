//! Whose an object's bytes are, and what the sums are.

use super::distances::is_user_root;
use super::dom::PAGE_OBJECT;
use super::heap::Heap;
use crate::texts::{Kind, Texts};

/// The front-end's `initEssentialEdges`: a bit for each edge, whether it counts for dominators.
pub(super) fn essential_edges(heap: &Heap, texts: &Texts, flags: &[u8]) -> Vec<u8> {
    let types = &heap.edge_types;
    let mut bits = vec![0_u8; heap.targets.len().div_ceil(8)];
    for node in heap.ordinals() {
        let is_page_object = flags[node] & PAGE_OBJECT != 0;
        for edge in heap.edges_of(node) {
            let (kind, target) = (heap.edge_kind(edge), heap.target(edge));
            if kind == types.weak || target == node {
                continue;
            }
            // A value of a weak map is held by its key; the map's own reference does not count.
            if kind == types.internal
                && let Some(pair) = texts.pair_of(heap.edge_name(edge))
                && pair.table == u64::from(heap.id(node))
            {
                continue;
            }
            if node != heap.root && (kind == types.shortcut || (!is_page_object && flags[target] & PAGE_OBJECT != 0)) {
                continue;
            }
            bits[edge >> 3] |= 1 << (edge & 7);
        }
    }
    bits
}

/// The front-end's `calculateShallowSizes`: what only one object owns counts as a part of it.
pub(super) fn move_to_owners(heap: &mut Heap, texts: &Texts) {
    const UNVISITED: u32 = 0xffff_ffff;
    const SEVERAL: u32 = 0xffff_fffe;
    // Without user roots the snapshot shows V8's insides, and those are to be seen as they are.
    if !heap.edges_of(heap.root).any(|edge| is_user_root(heap, texts, heap.target(edge))) {
        return;
    }
    let types = &heap.node_types;
    let is_part = |node: usize| {
        let kind = heap.kind(node);
        kind == types.hidden
            || kind == types.array
            || (kind == types.native && texts.kind(heap.name(node)) == Kind::ExternalStringData)
    };
    let mut owners: Vec<u32> =
        heap.ordinals().map(|node| if is_part(node) { UNVISITED } else { node as u32 }).collect();
    let mut open: Vec<u32> = owners.iter().copied().filter(|&owner| owner != UNVISITED).collect();
    while let Some(node) = open.pop() {
        let owner = owners[node as usize];
        for edge in heap.edges_of(node as usize) {
            if heap.edge_kind(edge) == heap.edge_types.weak {
                continue;
            }
            let target = heap.targets[edge];
            let of_target = &mut owners[target as usize];
            if *of_target == UNVISITED {
                *of_target = owner;
            } else if *of_target == target || *of_target == owner || *of_target == SEVERAL {
                continue;
            } else {
                *of_target = SEVERAL;
            }
            open.push(target);
        }
    }
    for (node, &owner) in owners.iter().enumerate() {
        if owner == UNVISITED || owner == SEVERAL || owner as usize == node {
            continue;
        }
        let owner = owner as usize;
        if heap.kind(owner) != heap.node_types.synthetic && owner != heap.root {
            let size = heap.size(node);
            heap.resize(node, 0);
            heap.resize(owner, heap.size(owner).wrapping_add(size));
        }
    }
}

/// Bytes by kind of object.
#[derive(Debug, Default, Clone, Copy)]
pub struct Statistics {
    /// Native objects, without the bytes that the header adds.
    pub native: u64,
    /// Of those, the data of array buffers.
    pub typed_arrays: u64,
    /// Code.
    pub code: u64,
    /// Strings.
    pub strings: u64,
    /// Arrays and their elements.
    pub arrays: u64,
    /// V8's own.
    pub system: u64,
}

/// The front-end's `calculateStatistics`.
pub(super) fn statistics(heap: &Heap, texts: &Texts, first_retainer: &[u32]) -> Statistics {
    let types = &heap.node_types;
    let mut sums = Statistics::default();
    for node in heap.ordinals() {
        let (kind, size) = (heap.kind(node), u64::from(heap.size(node)));
        if kind == types.hidden {
            sums.system += size;
        } else if kind == types.native {
            sums.native += size;
            if texts.kind(heap.name(node)) == Kind::ArrayBufferData {
                sums.typed_arrays += size;
            }
        } else if kind == types.code {
            sums.code += size;
        } else if kind == types.concatenated || kind == types.sliced || kind == types.string {
            sums.strings += size;
        } else if texts.kind(heap.name(node)) == Kind::Array {
            let is_elements = |&edge: &usize| {
                heap.edge_kind(edge) == heap.edge_types.internal && texts.kind(heap.edge_name(edge)) == Kind::Elements
            };
            let elements = heap.edges_of(node).find(is_elements).map(|edge| heap.target(edge));
            let own = elements.filter(|&node| first_retainer[node + 1] - first_retainer[node] == 1);
            sums.arrays += size + own.map_or(0, |node| u64::from(heap.size(node)));
        }
    }
    sums
}
