//! An element's styles: the rules that apply to it, in cascade order, and the at-rules that they use.

use std::time::Duration;

use devtools_engine::EngineError;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Universe;

/// For the source maps of all style sheets; what is not there by then stays in generated positions.
const MAPS: Duration = Duration::from_secs(5);

/// For the page's own answers.
const ANSWER: Duration = Duration::from_secs(45);

/// A node that is named in an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeRef {
    /// Its uid, if the last snapshot has it. The front-end does not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    /// Tag with id or classes, in DevTools' form.
    pub selector: String,
    /// DOM node in its frame's process.
    #[serde(skip_serializing)]
    pub backend: i64,
}

/// What became of a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It applies.
    Active,
    /// Another one wins.
    Overloaded,
    /// It is not CSS that the browser knows.
    Invalid,
    /// It is commented out.
    Disabled,
}

/// A declaration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Property {
    /// As written.
    pub name: String,
    /// Without `!important`.
    pub value: String,
    /// What became of it.
    pub status: Status,
    /// Whether it is important.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub important: bool,
}

/// What a rule is nested in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Ancestor {
    /// `@layer`.
    Layer {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// `@media`.
    Media { query: String },
    /// `@supports`.
    Supports { query: String },
    /// `@navigation`.
    Navigation { query: String },
    /// `@scope`.
    Scope {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        query: Option<String>,
    },
    /// `@container`, with the element that is asked.
    Container {
        query: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        container: Option<NodeRef>,
    },
    /// `@starting-style`.
    StartingStyle,
    /// The rule around a nested one.
    Nesting { selector: String },
    /// The at-rule around a subsection of it.
    AtRule {
        at_rule_type: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
}

/// A part of a function's body, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FunctionPart {
    /// Only under a condition.
    Condition { condition: Ancestor, body: Vec<FunctionPart> },
    /// Declarations.
    Properties { properties: Vec<Property> },
}

/// A step of an animation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Keyframe {
    /// `0%`.
    pub key_text: String,
    /// Where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Its declarations.
    pub properties: Vec<Property>,
}

/// A rule with its declarations. Serialised it is an item of `matchedStyles.rules`; which keys it has depends on its type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Block {
    /// `matched`, `inherited`, `keyframes`, …
    pub r#type: String,
    /// The element it comes from, if that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeRef>,
    /// With its colons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pseudo_type: Option<String>,
    /// Of an animation, at-rule, property or function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `font-face`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_rule_type: Option<String>,
    /// `styleset`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subsection: Option<String>,
    /// Of position fallbacks: whether it is the one in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active: Option<bool>,
    /// What stands before the brace.
    pub selector: String,
    /// Outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ancestors: Vec<Ancestor>,
    /// Those of several selectors that match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matching_selectors: Option<Vec<String>>,
    /// File and line, or what else it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Whether it is of the browser's own sheet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_user_agent: bool,
    /// Its declarations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub properties: Option<Vec<Property>>,
    /// Of an animation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyframes: Option<Vec<Keyframe>>,
    /// Of a function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Vec<FunctionPart>>,
}

impl Block {
    /// The nodes that it names.
    pub fn nodes_mut(&mut self) -> impl Iterator<Item = &mut NodeRef> {
        let containers = self.ancestors.iter_mut().filter_map(|ancestor| match ancestor {
            Ancestor::Container { container, .. } => container.as_mut(),
            _ => None,
        });
        self.node.iter_mut().chain(containers)
    }
}

/// Why there are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoStyles {
    /// The node is not in its document any more.
    Detached,
    /// It is neither an element nor in one.
    NotElement,
    /// The browser gave none.
    NoStyles,
}

/// An answer of the front-end.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Styles {
    /// The styles.
    Found {
        /// The element; of a text the one around it.
        element: NodeRef,
        /// In cascade order, at-rules at the end.
        blocks: Vec<Block>,
        /// Why some positions are those of generated sheets.
        notes: Vec<String>,
    },
    /// There are none.
    Not {
        /// The reason.
        failure: NoStyles,
    },
}

impl Universe {
    /// The styles of a node. `target`: the CDP target of its frame, if that is not the page's.
    pub async fn styles(&self, target: Option<&str>, backend: i64) -> Result<Styles, EngineError> {
        let params = json!({"target": target, "backend": backend, "deadlineMs": MAPS.as_millis() as u64});
        self.ask("live.styles", params, MAPS + ANSWER).await
    }
}
