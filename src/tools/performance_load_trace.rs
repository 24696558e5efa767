//! `performance_load_trace`: analyse a trace file without a browser. Ours; the original can only analyse what it has
//! just recorded.

use super::schema::Param;
use super::{Arguments, Category, Context, Handler, Running, Tool};
use crate::devtools::trace::{DeviceScope, LoadOptions, TraceAnalysis, TraceError, TraceSource};
use crate::report::{Failure, Report, TraceSummary};

/// See the module.
pub const TOOL: Tool = Tool {
    name: "performance_load_trace",
    description: "Analyze a recorded performance trace file (.json or .json.gz from DevTools, Lighthouse, Puppeteer or this server). Needs no browser. Details: performance_analyze_insight.",
    category: Category::Performance,
    read_only: true,
    conditions: &[],
    params: &[Param::text("filePath", "Path of the trace, absolute or relative to the working directory.")
        .required()
        .file()],
    handler: Handler::Plain(handler),
};

fn handler<'a>(context: &'a Context, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let path = arguments.path("filePath");
        let config = &context.session.config;
        let options = LoadOptions {
            cancel: context.cancel.clone(),
            progress: context.progress.clone(),
            ..LoadOptions::new(config.engine_heap_limit)
        };
        let source = TraceSource::open(&path).map_err(failure)?;
        let trace = TraceAnalysis::load(source, options).await.map_err(failure)?;
        let summary = trace.summary(DeviceScope::Desktop).await.map_err(failure)?;
        let legend = match config.trace_legend {
            true => Some(trace.format_descriptions().await.map_err(failure)?),
            false => None,
        };
        report.line(format!("Loaded {} events from {}.", trace.overview().event_count, path.display()));
        report.section(TraceSummary::new(&summary, legend.as_ref(), trace.overview()));
        // Only a trace that could be summarised replaces the one before.
        context.session.store_trace(trace);
        Ok(())
    })
}

/// A trace's error as a tool's failure.
pub(super) fn failure(error: TraceError) -> Failure {
    Failure::new(error.to_string(), error.hint())
}
