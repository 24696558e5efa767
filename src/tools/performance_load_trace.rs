//! `performance_load_trace`: analyse a trace file without a browser. Ours; the original can only analyse what it has
//! just recorded.

use super::schema::Param;
use super::{Arguments, Category, Context, Handler, Running, Tool, trace_recording};
use crate::devtools::trace::{DeviceScope, LoadOptions, TraceAnalysis, TraceSource};
use crate::mcp::traces::StoredTrace;
use crate::report::Report;

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
        let trace = TraceAnalysis::load(TraceSource::open(&path)?, options).await?;
        report.line(format!("Loaded {} events from {}.", trace.overview().event_count, path.display()));
        let scope = DeviceScope::Desktop;
        trace_recording::summarise(config, &trace, scope, report).await?;
        // Only a trace that could be summarised becomes the last one.
        context.session.traces.store(StoredTrace { analysis: trace, scope });
        Ok(())
    })
}
