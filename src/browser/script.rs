//! Running an agent's JavaScript in the page's own world.
//!
//! A script that never ends must not take the page with it: whoever stops waiting (deadline, cancellation, dialog)
//! terminates it if it is still keeping the main thread.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::dialogs::Dialogs;
use super::elements::{Element, release_all};
use super::frames::{Evaluated, Frame, RemoteObject, exception_text};
use super::page::Attached;
use super::snapshot::resolve;
use crate::cdp::{CdpError, Session, repair_surrogates};

/// How a source is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// An expression that is a function; it is called.
    Function,
    /// A classic script; its completion value counts.
    Script,
}

/// What a script gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// JSON, or `undefined`.
    pub json: String,
    /// What the value is, where JSON does not show it.
    pub note: Option<String>,
}

/// Why a script gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum ScriptFailure {
    /// It threw, or it is not valid JavaScript.
    #[error("{0}")]
    Threw(String),
    /// Elements of different frames cannot meet in one function.
    #[error("Elements from different frames can't be evaluated together.")]
    DifferentFrames,
    /// Not done in time.
    #[error("The script did not finish within {} ms.", after.as_millis())]
    Timeout { after: Duration, stopped: bool },
    /// The document was replaced while it ran.
    #[error("The page navigated while the script was running, so its result is lost.")]
    Navigated,
    /// An element has gone between finding and using it.
    #[error("Element with uid {0} no longer exists on the page.")]
    Gone(String),
    /// The browser refused or lost a call.
    #[error(transparent)]
    Cdp(CdpError),
}

impl ScriptFailure {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            ScriptFailure::Threw(text) if text.ends_with("is not a function") => {
                "give a function such as () => document.title, or set format to script"
            }
            ScriptFailure::Threw(_) => "the message is the page's; correct the script and call again",
            ScriptFailure::DifferentFrames => "call once for each frame",
            ScriptFailure::Timeout { stopped: true, .. } => {
                "the script was stopped; let it do less, or give a longer timeout"
            }
            ScriptFailure::Timeout { stopped: false, .. } => {
                "Chrome could not stop the script, it may open dialogs without end; navigate_page gets the page out of it"
            }
            ScriptFailure::Navigated => "call again on the new document",
            ScriptFailure::Gone(_) => "call take_snapshot and use a uid from it",
            ScriptFailure::Cdp(_) => "call list_pages to see what is left",
        }
    }
}

impl From<CdpError> for ScriptFailure {
    fn from(error: CdpError) -> Self {
        match &error {
            CdpError::Protocol { message, .. }
                if message.contains("navigated or closed") || message.contains("context was destroyed") =>
            {
                ScriptFailure::Navigated
            }
            _ => ScriptFailure::Cdp(error),
        }
    }
}

/// Turns a value into `{json, note}` in the page, before it can change.
const SERIALISE: &str = include_str!("scripts/serialise.js");

/// How soon a page answers that is not kept busy.
const PROBE: Duration = Duration::from_millis(300);

/// How often a script is told to stop. One that asks dialogs takes it between two of them.
const STOPS: u32 = 8;

/// Stops what is running on a page's main thread when it is dropped, unless it is told that all is done.
struct StopOnDrop<'a> {
    session: Option<Session>,
    dialogs: Option<&'a Dialogs>,
}

impl<'a> StopOnDrop<'a> {
    fn new(session: &Session, dialogs: Option<&'a Dialogs>) -> Self {
        StopOnDrop { session: Some(session.clone()), dialogs }
    }

    fn done(mut self) {
        self.session = None;
    }
}

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        let Some(session) = self.session.take() else { return };
        // It waits for somebody to answer its dialog, and goes on then.
        if self.dialogs.is_some_and(|dialogs| dialogs.open().is_some()) {
            return;
        }
        tokio::spawn(async move { _ = stop_running(&session).await });
    }
}

/// Terminates what keeps the page's main thread. Returns whether the page answers again.
async fn stop_running(session: &Session) -> bool {
    // A page that answers is not running anything; terminating would hit its next, innocent script. Asked once: a second
    // question would wait behind that next script.
    let probe = json!({"expression": "0", "returnByValue": true});
    let all = PROBE * (2 * STOPS + 2);
    let answer = session.call_within::<Value>("Runtime.evaluate", probe, all);
    tokio::pin!(answer);
    let came = |answer: Result<Value, CdpError>| !matches!(answer, Err(CdpError::Timeout { .. }));
    for _ in 0..STOPS {
        if let Ok(answer) = tokio::time::timeout(PROBE, &mut answer).await {
            return came(answer);
        }
        let _ = session.call_within::<Value>("Runtime.terminateExecution", json!({}), PROBE).await;
    }
    tokio::time::timeout(PROBE, &mut answer).await.is_ok_and(came)
}

/// Runs a source and awaits its promise. With elements it runs in their frame, else in the main frame.
pub async fn run(
    page: &Attached,
    source: &str,
    format: Format,
    elements: &[Element],
    timeout: Duration,
) -> Result<Outcome, ScriptFailure> {
    let frame = elements.first().map(|element| &element.frame);
    if elements.iter().any(|element| Some(&element.frame.id) != frame.map(|f| &f.id)) {
        return Err(ScriptFailure::DifferentFrames);
    }
    let session = frame.map_or(&page.session, |frame| &frame.session);
    let work = async {
        match (format, frame) {
            (Format::Script, _) => script(session, source).await,
            (Format::Function, None) => function(session, source).await,
            (Format::Function, Some(frame)) => function_with(frame, source, elements).await,
        }
    };
    within(timeout, session, Some(&page.dialogs), work).await
}

