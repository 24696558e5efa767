//! The tools: one file each, and the table that lists them.
//!
//! A tool is data (name, description, parameters, annotations) and a handler that fills a [`Report`]. What all tools
//! have in common (validation, path checks, deadlines, panics) happens around the handler, in `mcp/`.
//! Knows nothing of JSON-RPC and of V8.

pub mod on_page;
pub mod schema;
pub mod size_range;
pub mod validate;

mod click;
mod click_at;
mod close_page;
mod comments;
mod console;
mod drag;
mod emulate;
mod evaluate_script;
mod failures;
mod fill;
mod fill_form;
mod get_console_message;
mod get_css_styles;
mod get_devtools_comments;
mod get_network_request;
mod handle_dialog;
pub mod heap;
mod hover;
mod list_console_messages;
mod list_network_requests;
mod list_pages;
mod navigate_page;
mod new_page;
mod open_devtools;
mod performance_analyze_insight;
mod performance_load_trace;
mod performance_start_trace;
mod performance_stop_trace;
mod press_key;
mod resize_page;
mod resolve_devtools_comment;
mod reveal_in_devtools;
mod select_page;
mod slim;
mod take_heapsnapshot;
mod take_screenshot;
mod take_snapshot;
mod trace_recording;
mod type_text;
mod upload_file;
mod wait_for;

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use devtools_engine::Progress;
use serde_json::{Map, Value};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::files::PathPolicy;
use crate::mcp::session::Session;
use crate::report::{Failure, Report};
use on_page::OnPage;
use schema::Param;

/// Every tool, sorted by name. The only list: `tools/list`, dispatch, the reference page and the tests read it.
pub static TOOLS: &[Tool] = &[
    heap::analyze_contexts::TOOL,
    click::TOOL,
    click_at::TOOL,
    heap::close::TOOL,
    close_page::TOOL,
    heap::compare::TOOL,
    drag::TOOL,
    emulate::TOOL,
    slim::EVALUATE,
    evaluate_script::TOOL,
    fill::TOOL,
    fill_form::TOOL,
    get_console_message::TOOL,
    get_css_styles::TOOL,
    get_devtools_comments::TOOL,
    heap::class_nodes::TOOL,
    heap::details::TOOL,
    heap::dominators::TOOL,
    heap::duplicate_strings::TOOL,
    heap::edges::TOOL,
    heap::object_details::TOOL,
    heap::retainers::TOOL,
    heap::retaining_paths::TOOL,
    heap::summary::TOOL,
    get_network_request::TOOL,
    handle_dialog::TOOL,
    hover::TOOL,
    list_console_messages::TOOL,
    list_network_requests::TOOL,
    list_pages::TOOL,
    slim::NAVIGATE,
    navigate_page::TOOL,
    new_page::TOOL,
    open_devtools::TOOL,
    performance_analyze_insight::TOOL,
    performance_load_trace::TOOL,
    performance_start_trace::TOOL,
    performance_stop_trace::TOOL,
    press_key::TOOL,
    heap::query::TOOL,
    resize_page::TOOL,
    resolve_devtools_comment::TOOL,
    reveal_in_devtools::TOOL,
    slim::SCREENSHOT,
    select_page::TOOL,
    take_heapsnapshot::TOOL,
    take_screenshot::TOOL,
    take_snapshot::TOOL,
    type_text::TOOL,
    upload_file::TOOL,
    wait_for::TOOL,
];

/// Groups of tools that one option switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// Typing and clicking.
    Input,
    /// Pages and where they go.
    Navigation,
    /// Devices and networks.
    Emulation,
    /// Traces and insights.
    Performance,
    /// Requests of a page.
    Network,
    /// Looking into a page.
    Debugging,
    /// Heap snapshots.
    Memory,
}

impl Category {
    /// As in the annotations.
    pub fn name(self) -> &'static str {
        match self {
            Category::Input => "input",
            Category::Navigation => "navigation",
            Category::Emulation => "emulation",
            Category::Performance => "performance",
            Category::Network => "network",
            Category::Debugging => "debugging",
            Category::Memory => "memory",
        }
    }

    fn enabled(self, config: &Config) -> bool {
        match self {
            Category::Input => config.category_input,
            Category::Navigation => config.category_navigation,
            Category::Emulation => config.category_emulation,
            Category::Performance => config.category_performance,
            Category::Network => config.category_network,
            Category::Debugging => config.category_debugging,
            Category::Memory => config.category_memory,
        }
    }
}

