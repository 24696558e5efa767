//! `get_heapsnapshot_duplicate_strings`: strings that are there more than once.

use super::{FILE, MAX_NAME, PAGE_INDEX, PAGE_SIZE, names, open, paging, tool};
use crate::report::{HeapData, Report};
use crate::tools::{Arguments, Context, Running, Tool};

/// See the module.
pub const TOOL: Tool = tool(
    "get_heapsnapshot_duplicate_strings",
    "Heap snapshot: equal strings that are kept more than once.",
    &[FILE, PAGE_INDEX, PAGE_SIZE, MAX_NAME],
    handler,
);

fn handler<'a>(context: &'a Context, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let snapshot = open(context, &arguments.path("filePath")).await?;
        let strings = snapshot.duplicate_strings(paging(arguments)).await?;
        report.section(HeapData::duplicate_strings(&strings, names(arguments)));
        Ok(())
    })
}
