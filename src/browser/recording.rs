//! Recording a page's performance in a browser of its own, for the command line.

use std::path::{Path, PathBuf};
use std::time::Duration;

use devtools_engine::Work;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::BrowserError;
use super::launch::{Browser, LaunchOptions};
use super::trace_stream::{self, Completed, Sink};
use crate::cdp::Session;
use crate::cdp::protocol::{page, target};
use crate::cdp::transport::BoxFuture;
use crate::devtools::trace::{LoadOptions, PreparedEngine, TraceAnalysis, TraceError, TraceSource};
use crate::progress::{Reporter, report, rest};

/// How long a page may take to load before the recording goes on without.
const LOAD_LIMIT: Duration = Duration::from_secs(60);

/// What to record.
pub struct RecordOptions {
    /// The page.
    pub url: String,
    /// Record its loading; otherwise it is loaded first.
    pub reload: bool,
    /// How long to record after the page has loaded.
    pub duration: Duration,
    /// Where the browser's own JSON goes; compressed if it ends in `.gz`.
    pub file: Option<PathBuf>,
    /// The browser.
    pub browser: LaunchOptions,
    /// Heap limit of the analysis in bytes.
    pub heap_limit: usize,
    /// Ends the recording early; what is there is not analysed.
    pub cancel: CancellationToken,
    /// Where progress goes.
    pub progress: Reporter,
    /// What happens to the page while it is recorded after it has loaded, for example input.
    pub during: Option<During>,
}

/// Something done to the page that is being recorded.
pub type During = Box<dyn FnOnce(Session) -> BoxFuture<'static, ()> + Send>;

/// A recorded and analysed page.
pub struct Recording {
    /// The analysis.
    pub trace: TraceAnalysis,
    /// The page's address after redirects.
    pub url: String,
    /// Chrome's buffer was full and events are missing.
    pub data_loss: bool,
    /// The page's `load` event did not come within the limit.
    pub load_timed_out: bool,
}

/// Why there is no recording.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// Something with the browser.
    #[error(transparent)]
    Browser(#[from] BrowserError),
    /// Something with the trace.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

impl RecordError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            RecordError::Browser(error) => error.hint(),
            RecordError::Trace(error) => error.hint(),
        }
    }
}

impl<E: Into<crate::cdp::CdpError>> From<E> for RecordError {
    fn from(error: E) -> Self {
        RecordError::Browser(BrowserError::Cdp(error.into()))
    }
}

/// Launches a browser, records the page in it and analyses the trace. The browser has ended when this returns.
pub async fn record(options: RecordOptions) -> Result<Recording, RecordError> {
    // V8 starts while Chrome does.
    let engine = tokio::spawn(PreparedEngine::start(options.heap_limit, Work::Small));
    report(&options.progress, 0.0, "starting Chrome");
    let browser = Browser::launch(&options.browser).await?;
    let engine = engine.await.map_err(|e| TraceError::Read { path: "the trace".into(), why: e.to_string() })??;
    let cancel = options.cancel.clone();
    let result = tokio::select! {
        result = record_in(&browser, engine, options) => result,
        () = cancel.cancelled() => Err(TraceError::Cancelled.into()),
    };
    browser.close().await;
    result
}

