//! What surrounds every tool that works on a page: finding the page, its turn, attaching, an open dialog, a deadline, and
//! the sections about emulation and dialogs at the end of the answer.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::{Arguments, Context, PlainHandler, Running, Tool};
use crate::browser::dialogs::Dialog;
use crate::browser::host::LiveBrowser;
use crate::browser::page::{Attached, Page, PageError, Turn};
use crate::browser::settle::{self, Effects, Ending, Waiting};
use crate::browser::snapshot::render::{Selected, View};
use crate::browser::snapshot::tree::Snapshot;
use crate::browser::{devtools_window, snapshot};
use crate::config::Config;
use crate::devtools::frontend::Purpose;
use crate::devtools::live::{LiveError, LoadingRules, Universe};
use crate::report::{Downloads, Emulating, Failure, NavigatedTo, OpenDialog, OpenedPages, Report, SnapshotSection};

/// No tool works longer on a page than this, whatever it waits for, unless it says so itself.
const DEADLINE: Duration = Duration::from_secs(200);

/// A dialog that is open for so long is not one that a tool answers by itself.
const HELD_UP: Duration = Duration::from_secs(3);

/// What a page tool works with.
pub struct PageContext {
    /// The server's settings.
    pub config: Arc<Config>,
    /// The call.
    pub call: Context,
    /// The browser.
    pub live: Arc<LiveBrowser>,
    /// The page.
    pub page: Arc<Page>,
    /// Its sessions.
    pub on: Arc<Attached>,
    turn: Mutex<Option<Turn>>,
}

/// Fills the report from a page.
pub type PageHandler = for<'a> fn(&'a PageContext, &'a Arguments, &'a mut Report) -> Running<'a>;

/// How a page tool is run.
pub struct OnPage {
    run: PageHandler,
    /// Refused while a dialog is open: the page could not answer.
    blocked_by_dialog: bool,
    /// Waits for other calls on the same page.
    takes_turns: bool,
    /// Ends with the sections about emulation and the open dialog.
    notices: bool,
    /// A page that is asleep is loaded again first.
    wakes: bool,
    /// How long it may take.
    deadline: Duration,
    /// With this parameter it is not about a page, and run so.
    unless: Option<(&'static str, PlainHandler)>,
}

impl OnPage {
    /// Not while a dialog is open, one after the other, with notices.
    pub const fn new(run: PageHandler) -> Self {
        OnPage {
            run,
            blocked_by_dialog: true,
            takes_turns: true,
            notices: true,
            wakes: false,
            deadline: DEADLINE,
            unless: None,
        }
    }

    /// Also while a dialog is open.
    pub const fn while_dialog(mut self) -> Self {
        self.blocked_by_dialog = false;
        self
    }

    /// Also on a page that is asleep, whose document is loaded again for it.
    pub const fn waking(mut self) -> Self {
        self.wakes = true;
        self
    }

    /// Without waiting for other calls on the page.
    pub const fn at_once(mut self) -> Self {
        self.takes_turns = false;
        self
    }

