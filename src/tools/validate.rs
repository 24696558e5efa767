//! Checks arguments against a tool's parameters, in the words clients of the original know.
//!
//! All issues are reported together; numbers are not made from texts; unknown keys at the top level are refused.

use serde_json::{Map, Value};

use super::Tool;
use super::schema::{Param, ParamDefault, ParamKind};
use crate::config::Config;

/// Validates and fills in defaults. The error is the whole text of the result.
pub fn validate(tool: &Tool, config: &Config, arguments: Map<String, Value>) -> Result<Map<String, Value>, String> {
    let params: Vec<&Param> = tool.all_params(config).collect();
    let mut issues = Vec::new();
    let mut result = arguments;
    for param in &params {
        match result.get(param.name) {
            None | Some(Value::Null) if !param.required && result.get(param.name).is_none() => match param.default {
                ParamDefault::None => {}
                ParamDefault::Bool(value) => _ = result.insert(param.name.into(), value.into()),
                ParamDefault::Text(value) => _ = result.insert(param.name.into(), value.into()),
            },
            value => issues.extend(issue(param, value).map(|text| format!("{}: {text}", param.name))),
        }
    }
    let unknown: Vec<String> = result
        .keys()
        .filter(|key| !params.iter().any(|p| p.name == key.as_str()))
        .map(|key| Value::from(key.as_str()).to_string())
        .collect();
    match unknown.len() {
        0 => {}
        1 => issues.push(format!("Unrecognized key: {}", unknown[0])),
        _ => issues.push(format!("Unrecognized keys: {}", unknown.join(", "))),
    }
    if issues.is_empty() {
        return Ok(result);
    }
    let mut text = format!("Input validation error: Invalid arguments for tool {}: {}", tool.name, issues.join(", "));
    if !unknown.is_empty() {
        let known: Vec<&str> = params.iter().map(|p| p.name).collect();
        text.push_str(&format!(
            "\nhint: {} takes {}",
            tool.name,
            if known.is_empty() { "no arguments".into() } else { known.join(", ") }
        ));
    }
    Err(text)
}

/// What is wrong with one value, if anything is.
fn issue(param: &Param, value: Option<&Value>) -> Option<String> {
    let expected = match param.kind {
        ParamKind::Text | ParamKind::Choice(_) => "string",
        ParamKind::Bool => "boolean",
        ParamKind::Number | ParamKind::Integer { .. } => "number",
        ParamKind::TextList { .. } => "array",
    };
    let received = type_name(value);
    if let ParamKind::Choice(choices) = param.kind {
        let given = value.and_then(Value::as_str);
        return (!given.is_some_and(|v| choices.contains(&v))).then(|| {
            let list = choices.iter().map(|c| format!("\"{c}\"")).collect::<Vec<_>>().join("|");
            format!("Invalid option: expected one of {list}")
        });
    }
    if received != expected {
        return Some(format!("Invalid input: expected {expected}, received {received}"));
    }
    let value = value?;
    match param.kind {
        ParamKind::Integer { min, max } => {
            let number = value.as_f64()?;
            if number.fract() != 0.0 {
                return Some("Invalid input: expected int, received number".into());
            }
            if let Some(min) = min.filter(|&m| number < m as f64) {
                return Some(format!("Too small: expected number to be >={min}"));
            }
            max.filter(|&m| number > m as f64).map(|max| format!("Too big: expected number to be <={max}"))
        }
        ParamKind::TextList { min_items } => {
            let items = value.as_array()?;
            if items.len() < min_items {
                return Some(format!("Too small: expected array to have >={min_items} items"));
            }
            let wrong = items.iter().find(|item| !item.is_string())?;
            Some(format!("Invalid input: expected string, received {}", type_name(Some(wrong))))
        }
        _ => None,
    }
}

fn type_name(value: Option<&Value>) -> &'static str {
    match value {
        None => "undefined",
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "boolean",
        Some(Value::Number(_)) => "number",
        Some(Value::String(_)) => "string",
        Some(Value::Array(_)) => "array",
        Some(Value::Object(_)) => "object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::schema::PathUse;
    use super::super::{Arguments, Category, Context, Running};
    use super::*;
    use crate::report::Report;

    const fn param(name: &'static str, kind: ParamKind, required: bool, default: ParamDefault) -> Param {
        Param { name, kind, required, default, path: PathUse::None, description: "test" }
    }

    fn nothing<'a>(_: &'a Context, _: &'a Arguments, _: &'a mut Report) -> Running<'a> {
        Box::pin(async { Ok(()) })
    }

    static TOOL: Tool = Tool {
        name: "probe",
        description: "test",
        category: Category::Performance,
        read_only: true,
        page_scoped: true,
        params: &[
            param("uid", ParamKind::Text, true, ParamDefault::None),
            param("reload", ParamKind::Bool, false, ParamDefault::Bool(true)),
            param("size", ParamKind::Integer { min: Some(1), max: Some(100) }, false, ParamDefault::None),
            param("mode", ParamKind::Choice(&["a", "b"]), false, ParamDefault::Text("a")),
            param("files", ParamKind::TextList { min_items: 1 }, false, ParamDefault::None),
        ],
        handler: nothing,
    };

    fn check(arguments: Value) -> Result<Value, String> {
        let Value::Object(map) = arguments else { panic!("an object") };
        validate(&TOOL, &Config::from_parsed(&crate::config::Parsed::default()), map).map(Value::Object)
    }

    #[test]
    fn defaults_are_filled_in() {
        assert_eq!(check(json!({"uid": "1"})).unwrap(), json!({"uid": "1", "reload": true, "mode": "a"}));
    }

    #[test]
    fn issues_are_reported_together_in_the_originals_words() {
        let error = |arguments: Value| {
            let text = check(arguments).unwrap_err();
            text.strip_prefix("Input validation error: Invalid arguments for tool probe: ").unwrap().to_owned()
        };
        assert_eq!(
            error(json!({"pageId": "1"})),
            "pageId: Invalid input: expected number, received string, uid: Invalid input: expected string, received undefined"
        );
        assert_eq!(error(json!({"uid": null})), "uid: Invalid input: expected string, received null");
        assert_eq!(error(json!({"uid": "", "size": 1.5})), "size: Invalid input: expected int, received number");
        assert_eq!(error(json!({"uid": "", "size": 0})), "size: Too small: expected number to be >=1");
        assert_eq!(error(json!({"uid": "", "size": 101})), "size: Too big: expected number to be <=100");
        assert_eq!(error(json!({"uid": "", "mode": "c"})), "mode: Invalid option: expected one of \"a\"|\"b\"");
        assert_eq!(error(json!({"uid": "", "files": []})), "files: Too small: expected array to have >=1 items");
        assert_eq!(
            error(json!({"uid": "", "x": 1})),
            "Unrecognized key: \"x\"\nhint: probe takes pageId, uid, reload, size, mode, files"
        );
    }

    #[test]
    fn a_null_for_an_optional_parameter_is_an_issue() {
        assert!(check(json!({"uid": "", "reload": null})).unwrap_err().contains("expected boolean, received null"));
    }
}
