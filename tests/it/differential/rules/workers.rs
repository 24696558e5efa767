//! Service and shared workers of pages, which the original does not follow.

use super::super::answer::Answer;
use super::{Rule, rule};

/// Every one.
pub static RULES: &[Rule] = &[
    rule("Console: service and shared workers", |call, _, ours, peer| {
        let marks = [") in service worker ", ") in shared worker "];
        call.tool == "list_console_messages" && without(ours, peer, |line| marks.iter().any(|mark| line.contains(mark)))
    }),
    rule("Requests of service and shared workers", |call, _, ours, peer| {
        let marks = ["] by service worker", "] by shared worker"];
        call.tool == "list_network_requests"
            && without(ours, peer, |line| marks.iter().any(|mark| line.ends_with(mark)))
    }),
];

/// Ours without the lines of workers, whose numbers the others' follow: what is left must be the original's lines.
fn without(ours: &mut Answer, peer: &Answer, is_of_worker: impl Fn(&str) -> bool) -> bool {
    let entries = |answer: &Answer| -> Vec<String> {
        let entries = answer.text.lines().filter(|line| line.starts_with("msgid=") || line.starts_with("reqid="));
        let own = entries.filter(|line| !is_of_worker(line)).filter_map(|line| line.split_once(' '));
        let mut own: Vec<String> = own.map(|(_, rest)| rest.to_owned()).collect();
        own.sort();
        own
    };
    let allowed = ours.text.lines().any(&is_of_worker) && entries(ours) == entries(peer);
    if allowed {
        ours.text = peer.text.clone();
    }
    allowed
}
