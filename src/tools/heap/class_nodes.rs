//! `get_heapsnapshot_class_nodes`: the objects of a class.

use super::{FILE, FILTER, MAX_NAME, OBJECT, PAGE_INDEX, PAGE_SIZE, filter, names, open, paging, tool};
use crate::report::{HeapData, Report};
use crate::tools::schema::Param;
use crate::tools::{Arguments, Context, Running, Tool};

/// See the module.
pub const TOOL: Tool = tool(
    "get_heapsnapshot_class_nodes",
    "Heap snapshot: objects of a class.",
    &[
        FILE,
        Param::number("id", "Class id from get_heapsnapshot_details.").required(),
        FILTER,
        OBJECT,
        MAX_NAME,
        PAGE_INDEX,
        PAGE_SIZE,
    ],
    handler,
);

fn handler<'a>(context: &'a Context, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let snapshot = open(context, &arguments.path("filePath")).await?;
        let nodes = snapshot.class_nodes(arguments.number("id"), &filter(arguments), paging(arguments)).await?;
        report.section(HeapData::nodes(&nodes, names(arguments)));
        Ok(())
    })
}
