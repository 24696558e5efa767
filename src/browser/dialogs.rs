//! JavaScript dialogs of a page: what is open, who answers it, what was answered.
//!
//! A dialog stops the page's main thread, and with it every call that needs that thread; so every wait in this program
//! ends when one opens ([`Dialogs::opened`]). Source of the events: CDP `Page.javascriptDialogOpening` and `Closed`.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::cdp::{CdpError, Event, Session};

/// How long closing a dialog may take.
const ANSWER: Duration = Duration::from_secs(5);

/// How soon the next dialog opens of a script that does nothing but ask.
const NEXT: Duration = Duration::from_millis(100);

/// So many of them in a row are dismissed before the page counts as one that asks without end.
const MAX_DISMISSED: usize = 20;

/// Dialogs of one document after which it is taken for one that never stops.
const MANY: usize = 10;

/// A dialog.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Dialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its text.
    #[serde(default)]
    pub message: String,
    /// What the field of a `prompt` holds.
    #[serde(default, rename = "defaultPrompt")]
    pub default_value: String,
}

/// How dialogs are answered while an action runs.
#[derive(Debug, Clone, PartialEq)]
pub struct AutoAnswer {
    /// Only leave-page confirmations.
    pub only_before_unload: bool,
    /// Accept or dismiss.
    pub accept: bool,
    /// Text for a `prompt`.
    pub text: Option<String>,
}

/// A dialog that was answered by an [`AutoAnswer`].
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// The dialog.
    pub dialog: Dialog,
    /// Accepted or dismissed.
    pub accepted: bool,
}

#[derive(Default)]
struct Plan {
    auto: Option<AutoAnswer>,
    answered: Vec<Answered>,
}

/// Answered dialogs that are remembered for one action; a page can open them without end.
const MAX_ANSWERED: usize = 100;

/// The dialogs of one page.
#[derive(Default)]
pub struct Dialogs {
    open: watch::Sender<Option<Dialog>>,
    count: AtomicUsize,
    plan: Arc<Mutex<Plan>>,
}

/// Ends automatic answers when it is dropped.
pub struct AutoAnswers(Arc<Mutex<Plan>>);

impl AutoAnswers {
    /// What was answered so far.
    pub fn answered(&self) -> Vec<Answered> {
        lock(&self.0).answered.clone()
    }
}

impl Drop for AutoAnswers {
    fn drop(&mut self) {
        lock(&self.0).auto = None;
    }
}

fn lock(plan: &Mutex<Plan>) -> MutexGuard<'_, Plan> {
    plan.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Dialogs {
    /// The dialog that is open and waits for an answer.
    pub fn open(&self) -> Option<Dialog> {
        self.open.borrow().clone()
    }

    /// Returns when a dialog is open that nobody answers by itself.
    pub async fn opened(&self) -> Dialog {
        let mut open = self.open.subscribe();
        loop {
            if let Some(dialog) = open.borrow_and_update().clone() {
                return dialog;
            }
            if open.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Answers dialogs by itself until the guard is dropped.
    pub fn answer_automatically(&self, answer: AutoAnswer) -> AutoAnswers {
        *lock(&self.plan) = Plan { auto: Some(answer), answered: Vec::new() };
        AutoAnswers(self.plan.clone())
    }

    /// Answers the open dialog. One that is gone already counts as answered.
    pub async fn answer(&self, session: &Session, accept: bool, text: Option<&str>) -> Result<(), CdpError> {
        // Before it is answered: the next one may open before the answer is acknowledged.
        let dialog = self.open.send_replace(None);
        match handle(session, accept, text).await {
            Err(CdpError::Protocol { .. } | CdpError::TargetClosed { .. } | CdpError::Crashed { .. }) => Ok(()),
            Err(error) => {
                self.open.send_if_modified(|open| {
                    let none = open.is_none();
                    if none {
                        *open = dialog;
                    }
                    none
                });
                Err(error)
            }
            Ok(()) => Ok(()),
        }
    }

    /// Dismisses the open dialog and those that follow it at once. A page that goes on asking loses its process: Chrome
    /// terminates no script that does nothing but ask. Returns whether that was necessary.
    pub async fn dismiss_all(&self, session: &Session) -> Result<bool, CdpError> {
        for _ in 0..MAX_DISMISSED {
            self.answer(session, false, None).await?;
            if tokio::time::timeout(NEXT, self.opened()).await.is_err() {
                return Ok(false);
            }
        }
        let mut crashed = session.subscribe(&["Inspector.targetCrashed"]);
        session.post("Page.crash", json!({}));
        let ended = tokio::time::timeout(ANSWER, crashed.next()).await;
        self.open.send_replace(None);
        match ended {
            Ok(Some(_)) => Ok(true),
            _ => Err(CdpError::Timeout { method: "Page.crash".into(), after: ANSWER }),
        }
    }

    /// How many dialogs the document has opened, if that is so many that it may never stop.
    pub fn keep_coming(&self) -> Option<usize> {
        Some(self.count.load(Ordering::Relaxed)).filter(|count| *count >= MANY)
    }

    /// The open dialog. Where one follows the other it is waited for: the one before may have been answered just now.
    pub async fn open_or_coming(&self) -> Option<Dialog> {
        match self.open() {
            None if self.keep_coming().is_some() => tokio::time::timeout(NEXT, self.opened()).await.ok(),
            open => open,
        }
    }

    /// A new document begins.
    pub(super) fn reset(&self) {
        self.count.store(0, Ordering::Relaxed);
    }

    /// Whether the page asked not to be left, and was automatically told to stay.
    pub fn stays(&self) -> bool {
        let stays = |answered: &Answered| !answered.accepted && answered.dialog.kind == "beforeunload";
        lock(&self.plan).answered.iter().any(stays)
    }

    /// Takes note of an event of the page.
    pub(super) async fn note(&self, session: &Session, event: &Event) {
        if event.method == "Page.javascriptDialogClosed" {
            self.open.send_replace(None);
            return;
        }
        let Ok(dialog) = event.decode::<Dialog>() else { return };
        self.count.fetch_add(1, Ordering::Relaxed);
        let auto = lock(&self.plan).auto.clone();
        match auto.filter(|a| !a.only_before_unload || dialog.kind == "beforeunload") {
            Some(auto) => {
                // Noted first: what the answer sets free may be told before the answer is acknowledged.
                let answered = Answered { dialog, accepted: auto.accept };
                let noted = {
                    let mut plan = lock(&self.plan);
                    let room = plan.answered.len() < MAX_ANSWERED;
                    if room {
                        plan.answered.push(answered.clone());
                    }
                    room
                };
                if handle(session, auto.accept, auto.text.as_deref()).await.is_err() && noted {
                    let _ = lock(&self.plan).answered.pop_if(|last| *last == answered);
                }
            }
            None => _ = self.open.send_replace(Some(dialog)),
        }
    }
}

async fn handle(session: &Session, accept: bool, text: Option<&str>) -> Result<(), CdpError> {
    let mut params = json!({"accept": accept});
    if let Some(text) = text {
        params["promptText"] = text.into();
    }
    session.call_within::<Value>("Page.handleJavaScriptDialog", params, ANSWER).await.map(|_| ())
}
