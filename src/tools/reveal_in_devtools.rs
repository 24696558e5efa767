//! `reveal_in_devtools`: shows a panel, an element or a request in the DevTools window.

use super::on_page::PageContext;
use super::schema::Param;
use super::{Arguments, Running, Tool, comments};
use crate::browser::devtools_comments::NodeAnchor;
use crate::report::{Failure, Report};

/// See the module.
pub const TOOL: Tool = Tool {
    params: &[
        Param::text("panelName", "For example elements, console, network, sources."),
        Param::text("uid", "Element of the last snapshot.").obvious(),
        Param::number("reqid", "Number of a request.").obvious(),
    ],
    ..comments::tool("reveal_in_devtools", "Show a panel, an element or a request in the DevTools window.", handler)
};

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let Some(window) = comments::window(context, report).await? else { return Ok(()) };
        let mut node = None;
        if let Some(uid) = arguments.optional_text("uid") {
            node = anchor(context, uid);
            if node.is_none() {
                report.line(format!("Warning: Could not resolve snapshot UID \"{uid}\"; nothing is revealed for it."));
            }
        }
        let mut request = None;
        if arguments.0.contains_key("reqid") {
            let id = arguments.page_id("reqid");
            let not_found =
                || Failure::new("Request not found for selected page", "list_network_requests has the numbers");
            request = Some((id, context.on.network.request_id(id).ok_or_else(not_found)?));
        }
        let panel = arguments.optional_text("panelName").filter(|panel| !panel.is_empty());
        let target = match (&node, &request) {
            (Some(node), _) => {
                format!(" (revealing element {} [backend node {}])", arguments.text("uid"), node.backend_node_id)
            }
            (None, Some((id, cdp))) => format!(" (revealing network request {id} [{cdp}])"),
            (None, None) => String::new(),
        };
        window.reveal(panel.unwrap_or_default(), node, request.as_ref().map(|(_, cdp)| cdp.as_str())).await?;
        report.line(match panel {
            Some(panel) => format!("Navigated to {panel} panel{target} in DevTools."),
            None => format!("Revealed target{target} in DevTools."),
        });
        Ok(())
    })
}

/// The element of a uid as DevTools names it.
fn anchor(context: &PageContext, uid: &str) -> Option<NodeAnchor> {
    let (snapshot, uid) = context.on.node_of(context.page.id, uid).ok()?;
    let node = snapshot.find(uid).filter(|node| node.backend != 0)?;
    let session = &snapshot.frames[node.frame as usize].session;
    let children = context.on.children();
    let child = children.iter().find(|child| child.session.id() == session.id());
    let target_id = child.map_or(&context.page.target, |child| &child.target).clone();
    Some(NodeAnchor { backend_node_id: node.backend, target_id })
}
