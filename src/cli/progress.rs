//! A progress bar on stderr, if that is a terminal; nothing otherwise.

use std::io::IsTerminal;

use devtools_engine::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// A bar that follows a channel. Dropping it clears the line.
pub struct Bar(Option<ProgressBar>);

impl Bar {
    /// Starts a bar; must run inside the runtime.
    pub fn start() -> (Self, Option<UnboundedSender<Progress>>) {
        if !std::io::stderr().is_terminal() {
            return (Bar(None), None);
        }
        let bar = ProgressBar::new(1000);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent:>3} %  {msg}") {
            bar.set_style(style);
        }
        let (sender, mut receiver) = unbounded_channel::<Progress>();
        let shown = bar.clone();
        tokio::spawn(async move {
            while let Some(Progress { fraction, message }) = receiver.recv().await {
                shown.set_position((fraction * 1000.0) as u64);
                shown.set_message(message);
            }
        });
        (Bar(Some(bar)), Some(sender))
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
