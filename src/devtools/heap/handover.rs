//! What an isolate gets of a file that has been read: the order that `js/heap/load.ts` and `js/heap/prepared.ts` expect.

use std::sync::mpsc::Sender;

use devtools_engine::InputPiece;
use devtools_engine::bulk::Table;
use devtools_heapsnapshot::{LoadError, Loaded, Prepared, prepare};
use serde_json::{Value, json};

/// Parameters of `heap.load`. With `reference` the front-end computes everything itself.
pub fn params(loaded: &Loaded, reference: bool) -> Value {
    let tables: Vec<&str> = loaded.tables.iter().map(|(name, _)| *name).collect();
    json!({
        "header": loaded.header.json,
        "tables": tables,
        "stringPieces": loaded.strings.len(),
        "reference": reference,
    })
}

/// Hands everything over: the strings at once, the rest when it has been computed. Blocks as long. Nothing is wrong if
/// nobody takes it: then whoever reads has its own reason.
pub fn run(mut loaded: Loaded, reference: bool, sender: &Sender<InputPiece>) -> Result<(), LoadError> {
    let send = |piece| _ = sender.send(piece);
    let numbers = |table| send(InputPiece::Table(Table::U32(table)));
    std::mem::take(&mut loaded.strings).into_iter().map(InputPiece::Text).for_each(send);
    let small = std::mem::take(&mut loaded.tables).into_iter().map(|(_, table)| table);
    if reference {
        [loaded.nodes, loaded.edges].into_iter().chain(small).for_each(numbers);
        return Ok(());
    }
    let prepared = prepare(loaded)?;
    send(InputPiece::Text(sums(&prepared).into_bytes()));
    let Prepared { nodes, edges, first_edge, classes, flags, distances, attribution, analysis, .. } = prepared;
    [nodes, edges].into_iter().chain(small).chain([first_edge, classes]).for_each(numbers);
    send(InputPiece::Table(Table::U8(flags)));
    [distances, attribution].into_iter().for_each(numbers);
    [analysis.first_retainer, analysis.retaining_nodes, analysis.retaining_edges, analysis.dominators]
        .into_iter()
        .for_each(numbers);
    send(InputPiece::Table(Table::F64(analysis.retained_sizes)));
    [analysis.first_dominated, analysis.dominated].into_iter().for_each(numbers);
    Ok(())
}

/// `Sums` of `js/heap/prepared.ts`.
fn sums(prepared: &Prepared) -> String {
    let Prepared { added_strings, statistics: sizes, native_contexts, retained_by_context: retained, .. } = prepared;
    let rest = json!({
        "statistics": {
            "native": sizes.native,
            "typedArrays": sizes.typed_arrays,
            "code": sizes.code,
            "strings": sizes.strings,
            "arrays": sizes.arrays,
            "system": sizes.system,
        },
        "nativeContexts": {
            "owned": native_contexts.owned,
            "shared": native_contexts.shared,
            "unowned": native_contexts.unowned,
        },
        "retainedByContext": {
            "contextCount": retained.contexts,
            "retainedByContextSize": retained.retained_size,
            "retainedByContextCount": retained.retained,
            "notRetainedByContextSize": retained.others_size,
            "notRetainedByContextCount": retained.others,
            "totalSize": retained.retained_size + retained.others_size,
        },
    });
    let rest = rest.to_string();
    // The strings may have lone surrogates, which JSON can say and Rust's strings cannot.
    format!("{{\"addedStrings\":{added_strings},{}", &rest[1..])
}