async fn record_in(
    browser: &Browser,
    engine: PreparedEngine,
    mut options: RecordOptions,
) -> Result<Recording, RecordError> {
    let page = attach_to_first_page(browser.session()).await?;
    page.send(page::EnableParams::default()).await?;
    let mut load_timed_out = false;
    if !options.reload {
        report(&options.progress, 0.05, "loading the page");
        load_timed_out = !navigate(&page, &options.url).await?;
    }
    let categories = engine.categories().await?;
    trace_stream::start(&page, &categories, trace_stream::BUFFER_KB).await?;
    report(&options.progress, 0.1, "recording");
    if options.reload {
        load_timed_out = !navigate(&page, &options.url).await?;
    }
    let during = options.during.take();
    tokio::join!(wait_recording(&options), async {
        if let Some(during) = during {
            during(page.clone()).await;
        }
    });
    let Completed { data_loss, stream } = trace_stream::end(&page).await?;
    let url = current_url(&page).await.unwrap_or_else(|_| options.url.clone());

    let written = |error: std::io::Error| {
        let what = format!("cannot write {}", options.file.as_deref().unwrap_or(Path::new("?")).display());
        RecordError::from(BrowserError::Io { what, why: error.to_string() })
    };
    let file = options.file.as_deref().map(create).transpose().map_err(written)?;
    let (sender, receiver) = trace_stream::channel();
    let load = LoadOptions {
        fresh: true,
        cpu_throttling: Some(1.0),
        cancel: options.cancel.clone(),
        progress: rest(&options.progress, 0.6),
        ..LoadOptions::new(options.heap_limit)
    };
    let analysis = engine.load(TraceSource::stream(receiver), load);
    let copying = trace_stream::copy(&page, &stream, file, sender);
    let (trace, copied) = tokio::join!(analysis, copying);
    // A failed copy is the cause of whatever the analysis then said.
    copied?.map_err(written)?;
    Ok(Recording { trace: trace?, url, data_loss, load_timed_out })
}

async fn attach_to_first_page(browser: &Session) -> Result<Session, RecordError> {
    #[derive(Deserialize)]
    struct Targets {
        #[serde(rename = "targetInfos")]
        infos: Vec<Info>,
    }
    #[derive(Deserialize)]
    struct Info {
        #[serde(rename = "targetId")]
        id: String,
        r#type: String,
    }
    // The first page may not be there yet when Chrome answers its first call.
    for _ in 0..100 {
        // Decoded by hand: a target type that the vocabulary does not know must not matter.
        let targets: Targets = browser.call("Target.getTargets", json!({})).await?;
        if let Some(info) = targets.infos.into_iter().find(|i| i.r#type == "page") {
            let command =
                target::AttachToTargetParams::builder().target_id(info.id).flatten(true).build().map_err(shape)?;
            let attached = browser.send(command).await?;
            return Ok(browser.with_id(attached.session_id.inner().clone()));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Err(BrowserError::Launch { why: "it opened no page".into(), log: String::new() }.into())
}

fn shape(why: String) -> RecordError {
    crate::cdp::CdpError::Shape { method: "(command)".into(), why }.into()
}

/// Opens the page; returns whether its `load` event came in time.
async fn navigate(page: &Session, url: &str) -> Result<bool, RecordError> {
    let mut loaded = page.subscribe(&["Page.loadEventFired"]);
    let answer: Value = page.call("Page.navigate", json!({"url": url})).await?;
    if let Some(why) = answer.get("errorText").and_then(Value::as_str) {
        return Err(BrowserError::Navigation { url: url.into(), why: why.into() }.into());
    }
    match tokio::time::timeout(LOAD_LIMIT, loaded.next()).await {
        Ok(Some(_)) => Ok(true),
        Ok(None) => {
            Err(BrowserError::Navigation { url: url.into(), why: "the page closed itself or crashed".into() }.into())
        }
        Err(_) => Ok(false),
    }
}

async fn current_url(page: &Session) -> Result<String, RecordError> {
    let tree: Value = page.call("Page.getFrameTree", json!({})).await?;
    let frame = &tree["frameTree"]["frame"];
    let text = |key: &str| frame[key].as_str().unwrap_or_default();
    Ok(format!("{}{}", text("url"), text("urlFragment")))
}

/// Waits for the recording's duration with progress a few times a second.
async fn wait_recording(options: &RecordOptions) {
    let start = tokio::time::Instant::now();
    while start.elapsed() < options.duration {
        let share = start.elapsed().as_secs_f64() / options.duration.as_secs_f64();
        report(&options.progress, 0.1 + share * 0.5, "recording");
        tokio::time::sleep(Duration::from_millis(200).min(options.duration - start.elapsed().min(options.duration)))
            .await;
    }
}

/// Makes the trace's file, readable only by its owner.
fn create(path: &Path) -> std::io::Result<Sink> {
    if let Some(parent) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
        std::fs::create_dir_all(parent)?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    Ok(Sink::new(options.open(path)?, path))
}
