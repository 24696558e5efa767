//! The intended differences of `get_css_styles`. Text and `structuredContent` are made of the same rules: where these are
//! equal after a difference has been taken out, the original's text is taken.

use serde_json::Value;

use super::super::answer::Answer;
use super::super::script::Call;
use super::{Rule, rule, take_if};

/// Every one.
pub static RULES: &[Rule] = &[
    rule("Styles: running animations and transitions", |call, _, ours, peer| {
        let removed = remove(call, ours, peer, &["animation", "transition"]);
        let animated: Vec<Value> =
            removed.iter().flat_map(properties).map(|property| property["name"].clone()).collect();
        for (mine, theirs) in pairs(ours, peer) {
            let mine = mine.get_mut("properties").and_then(Value::as_array_mut).into_iter().flatten();
            for (mine, theirs) in mine.zip(properties(theirs)) {
                if animated.contains(&mine["name"]) && mine["status"] == "overloaded" && theirs["status"] == "active" {
                    mine["status"] = "active".into();
                }
            }
        }
        settled(!removed.is_empty(), ours, peer)
    }),
    rule("Styles: functions", |call, _, ours, peer| {
        let removed = remove(call, ours, peer, &["function"]);
        settled(!removed.is_empty(), ours, peer)
    }),
    rule("Styles: order of nested layers", |_, _, ours, peer| {
        let mut changed = false;
        for (mine, theirs) in pairs(ours, peer) {
            let layers = |rule: &Value| {
                let list = rule["ancestors"].as_array().cloned().unwrap_or_default();
                let mut list: Vec<String> = list.iter().map(Value::to_string).collect();
                list.sort();
                list
            };
            let several = layers(mine).iter().filter(|text| text.contains("\"layer\"")).count() > 1;
            if several && mine["ancestors"] != theirs["ancestors"] && layers(mine) == layers(theirs) {
                mine["ancestors"] = theirs["ancestors"].clone();
                changed = true;
            }
        }
        settled(changed, ours, peer)
    }),
    rule("Styles: declarations right inside a nested at-rule", |_, _, ours, peer| {
        let mut changed = false;
        for (mine, theirs) in pairs(ours, peer) {
            let first_line = theirs["source"].as_str().is_some_and(|source| source.ends_with(".html:1"));
            let unnamed = theirs["selector"].as_str().is_none_or(str::is_empty);
            let Some(mine) = mine.as_object_mut().filter(|mine| mine["selector"] == "&" && unnamed && first_line)
            else {
                continue;
            };
            mine["source"] = theirs["source"].clone();
            // Inherited ones have none at all.
            match theirs.get("selector") {
                Some(selector) => mine["selector"] = selector.clone(),
                None => _ = mine.shift_remove("selector"),
            }
            changed = true;
        }
        settled(changed, ours, peer)
    }),
    rule("Styles: source maps", |_, _, ours, peer| {
        let mut changed = false;
        for (mine, theirs) in pairs(ours, peer) {
            let source = mine["source"].as_str().unwrap_or_default();
            let original = source.starts_with("base.css:") || source.starts_with("card.css:");
            if original && theirs["source"] == "card.css:1" && mine["source"] != theirs["source"] {
                mine["source"] = theirs["source"].clone();
                changed = true;
            }
        }
        settled(changed, ours, peer)
    }),
    rule("Styles: removed elements", |call, _, ours, peer| {
        let gone = call.tool == "get_css_styles" && ours.is_error && ours.text.contains("was detached from the page.");
        take_if(gone && peer.text.ends_with("\n\n  (no styles)"), ours, peer)
    }),
    rule("Styles: frames of other sites", |call, _, ours, peer| {
        let in_frame = call.tool == "get_css_styles" && call.arguments.contains("In the frame/1");
        let found = ours.text.contains("\n  button (frame.html:2) {\n    color: red;\n");
        take_if(in_frame && found && ours.text != peer.text, ours, peer)
    }),
];

fn rules(answer: &mut Answer) -> Option<&mut Vec<Value>> {
    answer.structured.pointer_mut("/matchedStyles/rules")?.as_array_mut()
}

/// Takes the rules of some types out of ours, if only ours has them.
fn remove(call: &Call, ours: &mut Answer, peer: &mut Answer, types: &[&str]) -> Vec<Value> {
    let inherited = |rule: &Value, kind: &str| {
        let selector = rule["selector"].as_str().unwrap_or_default();
        let named =
            if kind == "animation" { selector.ends_with(" animation") } else { selector == "transitions style" };
        rule["type"] == "inherited" && named
    };
    let is = |rule: &Value| types.iter().any(|kind| rule["type"] == *kind || inherited(rule, kind));
    let only_ours = call.tool == "get_css_styles" && !rules(peer).is_some_and(|rules| rules.iter().any(is));
    let Some(list) = rules(ours).filter(|_| only_ours) else { return Vec::new() };
    let (removed, kept): (Vec<Value>, Vec<Value>) = list.drain(..).partition(is);
    *list = kept;
    if let Some(end) = ours.structured.pointer_mut("/pagination/endIndex") {
        *end = (end.as_u64().unwrap_or_default() - removed.len() as u64).into();
    }
    removed
}

fn properties(rule: &Value) -> impl Iterator<Item = &Value> {
    rule["properties"].as_array().into_iter().flatten()
}

/// The rules of both answers side by side.
fn pairs<'a>(ours: &'a mut Answer, peer: &'a mut Answer) -> Vec<(&'a mut Value, &'a Value)> {
    let (Some(mine), Some(theirs)) = (rules(ours), rules(peer)) else { return Vec::new() };
    mine.iter_mut().zip(theirs.iter()).collect()
}

fn settled(changed: bool, ours: &mut Answer, peer: &Answer) -> bool {
    if changed && ours.structured == peer.structured {
        ours.text = peer.text.clone();
    }
    changed
}
