//! Native contexts (one per frame or realm) and what they own; contexts of functions and what they retain.

use super::distances::{self, Search};
use super::heap::Heap;
use crate::error::LoadError;
use crate::texts::{Kind, Texts};

/// Owned by none.
const NONE: i32 = -1;
/// Owned by several.
const SHARED: i32 = -2;

/// Sizes by native context.
#[derive(Debug, Default)]
pub struct NativeContexts {
    /// Their ordinals and the bytes that each owns.
    pub owned: Vec<(u32, u64)>,
    /// Bytes that several reach.
    pub shared: u64,
    /// Bytes that none reaches.
    pub unowned: u64,
}

/// The front-end's `calculateNativeContextAttribution` and `calculateNativeContextSizes`.
pub(super) fn attribution(heap: &Heap, texts: &Texts) -> (Vec<i32>, NativeContexts) {
    let is_context = |node: usize| texts.kind(heap.name(node)).is_native_context();
    let mut owners = vec![NONE; heap.count()];
    let fixed = fixed_owners(heap, texts, &is_context);
    // The nodes whose owner is certain come first.
    let mut queue: Vec<u32> = Vec::new();
    for (node, &owner) in fixed.iter().enumerate() {
        if owner != NONE {
            owners[node] = owner;
            queue.push(node as u32);
        }
    }
    spread(heap, &fixed, &mut owners, queue);

    let mut sizes = NativeContexts::default();
    let mut place = vec![usize::MAX; 0];
    for node in heap.ordinals().filter(|&node| is_context(node)) {
        if place.is_empty() {
            place.resize(heap.count(), usize::MAX);
        }
        place[node] = sizes.owned.len();
        sizes.owned.push((node as u32, 0));
    }
    for (node, &owner) in owners.iter().enumerate() {
        let size = u64::from(heap.size(node));
        match owner {
            SHARED => sizes.shared += size,
            NONE => sizes.unowned += size,
            owner => sizes.owned[place[owner as usize]].1 += size,
        }
    }
    (owners, sizes)
}

/// Owners that follow from an object's map: its map's map belongs to one native context.
fn fixed_owners(heap: &Heap, texts: &Texts, is_context: &impl Fn(usize) -> bool) -> Vec<i32> {
    let (mut contexts, mut maps) = (vec![NONE; heap.count()], vec![NONE; heap.count()]);
    for node in heap.ordinals() {
        for edge in heap.edges_of(node) {
            if heap.edge_kind(edge) != heap.edge_types.internal {
                continue;
            }
            let (name, target) = (Some(heap.edge_name(edge)), heap.target(edge));
            if name == texts.native_context && contexts[node] == NONE && is_context(target) {
                contexts[node] = target as i32;
            } else if name == texts.map && maps[node] == NONE {
                maps[node] = target as i32;
            }
        }
    }
    let ordinal = |number: i32| usize::try_from(number).ok();
    let of_map = |node: usize| {
        let map = ordinal(maps[node])?;
        ordinal(contexts[ordinal(maps[map])?])
    };
    let owner = |node| if is_context(node) { Some(node) } else { of_map(node) };
    heap.ordinals().map(|node| owner(node).map_or(NONE, |owner| owner as i32)).collect()
}

fn spread(heap: &Heap, fixed: &[i32], owners: &mut [i32], mut queue: Vec<u32>) {
    let types = &heap.edge_types;
    // Two states may follow the first, so each node is here twice at most.
    while let Some(node) = queue.pop() {
        let node = node as usize;
        let owner = owners[node];
        for edge in heap.edges_of(node) {
            let target = heap.target(edge);
            if fixed[target] != NONE || target == node || owners[target] == SHARED || owners[target] == owner {
                continue;
            }
            let kind = heap.edge_kind(edge);
            if kind != types.shortcut && kind != types.weak {
                owners[target] = if owners[target] == NONE { owner } else { SHARED };
                queue.push(target as u32);
            }
        }
    }
}

/// What contexts retain: counts and bytes.
#[derive(Debug, Default, Clone, Copy)]
pub struct RetainedByContext {
    /// Contexts.
    pub contexts: u64,
    /// Objects that only contexts hold.
    pub retained: u64,
    /// Their bytes.
    pub retained_size: u64,
    /// Other objects.
    pub others: u64,
    /// Their bytes.
    pub others_size: u64,
}

/// The front-end's `getRetainedByContextSummary`.
pub(super) fn retained_by_context(
    heap: &Heap,
    texts: &Texts,
    from_roots: &[i32],
) -> Result<RetainedByContext, LoadError> {
    let is_context = |node: usize| texts.kind(heap.name(node)) == Kind::Context;
    let mut search = Search::new(heap);
    search.start(heap.root, 0);
    search.run(|_, edge| !is_context(heap.target(edge)))?;
    let around = search.finish();
    let mut sums = RetainedByContext::default();
    for node in heap.ordinals() {
        let size = u64::from(heap.size(node));
        if size == 0 {
            continue;
        }
        if around[node] == distances::NONE && from_roots[node] != distances::NONE {
            sums.retained += 1;
            sums.retained_size += size;
        } else {
            sums.others += 1;
            sums.others_size += size;
        }
        sums.contexts += u64::from(is_context(node));
    }
    Ok(sums)
}
