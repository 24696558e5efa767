//! Bounded queues of events. A slow subscriber loses its oldest events, is told how many, and never holds up the
//! connection.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};

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

struct Queue {
    events: VecDeque<Event>,
    lost: u64,
    closed: bool,
}

pub(super) struct Mailbox {
    pub filter: Filter,
    capacity: usize,
    queue: Mutex<Queue>,
    arrived: Notify,
}

impl Mailbox {
    pub fn push(&self, event: Event) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.events.len() >= self.capacity {
            queue.events.pop_front();
            queue.lost += 1;
        }
        queue.events.push_back(event);
        drop(queue);
        self.arrived.notify_one();
    }

    pub fn close(&self) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        self.arrived.notify_one();
    }
}

/// Tells whether events wait for a subscriber.
pub struct Backlog(Weak<Mailbox>);

impl Backlog {
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
    pub(super) fn new(filter: Filter, capacity: usize) -> (Self, Weak<Mailbox>) {
        let queue = Mutex::new(Queue { events: VecDeque::new(), lost: 0, closed: false });
        let mailbox = Arc::new(Mailbox { filter, capacity, queue, arrived: Notify::new() });
        let weak = Arc::downgrade(&mailbox);
        (Subscription(mailbox), weak)
    }

    /// The next event, or `None` when its session or the connection has ended.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            {
                let mut queue = self.0.queue.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(event) = queue.events.pop_front() {
                    return Some(event);
                }
                if queue.closed {
                    return None;
                }
            }
            self.0.arrived.notified().await;
        }
    }

    /// An event that has already arrived.
    pub fn try_next(&mut self) -> Option<Event> {
        self.0.queue.lock().unwrap_or_else(PoisonError::into_inner).events.pop_front()
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
        self.0.queue.lock().unwrap_or_else(PoisonError::into_inner).lost
    }
}
