//! What the front-end takes for granted about the tables.

use crate::error::{LoadError, damaged};
use crate::load::Loaded;

/// Checks counts and indices; the largest id of a JavaScript object.
pub(crate) fn check(loaded: &Loaded) -> Result<u64, LoadError> {
    let (header, fields) = (&loaded.header, &loaded.header.fields);
    counts("nodes", loaded.nodes.len(), fields.node, header.node_count)?;
    counts("edges", loaded.edges.len(), fields.edge, header.edge_count)?;
    if loaded.nodes.is_empty() {
        return Err(damaged("it has no objects"));
    }
    // The front-end multiplies and shifts indices in 32 bits.
    if loaded.nodes.len() > u32::MAX as usize || loaded.edges.len() > u32::MAX as usize {
        return Err(damaged(format!(
            "{} objects and {} references are more than DevTools can number",
            loaded.node_count(),
            loaded.edge_count()
        )));
    }
    let last = (loaded.node_count() - 1) * fields.node as u64;
    if header.root_index != 0 && header.root_index != last {
        let what = format!("the root (root_index {}) is neither the first nor the last object", header.root_index);
        return Err(damaged(what));
    }
    let (max_js_id, edges) = nodes(loaded)?;
    if edges != loaded.edge_count() {
        let what = format!("the objects count {edges} references together, but there are {}", loaded.edge_count());
        return Err(damaged(what));
    }
    self::edges(loaded)?;
    Ok(max_js_id)
}

fn counts(what: &str, numbers: usize, fields: usize, promised: Option<u64>) -> Result<(), LoadError> {
    if !numbers.is_multiple_of(fields) {
        return Err(damaged(format!("\"{what}\" has {numbers} numbers, no multiple of its {fields} fields")));
    }
    let found = (numbers / fields) as u64;
    match promised.filter(|&promised| promised != found) {
        Some(promised) => Err(damaged(format!("the header promises {promised} {what}, there are {found}"))),
        None => Ok(()),
    }
}

/// The largest odd id, and the sum of the nodes' edge counts.
fn nodes(loaded: &Loaded) -> Result<(u64, u64), LoadError> {
    let fields = &loaded.header.fields;
    let (mut max_js_id, mut edges) = (0, 0);
    for (ordinal, node) in loaded.nodes.chunks_exact(fields.node).enumerate() {
        if node[fields.node_type] as usize >= fields.node_types {
            let found = node[fields.node_type];
            return Err(damaged(format!("object {ordinal} has the type {found}, there are {}", fields.node_types)));
        }
        if u64::from(node[fields.node_name]) >= loaded.string_count {
            let found = node[fields.node_name];
            return Err(damaged(format!("object {ordinal} is named by string {found} of {}", loaded.string_count)));
        }
        let id = node[fields.node_id];
        if id % 2 == 1 && id > max_js_id {
            max_js_id = id;
        }
        edges += u64::from(node[fields.node_edge_count]);
    }
    Ok((u64::from(max_js_id), edges))
}

fn edges(loaded: &Loaded) -> Result<(), LoadError> {
    let fields = &loaded.header.fields;
    let width = fields.node as u32;
    for (ordinal, edge) in loaded.edges.chunks_exact(fields.edge).enumerate() {
        let Some(&named) = fields.edge_named.get(edge[fields.edge_type] as usize) else {
            let (found, known) = (edge[fields.edge_type], fields.edge_named.len());
            return Err(damaged(format!("reference {ordinal} has the type {found}, there are {known}")));
        };
        if named && u64::from(edge[fields.edge_name]) >= loaded.string_count {
            let found = edge[fields.edge_name];
            return Err(damaged(format!("reference {ordinal} is named by string {found} of {}", loaded.string_count)));
        }
        let to = edge[fields.edge_to];
        if to as usize >= loaded.nodes.len() || !to.is_multiple_of(width) {
            return Err(damaged(format!("reference {ordinal} leads to index {to}, where no object begins")));
        }
    }
    Ok(())
}
