//! `compare_heapsnapshots`: what changed from one snapshot to a later one.

use super::{MAX_NAME, PAGE_INDEX, PAGE_SIZE, names, open, paging, tool};
use crate::report::{HeapData, Report};
use crate::tools::schema::Param;
use crate::tools::{Arguments, Context, Running, Tool};

/// See the module.
pub const TOOL: Tool = tool(
    "compare_heapsnapshots",
    "Compare two heap snapshots of one page: classes that changed, or with classIndex the objects of one.",
    &[
        Param::text("baseFilePath", "The earlier snapshot.").required().file().obvious(),
        Param::text("currentFilePath", "The later snapshot.").required().file().obvious(),
        Param::number("classIndex", "Index of a class in the list."),
        MAX_NAME,
        PAGE_INDEX,
        PAGE_SIZE,
    ],
    handler,
);

fn handler<'a>(context: &'a Context, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let base = open(context, &arguments.path("baseFilePath")).await?;
        let current = open(context, &arguments.path("currentFilePath")).await?;
        report.section(match arguments.optional_number("classIndex") {
            Some(class) => HeapData::change_detail(&current.change_detail(&base, class).await?, names(arguments)),
            None => HeapData::changes(&current.changes(&base, paging(arguments)).await?, names(arguments)),
        });
        Ok(())
    })
}
