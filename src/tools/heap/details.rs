//! `get_heapsnapshot_details`: classes by retained size.

use super::{FILE, FILTER, MAX_NAME, OBJECT, PAGE_INDEX, PAGE_SIZE, filter, names, open, paging, tool};
use crate::report::{HeapData, Report};
use crate::tools::{Arguments, Context, Running, Tool};

/// See the module.
pub const TOOL: Tool = tool(
    "get_heapsnapshot_details",
    "Heap snapshot: classes with id, count and sizes, by retained size.",
    &[FILE, FILTER, OBJECT, MAX_NAME, PAGE_INDEX, PAGE_SIZE],
    handler,
);

fn handler<'a>(context: &'a Context, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let snapshot = open(context, &arguments.path("filePath")).await?;
        let classes = snapshot.classes(&filter(arguments), paging(arguments)).await?;
        report.section(HeapData::classes(&classes, names(arguments)));
        Ok(())
    })
}
