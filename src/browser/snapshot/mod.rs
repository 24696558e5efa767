//! Snapshots of a page's accessibility tree: how agents see a page and name its elements.

mod ax;
mod operable;
pub mod render;
pub mod tree;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::page::Attached;
use crate::cdp::CdpError;
use tree::{FrameTree, Snapshot, Uid, Uids};

/// How long a frame may take to tell where another one hangs in it.
const OWNER: Duration = Duration::from_secs(5);

/// Snapshots are numbered through the whole process, as in the original.
static SERIAL: AtomicU32 = AtomicU32::new(1);

/// The snapshots of one page.
#[derive(Default)]
pub struct Snapshots {
    /// The last one; its uids are the ones that can be used.
    pub last: Option<Arc<Snapshot>>,
    uids: Uids,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Owner {
    backend_node_id: i64,
}

/// Takes a snapshot of a page and makes it the page's last one.
pub async fn take(page: &Attached, verbose: bool) -> Result<Arc<Snapshot>, CdpError> {
    let frames = page.frames().await?;
    let owners = frames.iter().map(|frame| {
        let parent = frame.parent.as_ref().and_then(|id| frames.iter().position(|f| f.id == *id));
        // A frame that hangs cannot tell where those inside it hang.
        let session = parent.filter(|&number| !frames[number].silent).map(|number| frames[number].session.clone());
        async move {
            let (parent, session) = (parent?, session?);
            let params = json!({"frameId": frame.id});
            let owner = session.call_within::<Owner>("DOM.getFrameOwner", params, OWNER).await.ok()?;
            Some((parent, owner.backend_node_id))
        }
    });
    let trees = frames.iter().map(|frame| async move {
        if frame.silent {
            return Ok(Vec::new());
        }
        let mut nodes = ax::fetch(frame).await?;
        operable::add(page, frame, &mut nodes).await;
        Ok(nodes)
    });
    let (owners, trees) = tokio::join!(futures_util::future::join_all(owners), futures_util::future::join_all(trees));
    let mut result = Vec::with_capacity(frames.len());
    for ((frame, owner), nodes) in frames.into_iter().zip(owners).zip(trees) {
        let nodes = match nodes {
            Ok(nodes) => nodes,
            // The page itself must answer; a frame of it may be missing.
            Err(error) if result.is_empty() => return Err(error),
            Err(_) => Vec::new(),
        };
        result.push(FrameTree { frame, nodes, owner });
    }
    let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
    let mut snapshots = page.snapshots();
    let snapshot = Arc::new(tree::build(result, verbose, serial, &mut snapshots.uids));
    snapshots.last = Some(snapshot.clone());
    Ok(snapshot)
}

/// Why a uid does not lead to an element.
#[derive(Debug, thiserror::Error)]
pub enum UidError {
    /// Nothing has been told about the page yet.
    #[error("No snapshot found for page {page}.")]
    NoSnapshot { page: u32 },
    /// Not in the last snapshot.
    #[error("Element uid \"{uid}\" not found on page {page}.")]
    Unknown { uid: String, page: u32 },
    /// Its document has been replaced.
    #[error("Element with uid {uid} no longer exists on the page. It belongs to an earlier document.")]
    EarlierDocument { uid: Uid },
    /// It was removed.
    #[error("Element with uid {uid} no longer exists on the page.{}", candidates_text(.candidates))]
    Gone { uid: Uid, candidates: Vec<Uid> },
    /// The browser refused or lost a call.
    #[error(transparent)]
    Cdp(#[from] CdpError),
}

fn candidates_text(candidates: &[Uid]) -> String {
    match candidates {
        [] => String::new(),
        some => {
            let list: Vec<String> = some.iter().map(ToString::to_string).collect();
            format!(" Same role and name now: {}.", list.join(", "))
        }
    }
}

impl UidError {
    /// Names the equal elements that are there now, if it knows any.
    pub fn candidates(&self) -> String {
        match self {
            UidError::Gone { candidates, .. } => candidates_text(candidates),
            _ => String::new(),
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            UidError::Gone { candidates, .. } if !candidates.is_empty() => "use the uid named here",
            UidError::Cdp(_) => "call list_pages to see what is left",
            _ => "call take_snapshot and use a uid from it",
        }
    }
}

/// How many equal elements are named when one is gone.
const CANDIDATES: usize = 5;

impl Attached {
    /// The node of a uid, from the last snapshot.
    pub fn node_of(&self, page: u32, uid: &str) -> Result<(Arc<Snapshot>, Uid), UidError> {
        let snapshot = self.snapshots().last.clone().ok_or(UidError::NoSnapshot { page })?;
        match uid.parse::<Uid>().ok().filter(|uid| snapshot.find(*uid).is_some()) {
            Some(known) => Ok((snapshot, known)),
            None => Err(UidError::Unknown { uid: uid.to_owned(), page }),
        }
    }

    /// The error for a uid whose node has gone. Takes a new snapshot to name equal elements.
    pub async fn gone(&self, snapshot: &Snapshot, uid: Uid) -> UidError {
        let Some(node) = snapshot.find(uid) else { return UidError::Gone { uid, candidates: Vec::new() } };
        let (role, name) = (node.role.clone(), node.name.clone());
        let candidates = match take(self, snapshot.verbose).await {
            Ok(now) => now.alike(&role, &name).take(CANDIDATES).collect(),
            Err(_) => Vec::new(),
        };
        UidError::Gone { uid, candidates }
    }
}

/// A page's DOM node by its backend id, as an object in a world: its object id.
pub(super) async fn resolve(
    session: &crate::cdp::Session,
    backend: i64,
    context: Option<i64>,
) -> Result<Option<String>, CdpError> {
    let mut params = json!({"backendNodeId": backend, "objectGroup": super::frames::OBJECTS});
    if let Some(context) = context {
        params["executionContextId"] = context.into();
    }
    match session.call::<Value>("DOM.resolveNode", params).await {
        Ok(answer) => Ok(answer["object"]["objectId"].as_str().map(str::to_owned)),
        // "No node with given id found", "Node with given id does not belong to the document"; or its frame is gone.
        Err(CdpError::Protocol { .. } | CdpError::TargetClosed { .. }) => Ok(None),
        Err(other) => Err(other),
    }
}
