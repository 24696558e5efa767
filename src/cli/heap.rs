//! `devtools-mcp heap …`: what DevTools says about heap snapshot files, without a browser.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use serde_json::{Value, json};

use super::output::print;
use super::progress::Bar;
use super::{fail, start_log};
use crate::config::default_heap_limit;
use crate::devtools::heap::{self, Filter, HeapError, HeapSnapshot, LoadOptions, Paging, Query};
use crate::report::HeapData;
use crate::report::heap::{Names, Notes, leaks};
use crate::tools::size_range::{self, SizeRange};

/// Analyse heap snapshot files (.heapsnapshot or .heaptimeline, also with .gz), in DevTools' numbers.
#[derive(Parser)]
#[command(name = "devtools-mcp heap", bin_name = "devtools-mcp heap")]
pub struct Command {
    #[command(subcommand)]
    action: Action,
    /// Print one JSON object instead of text.
    #[arg(long, global = true)]
    json: bool,
    /// Memory limit of the analysis in MB.
    #[arg(long, alias = "engineHeapLimit", value_name = "MB", global = true, value_parser = clap::value_parser!(u32).range(1..))]
    engine_heap_limit: Option<u32>,
    /// Characters of a name that are shown.
    #[arg(long, value_name = "N", global = true, default_value_t = 100)]
    name_length: usize,
}

#[derive(Subcommand)]
enum Action {
    /// Sizes by kind, native contexts, what closures retain.
    Summary { file: PathBuf },
    /// Classes by retained size.
    Classes {
        file: PathBuf,
        #[command(flatten)]
        filter: FilterArgs,
        #[command(flatten)]
        page: PageArgs,
    },
    /// Objects of a class, by its id in `classes`.
    Nodes {
        file: PathBuf,
        class: u32,
        #[command(flatten)]
        filter: FilterArgs,
        #[command(flatten)]
        page: PageArgs,
    },
    /// References to an object.
    Retainers {
        file: PathBuf,
        node: u32,
        #[command(flatten)]
        page: PageArgs,
    },
    /// References from an object.
    Edges {
        file: PathBuf,
        node: u32,
        #[command(flatten)]
        page: PageArgs,
    },
    /// Why an object is alive: paths to the roots.
    Paths {
        file: PathBuf,
        node: u32,
        /// Longest path.
        #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=400))]
        max_depth: u32,
        /// Objects to visit.
        #[arg(long, default_value_t = 5000)]
        max_nodes: u32,
        /// Retainers of one object to follow.
        #[arg(long, default_value_t = 100)]
        max_siblings: u32,
    },
    /// The dominators of an object, up to the root.
    Dominators { file: PathBuf, node: u32 },
    /// Strings that are there more than once.
    Strings {
        file: PathBuf,
        #[command(flatten)]
        page: PageArgs,
    },
    /// Objects by name, property, type and size.
    Query {
        file: PathBuf,
        /// Regular expression for the name, in any case.
        #[arg(long, value_name = "REGEX")]
        class_name: Option<String>,
        /// Regular expression for the name of one of its references.
        #[arg(long, value_name = "REGEX")]
        property_name: Option<String>,
        /// Such as object, closure, string, array, native, code.
        #[arg(long, value_name = "TYPE")]
        node_type: Option<String>,
        /// Such as 1MB, 1MB-2MB or -1MB; one size is the least.
        #[arg(long, value_name = "RANGE", value_parser = size_range::parse, allow_hyphen_values = true)]
        retained_size: Option<SizeRange>,
        /// The same for the object alone.
        #[arg(long, value_name = "RANGE", value_parser = size_range::parse, allow_hyphen_values = true)]
        self_size: Option<SizeRange>,
        /// Detached DOM nodes only.
        #[arg(long)]
        detached: bool,
        #[command(flatten)]
        page: PageArgs,
    },
    /// Contexts of closures with variables that no live function can read.
    Contexts {
        file: PathBuf,
        #[command(flatten)]
        page: PageArgs,
    },
    /// What changed from one snapshot to a later one of the same page.
    Compare {
        base: PathBuf,
        current: PathBuf,
        /// Objects of one class, by its index in the list.
        #[arg(long, value_name = "INDEX")]
        class_index: Option<u32>,
        #[command(flatten)]
        page: PageArgs,
    },
    /// What leaks: objects allocated between A and B that are still there in C, by class, each with the shortest path
    /// that holds it. Take A before the action, B after it, C after undoing it.
    Leaks {
        a: PathBuf,
        b: PathBuf,
        c: PathBuf,
        /// Classes to show.
        #[arg(long, default_value_t = 20)]
        limit: usize,
        /// Also V8's internal groups.
        #[arg(long)]
        internal: bool,
    },
}

#[derive(Args)]
struct PageArgs {
    /// Page, from 0.
    #[arg(long, default_value_t = 0)]
    page: u64,
    /// Rows of a page.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
    page_size: u64,
}

impl PageArgs {
    fn paging(&self) -> Paging {
        Paging { page_idx: Some(self.page), page_size: Some(self.page_size) }
    }
}

