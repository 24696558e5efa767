//! The styles of an element.

use serde_json::{Map, Value, json};

use super::Section;
use super::paging::Part;
use crate::devtools::live::styles::{Ancestor, Block, FunctionPart, NodeRef, Property, Status};

/// A part of the rules that apply to an element.
pub struct ElementStyles {
    /// The uid that was asked for.
    pub uid: String,
    /// The element that the styles are of.
    pub selector: String,
    /// Those of the part.
    pub blocks: Vec<Block>,
    /// Which part that is.
    pub part: Part,
    /// What else there is to know.
    pub notes: Vec<String>,
}

impl Section for ElementStyles {
    fn order(&self) -> u8 {
        21
    }

    fn text(&self) -> String {
        let mut lines = self.part.lines();
        lines.push(format!("Styles for {} (uid: \"{}\"):", self.selector, self.uid));
        if self.blocks.is_empty() {
            lines.extend([String::new(), "  (no styles)".into()]);
        }
        for block in &self.blocks {
            let mut text = Text { depth: 1, ..Text::default() };
            text.block(block);
            lines.push(String::new());
            lines.extend(text.lines);
        }
        lines.extend(self.notes.iter().map(|note| format!("Note: {note}")));
        lines.join("\n")
    }

    fn structured(&self, content: &mut Map<String, Value>) {
        content.insert("pagination".into(), self.part.structured());
        let element = json!({"uid": self.uid, "selector": self.selector});
        content.insert("matchedStyles".into(), json!({"element": element, "rules": self.blocks}));
        if !self.notes.is_empty() {
            content.insert("styleNotes".into(), self.notes.clone().into());
        }
    }
}

/// Lines, two blanks deeper at each level.
#[derive(Default)]
struct Text {
    lines: Vec<String>,
    depth: usize,
}

impl Text {
    fn line(&mut self, text: impl AsRef<str>) {
        self.lines.push(format!("{}{}", "  ".repeat(self.depth), text.as_ref()));
    }

    /// A header with its braces and what is between them.
    fn braces(&mut self, header: &str, inner: impl FnOnce(&mut Self)) {
        self.line(format!("{header} {{"));
        self.depth += 1;
        inner(self);
        self.depth -= 1;
        self.line("}");
    }

    fn block(&mut self, block: &Block) {
        let from = block.node.as_ref();
        match (&block.pseudo_type, from) {
            (Some(pseudo), None) => self.line(format!("/* Pseudo {pseudo} element */")),
            (Some(pseudo), Some(NodeRef { selector, uid: None, .. })) => {
                self.line(format!("/* Pseudo {pseudo} element (inherited from {selector}) */"));
            }
            (Some(pseudo), Some(NodeRef { selector, uid: Some(uid), .. })) => {
                self.line(format!("/* Pseudo {pseudo} element (inherited from {selector}, uid: \"{uid}\") */"));
            }
            (None, Some(node)) => {
                self.line(format!("Inherited from {}:", named(node)));
                self.depth += 1;
            }
            (None, None) => {}
        }
        self.within(&block.ancestors, |text| text.rule(block));
    }

    fn within(&mut self, ancestors: &[Ancestor], inner: impl FnOnce(&mut Self)) {
        let Some((outermost, others)) = ancestors.split_first() else { return inner(self) };
        if let Ancestor::Container { container: Some(node), .. } = outermost {
            self.line(format!("/* container: {} */", named(node)));
        }
        // Type-erased, since it calls itself.
        let inner: Box<dyn FnOnce(&mut Self) + '_> = Box::new(inner);
        self.braces(&header(outermost), |text| text.within(others, inner));
    }

    fn rule(&mut self, block: &Block) {
        let inactive = if block.active == Some(false) { "[inactive] " } else { "" };
        let source = block.source.as_ref().map(|source| format!(" ({source})")).unwrap_or_default();
        self.braces(&format!("{inactive}{}{source}", block.selector), |text| {
            text.properties(block.properties.as_deref().unwrap_or_default());
            for keyframe in block.keyframes.iter().flatten() {
                text.braces(&keyframe.key_text, |text| text.properties(&keyframe.properties));
            }
            text.body(block.body.as_deref().unwrap_or_default());
        });
    }

    fn body(&mut self, parts: &[FunctionPart]) {
        for part in parts {
            match part {
                FunctionPart::Properties { properties } => self.properties(properties),
                FunctionPart::Condition { condition, body } => self.braces(&header(condition), |text| text.body(body)),
            }
        }
    }

    fn properties(&mut self, properties: &[Property]) {
        for Property { name, value, status, important } in properties {
            let status = match status {
                Status::Active => "",
                Status::Overloaded => "[overloaded] ",
                Status::Invalid => "[invalid] ",
                Status::Disabled => "[disabled] ",
            };
            let important = if *important { " !important" } else { "" };
            self.line(format!("{status}{name}: {value}{important};"));
        }
    }
}

