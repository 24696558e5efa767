//! `get_heapsnapshot_summary`: sizes by kind, native contexts, what contexts retain.

use super::{FILE, MAX_NAME, names, open, tool};
use crate::report::{HeapData, Report};
use crate::tools::{Arguments, Context, Running, Tool};

/// See the module.
pub const TOOL: Tool = tool(
    "get_heapsnapshot_summary",
    "Heap snapshot: sizes by kind, native contexts, what closures retain.",
    &[FILE, MAX_NAME],
    handler,
);

fn handler<'a>(context: &'a Context, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let snapshot = open(context, &arguments.path("filePath")).await?;
        report.section(HeapData::summary(&snapshot.summary().await?, names(arguments)));
        Ok(())
    })
}
