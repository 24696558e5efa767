//! `performance_start_trace`: record what a page does, by default while it loads anew and for five seconds after that.

use std::time::Duration;

use serde_json::json;

use super::on_page::{OnPage, PageContext};
use super::schema::{Param, ParamDefault};
use super::trace_recording::{self, Output};
use super::{Arguments, Category, Handler, Running, Tool};
use crate::browser::dialogs::AutoAnswer;
use crate::browser::navigate::{self, Destination, NavigationError};
use crate::browser::page::Attached;
use crate::browser::trace_stream;
use crate::browser::tracer::{Owner, Who};
use crate::devtools::trace::PreparedEngine;
use crate::progress::report as report_progress;
use crate::report::{Failure, Report};
use devtools_engine::Work;

/// See the module.
pub const TOOL: Tool = Tool {
    name: "performance_start_trace",
    description: "Record a performance trace of the page.",
    category: Category::Performance,
    read_only: false,
    conditions: &[],
    params: &[
        Param::bool("reload", "Record the page's loading.").default(ParamDefault::Bool(true)).obvious(),
        Param::bool("autoStop", "Stop 5 s later and answer with the summary.").default(ParamDefault::Bool(true)),
        Param::bool("ignoreCache", "For reload.").obvious(),
        Param::text("filePath", "For the trace, with autoStop.").file(),
    ],
    handler: Handler::Page(OnPage::new(handler).within(LIMIT)),
};

/// Every step has a limit of its own; long traces take long to analyse.
pub(super) const LIMIT: Duration = Duration::from_secs(40 * 60);

/// How long is recorded after the page has loaded; not scaled by throttling, as in the original.
const RECORDED: Duration = Duration::from_secs(5);

/// Shares of the progress.
const LOADING: f64 = 0.05;
const RECORDING: f64 = 0.2;
const ANALYSING: f64 = 0.5;

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let owner = &context.call.session.owner;
        let mut claim = match context.live.tracer.begin(context.page.id, owner).await {
            Ok(claim) => claim,
            Err(who) => {
                report.line(already_running(&who, owner));
                return Ok(());
            }
        };
        let (reload, auto_stop) = (arguments.bool("reload"), arguments.bool("autoStop"));
        let path = arguments.optional_path("filePath").filter(|_| auto_stop).map(trace_recording::file_name);
        if let Some(path) = &path {
            trace_recording::check_output(path)?;
        }
        report_progress(&context.call.progress, LOADING, "preparing");
        // V8 starts while the page is left.
        let engine = PreparedEngine::start(context.config.engine_heap_limit, Work::Small);
        let (engine, reloading) = tokio::join!(engine, async {
            if reload { Reload::prepare(context, arguments.bool("ignoreCache")).await.map(Some) } else { Ok(None) }
        });
        let (engine, reloading) = (engine?, reloading?);
        let categories = engine.categories().await?;
        if let Err(error) = claim.start(&context.on, &categories, buffer_kb()).await {
            if let Some(reload) = reloading {
                reload.give_up(context).await;
            }
            let hint = "another program may be recording in this browser; stop it there and try again";
            return Err(Failure::new(error.to_string(), hint));
        }
        if let Some(reload) = reloading {
            report_progress(&context.call.progress, LOADING, "loading the page");
            reload.run(context, report).await?;
        }
        if !auto_stop {
            claim.park();
            report
                .line("The performance trace is being recorded.\nhint: use the page, then call performance_stop_trace");
            return Ok(());
        }
        record(context).await;
        let output = path.map(|path| Output::create(context, path)).transpose()?;
        trace_recording::finish(context, claim, std::future::ready(Ok(engine)), output, ANALYSING, report).await
    })
}

/// Size of Chrome's trace buffer in kB. The variable is for tests and for machines with little memory.
fn buffer_kb() -> f64 {
    let given = std::env::var("DEVTOOLS_MCP_TRACE_BUFFER_KB").ok().and_then(|kb| kb.parse().ok());
    given.unwrap_or(trace_stream::BUFFER_KB)
}

