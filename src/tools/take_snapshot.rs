//! `take_snapshot`: the page as a tree of elements with uids.

use super::on_page::{OnPage, PageContext};
use super::schema::Param;
use super::{Arguments, Category, Handler, Running, Tool};
use crate::browser::snapshot::UidError;
use crate::browser::snapshot::render::{self, View};
use crate::files::with_extension;
use crate::report::{Report, SnapshotSection};

/// See the module.
pub const TOOL: Tool = Tool {
    name: "take_snapshot",
    description: "Show the page as a tree of elements with uids for the other tools. Prefer it to screenshots.",
    category: Category::Debugging,
    read_only: false,
    conditions: &[],
    params: &[
        Param::bool("verbose", "Every node of the accessibility tree.").obvious(),
        Param::text("filePath", "Write it to this file instead.").file().obvious(),
        Param::text("uid", "Only below this element."),
        Param::text("query", "Only lines with this text and their parents."),
        Param::bool("changesOnly", "Only what changed since the last snapshot."),
    ],
    handler: Handler::Page(OnPage::new(handler)),
};

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let before = context.on.snapshots().last.clone();
        let (snapshot, selected) = context.take_snapshot(arguments.bool("verbose")).await?;
        let root = match arguments.optional_text("uid") {
            Some(uid) => Some(
                uid.parse()
                    .ok()
                    .filter(|uid| snapshot.find(*uid).is_some())
                    .ok_or_else(|| UidError::Unknown { uid: uid.into(), page: context.page.id })?,
            ),
            None => None,
        };
        let file = arguments.optional_path("filePath");
        let view = View {
            root,
            query: arguments.optional_text("query").filter(|q| !q.is_empty()).map(str::to_owned),
            budget: if file.is_some() { 0 } else { context.config.snapshot_budget },
            selected,
        };
        let changes = match before {
            Some(before) if arguments.bool("changesOnly") => Some(render::changes(&before, &snapshot, view.budget)),
            _ => None,
        };
        if let Some(path) = file {
            let path = with_extension(path, "txt");
            let text = changes.unwrap_or_else(|| render::text(&snapshot, &view));
            context.call.paths.write(&path, text.as_bytes())?;
            report.section(SnapshotSection::File(path));
            return Ok(());
        }
        report.section(match changes {
            Some(text) => SnapshotSection::Changes(text),
            None => SnapshotSection::tree(&snapshot, &view, &context.config),
        });
        Ok(())
    })
}
