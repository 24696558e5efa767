//! `get_devtools_comments`: what a user has asked for in comments made in DevTools.

use std::sync::Arc;

use super::on_page::PageContext;
use super::{Arguments, Running, Tool, comments};
use crate::browser::devtools_comments::NodeAnchor;
use crate::browser::snapshot;
use crate::browser::snapshot::tree::{Snapshot, Uid};
use crate::report::{Comment, CommentList, Failure, Report};

/// See the module.
pub const TOOL: Tool = comments::tool(
    "get_devtools_comments",
    "Get comments that the user made in DevTools and has not yet shown you; each is told once.",
    handler,
);

fn handler<'a>(context: &'a PageContext, _: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let Some(window) = comments::window(context, report).await? else { return Ok(()) };
        let mut list = CommentList { comments: Vec::new(), regenerated: None };
        for thread in window.take().await? {
            let element = match &thread.node {
                Some(node) => find(context, node, &mut list.regenerated).await?,
                None => None,
            };
            let request = thread.network_request_id.as_deref().and_then(|id| context.on.network.number_of(id));
            list.comments.push(Comment {
                id: thread.id,
                text: thread.text,
                element: element.map(|uid| uid.to_string()),
                request,
            });
        }
        report.section(list);
        Ok(())
    })
}

/// The uid of a node. A node that the last snapshot does not have needs a new one, in the end a verbose one;
/// `regenerated` says which kind the new one is.
async fn find(
    context: &PageContext,
    node: &NodeAnchor,
    regenerated: &mut Option<&'static str>,
) -> Result<Option<Uid>, Failure> {
    let last = context.on.snapshots().last.clone();
    if let Some(uid) = last.as_ref().and_then(|snapshot| uid_of(context, snapshot, node)) {
        return Ok(Some(uid));
    }
    // A dialog keeps the page from answering.
    if context.on.dialogs.open().is_some() {
        return Ok(None);
    }
    let verbose = last.is_some_and(|snapshot| snapshot.verbose);
    let kinds: &[bool] = if verbose { &[true] } else { &[false, true] };
    for &verbose in kinds {
        let taken = snapshot::take(&context.on, verbose).await?;
        *regenerated = Some(if verbose { "verbose" } else { "standard" });
        if let Some(uid) = uid_of(context, &taken, node) {
            return Ok(Some(uid));
        }
    }
    Ok(None)
}

fn uid_of(context: &PageContext, snapshot: &Arc<Snapshot>, node: &NodeAnchor) -> Option<Uid> {
    let children = context.on.children();
    let child = children.iter().find(|child| child.target == node.target_id);
    let session = child.map_or(&context.on.session, |child| &child.session);
    let found = snapshot.nodes.iter().find(|found| {
        found.backend == node.backend_node_id && snapshot.frames[found.frame as usize].session.id() == session.id()
    });
    found.map(|found| found.uid)
}
