//! Frames of a page, in whatever process they live, and our isolated world in them.
//!
//! Frames are looked up when they are needed instead of being mirrored from events: what a tool sees is what is there.

use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::page::Attached;
use crate::cdp::{CdpError, Session};

/// How long a frame may take to tell about itself. One that hangs is left out.
const ANSWER: Duration = Duration::from_secs(2);

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
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TreeAnswer {
    frame_tree: Tree,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tree {
    frame: TreeFrame,
    #[serde(default)]
    child_frames: Vec<Tree>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TreeFrame {
    id: String,
    parent_id: Option<String>,
    loader_id: String,
    url: String,
}

impl Attached {
    /// All frames, parents before their children. Frames that do not answer are missing.
    pub async fn frames(&self) -> Result<Vec<Frame>, CdpError> {
        let main = self.session.call_within::<TreeAnswer>("Page.getFrameTree", json!({}), ANSWER).await?;
        let mut frames = Vec::new();
        flatten(main.frame_tree, None, &self.session, 0, &mut frames);
        // Sessions of frames in other processes, outer ones first (they were attached in that order).
        let children: Vec<_> = self.children().into_iter().filter(|child| child.kind == "iframe").collect();
        let trees = children
            .iter()
            .map(|child| child.session.call_within::<TreeAnswer>("Page.getFrameTree", json!({}), ANSWER));
        let trees = futures_util::future::join_all(trees).await;
        let mut rest: Vec<_> = children
            .into_iter()
            .zip(trees)
            .filter_map(|(child, tree)| tree.ok().map(|tree| (child, tree.frame_tree)))
            .collect();
        // A nested one can only be placed after the frame it is in.
        while !rest.is_empty() {
            let before = rest.len();
            let mut waiting = Vec::new();
            for (child, tree) in rest {
                let parent = child.parent_frame.clone().or_else(|| tree.frame.parent_id.clone());
                match frames.iter().find(|f: &&Frame| Some(&f.id) == parent.as_ref()).map(|f| f.depth) {
                    Some(depth) => flatten(tree, parent, &child.session, depth + 1, &mut frames),
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

    /// The main frame, without asking for the others.
    pub async fn main_frame(&self) -> Result<Frame, CdpError> {
        let main = self.session.call_within::<TreeAnswer>("Page.getFrameTree", json!({}), ANSWER).await?;
        let frame = main.frame_tree.frame;
        let session = self.session.clone();
        Ok(Frame { id: frame.id, parent: None, loader: frame.loader_id, url: frame.url, session, depth: 0 })
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

fn flatten(tree: Tree, parent: Option<String>, session: &Session, depth: usize, frames: &mut Vec<Frame>) {
    if depth > MAX_DEPTH || frames.len() >= MAX_FRAMES {
        return;
    }
    let TreeFrame { id, parent_id, loader_id, url } = tree.frame;
    let own = id.clone();
    frames.push(Frame { id, parent: parent.or(parent_id), loader: loader_id, url, session: session.clone(), depth });
    for child in tree.child_frames {
        flatten(child, Some(own.clone()), session, depth + 1, frames);
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
