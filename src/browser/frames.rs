//! Frames of a page, in whatever process they live, and our isolated world in them.
//!
//! Frames are looked up when they are needed instead of being mirrored from events: what a tool sees is what is there.

use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::children::Child;
use super::page::Attached;
use crate::cdp::{CdpError, Session};

/// How long a frame may take to tell about itself.
const ANSWER: Duration = Duration::from_secs(2);

/// The same for the page itself.
const OWN_ANSWER: Duration = Duration::from_secs(5);

/// The same for a frame in another process that did not answer the last time: it must not hold up every call.
const ANSWER_AGAIN: Duration = Duration::from_millis(200);

/// Deeper frames are left out: a page that frames itself has no end.
pub const MAX_DEPTH: usize = 10;

/// More frames than this are left out.
pub const MAX_FRAMES: usize = 200;

/// Name of our world, as DevTools shows it.
const WORLD: &str = "devtools-mcp";

/// Objects we hold in pages belong to this group and are released with it.
pub const OBJECTS: &str = "devtools-mcp";

/// A frame.
#[derive(Clone)]
pub struct Frame {
    /// CDP frame id.
    pub id: String,
    /// The frame it is in.
    pub parent: Option<String>,
    /// Id of its document: another one after each navigation.
    pub loader: String,
    /// Address of its document.
    pub url: String,
    /// The session of its process.
    pub session: Session,
    /// 0 for the main frame.
    pub depth: usize,
    /// Frames inside it are left out: there are too many, or they are too deep.
    pub cut: bool,
    /// Its process does not answer; nothing but its place is known.
    pub silent: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TreeAnswer {
    frame_tree: Box<RawValue>,
}

/// Read one level at a time: a page that frames itself nests its tree deeper than a JSON parser goes.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tree {
    frame: TreeFrame,
    #[serde(default)]
    child_frames: Vec<Box<RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TreeFrame {
    id: String,
    parent_id: Option<String>,
    loader_id: String,
    url: String,
}

/// A frame of one process, `depth` levels below that process's first one.
struct Found {
    frame: TreeFrame,
    depth: usize,
    cut: bool,
}

/// The frames of a session, parents first; the first one is the session's own.
async fn tree(session: &Session, root: &str, limit: Duration) -> Result<Vec<Found>, CdpError> {
    let answer = session.call_within::<TreeAnswer>("Page.getFrameTree", json!({}), limit).await;
    match answer {
        Ok(answer) => {
            let mut found = Vec::new();
            let shape =
                |e: serde_json::Error| CdpError::Shape { method: "Page.getFrameTree".into(), why: e.to_string() };
            collect(&answer.frame_tree, 0, &mut found).map_err(shape)?;
            Ok(found)
        }
        // Chrome's own encoder does not nest deeper than about 150 frames.
        Err(CdpError::Protocol { message, .. }) if message.contains("stack limit") => walk(session, root).await,
        Err(error) => Err(error),
    }
}

fn collect(raw: &RawValue, depth: usize, found: &mut Vec<Found>) -> serde_json::Result<()> {
    let Tree { frame, child_frames } = serde_json::from_str(raw.get())?;
    let deepest = depth == MAX_DEPTH;
    found.push(Found { frame, depth, cut: deepest && !child_frames.is_empty() });
    if !deepest {
        child_frames.iter().try_for_each(|child| collect(child, depth + 1, found))?;
    }
    Ok(())
}

/// Finds the frames by going from document to document. What stands for the id of the loader is the document's node.
async fn walk(session: &Session, root: &str) -> Result<Vec<Found>, CdpError> {
    let mut found: Vec<Found> = Vec::new();
    let mut waiting = std::collections::VecDeque::from([(root.to_owned(), None, 0)]);
    while let Some((id, parent_id, depth)) = waiting.pop_front() {
        let Ok((loader_id, url)) = document(session, &id).await else { continue };
        let inner = frames_in(session, &id).await.unwrap_or_default();
        let cut = !inner.is_empty() && (depth == MAX_DEPTH || found.len() >= MAX_FRAMES);
        if !cut {
            waiting.extend(inner.into_iter().map(|inner| (inner, Some(id.clone()), depth + 1)));
        }
        found.push(Found { frame: TreeFrame { id, parent_id, loader_id, url }, depth, cut });
    }
    match found.is_empty() {
        true => Err(CdpError::TargetClosed { method: "Page.getFrameTree".into() }),
        false => Ok(found),
    }
}

/// How the document of a frame is named where its loader's id cannot be had.
const BY_NODE: &str = "document ";

/// Name and address of the document in a frame.
async fn document(session: &Session, frame: &str) -> Result<(String, String), CdpError> {
    let node = describe(session, &evaluate(session, frame, "document").await?).await?;
    let url = node["documentURL"].as_str().unwrap_or_default().to_owned();
    Ok((format!("{BY_NODE}{}", node["backendNodeId"]), url))
}

/// Ids of the frames that a frame's document owns.
async fn frames_in(session: &Session, frame: &str) -> Result<Vec<String>, CdpError> {
    let owners = evaluate(session, frame, "[...document.querySelectorAll('iframe, frame, object, embed')]").await?;
    let params = json!({"objectId": owners, "ownProperties": true});
    let properties: Value = session.call("Runtime.getProperties", params).await?;
    let mut frames = Vec::new();
    for property in properties["result"].as_array().into_iter().flatten() {
        if let Some(owner) = property["value"]["objectId"].as_str()
            && let Some(frame) = describe(session, owner).await?["frameId"].as_str()
        {
            frames.push(frame.to_owned());
        }
    }
    Ok(frames)
}

/// Evaluates in our own world of a frame; the handle of the result.
pub(super) async fn evaluate(session: &Session, frame: &str, expression: &str) -> Result<String, CdpError> {
    let context = world(session, frame).await?;
    let params = json!({"expression": expression, "contextId": context, "objectGroup": OBJECTS});
    let evaluated: Evaluated = session.call("Runtime.evaluate", params).await?;
    evaluated.result.object_id.ok_or(CdpError::Shape { method: "Runtime.evaluate".into(), why: "no object".into() })
}

async fn describe(session: &Session, object: &str) -> Result<Value, CdpError> {
    let mut answer: Value = session.call("DOM.describeNode", json!({"objectId": object})).await?;
    Ok(answer["node"].take())
}

impl Frame {
    /// Whether it still shows the document that it showed when it was found.
    pub async fn shows_same_document(&self, page: &Attached) -> Result<bool, CdpError> {
        if self.loader.starts_with(BY_NODE) {
            return Ok(document(&self.session, &self.id).await?.0 == self.loader);
        }
        let found = tree(&self.session, &self.id, page.own_answer()).await?;
        Ok(found.iter().any(|found| found.frame.id == self.id && found.frame.loader_id == self.loader))
    }
}

impl Attached {
    /// How long the page itself may take to answer, which nothing can be done without; longer on a slowed processor.
    fn own_answer(&self) -> Duration {
        OWN_ANSWER.mul_f64(self.emulation().cpu_factor())
    }

