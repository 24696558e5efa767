//! The tools that read heap snapshot files. None of them needs a browser; a file is loaded by the first that names it and
//! stays loaded until `close_heapsnapshot`.

pub mod analyze_contexts;
pub mod class_nodes;
pub mod close;
pub mod compare;
pub mod details;
pub mod dominators;
pub mod duplicate_strings;
pub mod edges;
pub mod object_details;
pub mod query;
pub mod retainers;
pub mod retaining_paths;
pub mod summary;

use std::path::Path;

use super::schema::Param;
use super::size_range::{self, SizeRange};
use super::{Arguments, Category, Condition, Context, Handler, PlainHandler, Tool};
use crate::devtools::heap::{Filter, HeapError, HeapSnapshot, LoadOptions, Paging};
use crate::report::Failure;
use crate::report::heap::Names;

/// The front-end's filters.
pub const FILTERS: [&str; 7] = [
    "objectsRetainedByDetachedDomNodes",
    "objectsRetainedByConsole",
    "objectsRetainedByEventHandlers",
    "objectsRetainedByContexts",
    "sharedNativeContext",
    "noNativeContext",
    "attributedToSpecificNativeContext",
];

/// A tool that reads files.
const fn tool(name: &'static str, description: &'static str, params: &'static [Param], handler: PlainHandler) -> Tool {
    Tool {
        name,
        description,
        category: Category::Memory,
        read_only: true,
        conditions: &[Condition::MemoryDebugging],
        params,
        handler: Handler::Plain(handler),
    }
}

const FILE: Param = Param::text("filePath", "The heap snapshot.").required().file().obvious();
const NODE: Param = Param::number("nodeId", "Id of an object.").required().obvious();
const MAX_NAME: Param =
    Param::integer_from("maxNameLength", 1, "Characters of a name that are shown; default 100.").obvious();
const PAGE_INDEX: Param = Param::integer_from("pageIdx", 0, "Page, from 0.").obvious();
const PAGE_SIZE: Param = Param::positive("pageSize", "Rows of a page; default 20.").obvious();
const FILTER: Param = Param::choice("filterName", &FILTERS, "Only these objects.").obvious();
const OBJECT: Param = Param::number("objectId", "Native context (nodeId) for attributedToSpecificNativeContext.");

/// The loaded snapshot of a file.
async fn open(context: &Context, path: &Path) -> Result<HeapSnapshot, Failure> {
    let options = LoadOptions {
        cancel: context.cancel.clone(),
        progress: context.progress.clone(),
        ..LoadOptions::new(context.session.config.engine_heap_limit)
    };
    Ok(context.session.heap.get(path, options).await?)
}

fn names(arguments: &Arguments) -> Names {
    Names::new(arguments.optional_number("maxNameLength").map(|length| length as usize))
}

fn paging(arguments: &Arguments) -> Paging {
    let number = |name| arguments.optional_number(name).map(|number| number as u64);
    Paging { page_idx: number("pageIdx"), page_size: number("pageSize") }
}

fn filter(arguments: &Arguments) -> Filter {
    Filter {
        filter_name: arguments.optional_text("filterName").map(str::to_owned),
        object_id: arguments.optional_number("objectId"),
    }
}

/// A range that validation has read already.
fn range(arguments: &Arguments, name: &str) -> Option<SizeRange> {
    size_range::parse(arguments.optional_text(name)?).ok()
}

impl From<HeapError> for Failure {
    fn from(error: HeapError) -> Self {
        Failure::new(error.to_string(), error.hint())
    }
}
