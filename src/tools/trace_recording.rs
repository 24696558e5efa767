//! What starting and stopping a performance recording have in common: the trace's file, and the way from an ended
//! recording to its summary.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::on_page::PageContext;
use crate::browser::page::Attached;
use crate::browser::trace_stream::{self, Sink};
use crate::browser::tracer::{Claim, Observed};
use crate::config::Config;
use crate::devtools::trace::{DeviceScope, LoadOptions, PreparedEngine, TraceAnalysis, TraceError, TraceSource};
use crate::files::OutputError;
use crate::mcp::traces::StoredTrace;
use crate::progress::rest;
use crate::report::{Failure, Report, TraceSummary};

/// Where the browser's own JSON goes.
pub struct Output {
    path: PathBuf,
    sink: Sink,
}

/// The file's name by the original's rule: `.gz` stays and compresses, any other extension becomes `.json`. A directory
/// stays what it is, to be refused.
pub fn file_name(path: PathBuf) -> PathBuf {
    let is_gzip = path.to_string_lossy().ends_with(".gz");
    if is_gzip || path.is_dir() { path } else { path.with_extension("json") }
}

impl Output {
    /// Makes the file. Done before a recording is ended: what cannot be written should not cost the recording.
    pub fn create(context: &PageContext, path: PathBuf) -> Result<Self, OutputError> {
        let path = file_name(path);
        let file = context.call.paths.create(&path)?;
        let sink = Sink::new(file, &path);
        Ok(Output { path, sink })
    }
}

/// An ended recording's result, and what went wrong beside it.
struct Ended {
    analysis: Result<TraceAnalysis, TraceError>,
    file: Option<(PathBuf, std::io::Result<()>)>,
    data_loss: bool,
    observed: Observed,
}

/// Ends the recording, saves and analyses it, and answers with its summary. `engine` may only just be starting.
/// `progress_from`: how much of the call's work is done already.
pub async fn finish(
    context: &PageContext,
    claim: Claim,
    engine: impl Future<Output = Result<PreparedEngine, TraceError>>,
    output: Option<Output>,
    progress_from: f64,
    report: &mut Report,
) -> Result<(), Failure> {
    let page = claim.page().cloned().ok_or_else(|| Failure::new("nothing was recorded", "start again"))?;
    let ended = end(context, claim, &page, engine, output, progress_from).await?;
    let mut failure = None;
    match ended.file {
        Some((path, Ok(()))) => report.line(format!("The raw trace data was saved to {}.", path.display())),
        Some((path, Err(error))) => failure = Some(Failure::from(OutputError::io(&path, &error))),
        None => {}
    }
    report.line("The performance trace has been stopped.");
    tell(&ended.observed, ended.data_loss, report);
    let analysis = ended.analysis.map_err(|error| {
        Failure::new(format!("There was an unexpected error parsing the trace: {error}"), error.hint())
    })?;
    let config = &context.config;
    if config.performance_crux {
        // Only an addition: the trace is worth its answer without it.
        if let Err(error) = analysis.add_field_data().await {
            tracing::warn!("no field data: {error}");
        }
    }
    let scope = scope_of(&page);
    summarise(config, &analysis, scope, report).await?;
    context.call.session.traces.store(StoredTrace { analysis, scope });
    failure.map_or(Ok(()), Err)
}

async fn end(
    context: &PageContext,
    mut claim: Claim,
    page: &Arc<Attached>,
    engine: impl Future<Output = Result<PreparedEngine, TraceError>>,
    output: Option<Output>,
    progress_from: f64,
) -> Result<Ended, Failure> {
    let (ended, engine) = tokio::join!(claim.end(), engine);
    let ((completed, observed), engine) = (ended?, engine?);
    let (cpu, network) = {
        let emulation = page.emulation();
        (emulation.cpu_factor(), emulation.network.map(|n| n.name.to_owned()))
    };
    let load = LoadOptions {
        fresh: true,
        cpu_throttling: Some(cpu),
        network_throttling: network,
        cancel: context.call.cancel.clone(),
        progress: rest(&context.call.progress, progress_from),
        ..LoadOptions::new(context.config.engine_heap_limit)
    };
    let (chunks, reader) = trace_stream::channel();
    let (path, sink) = output.map(|output| (output.path, output.sink)).unzip();
    let copying = async {
        let copied = trace_stream::copy(&page.session, &completed.stream, sink, chunks).await?;
        // Nothing of the browser is needed any more.
        claim.done();
        context.end_turn();
        Ok::<_, Failure>(copied)
    };
    let (analysis, copied) = tokio::join!(engine.load(TraceSource::stream(reader), load), copying);
    // A failed copy is the cause of whatever the analysis then said.
    let copied = copied?;
    Ok(Ended { analysis, file: path.map(|path| (path, copied)), data_loss: completed.data_loss, observed })
}

/// What the summary cannot know.
fn tell(observed: &Observed, data_loss: bool, report: &mut Report) {
    if data_loss {
        let (filled, recorded) = (observed.filled_after.min(observed.recorded), observed.recorded);
        let lost = recorded - filled;
        report.line(format!(
            "Warning: Chrome's trace buffer was full about {:.1} s after the start; events of the last {:.1} s of {:.1} s are missing.\nhint: record a shorter time",
            filled.as_secs_f64(),
            lost.as_secs_f64(),
            recorded.as_secs_f64()
        ));
    }
    for url in &observed.restored {
        report.line(format!(
            "Note: {url} came back from the back/forward cache during the recording. It was not loaded, so it has no insight set of its own."
        ));
    }
}

/// Which field data fits a page.
fn scope_of(page: &Attached) -> DeviceScope {
    match page.emulation().viewport.as_ref().is_some_and(|viewport| viewport.mobile) {
        true => DeviceScope::Phone,
        false => DeviceScope::Desktop,
    }
}

/// Adds the front-end's summary of a trace.
pub async fn summarise(
    config: &Config,
    trace: &TraceAnalysis,
    scope: DeviceScope,
    report: &mut Report,
) -> Result<(), TraceError> {
    let summary = trace.summary(scope).await?;
    let legend = if config.trace_legend { Some(trace.format_descriptions().await?) } else { None };
    report.section(TraceSummary::new(&summary, legend.as_ref(), trace.overview()));
    Ok(())
}

/// Checks that a file could be written, before something is recorded for it.
pub fn check_output(path: &Path) -> Result<(), OutputError> {
    if path.is_dir() { Err(OutputError::directory(path)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_follow_the_originals_rule() {
        for (given, expected) in [
            ("/x/noext", "/x/noext.json"),
            ("/x/t3.trace", "/x/t3.json"),
            ("/x/t2.json.gz", "/x/t2.json.gz"),
            ("/x/t.gz", "/x/t.gz"),
            ("/x/t.json", "/x/t.json"),
        ] {
            assert_eq!(file_name(given.into()), Path::new(expected), "{given}");
        }
    }
}
