//! Keyboard and mouse: real, trusted events through CDP's Input domain, aimed at elements that can take them.

pub mod drag;
pub mod fill;
pub mod keyboard;
pub mod keys;
pub mod mouse;
pub mod upload;

use std::time::Duration;

use super::elements::ElementError;
use super::page::Attached;
use super::snapshot::UidError;
use super::snapshot::tree::Uid;
use crate::cdp::CdpError;

/// How long an element may take to become ready; multiplied by the CPU slowdown.
const READY: Duration = Duration::from_secs(5);

/// Pause between two tries.
const RETRY: Duration = Duration::from_millis(100);

/// Why an input did not work.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The uid leads nowhere.
    #[error(transparent)]
    Uid(#[from] UidError),
    /// The element cannot take it.
    #[error("Failed to interact with the element with uid {uid}. {why}")]
    NotReady { uid: Uid, why: String, hint: &'static str },
    /// The value is not what the element can hold, or what it holds now is something else.
    #[error("{why}")]
    Value { why: String, hint: String },
    /// A key that does not exist, or a combination that cannot be read.
    #[error("{0}")]
    Key(String),
    /// A file that cannot be uploaded.
    #[error("{why}")]
    File { why: String, hint: &'static str },
    /// The browser refused or lost a call.
    #[error(transparent)]
    Cdp(#[from] CdpError),
}

impl From<ElementError> for InputError {
    fn from(error: ElementError) -> Self {
        match error {
            ElementError::Uid(error) => InputError::Uid(error),
            ElementError::Cdp(error) => InputError::Cdp(error),
            ElementError::Script(why) => {
                InputError::Value { why, hint: "call take_snapshot: the page may have changed".into() }
            }
        }
    }
}

impl From<crate::browser::frames::ScriptError> for InputError {
    fn from(error: crate::browser::frames::ScriptError) -> Self {
        match error {
            crate::browser::frames::ScriptError::Threw(why) => ElementError::Script(why).into(),
            crate::browser::frames::ScriptError::Cdp(error) => InputError::Cdp(error),
        }
    }
}

impl InputError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            InputError::Uid(error) => error.hint().to_owned(),
            InputError::NotReady { hint, .. } | InputError::File { hint, .. } => (*hint).to_owned(),
            InputError::Value { hint, .. } => hint.clone(),
            InputError::Key(_) => "use names such as Enter, ArrowDown or Control+A, or type_text for text".into(),
            InputError::Cdp(CdpError::Timeout { .. }) => "the page is busy; take_screenshot may show with what".into(),
            InputError::Cdp(_) => "call list_pages to see what is left".into(),
        }
    }
}

/// The time an element has to become ready.
fn ready_limit(page: &Attached) -> Duration {
    READY.mul_f64(page.emulation().cpu_factor())
}