#[derive(Args)]
struct FilterArgs {
    /// Only these objects: one of DevTools' filters, such as objectsRetainedByDetachedDomNodes.
    #[arg(long, value_name = "NAME", value_parser = crate::tools::heap::FILTERS)]
    filter: Option<String>,
    /// Native context for the filter attributedToSpecificNativeContext.
    #[arg(long, value_name = "NODE")]
    object: Option<u32>,
}

impl FilterArgs {
    fn filter(&self) -> Filter {
        Filter { filter_name: self.filter.clone(), object_id: self.object.map(f64::from) }
    }
}

/// Runs the command.
pub fn run(command: Command, output: &File) -> ExitCode {
    start_log(None);
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&format!("cannot start: {error}"), "check the system's limits for threads"),
    };
    let json = command.json;
    let code = match runtime.block_on(answer(&command)) {
        Ok((_, value)) if json => print(output, &value.to_string()),
        Ok((text, _)) => print(output, &text),
        Err(error) => {
            if json {
                let shown = json!({"code": error.code(), "message": error.to_string(), "hint": error.hint()});
                print(output, &json!({"error": shown}).to_string());
            }
            fail(&error.to_string(), error.hint())
        }
    };
    runtime.shutdown_background();
    code
}

impl Command {
    fn options(&self) -> LoadOptions {
        let limit = self.engine_heap_limit.map_or_else(default_heap_limit, |mb| mb as usize * 1024 * 1024);
        LoadOptions::new(limit)
    }

    async fn load(&self, file: &Path) -> Result<HeapSnapshot, HeapError> {
        let (bar, progress) = Bar::start();
        let result = HeapSnapshot::load(file, LoadOptions { progress, ..self.options() }).await;
        drop(bar);
        result
    }
}

/// The text and the JSON object.
async fn answer(command: &Command) -> Result<(String, Value), HeapError> {
    let names = Names::new(Some(command.name_length.max(1)));
    let data = match &command.action {
        Action::Summary { file } => HeapData::summary(&command.load(file).await?.summary().await?, names),
        Action::Classes { file, filter, page } => {
            let snapshot = command.load(file).await?;
            HeapData::classes(&snapshot.classes(&filter.filter(), page.paging()).await?, names)
        }
        Action::Nodes { file, class, filter, page } => {
            let snapshot = command.load(file).await?;
            HeapData::nodes(&snapshot.class_nodes((*class).into(), &filter.filter(), page.paging()).await?, names)
        }
        Action::Retainers { file, node, page } => {
            HeapData::edges(&command.load(file).await?.retainers((*node).into(), page.paging()).await?, names)
        }
        Action::Edges { file, node, page } => {
            let options = json!({"sortBy": "retainedSize"});
            HeapData::edges(&command.load(file).await?.edges((*node).into(), options, page.paging()).await?, names)
        }
        Action::Paths { file, node, max_depth, max_nodes, max_siblings } => {
            let limits = json!({"maxDepth": max_depth, "maxNodes": max_nodes, "maxSiblings": max_siblings});
            let snapshot = command.load(file).await?;
            HeapData::retaining_paths(&snapshot.retaining_paths((*node).into(), limits).await?, names)
        }
        Action::Dominators { file, node } => {
            HeapData::dominators(&command.load(file).await?.dominators((*node).into()).await?, names)
        }
        Action::Strings { file, page } => {
            HeapData::duplicate_strings(&command.load(file).await?.duplicate_strings(page.paging()).await?, names)
        }
        Action::Query { file, class_name, property_name, node_type, retained_size, self_size, detached, page } => {
            let query = Query {
                class_name: class_name.clone(),
                property_name: property_name.clone(),
                node_type: node_type.clone(),
                min_retained_size: retained_size.map(|range| range.min),
                max_retained_size: retained_size.and_then(|range| range.max),
                min_self_size: self_size.map(|range| range.min),
                max_self_size: self_size.and_then(|range| range.max),
                is_detached: detached.then_some(true),
                sort_by: None,
            };
            HeapData::nodes(&command.load(file).await?.query(&query, page.paging()).await?, names)
        }
        Action::Contexts { file, page } => {
            HeapData::contexts(&command.load(file).await?.contexts(json!({}), page.paging()).await?, names)
        }
        Action::Compare { base, current, class_index, page } => {
            let (base, current) = (command.load(base).await?, command.load(current).await?);
            match class_index {
                Some(class) => HeapData::change_detail(&current.change_detail(&base, (*class).into()).await?, names),
                None => HeapData::changes(&current.changes(&base, page.paging()).await?, names),
            }
        }
        Action::Leaks { a, b, c, limit, internal } => {
            let options = command.options();
            let first = heap::identity(a, &options).await?;
            let second = heap::identity(b, &options).await?;
            let third = heap::identity(c, &options).await?;
            let notes = Notes {
                are_different: first.differs_from(&second) || second.differs_from(&third),
                are_out_of_order: first.largest_id > second.largest_id || second.largest_id > third.largest_id,
            };
            let snapshot = command.load(c).await?;
            let found = snapshot.leaks(first.largest_id, second.largest_id, *limit, *internal).await?;
            let mut value = json!(found);
            value["notes"] = notes.lines().into();
            return Ok((leaks(&found, &notes, names), value));
        }
    };
    let text = data.body();
    Ok((text, Value::Object(data.into_keys())))
}
