//! `query_heapsnapshot_objects`: objects by name, property, type and size.

use super::{FILE, MAX_NAME, PAGE_INDEX, PAGE_SIZE, names, open, paging, range, tool};
use crate::devtools::heap::Query;
use crate::report::{HeapData, Report};
use crate::tools::schema::Param;
use crate::tools::{Arguments, Context, Running, Tool};

/// See the module.
pub const TOOL: Tool = tool(
    "query_heapsnapshot_objects",
    "Heap snapshot: find objects.",
    &[
        FILE,
        Param::text("className", "Regular expression for the name, in any case."),
        Param::text("propertyName", "Regular expression for the name of one of its references."),
        Param::text("nodeType", "Such as object, closure, string, array, native, code."),
        Param::size_range("retainedSize", "Such as 1MB, 1MB-2MB or -1MB; one size is the least."),
        Param::size_range("selfSize", "The same for the object alone.").obvious(),
        Param::bool("isDetached", "Detached DOM nodes, or all others.").obvious(),
        Param::choice("sortBy", &["retainedSize", "selfSize", "id"], "Order of objects that retain the same size.")
            .obvious(),
        PAGE_INDEX,
        PAGE_SIZE,
        MAX_NAME,
    ],
    handler,
);

fn handler<'a>(context: &'a Context, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let snapshot = open(context, &arguments.path("filePath")).await?;
        let text = |name| arguments.optional_text(name).map(str::to_owned);
        let (retained, own) = (range(arguments, "retainedSize"), range(arguments, "selfSize"));
        let query = Query {
            class_name: text("className"),
            property_name: text("propertyName"),
            node_type: text("nodeType"),
            min_retained_size: retained.map(|range| range.min),
            max_retained_size: retained.and_then(|range| range.max),
            min_self_size: own.map(|range| range.min),
            max_self_size: own.and_then(|range| range.max),
            is_detached: arguments.optional_bool("isDetached"),
            sort_by: text("sortBy"),
        };
        let nodes = snapshot.query(&query, paging(arguments)).await?;
        report.section(HeapData::nodes(&nodes, names(arguments)));
        Ok(())
    })
}
