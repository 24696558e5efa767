//! `get_heapsnapshot_retaining_paths`: why an object is still there.

use serde_json::json;

use super::{FILE, MAX_NAME, NODE, names, open, tool};
use crate::report::{HeapData, Report};
use crate::tools::schema::Param;
use crate::tools::{Arguments, Context, Running, Tool};

/// See the module.
pub const TOOL: Tool = tool(
    "get_heapsnapshot_retaining_paths",
    "Heap snapshot: why an object is alive, as paths to the roots.",
    &[
        FILE,
        NODE,
        Param::number("maxDepth", "Longest path; default 30, at most 400.").obvious(),
        Param::number("maxNodes", "Objects to visit; default 5000.").obvious(),
        Param::number("maxSiblings", "Retainers of one object to follow; default 100.").obvious(),
        MAX_NAME,
    ],
    handler,
);

/// Deeper answers could not be read by many a JSON parser: each step is two levels.
const DEEPEST: f64 = 400.0;

fn handler<'a>(context: &'a Context, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let snapshot = open(context, &arguments.path("filePath")).await?;
        let mut limits = json!({});
        for name in ["maxDepth", "maxNodes", "maxSiblings"] {
            if let Some(limit) = arguments.optional_number(name) {
                limits[name] = if name == "maxDepth" { limit.min(DEEPEST) } else { limit }.into();
            }
        }
        let paths = snapshot.retaining_paths(arguments.number("nodeId"), limits).await?;
        report.section(HeapData::retaining_paths(&paths, names(arguments)));
        Ok(())
    })
}
