//! `evaluate_script`: runs JavaScript in the page.

use std::path::Path;
use std::time::Duration;

use super::on_page::{Acted, OnPage, PageContext};
use super::schema::Param;
use super::{Arguments, Category, Condition, Context, Handler, Running, Tool};
use crate::browser::dialogs::AutoAnswer;
use crate::browser::elements::Element;
use crate::browser::script::{self, Format, Outcome};
use crate::browser::settle::Waiting;
use crate::files::with_extension;
use crate::report::{Failure, OpenDialog, Report, fenced};

/// Names a worker, as the page list does.
const WORKER: &str = "serviceWorkerId";

/// See the module.
pub const TOOL: Tool = Tool {
    name: "evaluate_script",
    description: "Run JavaScript in the page; the value comes back as JSON.",
    category: Category::Debugging,
    read_only: false,
    conditions: &[Condition::JavaScript],
    params: &[
        Param::text("function", "Such as async (el) => el.innerText"),
        Param::text("sourcePath", "File with the source instead.").file(),
        Param::choice("format", &["function", "script"], "script: its last value counts."),
        Param::texts("args", 0, "Uids of elements to pass."),
        Param::text("filePath", "Write the value to this file.").file().obvious(),
        Param::text("dialogAction", "accept (default), dismiss, or a text for prompts."),
        Param::bool("waitForStableDom", "Wait for what the script changed; default true.").obvious(),
        Param::integer("timeout", "Default 180000 ms."),
        Param::text(WORKER, "Run in this service worker of an extension.").only_if(|config| config.category_extensions),
    ],
    handler: Handler::Page(OnPage::new(handler).without_notices().unless(WORKER, in_worker)),
};

/// The original's limit for everything that it asks of a page.
const TIMEOUT: Duration = Duration::from_secs(180);

/// Longest source that is read from a file.
const MAX_SOURCE: u64 = 16 * 1024 * 1024;

fn read_source(path: &Path) -> Result<String, Failure> {
    let failed = |why: String| {
        Failure::new(
            format!("Unable to read script source from {}: {why}", path.display()),
            "give the path of a JavaScript file in UTF-8",
        )
    };
    let size = std::fs::metadata(path).map_err(|e| failed(e.to_string()))?.len();
    if size > MAX_SOURCE {
        return Err(failed(format!("it has {size} bytes, at most {MAX_SOURCE} are read")));
    }
    std::fs::read_to_string(path).map_err(|e| failed(e.to_string()))
}

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let (source, format) = source(arguments)?;
        let uids = arguments.texts("args");
        if format == Format::Script && !uids.is_empty() {
            return Err(Failure::new("args can't be passed to a script.", "use format function"));
        }
        let timeout = arguments.timeout("timeout", TIMEOUT);
        let answer = arguments.optional_text("dialogAction").unwrap_or("accept");
        let answers = (!answer.is_empty()).then(|| {
            context.on.dialogs.answer_automatically(AutoAnswer {
                only_before_unload: false,
                accept: answer != "dismiss",
                text: (!["accept", "dismiss"].contains(&answer)).then(|| answer.to_owned()),
            })
        });
        let waiting = Waiting { load: None, stable_dom: arguments.optional_bool("waitForStableDom").unwrap_or(true) };
        let action = async {
            let mut elements = Vec::with_capacity(uids.len());
            for uid in &uids {
                elements.push(Element::find(&context.on, context.page.id, uid).await?);
            }
            let outcome = script::run(&context.on, &source, format, &elements, timeout).await?;
            Ok::<_, Failure>(outcome)
        };
        let acted = context.act(waiting, report, action).await?;
        for answered in answers.iter().flat_map(|a| a.answered()) {
            let what = if answered.accepted { "Accepted" } else { "Dismissed" };
            report.line(format!(
                "{what} a dialog of the script ({}: {}).",
                answered.dialog.kind, answered.dialog.message
            ));
        }
        let outcome = match acted {
            Acted::Done(outcome) => outcome,
            Acted::Dialog(dialog) => {
                report.line("The script opened a dialog and waits for its answer.");
                report.section(OpenDialog(dialog));
                return Ok(());
            }
        };
        show(&context.call, arguments, outcome, report)
    })
}

/// In a service worker of an extension.
fn in_worker<'a>(context: &'a Context, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let (source, format) = source(arguments)?;
        for other in ["pageId", "args"] {
            if arguments.0.contains_key(other) {
                let problem = format!("{other} and {WORKER} exclude each other.");
                return Err(Failure::new(problem, "a service worker has neither page nor elements"));
            }
        }
        let live = context.session.browser(report).await?;
        let id = arguments.text(WORKER);
        let workers = live.pages.extension_workers().await?.map(|workers| workers.list()).unwrap_or_default();
        let worker = workers
            .into_iter()
            .find(|worker| worker.id == id)
            .ok_or_else(|| Failure::new("Service worker not found.", "list_pages shows those that there are"))?;
        let session = worker.session(live.session()).await?;
        let outcome = script::run_in_worker(session, &source, format, arguments.timeout("timeout", TIMEOUT)).await?;
        show(context, arguments, outcome, report)
    })
}

fn source(arguments: &Arguments) -> Result<(String, Format), Failure> {
    let source = match (arguments.optional_text("function"), arguments.optional_path("sourcePath")) {
        (Some(source), None) => source.to_owned(),
        (None, Some(path)) => read_source(&path)?,
        _ => {
            return Err(Failure::new("Specify exactly one of function or sourcePath.", "give the source one way"));
        }
    };
    let format = match arguments.optional_text("format") {
        Some("script") => Format::Script,
        _ => Format::Function,
    };
    Ok((source, format))
}

fn show(context: &Context, arguments: &Arguments, outcome: Outcome, report: &mut Report) -> Result<(), Failure> {
    match arguments.optional_path("filePath") {
        Some(path) => {
            let path = with_extension(path, "json");
            context.paths.write(&path, outcome.json.as_bytes())?;
            report.line(format!("Script ran on page. Output saved to {}.", path.display()));
        }
        None => {
            let block = format!("```json\n{}\n```", outcome.json);
            let block = if context.session.config.mark_page_content { fenced(&block) } else { block };
            report.line(format!("Script ran on page and returned:\n{block}"));
        }
    }
    if let Some(note) = outcome.note {
        report.line(note);
    }
    Ok(())
}
