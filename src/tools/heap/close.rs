//! `close_heapsnapshot`: frees what a loaded file takes.

use super::FILE;
use crate::report::Report;
use crate::tools::{Arguments, Category, Condition, Context, Handler, Running, Tool};

/// See the module.
pub const TOOL: Tool = Tool {
    name: "close_heapsnapshot",
    description: "Free the memory of a loaded heap snapshot.",
    category: Category::Memory,
    read_only: false,
    conditions: &[Condition::MemoryDebugging],
    params: &[FILE],
    handler: Handler::Plain(handler),
};

fn handler<'a>(context: &'a Context, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let path = arguments.path("filePath");
        context.session.heap.close(&path)?;
        report.line(format!("Closed heap snapshot: {}", path.display()));
        Ok(())
    })
}
