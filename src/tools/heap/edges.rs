//! `get_heapsnapshot_edges`: what an object refers to.

use serde_json::json;

use super::{FILE, MAX_NAME, NODE, PAGE_INDEX, PAGE_SIZE, names, open, paging, range, tool};
use crate::report::{HeapData, Report};
use crate::tools::schema::Param;
use crate::tools::{Arguments, Context, Running, Tool};

/// See the module.
pub const TOOL: Tool = tool(
    "get_heapsnapshot_edges",
    "Heap snapshot: references from an object.",
    &[
        FILE,
        NODE,
        Param::choice("sortBy", &["retainedSize", "selfSize", "name"], "Order; default retainedSize.").obvious(),
        Param::size_range("retainedSize", "Least retained size of targets, such as 1MB."),
        Param::bool("excludePrimitives", "Leave out numbers, undefined, null, true, false; default true.").obvious(),
        MAX_NAME,
        PAGE_INDEX,
        PAGE_SIZE,
    ],
    handler,
);

fn handler<'a>(context: &'a Context, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let snapshot = open(context, &arguments.path("filePath")).await?;
        let mut options = json!({
            "sortBy": arguments.optional_text("sortBy").unwrap_or("retainedSize"),
            "excludePrimitives": arguments.optional_bool("excludePrimitives").unwrap_or(true),
        });
        // The front-end knows no upper end here.
        if let Some(range) = range(arguments, "retainedSize") {
            options["minRetainedSize"] = range.min.into();
        }
        let edges = snapshot.edges(arguments.number("nodeId"), options, paging(arguments)).await?;
        report.section(HeapData::edges(&edges, names(arguments)));
        Ok(())
    })
}
