//! `new_page`: opens a page, selects it and waits until it has loaded.

use super::list_pages::add_page_list;
use super::on_page::report_effects;
use super::schema::Param;
use super::{Arguments, Category, Context, Handler, Running, Tool};
use crate::browser::navigate::{self, Destination, NavigationError};
use crate::browser::settle::{self, Waiting};
use crate::report::{OpenDialog, Report};

/// See the module.
pub const TOOL: Tool = Tool {
    name: "new_page",
    description: "Open a new page at an address and select it.",
    category: Category::Navigation,
    read_only: false,
    conditions: &[],
    params: &[
        Param::text("url", "The address.").required().obvious(),
        Param::bool("background", "Do not bring it to the front.").obvious(),
        Param::text("isolatedContext", "Name of a context with cookies and storage of its own."),
        Param::integer("timeout", "Default 10000 ms."),
    ],
    handler: Handler::Plain(handler),
};

fn handler<'a>(context: &'a Context, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let url = arguments.text("url");
        navigate::check(url, &context.session.config, &context.paths)?;
        let live = context.session.browser(report).await?;
        let isolated = arguments.optional_text("isolatedContext");
        let page = live.pages.create(arguments.bool("background"), isolated).await?;
        context.session.select(page.id);
        let _turn = page.turn(TOOL.name).await?;
        let on = live.pages.attach(&page).await?;
        let timeout = arguments.timeout("timeout", navigate::TIMEOUT);
        let waiting = Waiting { load: arguments.optional_timeout("timeout"), stable_dom: true };
        let go = navigate::go(&on, Destination::Url(url), timeout);
        match settle::act(&live.pages, &on, waiting, go).await {
            Ok((_, mut effects)) => {
                // The list shows where the page is.
                effects.navigated_to = None;
                report_effects(effects, report);
            }
            Err(NavigationError::Dialog { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        if let Some(dialog) = on.dialogs.open() {
            report.line("The page opened a dialog; it goes on loading when the dialog is answered.");
            report.section(OpenDialog(dialog));
        }
        add_page_list(context, &live, report).await
    })
}
