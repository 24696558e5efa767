//! Checks arguments against a tool's parameters, in the words clients of the original know.
//!
//! All issues are reported together; numbers are not made from texts; unknown keys at the top level are refused.

use serde_json::{Map, Value};

use super::schema::{Param, ParamDefault, ParamKind};
use super::{Tool, size_range};
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
                ParamDefault::Number(value) => _ = result.insert(param.name.into(), value.into()),
                ParamDefault::Configured(value) => _ = result.insert(param.name.into(), value(config).into()),
            },
            value => issues.extend(issues_of(param, value)),
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
        for param in &params {
            if let (Some(check), Some(text)) = (param.check, result.get(param.name).and_then(Value::as_str)) {
                check(text)?;
            }
        }
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

/// What is wrong with one parameter, with its name in front; entries of lists have a path.
fn issues_of(param: &Param, value: Option<&Value>) -> Vec<String> {
    if let (ParamKind::ObjectList(keys), Some(Value::Array(items))) = (param.kind, value) {
        let mut issues = Vec::new();
        for (number, item) in items.iter().enumerate() {
            let path = format!("{}.{number}", param.name);
            if !item.is_object() {
                issues.push(format!("{path}: Invalid input: expected object, received {}", type_name(Some(item))));
                continue;
            }
            for (key, _) in keys.iter().filter(|(key, _)| !item[*key].is_string()) {
                let received = type_name(item.get(*key));
                issues.push(format!("{path}.{key}: Invalid input: expected string, received {received}"));
            }
        }
        return issues;
    }
    if let (ParamKind::TextList { min_items }, Some(Value::Array(items))) = (param.kind, value)
        && items.len() >= min_items
    {
        let wrong = items.iter().enumerate().filter(|(_, item)| !item.is_string());
        return wrong
            .map(|(number, item)| {
                let received = type_name(Some(item));
                format!("{}.{number}: Invalid input: expected string, received {received}", param.name)
            })
            .collect();
    }
    if let (ParamKind::ChoiceList(choices), Some(Value::Array(items))) = (param.kind, value) {
        let wrong = items.iter().enumerate().filter(|(_, item)| !item.as_str().is_some_and(|v| choices.contains(&v)));
        return wrong.map(|(number, _)| format!("{}.{number}: {}", param.name, not_a_choice(choices))).collect();
    }
    issue(param, value).map(|text| format!("{}: {text}", param.name)).into_iter().collect()
}

/// What is wrong with one value, if anything is.
fn issue(param: &Param, value: Option<&Value>) -> Option<String> {
    let expected = match param.kind {
        ParamKind::Text | ParamKind::SizeRange | ParamKind::Choice(_) => "string",
        ParamKind::Bool => "boolean",
        ParamKind::Number { .. } | ParamKind::Integer { .. } | ParamKind::Positive => "number",
        ParamKind::ChoiceList(_) | ParamKind::TextList { .. } | ParamKind::ObjectList(_) => "array",
    };
    let received = type_name(value);
    if let ParamKind::Choice(choices) = param.kind {
        let given = value.and_then(Value::as_str);
        return (!given.is_some_and(|v| choices.contains(&v))).then(|| not_a_choice(choices));
    }
    if received != expected {
        return Some(format!("Invalid input: expected {expected}, received {received}"));
    }
    let value = value?;
    match param.kind {
        ParamKind::SizeRange => size_range::parse(value.as_str()?).err(),
        ParamKind::Positive => {
            let number = value.as_f64()?;
            if number.fract() != 0.0 {
                return Some("Invalid input: expected int, received number".into());
            }
            (number <= 0.0).then(|| "Too small: expected number to be >0".into())
        }
        ParamKind::Number { min, max } | ParamKind::Integer { min, max } => {
            let number = value.as_f64()?;
            if matches!(param.kind, ParamKind::Integer { .. }) && number.fract() != 0.0 {
                return Some("Invalid input: expected int, received number".into());
            }
            if let Some(min) = min.filter(|&m| number < m as f64) {
                return Some(format!("Too small: expected number to be >={min}"));
            }
            max.filter(|&m| number > m as f64).map(|max| format!("Too big: expected number to be <={max}"))
        }
        ParamKind::TextList { min_items } => {
            let items = value.as_array()?;
            (items.len() < min_items).then(|| format!("Too small: expected array to have >={min_items} items"))
        }
        _ => None,
    }
}

