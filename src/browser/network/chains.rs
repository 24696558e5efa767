//! Which request an event belongs to. All hops of a redirect have the same id; the events with what really went over the
//! network ("extra info") say nothing of the hop, come in the order of the hops, before or after its other events, and not
//! at all for hops that were answered without the network.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use serde_json::value::RawValue;

use super::protocol::ExtraInfo;

/// Requests whose events are told apart; more than a log keeps.
const MOST: usize = 4000;

/// Extra info that may wait for its hop.
const WAITING: usize = 32;

/// The hops of one id.
#[derive(Default)]
pub(super) struct Chain {
    hops: Vec<Hop>,
    sent: VecDeque<Arc<RawValue>>,
    received: VecDeque<ExtraInfo>,
}

struct Hop {
    id: u32,
    has_sent: bool,
    has_received: bool,
    /// The browser has said that there is none for it.
    without: bool,
}

/// Extra info and the number of the request that it belongs to.
pub(super) enum Found {
    Sent(u32, Arc<RawValue>),
    Received(u32, ExtraInfo),
}

impl Chain {
    /// The number of the newest hop.
    pub fn last(&self) -> Option<u32> {
        self.hops.last().map(|hop| hop.id)
    }

    /// Numbers of all hops in their order.
    pub fn ids(&self) -> Vec<u32> {
        self.hops.iter().map(|hop| hop.id).collect()
    }

    /// A further hop.
    pub fn push(&mut self, id: u32) {
        self.hops.push(Hop { id, has_sent: false, has_received: false, without: false });
    }

    /// What was sent in one of the hops.
    pub fn sent(&mut self, headers: Arc<RawValue>) {
        if self.sent.len() < WAITING {
            self.sent.push_back(headers);
        }
    }

    /// What was received in one of the hops.
    pub fn received(&mut self, extra: ExtraInfo) {
        if self.received.len() < WAITING {
            self.received.push_back(extra);
        }
    }

    /// The newest hop has no extra info. `taken` is what was given to it too early.
    pub fn without(&mut self, taken: (Option<Arc<RawValue>>, Option<ExtraInfo>)) {
        let Some(hop) = self.hops.last_mut() else { return };
        hop.without = true;
        taken.0.into_iter().for_each(|sent| self.sent.push_front(sent));
        taken.1.into_iter().for_each(|received| self.received.push_front(received));
    }

    /// Takes what now has its hop.
    pub fn assign(&mut self) -> Vec<Found> {
        let mut found = Vec::new();
        for hop in self.hops.iter_mut().filter(|hop| !hop.without) {
            if !hop.has_sent
                && let Some(headers) = self.sent.pop_front()
            {
                hop.has_sent = true;
                found.push(Found::Sent(hop.id, headers));
            }
            if !hop.has_received
                && let Some(extra) = self.received.pop_front()
            {
                hop.has_received = true;
                found.push(Found::Received(hop.id, extra));
            }
        }
        found
    }
}

/// The newest ids.
#[derive(Default)]
pub(super) struct Chains {
    chains: HashMap<String, Chain>,
    order: VecDeque<String>,
}

impl Chains {
    pub fn get(&self, request_id: &str) -> Option<&Chain> {
        self.chains.get(request_id)
    }

    pub fn get_mut(&mut self, request_id: &str) -> Option<&mut Chain> {
        self.chains.get_mut(request_id)
    }

    /// The chain of an id, new if nothing was known of it. A chain that is `fresh` begins anew.
    pub fn entry(&mut self, request_id: &str) -> &mut Chain {
        if !self.chains.contains_key(request_id) {
            self.order.push_back(request_id.to_owned());
            if self.order.len() > MOST
                && let Some(oldest) = self.order.pop_front()
            {
                self.chains.remove(&oldest);
            }
        }
        self.chains.entry(request_id.to_owned()).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Arc<RawValue> {
        serde_json::value::to_raw_value(text).unwrap().into()
    }

    fn assigned(chain: &mut Chain) -> Vec<(u32, String)> {
        let found = chain.assign().into_iter().map(|found| match found {
            Found::Sent(id, headers) => (id, format!("sent {}", headers.get())),
            Found::Received(id, extra) => (id, format!("received {}", extra.status_code.unwrap())),
        });
        found.collect()
    }

    #[test]
    fn extra_info_finds_its_hop_before_and_after_it() {
        let mut chain = Chain::default();
        chain.sent(raw("early"));
        assert!(assigned(&mut chain).is_empty());
        chain.push(1);
        assert_eq!(assigned(&mut chain), [(1, "sent \"early\"".into())]);
        chain.received(ExtraInfo { headers: RawValue::NULL.to_owned(), status_code: Some(302) });
        chain.sent(raw("second"));
        assert_eq!(assigned(&mut chain), [(1, "received 302".into())], "the second hop is not there yet");
        chain.push(2);
        assert_eq!(assigned(&mut chain), [(2, "sent \"second\"".into())]);
        assert_eq!((chain.last(), chain.ids()), (Some(2), vec![1, 2]));
    }

    #[test]
    fn a_hop_without_extra_info_gives_it_back() {
        let mut chain = Chain::default();
        chain.push(1);
        chain.sent(raw("second"));
        let Some(Found::Sent(1, taken)) = chain.assign().pop() else { panic!("given to the first hop for now") };
        chain.without((Some(taken), None));
        chain.push(2);
        assert_eq!(assigned(&mut chain), [(2, "sent \"second\"".into())]);
    }

    #[test]
    fn old_ids_are_forgotten() {
        let mut chains = Chains::default();
        for n in 0..MOST + 1 {
            chains.entry(&n.to_string()).push(1);
        }
        assert!(chains.get("0").is_none() && chains.get("1").is_some());
    }
}
