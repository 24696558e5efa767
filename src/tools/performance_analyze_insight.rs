//! `performance_analyze_insight`: the front-end's text on one insight of the last trace, or of one before it.

use super::schema::Param;
use super::{Arguments, Category, Context, Handler, Running, Tool};
use crate::devtools::trace::InsightAnswer;
use crate::report::{Failure, Report, TraceInsight};

/// See the module.
pub const TOOL: Tool = Tool {
    name: "performance_analyze_insight",
    description: "Explain an insight of the last trace.",
    category: Category::Performance,
    read_only: true,
    conditions: &[],
    params: &[
        Param::text("insightSetId", "Such as NAVIGATION_0.").required(),
        Param::text("insightName", "Such as LCPBreakdown or DocumentLatency.").required().obvious(),
        Param::integer("tracesBack", "1: the trace before the last."),
    ],
    handler: Handler::IgnoresPage(handler),
};

fn handler<'a>(context: &'a Context, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let traces = &context.session.traces;
        let kept = traces.all();
        if kept.is_empty() {
            report.line(
                "No recorded traces found.\nhint: record one with performance_start_trace, or load a file with performance_load_trace",
            );
            return Ok(());
        }
        let back = arguments.number("tracesBack");
        let Some(trace) = (back >= 0.0).then(|| kept.get(back as usize)).flatten() else {
            let list: Vec<String> = kept
                .iter()
                .enumerate()
                .map(|(at, trace)| {
                    let url = trace.analysis.overview().insight_sets.first().map_or("(no insights)", |s| &s.url);
                    format!("{at}: {url}")
                })
                .collect();
            return Err(Failure::new(
                format!("there is no trace {back} traces back"),
                format!("these are kept: {}", list.join(", ")),
            ));
        };
        let (set, name) = (arguments.text("insightSetId"), arguments.text("insightName"));
        let overview = trace.analysis.overview();
        match trace.analysis.insight(set, name, trace.scope).await? {
            InsightAnswer::Ok { text } => report.section(TraceInsight { text }),
            InsightAnswer::NoInsights => report.line("No Performance insights are available for this trace."),
            InsightAnswer::UnknownSet => {
                let ids: Vec<&str> = overview.insight_sets.iter().map(|s| s.id.as_str()).collect();
                report.line(format!(
                    "No Performance Insights for the given insight set id.\nhint: this trace has the sets {}",
                    if ids.is_empty() { "(none)".into() } else { ids.join(", ") }
                ));
            }
            InsightAnswer::UnknownInsight => {
                let sets = overview.insight_sets.iter().filter(|s| s.id == set);
                let names: Vec<&str> = sets.flat_map(|s| s.insights.iter().map(|i| i.name.as_str())).collect();
                report.line(format!("No Insight with the name {name} found.\nhint: {set} has {}", names.join(", ")));
            }
        }
        Ok(())
    })
}