/// The original's words at the beginning; clients look for them.
fn already_running(who: &Who, owner: &Owner) -> String {
    let (page, seconds) = (who.page, who.since.elapsed().as_secs());
    let (whose, hint) = match who.is(owner) {
        true => ("", "stop it with performance_stop_trace first"),
        false => (" by another client", "a browser records one trace at a time; try again later"),
    };
    format!(
        "Error: a performance trace is already running: page {page} has been recorded{whose} for {seconds} s.\nhint: {hint}"
    )
}

/// Waits while the page is recorded.
async fn record(context: &PageContext) {
    let start = tokio::time::Instant::now();
    while start.elapsed() < RECORDED {
        let share = start.elapsed().as_secs_f64() / RECORDED.as_secs_f64();
        report_progress(&context.call.progress, RECORDING + share * (ANALYSING - RECORDING), "recording");
        let left = RECORDED.saturating_sub(start.elapsed());
        tokio::time::sleep(left.min(Duration::from_millis(250))).await;
    }
}

/// The page's loading, to be recorded.
struct Reload {
    /// Where the page was.
    url: String,
    ignore_cache: bool,
    /// It came from a form: only a reload in place asks for it as it was asked for.
    is_form: bool,
    timeout: Duration,
}

/// Leave-page questions are answered with yes, as a reload by this tool means it.
const LEAVE: AutoAnswer = AutoAnswer { only_before_unload: true, accept: true, text: None };

impl Reload {
    /// Remembers the address and leaves the page for an empty one, so that nothing of it is in the recording.
    async fn prepare(context: &PageContext, ignore_cache: bool) -> Result<Self, Failure> {
        let on = &context.on;
        let url = navigate::address(on).await?;
        let is_form = navigate::came_from_form(on).await?;
        let timeout = Duration::from_millis(on.emulation().navigation_timeout() as u64);
        if !is_form {
            let _answers = on.dialogs.answer_automatically(LEAVE);
            navigate::go(on, Destination::Url("about:blank"), timeout).await?;
        }
        Ok(Reload { url, ignore_cache, is_form, timeout })
    }

    /// Loads the page and waits for it.
    async fn run(self, context: &PageContext, report: &mut Report) -> Result<(), Failure> {
        let on = &context.on;
        let destination = match self.is_form {
            true => {
                report.line("Note: the page came from a form; the reload sends the form again.");
                Destination::Reload { ignore_cache: self.ignore_cache }
            }
            false => Destination::Url(&self.url),
        };
        let _answers = on.dialogs.answer_automatically(LEAVE);
        let _cache = if self.ignore_cache { Some(NoCache::new(on).await?) } else { None };
        match navigate::go(on, destination, self.timeout).await {
            Ok(()) => Ok(()),
            // Slow pages are what recordings are for.
            Err(NavigationError::Timeout { milliseconds }) => {
                report.line(format!("Note: the page did not finish loading within {milliseconds} ms."));
                Ok(())
            }
            Err(NavigationError::Dialog { .. }) => {
                report.line("Note: the page opened a dialog while it loaded, which holds it up.");
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Goes back to the page: nothing is recorded.
    async fn give_up(self, context: &PageContext) {
        if !self.is_form
            && let Err(error) = navigate::go(&context.on, Destination::Url(&self.url), self.timeout).await
        {
            tracing::debug!("the page could not be gone back to: {error}");
        }
    }
}

/// The page's HTTP cache is off until this is dropped.
struct NoCache<'a>(&'a Attached);

impl<'a> NoCache<'a> {
    async fn new(on: &'a Attached) -> Result<Self, Failure> {
        let guard = NoCache(on);
        on.session.call::<serde_json::Value>("Network.setCacheDisabled", json!({"cacheDisabled": true})).await?;
        Ok(guard)
    }
}

impl Drop for NoCache<'_> {
    fn drop(&mut self) {
        self.0.session.post("Network.setCacheDisabled", json!({"cacheDisabled": false}));
    }
}
