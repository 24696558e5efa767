//! `performance_stop_trace`: end the running recording, whichever page it is of, and explain it.

use devtools_engine::Work;

use super::on_page::{OnPage, PageContext};
use super::performance_start_trace::LIMIT;
use super::schema::Param;
use super::trace_recording::{self, Output};
use super::{Arguments, Category, Handler, Running, Tool};
use crate::browser::tracer::NothingToStop;
use crate::devtools::trace::PreparedEngine;
use crate::progress::report as report_progress;
use crate::report::Report;

/// See the module.
pub const TOOL: Tool = Tool {
    name: "performance_stop_trace",
    description: "Stop the running performance trace and summarize it.",
    category: Category::Performance,
    read_only: false,
    conditions: &[],
    params: &[Param::text("filePath", "Save the trace (.json, .json.gz).").file().obvious()],
    handler: Handler::Page(OnPage::new(handler).within(LIMIT)),
};

/// Share of the progress before the analysis.
const ENDED: f64 = 0.1;

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let claim = match context.live.tracer.take(&context.call.session.owner) {
            Ok(claim) => claim,
            Err(nothing) => {
                report.line(why_nothing(&nothing));
                return Ok(());
            }
        };
        let output = match arguments.optional_path("filePath").map(|path| Output::create(context, path)).transpose() {
            Ok(output) => output,
            Err(error) => {
                // It goes on: only the file was wrong.
                claim.park();
                return Err(error.into());
            }
        };
        report_progress(&context.call.progress, ENDED, "stopping");
        // V8 starts while Chrome collects the trace from its processes.
        let engine = PreparedEngine::start(context.config.engine_heap_limit, Work::Small);
        let page = claim.who().page;
        if page != context.page.id {
            report.line(format!("Note: the recording is of page {page}."));
        }
        trace_recording::finish(context, claim, engine, output, ENDED, report).await
    })
}

/// The original's words at the beginning; clients look for them.
fn why_nothing(nothing: &NothingToStop) -> String {
    match nothing {
        NothingToStop::Idle => {
            "Error: no active performance trace.\nhint: start one with performance_start_trace".into()
        }
        NothingToStop::Lost(who) => format!(
            "Error: no active performance trace: page {}, which was recorded, was closed or has crashed, and the recording is lost.\nhint: start another one with performance_start_trace",
            who.page
        ),
        NothingToStop::NotYours(who) => format!(
            "Error: no active performance trace of this client: another call is recording page {}.\nhint: wait for its end",
            who.page
        ),
    }
}
