//! The native functions that the heap service in `js/` runs on tables.

use bytemuck::try_cast_slice;
use devtools_engine::bulk::{Buffer, Native, Table};
use devtools_heapsnapshot::graph::{self, Graph};

/// Looks up a native function.
pub fn lookup(name: &str) -> Option<Native> {
    match name {
        "heap.graph" => Some(analyse),
        _ => None,
    }
}

/// The front-end's second pass; numbers and tables in the order of `js/heap/second_pass.ts`.
fn analyse(numbers: &[u32], tables: &[Buffer]) -> Result<Vec<Table>, String> {
    let (&[edge_fields, node_fields, root], [edge_to_node, first_edge, essential, self_sizes]) = (numbers, tables)
    else {
        return Err("heap.graph takes three numbers and four tables".into());
    };
    let words = |table| try_cast_slice::<u8, u32>(table).map_err(|e| format!("a table cannot be read: {e}"));
    let graph = Graph {
        edge_to_node: words(edge_to_node)?,
        first_edge: words(first_edge)?,
        edge_fields,
        node_fields,
        root,
        essential,
        self_sizes: words(self_sizes)?,
    };
    let result = graph::analyse(&graph)?;
    Ok(vec![
        Table::U32(result.first_retainer),
        Table::U32(result.retaining_nodes),
        Table::U32(result.retaining_edges),
        Table::U32(result.dominators),
        Table::F64(result.retained_sizes),
        Table::U32(result.first_dominated),
        Table::U32(result.dominated),
    ])
}
