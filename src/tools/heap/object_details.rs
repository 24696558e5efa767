//! `get_heapsnapshot_object_details`: one object.

use super::{FILE, MAX_NAME, NODE, names, open, tool};
use crate::report::{HeapData, Report};
use crate::tools::{Arguments, Context, Running, Tool};

/// See the module.
pub const TOOL: Tool =
    tool("get_heapsnapshot_object_details", "Heap snapshot: one object.", &[FILE, NODE, MAX_NAME], handler);

fn handler<'a>(context: &'a Context, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let snapshot = open(context, &arguments.path("filePath")).await?;
        let object = snapshot.object_details(arguments.number("nodeId")).await?;
        report.section(HeapData::object_details(&object, names(arguments)));
        Ok(())
    })
}
