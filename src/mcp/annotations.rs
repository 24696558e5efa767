//! The annotations of our tools. The original adds two keys that MCP does not define, `category` and `conditions`;
//! rmcp's type has no room for them, so the transport puts them into the `tools/list` answer on its way out.

use serde_json::{Map, Value};

use crate::tools;

/// The annotations object of one tool.
pub fn of(tool: &tools::Tool) -> Map<String, Value> {
    let mut annotations = Map::new();
    annotations.insert("readOnlyHint".into(), tool.read_only.into());
    annotations.insert("category".into(), tool.category.name().into());
    if !tool.conditions.is_empty() {
        let names: Vec<&str> = tool.conditions.iter().map(|c| c.name()).collect();
        annotations.insert("conditions".into(), names.into());
    }
    annotations
}

/// Completes a JSON-RPC message if it is an answer to `tools/list`.
pub fn complete(message: &mut Value) {
    let Some(listed) = message.pointer_mut("/result/tools").and_then(Value::as_array_mut) else { return };
    for entry in listed {
        let Some(tool) = entry.get("name").and_then(Value::as_str).and_then(tools::find) else { continue };
        entry["annotations"] = Value::Object(of(tool));
    }
}