fn not_a_choice(choices: &[&str]) -> String {
    let list = choices.iter().map(|c| format!("\"{c}\"")).collect::<Vec<_>>().join("|");
    format!("Invalid option: expected one of {list}")
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

    use super::super::on_page::{OnPage, PageContext};
    use super::super::{Arguments, Category, Handler, Running};
    use super::*;
    use crate::report::Report;

    fn nothing<'a>(_: &'a PageContext, _: &'a Arguments, _: &'a mut Report) -> Running<'a> {
        Box::pin(async { Ok(()) })
    }

    fn size(text: &str) -> Result<(), String> {
        if text.contains('x') { Ok(()) } else { Err(format!("no size: {text}")) }
    }

    static TOOL: Tool = Tool {
        name: "probe",
        description: "test",
        category: Category::Performance,
        read_only: true,
        conditions: &[],
        params: &[
            Param::text("uid", "test").required(),
            Param::bool("reload", "test").default(ParamDefault::Bool(true)),
            Param { kind: ParamKind::Integer { min: Some(1), max: Some(100) }, ..Param::integer("size", "test") },
            Param::choice("mode", &["png", "b"], "test").default(ParamDefault::Configured(|c| &c.screenshot_format)),
            Param::texts("files", 1, "test"),
            Param::objects("elements", &[("uid", ""), ("value", "")], "test"),
            Param::positive("width", "test"),
            Param::number_in("rate", 1, 20, "test"),
            Param::text("viewport", "test").check(size),
            Param::size_range("retained", "test"),
        ],
        handler: Handler::Page(OnPage::new(nothing)),
    };

    fn check(arguments: Value) -> Result<Value, String> {
        let Value::Object(map) = arguments else { panic!("an object") };
        validate(&TOOL, &Config::from_parsed(&crate::config::Parsed::default()), map).map(Value::Object)
    }

    #[test]
    fn defaults_are_filled_in() {
        assert_eq!(check(json!({"uid": "1"})).unwrap(), json!({"uid": "1", "reload": true, "mode": "png"}));
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
        assert_eq!(error(json!({"uid": "", "mode": "c"})), "mode: Invalid option: expected one of \"png\"|\"b\"");
        assert_eq!(error(json!({"uid": "", "files": []})), "files: Too small: expected array to have >=1 items");
        assert!(error(json!({"uid": "", "retained": "-"})).starts_with("retained: Invalid byte size range: "));
        assert_eq!(error(json!({"uid": "", "width": 0})), "width: Too small: expected number to be >0");
        assert_eq!(error(json!({"uid": "", "rate": 0.5})), "rate: Too small: expected number to be >=1");
        assert_eq!(
            error(json!({"uid": "", "elements": [{"uid": "1"}, 3]})),
            "elements.0.value: Invalid input: expected string, received undefined, \
             elements.1: Invalid input: expected object, received number"
        );
        assert_eq!(
            error(json!({"uid": "", "files": ["a", 1]})),
            "files.1: Invalid input: expected string, received number"
        );
        assert_eq!(check(json!({"uid": "", "viewport": "12"})).unwrap_err(), "no size: 12", "the bare message");
        assert_eq!(
            error(json!({"uid": "", "x": 1})),
            "Unrecognized key: \"x\"\nhint: probe takes pageId, uid, reload, size, mode, files, elements, width, rate, viewport, retained"
        );
    }

    #[test]
    fn a_null_for_an_optional_parameter_is_an_issue() {
        assert!(check(json!({"uid": "", "reload": null})).unwrap_err().contains("expected boolean, received null"));
    }
}
