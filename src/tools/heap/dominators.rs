//! `get_heapsnapshot_dominators`: the dominators of an object.

use super::{FILE, MAX_NAME, NODE, names, open, tool};
use crate::report::{HeapData, Report};
use crate::tools::{Arguments, Context, Running, Tool};

/// See the module.
pub const TOOL: Tool = tool(
    "get_heapsnapshot_dominators",
    "Heap snapshot: dominators of an object up to the root. What it retains dies with any of them.",
    &[FILE, NODE, MAX_NAME],
    handler,
);

fn handler<'a>(context: &'a Context, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let snapshot = open(context, &arguments.path("filePath")).await?;
        let chain = snapshot.dominators(arguments.number("nodeId")).await?;
        report.section(HeapData::dominators(&chain, names(arguments)));
        Ok(())
    })
}
