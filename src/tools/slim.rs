//! The three tools of `--slim`: `navigate`, `evaluate`, `screenshot`. They work on the selected page and answer with
//! their own lines only.

use std::time::Duration;

use super::on_page::{OnPage, PageContext};
use super::schema::Param;
use super::{Arguments, Category, Condition, Handler, Running, Tool};
use crate::browser::dialogs::AutoAnswer;
use crate::browser::navigate::{self, Destination};
use crate::browser::screenshot::{self, Format, Options, Subject};
use crate::browser::script;
use crate::files::temporary;
use crate::report::{Failure, Report};

/// Goes to an address.
pub const NAVIGATE: Tool = Tool {
    name: "navigate",
    description: "Go to a URL.",
    category: Category::Navigation,
    read_only: false,
    conditions: &[Condition::Slim],
    params: &[Param::text("url", "The address.").required()],
    handler: Handler::Page(OnPage::new(navigate).while_dialog()),
};

/// Runs a script.
pub const EVALUATE: Tool = Tool {
    name: "evaluate",
    description: "Run a JavaScript script in the page; its last value comes back as JSON.",
    category: Category::Debugging,
    read_only: false,
    conditions: &[Condition::Slim, Condition::JavaScript],
    params: &[Param::text("script", "The script.").required()],
    handler: Handler::Page(OnPage::new(evaluate)),
};

/// Takes a picture.
pub const SCREENSHOT: Tool = Tool {
    name: "screenshot",
    description: "Take a picture of the page; the answer is its file.",
    category: Category::Debugging,
    read_only: false,
    conditions: &[Condition::Slim],
    params: &[],
    handler: Handler::Page(OnPage::new(screenshot)),
};

/// The original's limits.
const LOAD: Duration = Duration::from_secs(30);
const SCRIPT: Duration = Duration::from_secs(180);

fn navigate<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let url = arguments.text("url");
        navigate::check(url, &context.config, &context.call.paths)?;
        // Left by a script, which waits for it and may open more; without this tool nobody could answer.
        if context.on.dialogs.open_or_coming().await.is_some() {
            context.on.dialogs.dismiss_all(&context.on.session).await?;
        }
        let leave = AutoAnswer { only_before_unload: true, accept: true, text: None };
        let answers = context.on.dialogs.answer_automatically(leave);
        navigate::go(&context.on, Destination::Url(url), LOAD).await?;
        for _ in answers.answered() {
            report.line("Accepted a beforeunload dialog.");
        }
        report.line(format!("Navigated to {}.", navigate::address(&context.on).await?));
        Ok(())
    })
}

fn evaluate<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let run = script::run(&context.on, arguments.text("script"), script::Format::Script, &[], SCRIPT);
        let outcome = tokio::select! {
            outcome = run => outcome?,
            dialog = context.on.dialogs.opened() => {
                return Err(Failure::new(
                    format!("The script opened a dialog ({}: {}).", dialog.kind, dialog.message),
                    "navigate somewhere, or start the server without --slim to answer it",
                ));
            }
        };
        report.line(match outcome.json.as_str() {
            "undefined" if outcome.note.is_none() => String::new(),
            // A function, as in the original.
            "undefined" => "{}".into(),
            json => json.to_owned(),
        });
        Ok(())
    })
}

fn screenshot<'a>(context: &'a PageContext, _arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let options = Options { subject: Subject::Viewport, format: Format::Png, quality: None, limit: (None, None) };
        let picture = screenshot::take(&context.on, &options).await?;
        let path = temporary("screenshot.png")
            .map_err(|error| Failure::new(format!("the screenshot could not be saved: {error}"), "free some space"))?;
        context.call.paths.write(&path, &picture.bytes)?;
        report.line(path.display().to_string());
        Ok(())
    })
}
