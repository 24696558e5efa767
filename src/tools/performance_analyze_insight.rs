//! `performance_analyze_insight`: the front-end's text on one insight of the last trace.

use super::performance_load_trace::failure;
use super::schema::Param;
use super::{Arguments, Category, Context, Handler, Running, Tool};
use crate::devtools::trace::{DeviceScope, InsightAnswer};
use crate::report::{Report, TraceInsight};

/// See the module.
pub const TOOL: Tool = Tool {
    name: "performance_analyze_insight",
    description: "Explain one insight that the last trace's summary lists.",
    category: Category::Performance,
    read_only: true,
    conditions: &[],
    params: &[
        Param::text("insightSetId", "Such as NAVIGATION_0.").required(),
        Param::text("insightName", "Such as LCPBreakdown or DocumentLatency.").required().obvious(),
    ],
    handler: Handler::IgnoresPage(handler),
};

fn handler<'a>(context: &'a Context, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let Some(trace) = context.session.last_trace() else {
            report.line("No recorded traces found.\nhint: load a trace file with performance_load_trace");
            return Ok(());
        };
        let (set, name) = (arguments.text("insightSetId"), arguments.text("insightName"));
        match trace.insight(set, name, DeviceScope::Desktop).await.map_err(failure)? {
            InsightAnswer::Ok { text } => report.section(TraceInsight { text }),
            InsightAnswer::NoInsights => report.line("No Performance insights are available for this trace."),
            InsightAnswer::UnknownSet => {
                let ids: Vec<&str> = trace.overview().insight_sets.iter().map(|s| s.id.as_str()).collect();
                report.line(format!(
                    "No Performance Insights for the given insight set id.\nhint: this trace has the sets {}",
                    if ids.is_empty() { "(none)".into() } else { ids.join(", ") }
                ));
            }
            InsightAnswer::UnknownInsight => {
                let names: Vec<&str> = trace
                    .overview()
                    .insight_sets
                    .iter()
                    .filter(|s| s.id == set)
                    .flat_map(|s| s.insights.iter().map(|i| i.name.as_str()))
                    .collect();
                report.line(format!("No Insight with the name {name} found.\nhint: {set} has {}", names.join(", ")));
            }
        }
        Ok(())
    })
}
