//! Sections of performance traces (order 12 of the composition table).

use serde_json::{Map, Value, json};

use super::Section;
use crate::devtools::trace::{FormatDescriptions, Overview};

/// Heading of the summary; fixed, clients look for it.
const HEADING: &str = "## Summary of Performance trace findings:";
const LEGEND_HEADING: &str = "## Details on call tree & network request formats:";

/// The front-end's summary with, unless switched off, the explanation of its notation.
pub struct TraceSummary {
    text: String,
    insights: Vec<Value>,
}

impl TraceSummary {
    /// `legend` is `None` with `--no-traceLegend`.
    pub fn new(summary: &str, legend: Option<&FormatDescriptions>, overview: &Overview) -> Self {
        let mut text = format!("{HEADING}\n{summary}");
        if let Some(legend) = legend {
            text.push_str(&format!(
                "\n\n{LEGEND_HEADING}\nTexts about this trace write main-thread call trees and network requests as follows.\n\n{}\n\n{}",
                legend.call_frames, legend.network
            ));
        }
        let insights = overview
            .insight_sets
            .iter()
            .flat_map(|set| &set.insights)
            .map(|insight| match &insight.key {
                Some(key) => json!({"insightName": insight.name, "insightKey": key}),
                None => json!({"insightName": insight.name}),
            })
            .collect();
        TraceSummary { text, insights }
    }
}

impl Section for TraceSummary {
    fn order(&self) -> u8 {
        12
    }

    fn text(&self) -> String {
        self.text.clone()
    }

    fn structured(&self, content: &mut Map<String, Value>) {
        content.insert("traceSummary".into(), self.text.clone().into());
        content.insert("traceInsights".into(), self.insights.clone().into());
    }
}

/// The front-end's text on one insight; nothing structured, as in the original.
pub struct TraceInsight {
    /// The formatter's text.
    pub text: String,
}

impl Section for TraceInsight {
    fn order(&self) -> u8 {
        12
    }

    fn text(&self) -> String {
        self.text.clone()
    }

    fn structured(&self, _content: &mut Map<String, Value>) {}
}
