//! What is read from the page at the moment an entry arrives: the structure of its objects, the stacks of its errors and
//! their causes. Later they may have changed or be gone (a removed frame, a navigation, `console.clear`).
//!
//! All look-ups go to the session that delivered the objects: an object id means something there only.

use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::remote::{Plain, RemoteObject};
use crate::cdp::{CdpError, Session};

/// How long the page may take to describe one value.
const PATIENCE: Duration = Duration::from_secs(2);

/// Limits of a description: levels, items of each object, characters.
const LIMITS: [usize; 3] = [6, 200, 20_000];

/// Causes of an error that are followed.
const MAX_CAUSES: usize = 10;

/// An error's stack and those of its causes.
#[derive(Debug, Default)]
pub struct ErrorDetails {
    /// `Runtime.StackTrace` of the error itself.
    pub stack: Option<Box<RawValue>>,
    /// The chain below it, nearest first.
    pub causes: Vec<Cause>,
}

/// One link of a chain of causes.
#[derive(Debug)]
pub struct Cause {
    /// What it says.
    pub message: String,
    /// `Runtime.StackTrace`, if it is an error.
    pub stack: Option<Box<RawValue>>,
}

/// What was read of one value.
#[derive(Debug)]
pub enum Details {
    /// An object's structure, as text.
    Structure(Box<str>),
    /// An error.
    Error(Box<ErrorDetails>),
    /// The page did not tell; what Chrome sent with the event is all there is.
    None,
}

#[derive(Deserialize)]
struct Evaluated {
    result: RemoteObject,
    #[serde(rename = "exceptionDetails")]
    exception: Option<Value>,
}

#[derive(Deserialize)]
struct ExceptionDetails {
    #[serde(rename = "exceptionDetails")]
    details: Option<Thrown>,
}

#[derive(Deserialize)]
struct Thrown {
    #[serde(rename = "stackTrace")]
    stack: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Properties {
    result: Vec<OwnProperty>,
}

#[derive(Deserialize)]
struct OwnProperty {
    name: String,
    value: Option<RemoteObject>,
}

/// Reads an object and gives its handle back.
pub async fn read(session: &Session, object: &RemoteObject) -> Details {
    let Some(id) = object.object_id.as_deref() else { return Details::None };
    let details = if object.is_error() {
        match error(session, id).await {
            Ok(error) => Details::Error(Box::new(error)),
            Err(_) => Details::None,
        }
    } else {
        let script = include_str!("../scripts/describe_value.js");
        match call(session, id, script, &LIMITS, true).await {
            Ok(Evaluated { result: RemoteObject { value: Some(Plain::Text(text)), .. }, exception: None }) => {
                Details::Structure(text)
            }
            _ => Details::None,
        }
    };
    session.post("Runtime.releaseObject", json!({"objectId": id}));
    details
}

async fn call(
    session: &Session,
    id: &str,
    script: &str,
    arguments: &[usize],
    by_value: bool,
) -> Result<Evaluated, CdpError> {
    let arguments: Vec<Value> = arguments.iter().map(|value| json!({"value": value})).collect();
    let params = json!({
        "objectId": id, "functionDeclaration": script, "arguments": arguments,
        "returnByValue": by_value, "silent": true, "throwOnSideEffect": true,
    });
    session.call_within("Runtime.callFunctionOn", params, PATIENCE).await
}

async fn error(session: &Session, id: &str) -> Result<ErrorDetails, CdpError> {
    let stack = stack(session, id).await?;
    let script = include_str!("../scripts/causes.js");
    let chain = call(session, id, script, &[MAX_CAUSES], false).await?;
    let Some(list) = chain.result.object_id.filter(|_| chain.exception.is_none()) else {
        return Ok(ErrorDetails { stack, causes: Vec::new() });
    };
    let params = json!({"objectId": list, "ownProperties": true, "generatePreview": true});
    let properties: Properties = session.call_within("Runtime.getProperties", params, PATIENCE).await?;
    let mut causes = Vec::new();
    for property in properties.result.into_iter().filter(|p| p.name.bytes().all(|b| b.is_ascii_digit())) {
        let Some(value) = property.value else { continue };
        let stack = match value.object_id.as_deref() {
            Some(id) if value.is_error() => self::stack(session, id).await.unwrap_or_default(),
            _ => None,
        };
        causes.push(Cause { message: value.message(), stack });
        if let Some(id) = value.object_id {
            session.post("Runtime.releaseObject", json!({"objectId": id}));
        }
    }
    session.post("Runtime.releaseObject", json!({"objectId": list}));
    Ok(ErrorDetails { stack, causes })
}

async fn stack(session: &Session, id: &str) -> Result<Option<Box<RawValue>>, CdpError> {
    let params = json!({"errorObjectId": id});
    let thrown: ExceptionDetails = session.call_within("Runtime.getExceptionDetails", params, PATIENCE).await?;
    Ok(thrown.details.and_then(|details| details.stack))
}
