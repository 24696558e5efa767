//! From a uid to an element in the page, in our isolated world: page scripts cannot see or change what we use there.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::frames::{Evaluated, Frame, OBJECTS, ScriptError};
use super::page::Attached;
use super::snapshot::tree::Uid;
use super::snapshot::{UidError, resolve};
use crate::cdp::{CdpError, Session};

/// Put before each of our element functions.
/// Functions that ours in pages share.
pub(super) const HELPERS: &str = include_str!("scripts/helpers.js");

/// What our functions throw when their element is not in the document any more.
const GONE: &str = "devtools-mcp: gone";

/// An element of a page.
pub struct Element {
    /// Its uid.
    pub uid: Uid,
    /// Role in the snapshot.
    pub role: String,
    /// The frame it is in.
    pub frame: Frame,
    /// DOM node in the frame's process.
    pub backend: i64,
    object: String,
}

/// Why something with an element failed.
#[derive(Debug, thiserror::Error)]
pub enum ElementError {
    /// The uid leads nowhere.
    #[error(transparent)]
    Uid(#[from] UidError),
    /// Our function failed in the page.
    #[error("{0}")]
    Script(String),
    /// The browser refused or lost a call.
    #[error(transparent)]
    Cdp(#[from] CdpError),
}

impl Element {
    /// Finds the element of a uid. Fails at once if its document or the element itself is gone.
    pub async fn find(page: &Attached, id: u32, uid: &str) -> Result<Self, UidError> {
        let (snapshot, uid) = page.node_of(id, uid)?;
        let Some(node) = snapshot.find(uid) else { return Err(UidError::Unknown { uid: uid.to_string(), page: id }) };
        let frame = snapshot.frames[node.frame as usize].clone();
        // Node numbers mean something else in another document, so the document is checked first.
        match frame.shows_same_document(page).await {
            Ok(true) => {}
            Ok(false) | Err(CdpError::TargetClosed { .. } | CdpError::Protocol { .. }) => {
                return Err(UidError::EarlierDocument { uid });
            }
            Err(other) => return Err(other.into()),
        }
        let context = page.world(&frame).await?;
        let Some(object) = resolve(&frame.session, node.backend, Some(context)).await? else {
            return Err(page.gone(&snapshot, uid).await);
        };
        Ok(Element { uid, role: node.role.to_string(), frame, backend: node.backend, object })
    }

    /// Calls a function of ours with the element as its first argument. `function` is the text of an arrow function;
    /// its value must be JSON.
    pub async fn call<T: DeserializeOwned>(
        &self,
        page: &Attached,
        function: &str,
        arguments: &[Value],
    ) -> Result<T, ElementError> {
        match call_on(&self.frame.session, &self.object, function, arguments).await {
            Ok(value) => Ok(value),
            Err(ScriptError::Threw(text)) if text == GONE => {
                let snapshot = page.snapshots().last.clone();
                Err(match snapshot {
                    Some(snapshot) => page.gone(&snapshot, self.uid).await.into(),
                    None => UidError::Gone { uid: self.uid, candidates: Vec::new() }.into(),
                })
            }
            Err(ScriptError::Threw(text)) => Err(ElementError::Script(text)),
            Err(ScriptError::Cdp(error)) => Err(error.into()),
        }
    }

    /// The uid of a DOM node that one of our functions left in `leftBehind`, or of the nearest one around it that the
    /// last snapshot has.
    pub async fn uid_left_behind(&self, page: &Attached) -> Option<Uid> {
        let snapshot = page.snapshots().last.clone()?;
        let known: Vec<i64> = snapshot
            .nodes
            .iter()
            .filter(|node| snapshot.frames[node.frame as usize].id == self.frame.id)
            .map(|node| node.backend)
            .collect();
        let mut step = "function() { return globalThis.leftBehind; }";
        let mut object = self.object.clone();
        for _ in 0..64 {
            let params = json!({"functionDeclaration": step, "objectId": object, "objectGroup": OBJECTS});
            let answer: Evaluated = self.frame.session.call("Runtime.callFunctionOn", params).await.ok()?;
            object = answer.result.object_id?;
            let node: Value = self.frame.session.call("DOM.describeNode", json!({"objectId": object})).await.ok()?;
            let backend = node["node"]["backendNodeId"].as_i64()?;
            if known.contains(&backend) {
                return snapshot
                    .nodes
                    .iter()
                    .find(|n| n.backend == backend && snapshot.frames[n.frame as usize].id == self.frame.id)
                    .map(|n| n.uid);
            }
            step = "function() { return this.parentElement ?? this.getRootNode().host; }";
        }
        None
    }
}

impl Drop for Element {
    fn drop(&mut self) {
        release_all(&self.frame.session);
    }
}

/// Lets go of all objects that are held in a frame's process. Sent at once, so that it cannot hit what a later call
/// of the same turn holds.
pub fn release_all(session: &Session) {
    session.post("Runtime.releaseObjectGroup", json!({"objectGroup": OBJECTS}));
}

/// Calls a function of ours with the helpers and a held object as its first argument.
pub async fn call_on<T: DeserializeOwned>(
    session: &Session,
    object: &str,
    function: &str,
    arguments: &[Value],
) -> Result<T, ScriptError> {
    let declaration =
        format!("function(...given) {{\n{HELPERS}\nreturn (\n{function}\n)(elementOf(this), ...given);\n}}");
    let arguments: Vec<Value> = arguments.iter().map(|value| json!({"value": value})).collect();
    let params = json!({
        "functionDeclaration": declaration,
        "objectId": object,
        "arguments": arguments,
        "returnByValue": true,
        "awaitPromise": true,
        "userGesture": true,
    });
    let evaluated: Evaluated = session.call("Runtime.callFunctionOn", params).await?;
    evaluated.json("Runtime.callFunctionOn")
}
