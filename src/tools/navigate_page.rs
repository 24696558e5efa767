//! `navigate_page`: to an address, back, forward, or the same document again.

use serde::Deserialize;
use serde_json::json;

use super::on_page::{OnPage, PageContext, report_effects};
use super::schema::Param;
use super::{Arguments, Category, Handler, Running, Tool};
use crate::browser::dialogs::AutoAnswer;
use crate::browser::navigate::{self, Destination, NavigationError};
use crate::browser::settle::{self, Ending, Waiting};
use crate::report::{Failure, Report};

/// See the module.
pub const TOOL: Tool = Tool {
    name: "navigate_page",
    description: "Go to a URL, back, forward, or reload.",
    category: Category::Navigation,
    read_only: false,
    conditions: &[],
    params: &[
        Param::choice("type", &["url", "back", "forward", "reload"], "Default url.").obvious().obvious(),
        Param::text("url", "The address, for type url."),
        Param::bool("ignoreCache", "For reload.").obvious(),
        Param::choice("handleBeforeUnload", &["accept", "dismiss"], "Default accept."),
        Param::text("initScript", "Runs before the page's own scripts.").only_if(|config| config.javascript_evaluation),
        Param::integer("timeout", "Default 10000 ms."),
    ],
    handler: Handler::Page(OnPage::new(handler).while_dialog().waking()),
};

/// Removes the script again, also when the call is cancelled.
struct InitScript<'a> {
    context: &'a PageContext,
    id: String,
}

impl Drop for InitScript<'_> {
    fn drop(&mut self) {
        let params = json!({"identifier": self.id});
        self.context.on.session.post("Page.removeScriptToEvaluateOnNewDocument", params);
    }
}

async fn install<'a>(context: &'a PageContext, source: &str) -> Result<InitScript<'a>, Failure> {
    #[derive(Deserialize)]
    struct Added {
        identifier: String,
    }
    let params = json!({"source": source});
    let added: Added = context.on.session.call("Page.addScriptToEvaluateOnNewDocument", params).await?;
    Ok(InitScript { context, id: added.identifier })
}

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let url = arguments.optional_text("url");
        let kind = match (arguments.optional_text("type"), url) {
            (Some(kind), _) => kind,
            (None, Some(_)) => "url",
            (None, None) => {
                return Err(Failure::new(
                    "Either URL or a type is required.",
                    "give a url, or type back, forward or reload",
                ));
            }
        };
        if let Some(url) = url {
            navigate::check(url, &context.config, &context.call.paths)?;
        }
        let destination = match (kind, url) {
            ("url", None) => return Err(Failure::new("A URL is required for type url.", "give a url")),
            ("url", Some(url)) => Destination::Url(url),
            ("back", _) => Destination::History(-1),
            ("forward", _) => Destination::History(1),
            _ => Destination::Reload { ignore_cache: arguments.bool("ignoreCache") },
        };
        // Chrome closes it with its document anyway; here it must not look like one of the new document.
        if let Some(dialog) = context.on.dialogs.open_or_coming().await {
            let ended = context.on.dialogs.dismiss_all(&context.on.session).await?;
            report.line(format!("Dismissed the dialog that was open ({}: {}).", dialog.kind, dialog.message));
            if ended {
                report.line("The page went on opening dialogs; its process was ended.");
            }
        }
        if matches!(destination, Destination::Reload { .. }) && navigate::came_from_form(&context.on).await? {
            report.line("Note: the page came from a form; the reload sends the form again.");
        }
        let _script = match arguments.optional_text("initScript") {
            Some(source) => Some(install(context, source).await?),
            None => None,
        };
        let accept = arguments.optional_text("handleBeforeUnload") != Some("dismiss");
        let answers =
            context.on.dialogs.answer_automatically(AutoAnswer { only_before_unload: true, accept, text: None });
        let default = std::time::Duration::from_millis(context.on.emulation().navigation_timeout() as u64);
        let timeout = arguments.timeout("timeout", default);
        let waiting = Waiting { load: arguments.optional_timeout("timeout"), stable_dom: true };
        // A failed load still has effects worth telling, such as a download.
        let go = async { Ok::<_, Failure>(navigate::go(&context.on, destination, timeout).await) };
        let (ending, mut effects) =
            settle::act_if(&context.live.pages, &context.on, waiting, Result::is_ok, go).await?;
        effects.navigated_to = None;
        let downloads = !effects.downloads.is_empty();
        report_effects(effects, report);
        let stayed = answers.answered().iter().any(|answered| !answered.accepted);
        let failure = match ending {
            Ending::Finished(Ok(())) => None,
            Ending::Finished(Err(NavigationError::Failed { download: true, .. })) if downloads => None,
            Ending::Finished(Err(error)) => Some(error),
            Ending::Dialog => context.on.dialogs.open().map(|dialog| NavigationError::Dialog { dialog }),
        };
        let now = navigate::address(&context.on).await.unwrap_or_default();
        let failure = match failure {
            None => {
                report.line(success(destination, &now, downloads));
                if let Destination::Url(url) = destination
                    && !downloads
                    && !same_address(url, &now)
                {
                    report.line(format!("The page is now at {now}."));
                }
                None
            }
            // The load is held up, not lost.
            Some(NavigationError::Dialog { .. }) => {
                report.line("The page opened a dialog; it goes on loading when the dialog is answered.");
                None
            }
            Some(error) => {
                report.line(failed(destination, &error));
                let mut failure = Failure::from(error);
                if stayed {
                    failure.hint =
                        Some("the page asked to stay and was told so; use handleBeforeUnload accept to leave".into());
                }
                Some(failure)
            }
        };
        for answered in answers.answered() {
            let what = if answered.accepted { "Accepted" } else { "Dismissed" };
            report.line(format!("{what} a beforeunload dialog."));
        }
        context.list_pages(report).await?;
        failure.map_or(Ok(()), Err)
    })
}

/// Whether the address is the one that was asked for, apart from how it is written.
fn same_address(asked: &str, now: &str) -> bool {
    let normal = |url: &str| url::Url::parse(url).map(String::from).unwrap_or_else(|_| url.to_owned());
    normal(asked) == normal(now)
}

fn success(destination: Destination<'_>, now: &str, downloads: bool) -> String {
    match destination {
        Destination::Url(url) if downloads => format!("{url} is a download; the page stays where it was."),
        Destination::Url(url) => format!("Successfully navigated to {url}."),
        Destination::History(-1) => format!("Successfully navigated back to {now}."),
        Destination::History(_) => format!("Successfully navigated forward to {now}."),
        Destination::Reload { .. } => "Successfully reloaded the page.".into(),
    }
}

fn failed(destination: Destination<'_>, error: &NavigationError) -> String {
    match destination {
        Destination::Url(_) => format!("Unable to navigate in the selected page: {error}."),
        Destination::History(-1) => format!("Unable to navigate back in the selected page: {error}."),
        Destination::History(_) => format!("Unable to navigate forward in the selected page: {error}."),
        Destination::Reload { .. } => format!("Unable to reload the selected page: {error}."),
    }
}
