//! `analyze_heapsnapshot_contexts`: variables of closures that nobody can read any more.

use serde_json::json;

use super::{FILE, MAX_NAME, PAGE_INDEX, PAGE_SIZE, names, open, paging, range, tool};
use crate::report::{HeapData, Report};
use crate::tools::schema::Param;
use crate::tools::{Arguments, Context, Running, Tool};

/// See the module.
pub const TOOL: Tool = tool(
    "analyze_heapsnapshot_contexts",
    "Heap snapshot: contexts of closures with variables that no live function can read, by what those retain.",
    &[
        FILE,
        Param::size_range("retainedSize", "What the dead variables of a context retain, such as 10KB."),
        Param::integer("scopeInfoNodeId", "Only contexts of this scope."),
        MAX_NAME,
        PAGE_INDEX,
        PAGE_SIZE,
    ],
    handler,
);

fn handler<'a>(context: &'a Context, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let snapshot = open(context, &arguments.path("filePath")).await?;
        let mut wanted = json!({});
        if let Some(range) = range(arguments, "retainedSize") {
            wanted["min"] = range.min.into();
            if let Some(max) = range.max {
                wanted["max"] = max.into();
            }
        }
        if let Some(scope) = arguments.optional_number("scopeInfoNodeId") {
            wanted["scopeInfoNodeId"] = scope.into();
        }
        let contexts = snapshot.contexts(wanted, paging(arguments)).await?;
        report.section(HeapData::contexts(&contexts, names(arguments)));
        Ok(())
    })
}
