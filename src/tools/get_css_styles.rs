//! `get_css_styles`: the rules that apply to an element, as in DevTools' Styles pane.

use std::collections::HashMap;

use super::on_page::{OnPage, PageContext};
use super::schema::{Param, ParamDefault};
use super::{Arguments, Category, Handler, Running, Tool};
use crate::browser::snapshot::UidError;
use crate::browser::snapshot::tree::{Node, Snapshot, Uid};
use crate::cdp::{CdpError, Session};
use crate::devtools::frontend::Purpose;
use crate::devtools::live::styles::{NoStyles, Styles};
use crate::report::{ElementStyles, Failure, Paging, Report};

/// See the module.
pub const TOOL: Tool = Tool {
    name: "get_css_styles",
    description: "Show the CSS rules of an element in cascade order: matched, inherited, pseudo elements, at-rules.",
    category: Category::Debugging,
    read_only: true,
    conditions: &[],
    params: &[
        Param::text("uid", "Element of the last snapshot.").required().obvious(),
        Param::positive("pageSize", "Rules of each page of the list.").default(ParamDefault::Number(10)).obvious(),
        Param::integer_from("pageIdx", 0, "Page of the list, from 0.").default(ParamDefault::Number(0)).obvious(),
    ],
    handler: Handler::Page(OnPage::new(handler)),
};

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let (snapshot, uid) = context.on.node_of(context.page.id, arguments.text("uid"))?;
        let unknown = || UidError::Unknown { uid: uid.to_string(), page: context.page.id };
        let node = snapshot.find(uid).ok_or_else(unknown)?;
        let session = session_of(&snapshot, node);
        check(context, &snapshot, uid, node).await?;
        let universe = context.universe(Purpose::Other).await.map_err(|error| {
            let problem = format!("DevTools universe is not available for page {}: {error}", context.page.id);
            Failure::new(problem, "try again; if it fails again, navigate_page with type reload")
        })?;
        let children = context.on.children();
        let child = children.iter().find(|child| child.session.id() == session.id());
        let styles = universe.styles(child.map(|child| child.target.as_str()), node.backend).await;
        let styles = styles.map_err(|error| {
            let problem = format!("Could not retrieve matched styles for element with uid \"{uid}\": {error}");
            Failure::new(problem, "the page may be too busy to answer; try again")
        })?;
        let (element, mut blocks, notes) = match styles {
            Styles::Found { element, blocks, notes } => (element, blocks, notes),
            Styles::Not { failure } => return Err(failed(context, &snapshot, uid, failure).await),
        };
        let paging = Paging { size: arguments.optional_count("pageSize"), index: arguments.optional_count("pageIdx") };
        let part = paging.part(blocks.len());
        blocks.truncate(part.range.end);
        blocks.drain(..part.range.start);
        let uids = uids(&snapshot, session);
        for node in blocks.iter_mut().flat_map(|block| block.nodes_mut()) {
            node.uid = uids.get(&node.backend).map(Uid::to_string);
        }
        report.section(ElementStyles { uid: uid.to_string(), selector: element.selector, blocks, part, notes });
        Ok(())
    })
}

fn session_of<'a>(snapshot: &'a Snapshot, node: &Node) -> &'a Session {
    &snapshot.frames[node.frame as usize].session
}

/// Whether the uid's node can be asked about: node numbers mean something else in another document.
async fn check(context: &PageContext, snapshot: &Snapshot, uid: Uid, node: &Node) -> Result<(), Failure> {
    if node.backend == 0 {
        let problem = format!("Failed to resolve backend node ID for uid \"{uid}\": it is a part of a text");
        return Err(Failure::new(problem, "use the uid of the element around it"));
    }
    match snapshot.frames[node.frame as usize].shows_same_document(&context.on).await {
        Ok(true) => Ok(()),
        Ok(false) | Err(CdpError::TargetClosed { .. } | CdpError::Protocol { .. }) => {
            Err(failed(context, snapshot, uid, NoStyles::Detached).await)
        }
        Err(other) => Err(other.into()),
    }
}

async fn failed(context: &PageContext, snapshot: &Snapshot, uid: Uid, why: NoStyles) -> Failure {
    match why {
        NoStyles::Detached => {
            let gone = context.on.gone(snapshot, uid).await;
            Failure::new(
                format!("Element with uid \"{uid}\" was detached from the page.{}", gone.candidates()),
                gone.hint(),
            )
        }
        NoStyles::NotElement => Failure::new(
            format!("Element with uid \"{uid}\" is not an element node, and no element is around it."),
            "use the uid of an element; a snapshot with verbose has html and body",
        ),
        NoStyles::NoStyles => {
            let problem = format!("Could not retrieve matched styles for element with uid \"{uid}\".");
            Failure::new(problem, "call take_snapshot and use a uid from it")
        }
    }
}

/// The uids of the nodes that live in one process.
fn uids(snapshot: &Snapshot, session: &Session) -> HashMap<i64, Uid> {
    let mut uids = HashMap::new();
    let here = |node: &&Node| node.backend != 0 && session_of(snapshot, node).id() == session.id();
    for node in snapshot.nodes.iter().filter(here) {
        uids.entry(node.backend).or_insert(node.uid);
    }
    uids
}