    /// May take this long.
    pub const fn within(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// With a parameter of this name it is not about a page, and run in this way.
    pub const fn unless(mut self, parameter: &'static str, run: PlainHandler) -> Self {
        self.unless = Some((parameter, run));
        self
    }

    /// Without the sections about emulation and dialogs.
    pub const fn without_notices(mut self) -> Self {
        self.notices = false;
        self
    }

    /// Runs it for a tool.
    pub async fn run(
        &self,
        tool: &'static Tool,
        call: Context,
        arguments: &Arguments,
        report: &mut Report,
    ) -> Result<(), Failure> {
        if let Some((_, run)) = self.unless.filter(|(parameter, _)| arguments.0.contains_key(*parameter)) {
            return run(&call, arguments, report).await;
        }
        let session = call.session.clone();
        let live = session.browser(report).await?;
        let given = arguments.0.contains_key("pageId").then(|| arguments.page_id("pageId"));
        let page = session.page(&live, given).await?;
        let turn = if self.takes_turns { Some(page.turn(tool.name).await?) } else { None };
        let on = match live.pages.attach(&page).await {
            Err(PageError::Asleep { .. }) if self.wakes => {
                let on = live.pages.wake(&page).await?;
                report.line("The page was asleep; it was loaded again.");
                on
            }
            attached => attached?,
        };
        let config = session.config.clone();
        let context = PageContext { config, call, live, page, on, turn: Mutex::new(turn) };
        let outcome = match context.on.dialogs.open().filter(|_| self.blocked_by_dialog) {
            Some(dialog) => Err(Failure::new(
                format!("A dialog is open ({}: {}).", dialog.kind, dialog.message),
                "answer it with handle_dialog first, or leave the page with navigate_page",
            )),
            None => tokio::select! {
                biased;
                outcome = tokio::time::timeout(self.deadline, (self.run)(&context, arguments, report)) => {
                    outcome.unwrap_or_else(|_| Err(Failure::new(
                        format!("{} did not finish within {} s", tool.name, self.deadline.as_secs()),
                        "the page may be stuck; take_screenshot shows it, navigate_page with type reload revives it",
                    )))
                }
                dialog = held_up(&context.on), if self.blocked_by_dialog => Err(Failure::new(
                    format!("A dialog opened meanwhile ({}: {}).", dialog.kind, dialog.message),
                    "answer it with handle_dialog, then call again",
                )),
            },
        };
        if self.notices {
            report.section(Emulating(context.on.emulation().clone()));
            if let Some(dialog) = context.on.dialogs.open() {
                report.section(OpenDialog(dialog));
            }
        }
        outcome
    }
}

/// Returns when a dialog stays open. Tools that expect dialogs tell of them sooner; others would wait for the page.
async fn held_up(on: &Attached) -> Dialog {
    loop {
        on.dialogs.opened().await;
        tokio::time::sleep(HELD_UP).await;
        if let Some(dialog) = on.dialogs.open() {
            return dialog;
        }
    }
}

/// How an action ended.
pub enum Acted<T> {
    /// It ran to its end.
    Done(T),
    /// A dialog opened in the middle of it.
    Dialog(Dialog),
}

impl PageContext {
    /// Lets the next call work on the page: what this one still does needs only what it already has.
    pub fn end_turn(&self) {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// The page in the front-end, opened if it is not yet.
    pub async fn universe(&self, purpose: Purpose) -> Result<Arc<Universe>, LiveError> {
        let rules = LoadingRules { urls: self.on.urls().clone(), paths: self.call.paths.clone() };
        let maps = self.config.source_maps;
        self.on.universe(rules, maps, if maps { purpose } else { Purpose::Other }).await
    }

    /// Runs an action, waits for what it causes, and reports that.
    pub async fn act<T, E: Into<Failure>>(
        &self,
        waiting: Waiting,
        report: &mut Report,
        action: impl Future<Output = Result<T, E>>,
    ) -> Result<Acted<T>, Failure> {
        let (ending, effects) = settle::act(&self.live.pages, &self.on, waiting, action).await.map_err(Into::into)?;
        let dialog = effects.dialog.clone();
        report_effects(effects, report);
        Ok(match (ending, dialog) {
            (Ending::Finished(value), _) => Acted::Done(value),
            (Ending::Dialog, Some(dialog)) => Acted::Dialog(dialog),
            // It has been closed meanwhile, by the user or by the page's end.
            (Ending::Dialog, None) => {
                Acted::Dialog(Dialog { kind: "dialog".into(), message: String::new(), default_value: String::new() })
            }
        })
    }

    /// Adds the page list to the answer.
    pub async fn list_pages(&self, report: &mut Report) -> Result<(), Failure> {
        super::list_pages::add_page_list(&self.call, &self.live, report).await
    }

    /// Adds a snapshot if the caller wants one and the page can be asked.
    pub async fn snapshot_if_wanted(&self, arguments: &Arguments, report: &mut Report) -> Result<(), Failure> {
        if !arguments.bool("includeSnapshot") || self.on.dialogs.open().is_some() {
            return Ok(());
        }
        self.snapshot(report).await
    }

    /// Takes a snapshot, and looks where in it the element is that is selected in DevTools.
    pub async fn take_snapshot(&self, verbose: bool) -> Result<(Arc<Snapshot>, Selected), Failure> {
        let (snapshot, selection) =
            tokio::join!(snapshot::take(&self.on, verbose), devtools_window::selection(self.live.session(), &self.on));
        let snapshot = snapshot?;
        let selected = selection.node.map_or(Selected::None, |backend| {
            snapshot.number_of(selection.frame.as_deref(), backend).map_or(Selected::Elsewhere, Selected::Node)
        });
        Ok((snapshot, selected))
    }

    /// Adds a snapshot.
    pub async fn snapshot(&self, report: &mut Report) -> Result<(), Failure> {
        let (snapshot, selected) = self.take_snapshot(false).await?;
        let view = View { budget: self.config.snapshot_budget, selected, ..View::default() };
        report.section(SnapshotSection::tree(&snapshot, &view, &self.config));
        Ok(())
    }
}

/// Adds what an action caused.
pub fn report_effects(effects: Effects, report: &mut Report) {
    if let Some(url) = effects.navigated_to {
        report.section(NavigatedTo(url));
    }
    if !effects.opened.is_empty() {
        report.section(OpenedPages(effects.opened));
    }
    if !effects.downloads.is_empty() {
        report.section(Downloads(effects.downloads));
    }
}
