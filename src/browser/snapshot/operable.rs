//! What the accessibility tree does not tell about operating the page: file fields that are not rendered (a styled button
//! opens them) and clickable elements without text or role become nodes; controls that are covered or out of reach, and
//! what opens a closed `<details>`, are marked.

use std::collections::HashMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::ax::{Attribute, AxNode, add as add_attribute};
use crate::browser::elements::HELPERS;
use crate::browser::frames::{Evaluated, Frame, OBJECTS, call_in_world};
use crate::browser::page::Attached;

/// How long a frame may take to look.
const LOOK: Duration = Duration::from_secs(1);

/// More such elements in one frame are left out.
const LIMIT: usize = 40;

/// More nodes in one frame are not marked.
const MARKS: usize = 100;

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Kind {
    File,
    Clickable,
    Covered,
    Offscreen,
    Closed,
}

#[derive(Deserialize)]
struct Description {
    kind: Kind,
    name: String,
    tag: String,
    characters: usize,
}

/// Adds such elements to a frame's nodes, as last children of its root, and marks others. A frame that does not answer in
/// time has none.
pub async fn add(page: &Attached, frame: &Frame, nodes: &mut Vec<AxNode>) {
    if nodes.is_empty() {
        return;
    }
    let Ok(Some(found)) = tokio::time::timeout(LOOK, look(page, frame)).await else { return };
    apply(found, nodes);
}

fn apply(found: Vec<(Description, i64)>, nodes: &mut Vec<AxNode>) {
    // A node that is shown in any case comes first.
    let mut shown: HashMap<i64, usize> = HashMap::with_capacity(nodes.len());
    for (number, node) in nodes.iter().enumerate().filter(|(_, node)| !node.ignored) {
        shown.entry(node.backend).or_insert(number);
    }
    for (Description { kind, name, tag, characters }, backend) in found {
        let known = shown.get(&backend).copied();
        let (key, value) = match kind {
            Kind::File => ("hidden", Attribute::Bool(true)),
            Kind::Clickable => ("clickable", Attribute::Bool(true)),
            Kind::Covered => ("covered", Attribute::Bool(true)),
            Kind::Offscreen => ("offscreen", Attribute::Bool(true)),
            Kind::Closed => ("omitted", Attribute::Text(format!("{characters} characters").into())),
        };
        match (kind, known) {
            (Kind::File | Kind::Clickable, Some(known)) if &*nodes[known].role != "generic" => {}
            (Kind::File | Kind::Clickable, _) => {
                let number = nodes.len() as u32;
                nodes.push(AxNode {
                    role: if kind == Kind::File { "FileInput".into() } else { tag.into() },
                    name: name.into(),
                    attributes: Box::new([(key, value)]),
                    backend,
                    // Everything that can be operated is kept.
                    focusable: true,
                    ..AxNode::default()
                });
                nodes[0].children.push(number);
            }
            (Kind::Closed, _) if characters == 0 => {}
            (_, Some(known)) => {
                add_attribute(&mut nodes[known].attributes, key, value);
            }
            (_, None) => {}
        }
    }
}

const OPERABLE: &str = include_str!("../scripts/operable.js");

async fn look(page: &Attached, frame: &Frame) -> Option<Vec<(Description, i64)>> {
    let context = page.world(frame).await.ok()?;
    let params = json!({
        "functionDeclaration": format!("(...given) => {{ {HELPERS}\nreturn ({OPERABLE})(...given); }}"),
        "executionContextId": context,
        "arguments": [{"value": LIMIT}, {"value": MARKS}],
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_go_to_nodes_that_are_shown_and_the_rest_is_added() {
        let node = |role: &str, backend, ignored| AxNode { role: role.into(), backend, ignored, ..AxNode::default() };
        let mut nodes = vec![node("RootWebArea", 1, false), node("button", 2, true), node("button", 2, false)];
        let found =
            |kind, backend, characters| (Description { kind, name: "n".into(), tag: "i".into(), characters }, backend);
        let list = vec![found(Kind::Covered, 2, 0), found(Kind::Closed, 2, 0), found(Kind::Closed, 2, 7)];
        apply(list, &mut nodes);
        let expected = [("covered", Attribute::Bool(true)), ("omitted", Attribute::Text("7 characters".into()))];
        assert_eq!((&*nodes[2].attributes, nodes[1].attributes.len()), (expected.as_slice(), 0));
        apply(vec![found(Kind::File, 2, 0), found(Kind::File, 3, 0), found(Kind::Offscreen, 4, 0)], &mut nodes);
        assert_eq!((nodes.len(), &*nodes[3].role, nodes[0].children.as_slice()), (4, "FileInput", [3].as_slice()));
    }
}
