//! `resolve_devtools_comment`: marks a comment as done, with an answer to the user.

use super::on_page::PageContext;
use super::schema::Param;
use super::{Arguments, Running, Tool, comments};
use crate::report::Report;

/// See the module.
pub const TOOL: Tool = Tool {
    read_only: false,
    params: &[
        Param::text("threadId", "Thread of get_devtools_comments.").required().obvious(),
        Param::text("replyText", "Answer to the user."),
    ],
    ..comments::tool("resolve_devtools_comment", "Mark a DevTools comment as done.", handler)
};

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let Some(window) = comments::window(context, report).await? else { return Ok(()) };
        let (thread, reply) = (arguments.text("threadId"), arguments.optional_text("replyText"));
        let reply = reply.filter(|reply| !reply.is_empty());
        if window.resolve(thread, reply).await? {
            report.line(format!("Comment thread {thread} resolved successfully."));
            if let Some(reply) = reply {
                report.line(format!("Agent reply added: \"{reply}\""));
            }
        } else {
            report.line(format!("Failed to resolve comment thread \"{thread}\". Thread not found."));
        }
        Ok(())
    })
}