/// The same in a worker.
pub async fn run_in_worker(
    session: &Session,
    source: &str,
    format: Format,
    timeout: Duration,
) -> Result<Outcome, ScriptFailure> {
    let work = async {
        match format {
            Format::Script => script(session, source).await,
            Format::Function => function(session, source).await,
        }
    };
    within(timeout, session, None, work).await
}

/// Stops what is still running when the time is over or nobody waits any more.
async fn within(
    timeout: Duration,
    session: &Session,
    dialogs: Option<&Dialogs>,
    work: impl Future<Output = Result<Outcome, ScriptFailure>>,
) -> Result<Outcome, ScriptFailure> {
    let stop = StopOnDrop::new(session, dialogs);
    match tokio::time::timeout(timeout, work).await {
        Ok(outcome) => {
            stop.done();
            release_all(session);
            outcome
        }
        Err(_) => {
            // Before the caller stops answering the script's dialogs: one that asks in a loop ends only between two.
            let stopped = stop_running(session).await;
            stop.done();
            Err(ScriptFailure::Timeout { after: timeout, stopped })
        }
    }
}

/// From a node to the element that stands for it.
const ELEMENT: &str = "n => n.nodeType === 3 ? n.parentElement ?? n.getRootNode().host ?? n : n";

fn wrapped(source: &str) -> String {
    let source = source.trim_end();
    let source = source.strip_suffix(';').unwrap_or(source);
    format!("const fn = (\n{source}\n);\nreturn ({SERIALISE})(await fn(...given));")
}

async fn function(session: &Session, source: &str) -> Result<Outcome, ScriptFailure> {
    let expression = format!("(async (...given) => {{\n{}\n}})()", wrapped(source));
    let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true});
    outcome(session.call("Runtime.evaluate", params).await?)
}

async fn function_with(frame: &Frame, source: &str, elements: &[Element]) -> Result<Outcome, ScriptFailure> {
    let mut objects = Vec::with_capacity(elements.len());
    for element in elements {
        // In the page's own world, where its functions can work with them.
        let object = resolve(&frame.session, element.backend, None).await?;
        objects.push(object.ok_or_else(|| ScriptFailure::Gone(element.uid.to_string()))?);
    }
    let arguments: Vec<Value> = objects.iter().map(|id| json!({"objectId": id})).collect();
    // The uid of a text stands for the element it is in.
    let declaration =
        format!("async function(...nodes) {{\nconst given = nodes.map({ELEMENT});\n{}\n}}", wrapped(source));
    let params = json!({
        "functionDeclaration": declaration,
        "objectId": objects[0],
        "arguments": arguments,
        "awaitPromise": true,
        "returnByValue": true,
        "userGesture": true,
    });
    outcome(frame.session.call("Runtime.callFunctionOn", params).await?)
}

async fn script(session: &Session, source: &str) -> Result<Outcome, ScriptFailure> {
    let params = json!({
        "expression": source,
        "awaitPromise": true,
        "userGesture": true,
        "objectGroup": super::frames::OBJECTS,
    });
    let evaluated: Evaluated = session.call("Runtime.evaluate", params).await?;
    if let Some(details) = &evaluated.exception_details {
        return Err(ScriptFailure::Threw(exception_text(details)));
    }
    let RemoteObject { r#type, subtype, value, unserializable_value, object_id, .. } = evaluated.result;
    if let Some(object) = object_id {
        let params = json!({
            "functionDeclaration": format!("function() {{ return ({SERIALISE})(this); }}"),
            "objectId": object,
            "returnByValue": true,
        });
        // Primitive values come without an object; `this` of a function call is the object itself.
        return outcome(session.call("Runtime.callFunctionOn", params).await?);
    }
    Ok(match (value, unserializable_value) {
        (Some(value), _) => Outcome { json: repaired(value.to_string()), note: None },
        (None, _) if subtype.as_deref() == Some("null") => Outcome { json: "null".into(), note: None },
        (None, Some(text)) if text.ends_with('n') => {
            return Err(ScriptFailure::Threw(format!("the value is the BigInt {text}, which JSON cannot hold")));
        }
        (None, Some(text)) => {
            let json = if text == "-0" { "0" } else { "null" }.to_owned();
            Outcome { json, note: Some(format!("The value is {text}, which JSON cannot hold.")) }
        }
        (None, None) => Outcome {
            json: "undefined".into(),
            note: (r#type != "undefined")
                .then(|| format!("The value is a {type}, which JSON cannot hold.", type = r#type)),
        },
    })
}

fn outcome(evaluated: Evaluated) -> Result<Outcome, ScriptFailure> {
    #[derive(Deserialize)]
    struct Serialised {
        json: Option<String>,
        note: Option<String>,
    }
    if let Some(details) = &evaluated.exception_details {
        return Err(ScriptFailure::Threw(exception_text(details)));
    }
    let serialised: Serialised = serde_json::from_value(evaluated.result.value.unwrap_or_default())
        .map_err(|e| ScriptFailure::Threw(format!("the value could not be read: {e}")))?;
    Ok(Outcome { json: serialised.json.map_or_else(|| "undefined".into(), repaired), note: serialised.note })
}

/// `JSON.stringify` writes half a surrogate pair as an escape, which some clients cannot read.
fn repaired(json: String) -> String {
    repair_surrogates(&json).unwrap_or(json)
}
