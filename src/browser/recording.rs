//! Recording a page's performance: Chrome's tracing, streamed into a file and into the analysis at the same time.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use devtools_engine::{Progress, Work};
use flate2::write::GzEncoder;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::BrowserError;
use super::launch::{Browser, LaunchOptions};
use crate::cdp::Session;
use crate::cdp::protocol::{io as cdp_io, page, target, tracing as cdp_tracing};
use crate::cdp::transport::BoxFuture;
use crate::devtools::trace::{LoadOptions, PreparedEngine, TraceAnalysis, TraceError, TraceSource};

/// How long a page may take to load before the recording goes on without.
const LOAD_LIMIT: Duration = Duration::from_secs(60);
/// How long Chrome may take to hand over the trace's stream after the recording has ended.
const COMPLETE_LIMIT: Duration = Duration::from_secs(120);
/// Size of Chrome's trace buffer in kB, and of one read of its stream in bytes.
const BUFFER_KB: f64 = 1_200_000.0;
const READ_BYTES: i64 = 4 * 1024 * 1024;
/// Chunks that may wait for the analysis.
const CHUNKS_AHEAD: usize = 4;

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
    pub progress: Option<UnboundedSender<Progress>>,
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
    start_tracing(&page, &categories).await?;
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
    let mut complete = page.subscribe(&["Tracing.tracingComplete"]);
    page.send(cdp_tracing::EndParams::default()).await?;
    let completed = tokio::time::timeout(COMPLETE_LIMIT, complete.next())
        .await
        .map_err(|_| crate::cdp::CdpError::Timeout { method: "Tracing.tracingComplete".into(), after: COMPLETE_LIMIT })?
        .ok_or(crate::cdp::CdpError::TargetClosed { method: "Tracing.tracingComplete".into() })?;
    let Completed { data_loss, stream } = completed
        .decode()
        .map_err(|e| crate::cdp::CdpError::Shape { method: "Tracing.tracingComplete".into(), why: e.to_string() })?;
    let url = current_url(&page).await.unwrap_or_else(|_| options.url.clone());

    let (sender, receiver) = mpsc::channel(CHUNKS_AHEAD);
    let load = LoadOptions {
        fresh: true,
        cpu_throttling: Some(1.0),
        cancel: options.cancel.clone(),
        progress: options.progress.clone().map(|outer| share(outer, 0.6)),
        ..LoadOptions::new(options.heap_limit)
    };
    let analysis = engine.load(TraceSource::stream(ChannelReader::new(receiver)), load);
    let copying = copy_stream(&page, &stream, options.file.as_deref(), sender);
    let (trace, copied) = tokio::join!(analysis, copying);
    // A failed copy is the cause of whatever the analysis then said.
    copied?;
    Ok(Recording { trace: trace?, url, data_loss, load_timed_out })
}

#[derive(Deserialize)]
struct Completed {
    #[serde(rename = "dataLossOccurred", default)]
    data_loss: bool,
    stream: String,
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

async fn start_tracing(page: &Session, categories: &[String]) -> Result<(), RecordError> {
    let config = cdp_tracing::TraceConfig {
        excluded_categories: Some(vec!["*".into()]),
        included_categories: Some(categories.to_vec()),
        trace_buffer_size_in_kb: Some(BUFFER_KB),
        ..Default::default()
    };
    let command = cdp_tracing::StartParams::builder()
        .transfer_mode(cdp_tracing::StartTransferMode::ReturnAsStream)
        .trace_config(config)
        .build();
    page.send(command).await?;
    Ok(())
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

/// Reads Chrome's stream to its end, into the file and into the analysis.
async fn copy_stream(
    page: &Session,
    stream: &str,
    file: Option<&Path>,
    analysis: mpsc::Sender<io::Result<Vec<u8>>>,
) -> Result<(), RecordError> {
    #[derive(Deserialize)]
    struct Chunk {
        #[serde(rename = "base64Encoded", default)]
        base64: bool,
        data: String,
        eof: bool,
    }
    let written = |error: io::Error| {
        let what = format!("cannot write {}", file.unwrap_or(Path::new("?")).display());
        RecordError::from(BrowserError::Io { what, why: error.to_string() })
    };
    let mut sink = file.map(Sink::create).transpose().map_err(written)?;
    loop {
        let read = cdp_io::ReadParams::builder().handle(stream.to_owned()).size(READ_BYTES).build().map_err(shape)?;
        let chunk: Result<Chunk, _> = page.call("IO.read", read).await;
        let chunk = match chunk {
            Ok(chunk) => chunk,
            Err(error) => {
                let _ = analysis.send(Err(io::Error::other(error.to_string()))).await;
                return Err(error.into());
            }
        };
        let bytes = if chunk.base64 {
            base64::engine::general_purpose::STANDARD.decode(&chunk.data).map_err(|e| shape(e.to_string()))?
        } else {
            chunk.data.into_bytes()
        };
        if let Some(sink) = &mut sink {
            // Compression takes a while: let the other tasks of this thread go on.
            tokio::task::block_in_place(|| sink.write_all(&bytes)).map_err(written)?;
        }
        // The analysis may have failed already; the file is still completed.
        let _ = analysis.send(Ok(bytes)).await;
        if chunk.eof {
            break;
        }
    }
    if let Some(sink) = sink {
        sink.finish().map_err(written)?;
    }
    let _: Result<Value, _> = page.call("IO.close", json!({"handle": stream})).await;
    Ok(())
}

/// The trace's file, compressed by its name.
enum Sink {
    Plain(std::fs::File),
    Gzip(Box<GzEncoder<std::fs::File>>),
}

impl Sink {
    fn create(path: &Path) -> io::Result<Self> {
        if let Some(parent) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
            std::fs::create_dir_all(parent)?;
        }
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path)?;
        let is_gzip = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gz"));
        Ok(if is_gzip {
            Sink::Gzip(Box::new(GzEncoder::new(file, flate2::Compression::default())))
        } else {
            Sink::Plain(file)
        })
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Sink::Plain(file) => file.write_all(bytes),
            Sink::Gzip(encoder) => encoder.write_all(bytes),
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Sink::Plain(file) => file.sync_data(),
            Sink::Gzip(encoder) => encoder.finish()?.sync_data(),
        }
    }
}

/// Reads what arrives on a channel; for the analysis' own thread.
struct ChannelReader {
    chunks: mpsc::Receiver<io::Result<Vec<u8>>>,
    current: io::Cursor<Vec<u8>>,
}

impl ChannelReader {
    fn new(chunks: mpsc::Receiver<io::Result<Vec<u8>>>) -> Self {
        ChannelReader { chunks, current: io::Cursor::default() }
    }
}

impl Read for ChannelReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.current.read(buffer)?;
            if count > 0 {
                return Ok(count);
            }
            match self.chunks.blocking_recv() {
                Some(chunk) => self.current = io::Cursor::new(chunk?),
                None => return Ok(0),
            }
        }
    }
}

fn report(progress: &Option<UnboundedSender<Progress>>, fraction: f64, message: &str) {
    if let Some(progress) = progress {
        let _ = progress.send(Progress { fraction, message: message.into() });
    }
}

/// Progress of a part that begins at `from` of the whole.
fn share(outer: UnboundedSender<Progress>, from: f64) -> UnboundedSender<Progress> {
    let (sender, mut receiver) = mpsc::unbounded_channel::<Progress>();
    tokio::spawn(async move {
        while let Some(Progress { fraction, message }) = receiver.recv().await {
            let _ = outer.send(Progress { fraction: from + fraction * (1.0 - from), message });
        }
    });
    sender
}
