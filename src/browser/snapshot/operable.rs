//! What can be operated although the accessibility tree does not show it: file fields that are not rendered (a styled
//! button opens them) and clickable elements without text or role, such as icons.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::ax::{Attribute, AxNode};
use crate::browser::frames::{Evaluated, Frame, OBJECTS, call_in_world};
use crate::browser::page::Attached;

/// How long a frame may take to look.
const LOOK: Duration = Duration::from_secs(1);

/// More of them in one frame are left out.
const LIMIT: usize = 40;

#[derive(Deserialize)]
struct Description {
    file: bool,
    name: String,
    tag: String,
}

/// Adds such elements to a frame's nodes, as last children of its root. A frame that does not answer in time has none.
pub async fn add(page: &Attached, frame: &Frame, nodes: &mut Vec<AxNode>) {
    if nodes.is_empty() {
        return;
    }
    let Ok(Some(found)) = tokio::time::timeout(LOOK, look(page, frame)).await else { return };
    for (description, backend) in found {
        if nodes.iter().any(|node| node.backend == backend && !node.ignored && node.role != "generic") {
            continue;
        }
        let state = if description.file { "hidden" } else { "clickable" };
        let node = AxNode {
            role: if description.file { "FileInput".into() } else { description.tag },
            name: description.name,
            attributes: vec![(state, Attribute::Bool(true))],
            backend,
            // Everything that can be operated is kept.
            focusable: true,
            ..AxNode::default()
        };
        let number = nodes.len() as u32;
        nodes.push(node);
        nodes[0].children.push(number);
    }
}

async fn look(page: &Attached, frame: &Frame) -> Option<Vec<(Description, i64)>> {
    let context = page.world(frame).await.ok()?;
    let params = json!({
        "functionDeclaration": include_str!("../scripts/operable.js"),
        "executionContextId": context,
        "arguments": [{"value": LIMIT}],
        "objectGroup": OBJECTS,
    });
    let list: Evaluated = frame.session.call("Runtime.callFunctionOn", params).await.ok()?;
    // An empty list, as on most pages, needs no more questions.
    if list.result.description.as_deref() == Some("Array(0)") {
        return None;
    }
    let list = list.result.object_id?;
    let descriptions: Vec<Description> =
        call_in_world(&frame.session, context, "() => globalThis.operable", &[]).await.ok()?;
    let params = json!({"objectId": list, "ownProperties": true});
    let properties: Value = frame.session.call("Runtime.getProperties", params).await.ok()?;
    let entries = properties["result"].as_array().into_iter().flatten();
    let objects: Vec<&str> = entries.filter_map(|entry| entry["value"]["objectId"].as_str()).collect();
    let nodes = objects.iter().map(|object| async move {
        let node: Value = frame.session.call("DOM.describeNode", json!({"objectId": object})).await.ok()?;
        node["node"]["backendNodeId"].as_i64()
    });
    let backends = futures_util::future::join_all(nodes).await;
    let release = json!({"objectId": list});
    let _: Result<Value, _> = frame.session.call("Runtime.releaseObject", release).await;
    Some(descriptions.into_iter().zip(backends).filter_map(|(d, backend)| Some((d, backend?))).collect())
}