/// An option beside its category's that a tool needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// `--slim`. Tools without this condition do not exist under that option.
    Slim,
    /// `--experimentalVision`.
    Vision,
    /// `--javascriptEvaluation`.
    JavaScript,
    /// `--memoryDebugging`.
    MemoryDebugging,
    /// `--devtoolsComments`.
    DevToolsComments,
}

impl Condition {
    /// As in the annotations.
    pub fn name(self) -> &'static str {
        match self {
            Condition::Slim => "slim",
            Condition::Vision => "experimentalVision",
            Condition::JavaScript => "javascriptEvaluation",
            Condition::MemoryDebugging => "memoryDebugging",
            Condition::DevToolsComments => "devtoolsComments",
        }
    }

    fn holds(self, config: &Config) -> bool {
        match self {
            Condition::Slim => config.slim,
            Condition::Vision => config.experimental_vision,
            Condition::JavaScript => config.javascript_evaluation,
            Condition::MemoryDebugging => config.memory_debugging,
            Condition::DevToolsComments => config.devtools_comments,
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
    /// Options it needs beside its category's.
    pub conditions: &'static [Condition],
    /// Parameters without `pageId`.
    pub params: &'static [Param],
    /// What it does.
    pub handler: Handler,
}

/// Fills the report. An error is added to what was reported before it.
pub type PlainHandler = for<'a> fn(&'a Context, &'a Arguments, &'a mut Report) -> Running<'a>;

/// How a tool is run.
pub enum Handler {
    /// As it is.
    Plain(PlainHandler),
    /// As it is; it has a `pageId` as in the original, but needs no page.
    IgnoresPage(PlainHandler),
    /// On a page, which has been found and attached; the tool has a `pageId`.
    Page(OnPage),
}

impl Tool {
    /// Whether the options offer it.
    pub fn enabled(&self, config: &Config) -> bool {
        self.exists(config) && self.category.enabled(config) && self.conditions.iter().all(|c| c.holds(config))
    }

    /// Whether it is there at all: slim mode has tools of its own and no others.
    pub fn exists(&self, config: &Config) -> bool {
        self.conditions.contains(&Condition::Slim) == config.slim
    }

    /// Whether it has a `pageId` that the table adds.
    pub fn has_page_id(&self) -> bool {
        !matches!(self.handler, Handler::Plain(_))
    }

    /// The tool's parameters as offered under these options.
    pub fn all_params<'a>(&'a self, config: &'a Config) -> impl Iterator<Item = &'a Param> {
        let routed = self.has_page_id() && config.page_id_routing && !config.slim;
        let page_id = routed.then_some(&schema::PAGE_ID);
        page_id.into_iter().chain(self.params).filter(|param| param.only_if.is_none_or(|holds| holds(config)))
    }
}

/// Finds a tool by name, enabled or not, in this mode or not.
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
    /// Which files the client may reach.
    pub paths: PathPolicy,
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

    /// A truth value that may not have been given.
    pub fn optional_bool(&self, name: &str) -> Option<bool> {
        self.0.get(name).and_then(Value::as_bool)
    }

    /// A number that validation has guaranteed, 0 otherwise.
    pub fn number(&self, name: &str) -> f64 {
        self.0.get(name).and_then(Value::as_f64).unwrap_or(0.0)
    }

    /// A number that may not have been given.
    pub fn optional_number(&self, name: &str) -> Option<f64> {
        self.0.get(name).and_then(Value::as_f64)
    }

    /// A number of things that may not have been given.
    pub fn optional_count(&self, name: &str) -> Option<usize> {
        self.optional_number(name).map(|number| number as usize)
    }

    /// A list of texts, empty if it was not given.
    pub fn texts(&self, name: &str) -> Vec<String> {
        let items = self.0.get(name).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).collect()
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

    /// The same, without a default.
    pub fn optional_timeout(&self, name: &str) -> Option<Duration> {
        let milliseconds = self.optional_number(name).filter(|&ms| ms > 0.0)?;
        Some(Duration::from_millis(milliseconds as u64))
    }

    /// A path, already checked and canonical.
    pub fn path(&self, name: &str) -> PathBuf {
        PathBuf::from(self.text(name))
    }

    /// The same, if it was given.
    pub fn optional_path(&self, name: &str) -> Option<PathBuf> {
        self.optional_text(name).map(PathBuf::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_well_formed() {
        for slim in [false, true] {
            let here: Vec<&Tool> = TOOLS.iter().filter(|t| t.conditions.contains(&Condition::Slim) == slim).collect();
            assert!(here.windows(2).all(|pair| pair[0].name < pair[1].name), "sorted and without repeats");
        }
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
                assert!(!(own_page_id && tool.has_page_id()), "{}: pageId is added by the table", tool.name);
            }
        }
    }
}