    /// All frames, parents before their children. Of frames in other processes that do not answer only the place is known.
    pub async fn frames(&self) -> Result<Vec<Frame>, CdpError> {
        let main = tree(&self.session, &self.main_frame(), self.own_answer()).await?;
        let mut frames = Vec::new();
        place(main, None, &self.session, 0, false, &mut frames);
        // Sessions of frames in other processes, outer ones first (they were attached in that order).
        let children: Vec<_> = self.children().into_iter().filter(|child| child.kind == "iframe").collect();
        let trees = futures_util::future::join_all(children.iter().map(tree_of)).await;
        let mut rest: Vec<_> =
            children.into_iter().zip(trees).filter_map(|(child, tree)| tree.map(|tree| (child, tree))).collect();
        // A nested one can only be placed after the frame it is in.
        while !rest.is_empty() {
            let before = rest.len();
            let mut waiting = Vec::new();
            for (child, tree) in rest {
                let own = tree.first().and_then(|found| found.frame.parent_id.clone());
                let parent = child.parent_frame.clone().or(own);
                match frames.iter().find(|f: &&Frame| Some(&f.id) == parent.as_ref()).map(|f| f.depth) {
                    Some(depth) => {
                        place(tree, parent, &child.session, depth + 1, child.is_silent(), &mut frames);
                    }
                    None => waiting.push((child, tree)),
                }
            }
            if waiting.len() == before {
                break;
            }
            rest = waiting;
        }
        Ok(frames)
    }

    /// Our world in a frame: the id of its execution context.
    pub async fn world(&self, frame: &Frame) -> Result<i64, CdpError> {
        world(&frame.session, &frame.id).await
    }
}

/// Our world in a frame. Chrome makes it once per document and then finds it by its name.
pub async fn world(session: &Session, frame: &str) -> Result<i64, CdpError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct World {
        execution_context_id: i64,
    }
    let params = json!({"frameId": frame, "worldName": WORLD});
    Ok(session.call::<World>("Page.createIsolatedWorld", params).await?.execution_context_id)
}

/// The frames of a frame in another process; just itself if it does not answer, none if it is gone.
async fn tree_of(child: &Child) -> Option<Vec<Found>> {
    let limit = if child.is_silent() { ANSWER_AGAIN } else { ANSWER };
    let answer = tree(&child.session, &child.target, limit).await;
    child.set_silent(matches!(answer, Err(CdpError::Timeout { .. })));
    match answer {
        Ok(found) => Some(found),
        Err(CdpError::Timeout { .. }) => {
            let (id, parent_id) = (child.target.clone(), child.parent_frame.clone());
            let frame = TreeFrame { id, parent_id, loader_id: String::new(), url: String::new() };
            Some(vec![Found { frame, depth: 0, cut: false }])
        }
        Err(_) => None,
    }
}

