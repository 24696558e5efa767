//! What the answers of the network tools may differ in.

use serde_json::{Map, Value};

use super::answer::Answer;
use super::script::Call;

/// The parts of an answer about one request, each with its title, `### ` included; the first has none.
fn parts(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for line in text.split('\n') {
        if line.starts_with("### ") {
            parts.push(line.to_owned());
        } else if let Some(part) = parts.last_mut() {
            if !part.is_empty() {
                part.push('\n');
            }
            part.push_str(line);
        }
    }
    parts
}

fn is_details(call: &Call, ours: &Answer, peer: &Answer) -> bool {
    let starts = |answer: &Answer| answer.text.starts_with("## Request ");
    call.tool == "get_network_request" && starts(ours) && starts(peer)
}

fn keys(answer: &mut Answer) -> Option<&mut Map<String, Value>> {
    answer.structured.get_mut("networkRequest")?.as_object_mut()
}

/// Removes parts of an answer, by their titles, and keys. Whether there were any.
fn remove(answer: &mut Answer, titles: &[&str], unwanted: &[&str]) -> bool {
    let all = parts(&answer.text);
    let kept: Vec<&str> = all
        .iter()
        .map(String::as_str)
        .filter(|part| !titles.iter().any(|title| part.lines().next() == Some(&format!("### {title}"))))
        .collect();
    let removed = kept.len() != all.len();
    answer.text = kept.join("\n");
    if let Some(map) = keys(answer) {
        unwanted.iter().for_each(|key| _ = map.shift_remove(*key));
    }
    removed
}

/// Ours says more about a request.
pub fn details(call: &Call, ours: &mut Answer, peer: &mut Answer) -> bool {
    is_details(call, ours, peer)
        && remove(ours, &["Transfer", "Initiator"], &["transfer", "initiator", "responseBodyPart", "requestBodyPart"])
}

/// Ours tells each hop what came before it, in order; the original tells every hop all of them, backwards.
pub fn hops(call: &Call, ours: &mut Answer, peer: &mut Answer) -> bool {
    if !is_details(call, ours, peer) {
        return false;
    }
    let ids = |text: &str| -> Vec<String> {
        let chain = parts(text).into_iter().find(|part| part.starts_with("### Redirect chain")).unwrap_or_default();
        chain.lines().filter_map(|line| line.trim_start().strip_prefix("reqid=")).map(str::to_owned).collect()
    };
    let (mine, mut theirs) = (ids(&ours.text), ids(&peer.text));
    theirs.reverse();
    if theirs.is_empty() || !theirs.starts_with(&mine) {
        return false;
    }
    remove(ours, &["Redirect chain", "Redirected to"], &["redirectChain", "redirectedTo"]);
    remove(peer, &["Redirect chain"], &["redirectChain"])
}

/// Ours has a body, or says why there is none, and how much of it is shown.
pub fn bodies(call: &Call, ours: &mut Answer, peer: &mut Answer) -> bool {
    if !is_details(call, ours, peer) {
        return false;
    }
    let shown = ours.remove_lines(|line| line.starts_with("<characters 0 to 10000 of "));
    let title = "### Response Body\n";
    let (mine, theirs) = (parts(&ours.text), parts(&peer.text));
    let body = |parts: &[String]| parts.iter().find_map(|part| part.strip_prefix(title).map(str::to_owned));
    let (Some(a), Some(b)) = (body(&mine), body(&theirs)) else { return shown };
    if a == b || b != "<not available anymore>" {
        return shown;
    }
    let swapped: Vec<String> =
        mine.into_iter().map(|part| if part.starts_with(title) { format!("{title}{b}") } else { part }).collect();
    ours.text = swapped.join("\n");
    let theirs = keys(peer).and_then(|map| map.get("responseBody").cloned());
    if let (Some(map), Some(body)) = (keys(ours), theirs) {
        map.insert("responseBody".into(), body);
    }
    true
}

/// Ours gives reasons beside Chrome's error.
pub fn reasons(call: &Call, ours: &mut Answer, peer: &mut Answer) -> bool {
    if !is_details(call, ours, peer) {
        return false;
    }
    if let Some(map) = keys(ours) {
        map.shift_remove("failureReasons");
    }
    ours.remove_lines(|line| {
        line.starts_with("CORS: ") || line.starts_with("Canceled by ") || line.starts_with("The server answered ")
    })
}

/// The requests of a list and the answer without them and without its counts.
fn listed(answer: &Answer) -> (Vec<String>, String) {
    let (requests, rest): (Vec<&str>, Vec<&str>) = answer.text.split('\n').partition(|line| line.starts_with("reqid="));
    let rest: Vec<&str> = rest.into_iter().filter(|line| !line.starts_with("Showing ")).collect();
    (requests.into_iter().map(str::to_owned).collect(), rest.join("\n"))
}

/// Takes the original's list if ours has the same requests and more, all of which are `allowed`.
fn more(call: &Call, ours: &mut Answer, peer: &Answer, allowed: impl Fn(&str) -> bool) -> bool {
    if call.tool != "list_network_requests" || ours.is_error || peer.is_error {
        return false;
    }
    let ((mine, rest), (theirs, other)) = (listed(ours), listed(peer));
    let (more, common): (Vec<String>, Vec<String>) = mine.into_iter().partition(|line| !theirs.contains(line));
    let rest_is_equal = rest == other || other.ends_with("\nNo requests found.");
    let ok = !more.is_empty() && common == theirs && rest_is_equal && more.iter().all(|line| allowed(line));
    if ok {
        *ours = peer.clone();
    }
    ok
}

/// Ours counts the redirects that led to a document to that document.
pub fn navigations(call: &Call, ours: &mut Answer, peer: &mut Answer) -> bool {
    more(call, ours, peer, |line| line.ends_with(" [302]"))
}

/// Ours lists them.
pub fn sockets(call: &Call, ours: &mut Answer, peer: &mut Answer) -> bool {
    more(call, ours, peer, |line| line.contains(" GET ws://"))
}

/// Ours finds them by their type.
pub fn preflights(call: &Call, ours: &mut Answer, peer: &mut Answer) -> bool {
    call.arguments.contains("preflight") && more(call, ours, peer, |line| line.contains(" OPTIONS "))
}

/// Ours says that they are blocked, and by what.
pub fn blocked(call: &Call, ours: &mut Answer, _: &mut Answer) -> bool {
    if call.tool != "list_network_requests" || !ours.text.contains(" [blocked:csp]") {
        return false;
    }
    ours.text = ours.text.replace(" [blocked:csp]", " [pending]");
    for request in ours.structured["networkRequests"].as_array_mut().into_iter().flatten() {
        if request["status"] == "blocked:csp" {
            request["status"] = "pending".into();
        }
    }
    true
}
