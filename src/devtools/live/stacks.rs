//! Stack traces with original positions and names.

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::{LiveError, Universe};

/// For all stacks of one answer, source maps included; what is not there by then stays in generated positions.
const DEADLINE: Duration = Duration::from_secs(5);

/// Beyond the front-end's own deadline.
const GRACE: Duration = Duration::from_secs(5);

/// A stack to translate.
pub struct RawStack<'a> {
    /// CDP target id of the frame or worker it is from; `None` for the page itself.
    pub target: Option<&'a str>,
    /// It is a shared worker, which no page's session leads to.
    pub is_shared: bool,
    /// `Runtime.StackTrace`.
    pub stack: &'a RawValue,
}

/// Translated stacks.
#[derive(Debug, Deserialize)]
pub struct Stacks {
    /// The lines of each.
    pub stacks: Vec<Vec<String>>,
    /// Why some positions are those of the generated code.
    pub notes: Vec<String>,
}

impl Universe {
    /// Translates stacks, all under one deadline.
    pub async fn stacks(&self, stacks: &[RawStack<'_>]) -> Result<Stacks, LiveError> {
        for target in stacks.iter().filter(|raw| raw.is_shared).filter_map(|raw| raw.target) {
            self.attach_shared(target).await;
        }
        let list: Vec<_> = stacks
            .iter()
            .map(|raw| {
                let stack: serde_json::Value = crate::cdp::decode(raw.stack.get()).unwrap_or_default();
                json!({"target": raw.target, "stack": stack})
            })
            .collect();
        let params = json!({"stacks": list, "deadlineMs": DEADLINE.as_millis() as u64});
        Ok(self.ask("live.stacks", params, DEADLINE + GRACE).await?)
    }
}
