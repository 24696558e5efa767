//! Progress of work that has parts.

use devtools_engine::Progress;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// Where progress goes, if anybody wants it.
pub type Reporter = Option<UnboundedSender<Progress>>;

/// Reports how much of the whole is done, from 0 to 1.
pub fn report(progress: &Reporter, fraction: f64, message: &str) {
    if let Some(progress) = progress {
        let _ = progress.send(Progress { fraction, message: message.into() });
    }
}

/// For the last part of some work: its own progress goes from 0 to 1, the whole's from `from` to 1.
pub fn rest(outer: &Reporter, from: f64) -> Reporter {
    let outer = outer.clone()?;
    let (sender, mut receiver) = unbounded_channel::<Progress>();
    tokio::spawn(async move {
        while let Some(Progress { fraction, message }) = receiver.recv().await {
            let _ = outer.send(Progress { fraction: from + fraction * (1.0 - from), message });
        }
    });
    Some(sender)
}
