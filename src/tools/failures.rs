//! Errors of the browser's modules as failures of tools: the message, and the hint that belongs to it.

use crate::browser::elements::ElementError;
use crate::browser::input::InputError;
use crate::browser::navigate::NavigationError;
use crate::browser::page::PageError;
use crate::browser::screenshot::ScreenshotError;
use crate::browser::script::ScriptFailure;
use crate::browser::snapshot::UidError;
use crate::cdp::CdpError;
use crate::devtools::trace::TraceError;
use crate::files::OutputError;
use crate::report::Failure;

impl From<CdpError> for Failure {
    fn from(error: CdpError) -> Self {
        let hint = match error {
            CdpError::Disconnected { .. } => "call list_pages: the browser is started again",
            CdpError::Timeout { .. } => "the page may be too busy to answer; try again",
            _ => "call list_pages to see what is left",
        };
        Failure::new(error.to_string(), hint)
    }
}

macro_rules! with_hint {
    ($($error:ty),*) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Failure::new(error.to_string(), error.hint())
            }
        }
    )*};
}

with_hint!(InputError, NavigationError, OutputError, PageError, ScreenshotError, ScriptFailure, TraceError, UidError);

impl From<ElementError> for Failure {
    fn from(error: ElementError) -> Self {
        match error {
            ElementError::Uid(error) => error.into(),
            ElementError::Cdp(error) => error.into(),
            ElementError::Script(why) => Failure::new(why, "call take_snapshot: the page may have changed"),
        }
    }
}
