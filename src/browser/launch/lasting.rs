//! One thread that lasts as long as the process, for what must be done by such a thread.
//!
//! Linux sends a child's parent-death signal when the *thread* that made it ends, and threads of the runtime may end
//! while it goes on (its blocking ones do when they are idle). Chrome is therefore never spawned by one of those.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, OnceLock, PoisonError};

type Work = Box<dyn FnOnce() + Send>;

/// The thread's mailbox; `None` where it could not be started.
fn mailbox() -> Option<Sender<Work>> {
    static MAILBOX: OnceLock<Mutex<Option<Sender<Work>>>> = OnceLock::new();
    let mailbox = MAILBOX.get_or_init(|| {
        let (sender, work) = channel::<Work>();
        let run = move || {
            for work in work {
                let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
            }
        };
        let started = std::thread::Builder::new().name("launcher".into()).stack_size(256 * 1024).spawn(run);
        Mutex::new(started.ok().map(|_| sender))
    });
    mailbox.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Does something on the thread, in the runtime's context if there is one, and waits for it. It must be short.
pub(super) fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> std::io::Result<T> {
    let gone = || std::io::Error::other("the launcher's thread cannot be used");
    let runtime = tokio::runtime::Handle::try_current().ok();
    let (sender, result) = channel();
    let work = move || {
        let _entered = runtime.as_ref().map(tokio::runtime::Handle::enter);
        let _ = sender.send(work());
    };
    mailbox().ok_or_else(gone)?.send(Box::new(work)).map_err(|_| gone())?;
    result.recv().map_err(|_| gone())
}

/// Has something done on the thread at some time.
pub(super) fn later(work: impl FnOnce() + Send + 'static) {
    if let Some(mailbox) = mailbox() {
        let _ = mailbox.send(Box::new(work));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_is_always_the_same_thread_also_after_a_panic() {
        let first = run(|| std::thread::current().id()).unwrap();
        assert_ne!(first, std::thread::current().id());
        later(|| panic!("on purpose"));
        assert!(run(|| -> () { panic!("on purpose") }).is_err());
        assert_eq!(run(|| std::thread::current().id()).unwrap(), first);
        assert!(run(|| tokio::runtime::Handle::try_current().is_ok()).unwrap());
    }
}