/// A node with its uid.
fn named(node: &NodeRef) -> String {
    match &node.uid {
        Some(uid) => format!("{} (uid: \"{uid}\")", node.selector),
        None => node.selector.clone(),
    }
}

fn header(ancestor: &Ancestor) -> String {
    let with = |name: &str, text: &Option<String>| match text {
        Some(text) => format!("@{name} {text}"),
        None => format!("@{name}"),
    };
    match ancestor {
        Ancestor::Layer { name } => with("layer", name),
        Ancestor::Media { query } => format!("@media {query}"),
        Ancestor::Supports { query } => format!("@supports {query}"),
        Ancestor::Navigation { query } => format!("@navigation {query}"),
        Ancestor::Scope { query } => with("scope", query),
        Ancestor::Container { query, name, .. } => match name {
            Some(name) if !query.starts_with(name.as_str()) => format!("@container {name} {query}"),
            _ => format!("@container {query}"),
        },
        Ancestor::StartingStyle => "@starting-style".into(),
        Ancestor::Nesting { selector } => selector.clone(),
        Ancestor::AtRule { at_rule_type, name } => with(at_rule_type, name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Paging;

    fn text(blocks: Value) -> String {
        let blocks: Vec<Block> = serde_json::from_value(blocks).unwrap();
        let part = Paging { size: Some(10), index: None }.part(blocks.len());
        let section = ElementStyles { uid: "1_7".into(), selector: "div#t".into(), blocks, part, notes: Vec::new() };
        section.text().split_once('\n').unwrap().1.to_owned()
    }

    #[test]
    fn wrappers_nest_and_states_are_marked() {
        let shown = text(json!([{
            "type": "matched",
            "selector": ".box",
            "ancestors": [
                {"type": "layer"},
                {"type": "layer", "name": "theme"},
                {"type": "container", "query": "(width > 1px)", "name": "outer",
                 "container": {"selector": ".wrap", "backend": 3, "uid": "1_3"}},
                {"type": "scope", "query": "(.wrap) to (.limit)"},
                {"type": "starting-style"},
            ],
            "source": "css.html:9",
            "properties": [
                {"name": "color", "value": "blue", "status": "active", "important": true},
                {"name": "colr", "value": "bad", "status": "invalid"},
                {"name": "top", "value": "0", "status": "overloaded"},
                {"name": "left", "value": "0", "status": "disabled"},
            ],
        }]));
        let expected = "\
Styles for div#t (uid: \"1_7\"):

  @layer {
    @layer theme {
      /* container: .wrap (uid: \"1_3\") */
      @container outer (width > 1px) {
        @scope (.wrap) to (.limit) {
          @starting-style {
            .box (css.html:9) {
              color: blue !important;
              [invalid] colr: bad;
              [overloaded] top: 0;
              [disabled] left: 0;
            }
          }
        }
      }
    }
  }";
        assert_eq!(shown, expected);
    }

    #[test]
    fn other_kinds_of_rules() {
        let color = json!({"name": "color", "value": "red", "status": "active"});
        let shown = text(json!([
            {"type": "inherited", "selector": "element.style", "properties": [color],
             "node": {"selector": "body", "backend": 2}},
            {"type": "pseudo", "pseudoType": "::selection", "selector": "::selection", "properties": [color],
             "node": {"selector": "body", "backend": 2, "uid": "1_2"}},
            {"type": "keyframes", "name": "fade", "selector": "@keyframes fade", "source": "a.css:1",
             "keyframes": [{"keyText": "0%", "source": "a.css:2", "properties": [color]}]},
            {"type": "position-try", "name": "--x", "active": false, "selector": "@position-try --x", "properties": [color]},
            {"type": "at-rule", "atRuleType": "font-feature-values", "name": "Own", "subsection": "swash",
             "ancestors": [{"type": "at-rule", "atRuleType": "font-feature-values", "name": "Own"}],
             "selector": "@swash", "properties": [color]},
            {"type": "function", "name": "--f()", "selector": "@function --f()", "body": [
                {"properties": [color]},
                {"condition": {"type": "media", "query": "print"}, "body": [{"properties": [color]}]},
            ]},
        ]));
        let expected = "\
Styles for div#t (uid: \"1_7\"):

  Inherited from body:
    element.style {
      color: red;
    }

  /* Pseudo ::selection element (inherited from body, uid: \"1_2\") */
  ::selection {
    color: red;
  }

  @keyframes fade (a.css:1) {
    0% {
      color: red;
    }
  }

  [inactive] @position-try --x {
    color: red;
  }

  @font-feature-values Own {
    @swash {
      color: red;
    }
  }

  @function --f() {
    color: red;
    @media print {
      color: red;
    }
  }";
        assert_eq!(shown, expected);
        assert!(text(json!([])).ends_with(":\n\n  (no styles)"));
    }
}
