//! Bounded queues of events. A slow subscriber loses its oldest events, is told how many, and never holds up the
//! connection. The exception is bulk data, of which nothing may be lost: there the connection stops reading while a
//! subscriber has more than its share waiting.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::Notify;

use super::message::Event;

/// Which events a subscriber wants.
#[derive(Debug, Clone)]
pub(super) struct Filter {
    pub session: Option<String>,
    /// Full method names; none of them means every event.
    pub methods: &'static [&'static str],
}

impl Filter {
    pub fn accepts(&self, event: &Event) -> bool {
        event.session == self.session && (self.methods.is_empty() || self.methods.contains(&event.method.as_str()))
    }
}

/// What happens when a subscriber does not take its events in time.
#[derive(Debug, Clone, Copy)]
pub(super) enum Bound {
    /// At most so many wait; older ones are dropped and counted.
    Newest(usize),
    /// While more than so many bytes wait, the browser is not read from.
    Complete(usize),
}

struct Queue {
    events: VecDeque<Event>,
    bytes: usize,
    lost: u64,
    closed: bool,
}

pub(super) struct Mailbox {
    pub filter: Filter,
    bound: Bound,
    queue: Mutex<Queue>,
    arrived: Notify,
    /// Something was taken, or nobody will take anything any more.
    taken: Notify,
}

impl Mailbox {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an event. Whether the connection should wait for [`Mailbox::room`] before it reads on.
    pub fn push(&self, event: Event) -> bool {
        let mut queue = self.queue();
        if queue.closed {
            return false;
        }
        if let Bound::Newest(capacity) = self.bound
            && queue.events.len() >= capacity
        {
            queue.events.pop_front();
            queue.lost += 1;
        }
        queue.bytes += event.params.get().len();
        queue.events.push_back(event);
        let is_full = self.is_full(&queue);
        drop(queue);
        self.arrived.notify_one();
        is_full
    }

    fn is_full(&self, queue: &Queue) -> bool {
        matches!(self.bound, Bound::Complete(bytes) if queue.bytes > bytes) && !queue.closed
    }

    /// Waits until there is room, or nobody takes anything any more.
    pub async fn room(&self) {
        loop {
            let taken = self.taken.notified();
            if !self.is_full(&self.queue()) {
                return;
            }
            taken.await;
        }
    }

    fn pop(&self) -> Option<Event> {
        let mut queue = self.queue();
        let event = queue.events.pop_front()?;
        queue.bytes = queue.bytes.saturating_sub(event.params.get().len());
        drop(queue);
        self.taken.notify_one();
        Some(event)
    }

    pub fn close(&self) {
        self.queue().closed = true;
        self.arrived.notify_one();
        self.taken.notify_one();
    }
}

/// Tells whether events wait for a subscriber.
pub struct Backlog(Weak<Mailbox>);

impl Backlog {
    /// Whether nobody takes events any more.
    pub fn is_over(&self) -> bool {
        self.0.strong_count() == 0
    }

    /// Whether all of them have been taken, or nobody takes them any more.
    pub fn is_empty(&self) -> bool {
        self.0
            .upgrade()
            .is_none_or(|mailbox| mailbox.queue.lock().unwrap_or_else(PoisonError::into_inner).events.is_empty())
    }
}

/// Puts something of one's own in its place among a subscriber's events.
#[derive(Clone)]
pub struct Inserter(Weak<Mailbox>);

impl Inserter {
    /// Behind all events that have arrived by now. False: nobody takes them any more.
    pub fn push(&self, event: Event) -> bool {
        let Some(mailbox) = self.0.upgrade() else { return false };
        if mailbox.queue.lock().unwrap_or_else(PoisonError::into_inner).closed {
            return false;
        }
        mailbox.push(event);
        true
    }
}

/// The receiving end. Dropping it ends the subscription.
pub struct Subscription(Arc<Mailbox>);

impl Subscription {
    pub(super) fn new(filter: Filter, bound: Bound) -> (Self, Weak<Mailbox>) {
        let queue = Mutex::new(Queue { events: VecDeque::new(), bytes: 0, lost: 0, closed: false });
        let mailbox = Arc::new(Mailbox { filter, bound, queue, arrived: Notify::new(), taken: Notify::new() });
        let weak = Arc::downgrade(&mailbox);
        (Subscription(mailbox), weak)
    }

    /// The next event, or `None` when its session or the connection has ended.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.0.pop() {
                return Some(event);
            }
            if self.0.queue().closed {
                return self.0.pop();
            }
            self.0.arrived.notified().await;
        }
    }

    /// An event that has already arrived.
    pub fn try_next(&mut self) -> Option<Event> {
        self.0.pop()
    }

    /// Bytes of parameters that wait, for tests.
    #[cfg(test)]
    pub(super) fn waiting_bytes(&self) -> usize {
        self.0.queue().bytes
    }

    /// To ask from elsewhere whether events wait.
    pub fn backlog(&self) -> Backlog {
        Backlog(Arc::downgrade(&self.0))
    }

    /// To put something among the events from elsewhere.
    pub fn inserter(&self) -> Inserter {
        Inserter(Arc::downgrade(&self.0))
    }

    /// How many events were lost because they were not taken in time.
    pub fn lost(&self) -> u64 {
        self.0.queue().lost
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        // A connection that waits for room must not wait for ever.
        self.0.close();
    }
}
