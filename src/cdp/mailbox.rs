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

#[derive(Default)]
struct Queue {
    events: VecDeque<Event>,
    bytes: usize,
    lost: u64,
    closed: bool,
    /// Events that have ever arrived, that were taken or lost of them, and that have been dealt with.
    arrived: u64,
    taken: u64,
    handled: u64,
}

pub(super) struct Mailbox {
    pub filter: Filter,
    bound: Bound,
    queue: Mutex<Queue>,
    arrived: Notify,
    /// Something was taken, or nobody will take anything any more.
    taken: Notify,
    /// The subscriber has dealt with what it took.
    handled: Notify,
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
            queue.taken += 1;
        }
        queue.arrived += 1;
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
        queue.taken += 1;
        queue.bytes = queue.bytes.saturating_sub(event.params.get().len());
        drop(queue);
        self.taken.notify_one();
        Some(event)
    }

    /// What has been taken, up to this number, is dealt with.
    fn handled(&self, taken: u64) {
        let mut queue = self.queue();
        if queue.handled < taken {
            queue.handled = taken;
            drop(queue);
            self.handled.notify_waiters();
        }
    }

    pub fn close(&self) {
        self.queue().closed = true;
        self.arrived.notify_one();
        self.taken.notify_one();
    }
}

/// Tells how far a subscriber is.
#[derive(Clone)]
pub struct Backlog(Weak<Mailbox>);

impl Backlog {
    /// Whether the subscription has ended.
    pub fn is_over(&self) -> bool {
        self.0.strong_count() == 0
    }

    /// Waits until the subscriber has dealt with all events that have arrived by now (it asks for the next one then), or
    /// has ended its subscription. Later events are not waited for, so a page that never stops does not matter.
    pub async fn handled(&self) {
        let Some(goal) = self.0.upgrade().map(|mailbox| mailbox.queue().arrived) else { return };
        while let Some(mailbox) = self.0.upgrade() {
            let handled = mailbox.handled.notified();
            tokio::pin!(handled);
            handled.as_mut().enable();
            if mailbox.queue().handled >= goal {
                return;
            }
            handled.await;
        }
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
        let mailbox = Arc::new(Mailbox {
            filter,
            bound,
            queue: Mutex::default(),
            arrived: Notify::new(),
            taken: Notify::new(),
            handled: Notify::new(),
        });
        let weak = Arc::downgrade(&mailbox);
        (Subscription(mailbox), weak)
    }

    /// The next event, or `None` when its session or the connection has ended.
    pub async fn next(&mut self) -> Option<Event> {
        self.handled();
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
        self.handled();
        self.0.pop()
    }

    /// Asking for an event says that the ones before are dealt with.
    fn handled(&self) {
        let taken = self.0.queue().taken;
        self.0.handled(taken);
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
        // A connection that waits for room must not wait for ever, nor somebody who waits for what was here.
        self.0.close();
        self.0.handled(u64::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event() -> Event {
        let params = serde_json::value::to_raw_value(&1).unwrap();
        Event { method: "A.b".into(), session: None, params, place: 0 }
    }

    #[tokio::test]
    async fn a_backlog_is_what_has_arrived_until_it_is_dealt_with() {
        let (mut events, mailbox) = Subscription::new(Filter { session: None, methods: &[] }, Bound::Newest(2));
        let mailbox = mailbox.upgrade().unwrap();
        let backlog = events.backlog();
        backlog.handled().await;
        // Three of which one is lost.
        for _ in 0..3 {
            mailbox.push(event());
        }
        let handled = backlog.handled();
        tokio::pin!(handled);
        for _ in 0..2 {
            assert!(futures_util::poll!(&mut handled).is_pending());
            events.next().await.unwrap();
        }
        // Taken, but not yet dealt with; what arrives later is not waited for.
        mailbox.push(event());
        assert!(futures_util::poll!(&mut handled).is_pending());
        events.next().await.unwrap();
        handled.await;
        // Nobody deals with the last one.
        let waiting = backlog.clone();
        let waiting = waiting.handled();
        drop(events);
        waiting.await;
    }
}
