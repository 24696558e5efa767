//! `devtools-mcp trace …`: record a page, and what DevTools says about a trace.

use std::fs::File;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::output::print;
use super::progress::Bar;
use super::{fail, start_log};
use crate::browser::launch::LaunchOptions;
use crate::browser::recording::{self, RecordOptions};
use crate::config::default_heap_limit;
use crate::devtools::trace::{DeviceScope, InsightAnswer, LoadOptions, TraceAnalysis, TraceError, TraceSource};

/// Record a page's performance, or analyse a trace file, in DevTools' words.
#[derive(Parser)]
#[command(name = "devtools-mcp trace", bin_name = "devtools-mcp trace")]
pub struct Command {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Record a page in a fresh Chrome and print the insights.
    Record(Record),
    /// Print the summary of a trace file: metrics and available insights.
    Summary(Summary),
    /// Print one insight of a trace file, or all, in detail.
    Insight(Insight),
}

#[derive(Args)]
struct Record {
    /// The page.
    url: String,
    /// Save the trace to this file (.json, or .json.gz to compress it).
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Record the page's loading (the default).
    #[arg(long, overrides_with = "no_reload")]
    reload: bool,
    /// Load the page first and record what it does then.
    #[arg(long)]
    no_reload: bool,
    /// Seconds to record after the page has loaded.
    #[arg(long, default_value_t = 5.0, value_parser = seconds)]
    duration: f64,
    /// Also print every insight that did not pass, in detail.
    #[arg(long)]
    insights: bool,
    /// The browser's path, if it is not where Chrome and Chromium usually are.
    #[arg(long, alias = "executablePath", value_name = "PATH")]
    executable_path: Option<String>,
    /// An argument for Chrome; may be repeated.
    #[arg(long, alias = "chromeArg", value_name = "ARG", allow_hyphen_values = true)]
    chrome_arg: Vec<String>,
    /// Show the browser's window.
    #[arg(long)]
    headed: bool,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
struct Summary {
    /// The trace (.json or .json.gz).
    file: PathBuf,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
struct Insight {
    /// The trace (.json or .json.gz).
    file: PathBuf,
    /// Id of the insight set, for example NAVIGATION_0.
    #[arg(long, required_unless_present = "all")]
    set: Option<String>,
    /// Name of the insight, for example LCPBreakdown.
    #[arg(long, required_unless_present = "all")]
    name: Option<String>,
    /// Every insight of every set.
    #[arg(long, conflicts_with_all = ["set", "name"])]
    all: bool,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
struct Common {
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
    /// Heap limit of the analysis in MB.
    #[arg(long, alias = "engineHeapLimit", value_name = "MB", value_parser = clap::value_parser!(u32).range(1..))]
    engine_heap_limit: Option<u32>,
}

impl Common {
    fn heap_limit(&self) -> usize {
        self.engine_heap_limit.map_or_else(default_heap_limit, |mb| mb as usize * 1024 * 1024)
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    text.parse::<f64>()
        .ok()
        .filter(|s| (0.0..=3600.0).contains(s))
        .ok_or_else(|| "a number of seconds from 0 to 3600 is expected".into())
}

/// Runs the command.
pub fn run(command: Command, output: &File) -> ExitCode {
    start_log(None);
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&format!("cannot start: {error}"), "check the system's limits for threads"),
    };
    let code = runtime.block_on(async {
        match command.action {
            Action::Record(record) => run_record(record, output).await,
            Action::Summary(summary) => run_summary(summary, output).await,
            Action::Insight(insight) => run_insight(insight, output).await,
        }
    });
    runtime.shutdown_background();
    code
}

async fn run_record(options: Record, output: &File) -> ExitCode {
    let cancel = CancellationToken::new();
    cancel_on_ctrl_c(cancel.clone());
    let (bar, progress) = Bar::start();
    let result = recording::record(RecordOptions {
        url: with_scheme(&options.url),
        reload: !options.no_reload,
        duration: Duration::from_secs_f64(options.duration),
        file: options.output.clone(),
        browser: LaunchOptions {
            executable: options.executable_path.clone(),
            headed: options.headed,
            arguments: options.chrome_arg.clone(),
            ..LaunchOptions::default()
        },
        heap_limit: options.common.heap_limit(),
        cancel,
        progress,
        during: None,
    })
    .await;
    drop(bar);
    let recorded = match result {
        Ok(recorded) => recorded,
        Err(error) => return report_error(&error.to_string(), error.hint(), None, options.common.json, output),
    };
    if recorded.load_timed_out {
        eprintln!("note: the page had not finished loading when the recording ended");
    }
    if recorded.data_loss {
        eprintln!("note: Chrome's trace buffer was full, events are missing; record a shorter time");
    }
    if let Some(file) = &options.output {
        eprintln!("The raw trace data was saved to {}.", file.display());
    }
    let extra = json!({"url": recorded.url, "dataLoss": recorded.data_loss, "loadTimedOut": recorded.load_timed_out, "file": options.output});
    let wanted = if options.insights { Wanted::NotPassed } else { Wanted::None };
    print_trace(&recorded.trace, wanted, extra, options.common.json, output).await
}

async fn run_summary(options: Summary, output: &File) -> ExitCode {
    match load(&options.file, &options.common).await {
        Ok(trace) => {
            print_trace(&trace, Wanted::None, json!({"file": options.file}), options.common.json, output).await
        }
        Err(error) => trace_error(&error, options.common.json, output),
    }
}

async fn run_insight(options: Insight, output: &File) -> ExitCode {
    let json = options.common.json;
    let trace = match load(&options.file, &options.common).await {
        Ok(trace) => trace,
        Err(error) => return trace_error(&error, json, output),
    };
    let mut answers = Vec::new();
    let wanted: Vec<(String, String)> = match (options.set, options.name) {
        (Some(set), Some(name)) => vec![(set, name)],
        _ => all_insights(&trace, |_| true),
    };
    for (set, name) in wanted {
        match trace.insight(&set, &name, DeviceScope::Desktop).await {
            Ok(InsightAnswer::Ok { text }) => answers.push((set, name, Ok(text))),
            Ok(_) if !options.all => return unknown_insight(&trace, &set, &name, json, output),
            Ok(_) => {}
            // One insight that the front-end cannot word does not hide the others.
            Err(error) if options.all => answers.push((set, name, Err(error.to_string()))),
            Err(error) => return trace_error(&error, json, output),
        }
    }
    if json {
        let insights: Vec<Value> = answers.iter().map(insight_json).collect();
        return print(output, &json!({"file": options.file, "insights": insights}).to_string());
    }
    if !options.all {
        return print(output, answers.first().and_then(|(_, _, text)| text.as_deref().ok()).unwrap_or_default());
    }
    print(output, &answers.iter().map(insight_text).collect::<Vec<_>>().join("\n\n"))
}

type Answer = (String, String, Result<String, String>);

fn insight_text((set, name, text): &Answer) -> String {
    match text {
        Ok(text) => format!("# {set} {name}\n\n{text}"),
        Err(error) => format!("# {set} {name}\n\nError: {error}"),
    }
}

fn insight_json((set, name, text): &Answer) -> Value {
    match text {
        Ok(text) => json!({"set": set, "name": name, "text": text}),
        Err(error) => json!({"set": set, "name": name, "error": error}),
    }
}

fn all_insights(trace: &TraceAnalysis, wanted: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let sets = &trace.overview().insight_sets;
    sets.iter()
        .flat_map(|set| set.insights.iter().map(move |insight| (set, insight)))
        .filter(|(_, insight)| wanted(insight.state.as_deref().unwrap_or_default()))
        .map(|(set, insight)| (set.id.clone(), insight.name.clone()))
        .collect()
}

/// Which insights are printed after the summary.
#[derive(PartialEq)]
enum Wanted {
    None,
    NotPassed,
}

async fn print_trace(trace: &TraceAnalysis, wanted: Wanted, extra: Value, json: bool, output: &File) -> ExitCode {
    let summary = match trace.summary(DeviceScope::Desktop).await {
        Ok(summary) => summary,
        Err(error) => return trace_error(&error, json, output),
    };
    let mut answers: Vec<Answer> = Vec::new();
    if wanted == Wanted::NotPassed {
        for (set, name) in all_insights(trace, |state| state != "pass") {
            match trace.insight(&set, &name, DeviceScope::Desktop).await {
                Ok(InsightAnswer::Ok { text }) => answers.push((set, name, Ok(text))),
                Ok(_) => {}
                Err(error) => answers.push((set, name, Err(error.to_string()))),
            }
        }
    }
    if json {
        let mut value = extra;
        value["eventCount"] = trace.overview().event_count.into();
        value["insightSets"] = json!(trace.overview().insight_sets);
        value["summary"] = summary.into();
        if wanted == Wanted::NotPassed {
            value["insights"] = answers.iter().map(insight_json).collect();
        }
        return print(output, &value.to_string());
    }
    let parts = std::iter::once(summary).chain(answers.iter().map(insight_text));
    print(output, &parts.collect::<Vec<_>>().join("\n\n"))
}

async fn load(file: &std::path::Path, common: &Common) -> Result<TraceAnalysis, TraceError> {
    let (bar, progress) = Bar::start();
    let options = LoadOptions { progress, ..LoadOptions::new(common.heap_limit()) };
    let result = TraceAnalysis::load(TraceSource::open(file)?, options).await;
    drop(bar);
    result
}

fn unknown_insight(trace: &TraceAnalysis, set: &str, name: &str, json: bool, output: &File) -> ExitCode {
    let sets: Vec<String> = trace
        .overview()
        .insight_sets
        .iter()
        .map(|s| format!("{}: {}", s.id, s.insights.iter().map(|i| i.name.as_str()).collect::<Vec<_>>().join(", ")))
        .collect();
    let hint =
        format!("this trace has\n{}", if sets.is_empty() { "(no insight sets)".into() } else { sets.join("\n") });
    report_error(&format!("there is no insight {name} in the set {set}"), &hint, Some("unknown-insight"), json, output)
}

fn trace_error(error: &TraceError, json: bool, output: &File) -> ExitCode {
    report_error(&error.to_string(), error.hint(), Some(error.code()), json, output)
}

/// With `--json` the error is data too, on stdout, so that a program need not parse stderr.
fn report_error(message: &str, hint: &str, code: Option<&str>, json: bool, output: &File) -> ExitCode {
    if json {
        print(output, &json!({"error": {"code": code, "message": message, "hint": hint}}).to_string());
    }
    fail(message, hint)
}

/// `example.org` means `http://example.org`; Chrome wants a scheme.
fn with_scheme(url: &str) -> String {
    let has_scheme =
        url::Url::parse(url).is_ok_and(|u| u.has_host() || ["file", "data", "about", "blob"].contains(&u.scheme()));
    if has_scheme { url.to_owned() } else { format!("http://{url}") }
}

fn cancel_on_ctrl_c(cancel: CancellationToken) {
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            cancel.cancel();
        }
    });
}
