//! `take_heapsnapshot`: the page's heap in a file. The file is complete or not there.

use super::on_page::{OnPage, PageContext};
use super::schema::Param;
use super::{Arguments, Category, Handler, Running, Tool};
use crate::browser::heap_capture;
use crate::files::{OutputError, with_extension};
use crate::report::Report;

/// See the module.
pub const TOOL: Tool = Tool {
    name: "take_heapsnapshot",
    description: "Save a heap snapshot.",
    category: Category::Memory,
    read_only: false,
    conditions: &[],
    params: &[Param::text("filePath", "The .heapsnapshot file to write.").required().file().obvious()],
    handler: Handler::Page(OnPage::new(handler).within(heap_capture::LIMIT)),
};

const EXTENSION: &str = "heapsnapshot";

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let path = with_extension(arguments.path("filePath"), EXTENSION);
        if let Some(other) = path.extension().filter(|e| *e != EXTENSION && !path.is_dir()) {
            return Err(OutputError::Extension {
                path: path.display().to_string(),
                extension: other.to_string_lossy().into_owned(),
                content: "a heap snapshot (.heapsnapshot)",
            }
            .into());
        }
        let pending = context.call.paths.begin(&path)?;
        heap_capture::capture(&context.on.session, pending.file()?, context.call.progress.clone()).await?;
        pending.keep()?;
        report.line(format!("Heap snapshot saved to {}", path.display()));
        Ok(())
    })
}
