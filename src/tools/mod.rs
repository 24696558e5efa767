//! The tools: one file each, and the table that lists them.
//!
//! A tool is data (name, description, parameters, annotations) and a handler that fills a [`Report`]. What all tools
//! have in common (validation, path checks, deadlines, panics) happens around the handler, in `mcp/`.
//! Knows nothing of JSON-RPC and of V8.

pub mod schema;
pub mod validate;

mod close_page;
mod list_pages;
mod new_page;
mod performance_analyze_insight;
mod performance_load_trace;
mod select_page;

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use devtools_engine::Progress;
use serde_json::{Map, Value};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::mcp::session::Session;
use crate::report::{Failure, Report};
use schema::Param;

/// Every tool, sorted by name. The only list: `tools/list`, dispatch, the reference page and the tests read it.
pub static TOOLS: &[Tool] = &[
    close_page::TOOL,
    list_pages::TOOL,
    new_page::TOOL,
    performance_analyze_insight::TOOL,
    performance_load_trace::TOOL,
    select_page::TOOL,
];

/// Groups of tools that one option switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// Pages and where they go.
    Navigation,
    /// Traces and insights.
    Performance,
}

impl Category {
    /// As in the annotations.
    pub fn name(self) -> &'static str {
        match self {
            Category::Navigation => "navigation",
            Category::Performance => "performance",
        }
    }

    fn enabled(self, config: &Config) -> bool {
        match self {
            Category::Navigation => config.category_navigation,
            Category::Performance => config.category_performance,
        }
    }
}

/// The future a handler returns.
pub type Running<'a> = Pin<Box<dyn Future<Output = Result<(), Failure>> + Send + 'a>>;

/// One tool.
pub struct Tool {
    /// Name, as in the original where it has the tool.
    pub name: &'static str,
    /// For the agent: what it is for.
    pub description: &'static str,
    /// The group it belongs to.
    pub category: Category,
    /// Changes nothing outside the server.
    pub read_only: bool,
    /// Works on one page and therefore has a `pageId`.
    pub page_scoped: bool,
    /// Parameters without `pageId`.
    pub params: &'static [Param],
    /// Fills the report. An error is added to what was reported before it.
    pub handler: for<'a> fn(&'a Context, &'a Arguments, &'a mut Report) -> Running<'a>,
}

impl Tool {
    /// Whether the options offer it.
    pub fn enabled(&self, config: &Config) -> bool {
        self.category.enabled(config)
    }

    /// The tool's parameters as offered under these options.
    pub fn all_params(&self, config: &Config) -> impl Iterator<Item = &Param> {
        let page_id = (self.page_scoped && config.page_id_routing).then_some(&schema::PAGE_ID);
        page_id.into_iter().chain(self.params)
    }
}

/// Finds a tool by name, enabled or not.
pub fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|t| t.name == name)
}

/// What a handler works with.
pub struct Context {
    /// The client's session.
    pub session: Arc<Session>,
    /// Fires when the client cancels or goes away.
    pub cancel: CancellationToken,
    /// Where progress goes, if the client asked for it.
    pub progress: Option<UnboundedSender<Progress>>,
}

/// Validated arguments.
pub struct Arguments(pub Map<String, Value>);

impl Arguments {
    /// A string that validation has guaranteed, empty otherwise.
    pub fn text(&self, name: &str) -> &str {
        self.0.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// A text that may not have been given.
    pub fn optional_text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// A truth value, false if it was not given.
    pub fn bool(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// A page id; a number that cannot be one becomes 0, which no page has.
    pub fn page_id(&self, name: &str) -> u32 {
        let number = self.0.get(name).and_then(Value::as_f64).unwrap_or(0.0);
        if number.fract() == 0.0 && (1.0..=f64::from(u32::MAX)).contains(&number) { number as u32 } else { 0 }
    }

    /// A time limit in milliseconds; none or one that is not above 0 means the default.
    pub fn timeout(&self, name: &str, default: Duration) -> Duration {
        let milliseconds = self.0.get(name).and_then(Value::as_f64).unwrap_or(0.0);
        if milliseconds > 0.0 { Duration::from_millis(milliseconds as u64) } else { default }
    }

    /// A path, already checked and canonical.
    pub fn path(&self, name: &str) -> PathBuf {
        PathBuf::from(self.text(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_well_formed() {
        assert!(TOOLS.windows(2).all(|pair| pair[0].name < pair[1].name), "sorted and without repeats");
        for tool in TOOLS {
            assert!(tool.description.len() <= 300 && tool.description.is_ascii(), "{}: description", tool.name);
            for param in tool.params {
                assert!(
                    param.description.len() <= 200 && !param.description.is_empty(),
                    "{}.{}",
                    tool.name,
                    param.name
                );
                let own_page_id = param.name == schema::PAGE_ID.name;
                assert!(!(own_page_id && tool.page_scoped), "{}: pageId is added by the table", tool.name);
            }
        }
    }
}
