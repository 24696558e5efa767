//! What the tools about DevTools comments share.

use std::sync::Arc;

use super::on_page::{OnPage, PageContext, PageHandler};
use super::{Category, Condition, Handler, Tool};
use crate::browser::devtools_comments::{CommentsError, Window};
use crate::report::{Failure, Report};

/// What the client is told when a thread changes.
const CHANGED: &str = "DevTools comment threads updated";

/// A tool of this kind, without parameters.
pub(super) const fn tool(name: &'static str, description: &'static str, handler: PageHandler) -> Tool {
    Tool {
        name,
        description,
        category: Category::Debugging,
        read_only: true,
        conditions: &[Condition::DevToolsComments],
        params: &[],
        handler: Handler::Page(OnPage::new(handler).while_dialog().at_once()),
    }
}

/// The page's DevTools window; from now on the client hears of changes in it.
pub(super) async fn follow(context: &PageContext) -> Result<Arc<Window>, CommentsError> {
    let window = context.on.comments.window(context.live.session(), &context.on).await?;
    let session = Arc::downgrade(&context.call.session);
    context.call.session.followed.follow(&window, move || {
        if let Some(session) = session.upgrade() {
            session.log(CHANGED);
        }
    });
    Ok(window)
}

/// The same; `None` if there is no window or no bridge in it, which the report then says.
pub(super) async fn window(context: &PageContext, report: &mut Report) -> Result<Option<Arc<Window>>, Failure> {
    match follow(context).await {
        Ok(window) => Ok(Some(window)),
        Err(error @ (CommentsError::NoWindow | CommentsError::NoBridge)) => {
            report.line(error.to_string());
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

impl From<CommentsError> for Failure {
    fn from(error: CommentsError) -> Self {
        match error {
            CommentsError::Cdp(error) => error.into(),
            other => Failure::new(other.to_string(), "open_devtools opens the window anew if it was closed"),
        }
    }
}
