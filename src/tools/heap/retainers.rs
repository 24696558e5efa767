//! `get_heapsnapshot_retainers`: what refers to an object.

use super::{FILE, MAX_NAME, NODE, PAGE_INDEX, PAGE_SIZE, names, open, paging, tool};
use crate::report::{HeapData, Report};
use crate::tools::{Arguments, Context, Running, Tool};

/// See the module.
pub const TOOL: Tool = tool(
    "get_heapsnapshot_retainers",
    "Heap snapshot: references to an object.",
    &[FILE, NODE, MAX_NAME, PAGE_INDEX, PAGE_SIZE],
    handler,
);

fn handler<'a>(context: &'a Context, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let snapshot = open(context, &arguments.path("filePath")).await?;
        let edges = snapshot.retainers(arguments.number("nodeId"), paging(arguments)).await?;
        report.section(HeapData::edges(&edges, names(arguments)));
        Ok(())
    })
}
