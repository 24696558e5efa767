//! `upload_file`: gives files to a file field.

use std::path::PathBuf;

use super::click::INCLUDE_SNAPSHOT;
use super::on_page::{OnPage, PageContext};
use super::schema::Param;
use super::{Arguments, Category, Handler, Running, Tool};
use crate::browser::elements::Element;
use crate::browser::input::upload;
use crate::report::Report;

/// See the module.
pub const TOOL: Tool = Tool {
    name: "upload_file",
    description: "Upload files by a file field or a button that opens a file chooser.",
    category: Category::Input,
    read_only: false,
    conditions: &[],
    params: &[
        Param::text("uid", "Field or button, from take_snapshot.").required().obvious(),
        Param::texts("filePaths", 1, "Existing files.").required().file().obvious(),
        INCLUDE_SNAPSHOT,
    ],
    handler: Handler::Page(OnPage::new(handler)),
};

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let paths: Vec<PathBuf> = arguments.texts("filePaths").iter().map(PathBuf::from).collect();
        upload::check(&paths)?;
        let element = Element::find(&context.on, context.page.id, arguments.text("uid")).await?;
        upload::upload(&context.on, &element, &paths).await?;
        let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        report.line(format!("File uploaded from {}.", names.join(", ")));
        context.snapshot_if_wanted(arguments, report).await
    })
}