/// Adds the frames of one process below a frame of another one.
fn place(
    tree: Vec<Found>,
    parent: Option<String>,
    session: &Session,
    depth: usize,
    silent: bool,
    frames: &mut Vec<Frame>,
) {
    for (number, Found { frame, depth: below, cut }) in tree.into_iter().enumerate() {
        let TreeFrame { id, parent_id, loader_id: loader, url } = frame;
        let parent = if number == 0 { parent.clone().or(parent_id) } else { parent_id };
        let depth = depth + below;
        if depth > MAX_DEPTH || frames.len() >= MAX_FRAMES {
            if let Some(number) = frames.iter().position(|frame| Some(&frame.id) == parent.as_ref()) {
                frames[number].cut = true;
            }
            continue;
        }
        frames.push(Frame { id, parent, loader, url, session: session.clone(), depth, cut, silent });
    }
}

/// A function of ours that failed in the page.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// It threw; the text is the exception's.
    #[error("{0}")]
    Threw(String),
    /// The browser refused or lost the call.
    #[error(transparent)]
    Cdp(#[from] CdpError),
}

/// The answer to `Runtime.evaluate` and `Runtime.callFunctionOn`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Evaluated {
    /// The value or a handle to it.
    pub result: RemoteObject,
    /// Set if it threw.
    pub exception_details: Option<Value>,
}

/// A value in the page.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct RemoteObject {
    /// JavaScript's `typeof`, or CDP's own.
    #[serde(default)]
    pub r#type: String,
    /// `node`, `promise`, …
    pub subtype: Option<String>,
    /// The value, if it was asked for.
    pub value: Option<Value>,
    /// How DevTools would print it.
    pub description: Option<String>,
    /// `-0`, `NaN`, `10n`.
    pub unserializable_value: Option<String>,
    /// The handle.
    pub object_id: Option<String>,
}

impl Evaluated {
    /// The value of a function of ours that returns JSON.
    pub fn json<T: DeserializeOwned>(self, method: &str) -> Result<T, ScriptError> {
        if let Some(details) = &self.exception_details {
            return Err(ScriptError::Threw(exception_text(details)));
        }
        serde_json::from_value(self.result.value.unwrap_or(Value::Null))
            .map_err(|e| CdpError::Shape { method: method.into(), why: e.to_string() }.into())
    }
}

/// What an exception says, without its class name `Error` and without its stack.
pub fn exception_text(details: &Value) -> String {
    let exception = &details["exception"];
    let description = exception["description"].as_str().unwrap_or_default();
    if exception["subtype"] != "error" {
        // Anything can be thrown.
        let value = &exception["value"];
        return match value {
            Value::String(text) => text.clone(),
            Value::Null if !description.is_empty() => description.to_owned(),
            Value::Null => exception["type"].as_str().unwrap_or("undefined").to_owned(),
            other => other.to_string(),
        };
    }
    let class = exception["className"].as_str().unwrap_or_default();
    let end = description.find("\n    at ").unwrap_or(description.len());
    let text = &description[..end];
    let prefix = format!("{class}: ");
    text.strip_prefix(&prefix).or_else(|| text.strip_prefix("Uncaught ")).unwrap_or(text).to_owned()
}

/// Calls a function of ours in a world. `function` is the text of a function; its value must be JSON.
pub async fn call_in_world<T: DeserializeOwned>(
    session: &Session,
    context: i64,
    function: &str,
    arguments: &[Value],
) -> Result<T, ScriptError> {
    let arguments: Vec<Value> = arguments.iter().map(|value| json!({"value": value})).collect();
    let params = json!({
        "functionDeclaration": function,
        "executionContextId": context,
        "arguments": arguments,
        "returnByValue": true,
        "awaitPromise": true,
    });
    session.call::<Evaluated>("Runtime.callFunctionOn", params).await?.json("Runtime.callFunctionOn")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anything_that_is_thrown_has_a_text() {
        let text = |exception: Value| exception_text(&json!({"exception": exception}));
        let error = json!({"type": "object", "subtype": "error", "className": "TypeError",
            "description": "TypeError: no\nsecond line\n    at f (x.js:1:1)"});
        assert_eq!(text(error), "no\nsecond line");
        assert_eq!(text(json!({"type": "string", "value": "plain"})), "plain");
        assert_eq!(text(json!({"type": "object", "className": "Object", "description": "Object"})), "Object");
        assert_eq!(text(json!({"type": "undefined"})), "undefined");
        assert_eq!(text(json!({"type": "number", "value": 7, "description": "7"})), "7");
    }
}
