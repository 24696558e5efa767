//! The intended differences of the console tools.

use super::super::answer::Answer;
use super::{Rule, rule};

/// Every one.
pub static RULES: &[Rule] = &[
    // The original finds the right cause, another error's, or none, depending on what else it has asked the page.
    Rule {
        name: "Console: causes of errors",
        races: true,
        apply: |call, _, ours, peer| {
            let any = ours.text.contains("Caused by: ") || peer.text.contains("Caused by: ");
            if !any || !call.tool.contains("_console_message") {
                return false;
            }
            let differed = ours.text != peer.text;
            (ours.text, peer.text) = (without_causes(&ours.text), without_causes(&peer.text));
            differed
        },
    },
    rule("Console: why positions are generated", |_, _, ours, _| {
        ours.remove_lines(|line| line.starts_with("Note: ") && line.contains(": generated positions, "))
    }),
    rule("Lines without mappings", |_, _, ours, _| {
        ours.remove_lines(|line| line.starts_with("Note: ") && line.contains(": nothing is mapped on this line"))
    }),
    rule("Console: where messages come from", |call, _, ours, _| {
        if !call.tool.contains("_console_message") {
            return false;
        }
        let mut changed = ours.remove_lines(|line| line.starts_with("Place: "));
        changed |= ours.map_lines(|line| {
            let at = [" at http", " in frame ", " in worker "].iter().find_map(|mark| line.rfind(*mark));
            let at = at.filter(|_| line.starts_with("msgid="))?;
            line[..at].ends_with(" args)").then(|| line[..at].to_owned())
        });
        for message in
            ours.structured.get_mut("consoleMessages").and_then(|list| list.as_array_mut()).into_iter().flatten()
        {
            changed |= message.as_object_mut().is_some_and(|map| map.shift_remove("place").is_some());
        }
        if let Some(map) = ours.structured.get_mut("consoleMessage").and_then(|message| message.as_object_mut()) {
            changed |= map.shift_remove("place").is_some();
        }
        changed
    }),
    // Events of two processes of Chrome's: which of two neighbours is first is chance, in both servers.
    Rule {
        name: "Console: order of issues",
        races: true,
        apply: |call, _, ours, peer| {
            let body = |answer: &Answer| {
                let lines = answer.text.lines().filter(|line| line.starts_with("msgid="));
                let mut lines: Vec<String> =
                    lines.map(|line| line.split_once(' ').map_or("", |(_, rest)| rest).to_owned()).collect();
                lines.sort();
                lines
            };
            // The same for a request and its preflight.
            if call.arguments.contains("{msg:") {
                let theirs = peer.text.lines().filter_map(|line| line.strip_prefix("reqid=")?.split(' ').next());
                let mut theirs = theirs.map(str::to_owned).collect::<std::collections::VecDeque<_>>();
                ours.map_lines(|line| {
                    let (_, rest) = line.strip_prefix("reqid=")?.split_once(' ')?;
                    Some(format!("reqid={} {rest}", theirs.pop_front()?))
                });
                let key = "/consoleMessage/affectedResources/0/request";
                if let (Some(mine), Some(theirs)) = (ours.structured.pointer_mut(key), peer.structured.pointer(key))
                    && mine.is_i64()
                    && theirs.is_i64()
                {
                    *mine = theirs.clone();
                }
            }
            if call.arguments.contains("{msg:") && ours.text != peer.text {
                let first = peer.text.lines().next().unwrap_or_default().to_owned();
                let changed =
                    first.starts_with("ID: ") && ours.map_lines(|line| line.starts_with("ID: ").then(|| first.clone()));
                if let (Some(mine), Some(theirs)) =
                    (ours.structured.pointer_mut("/consoleMessage/id"), peer.structured.pointer("/consoleMessage/id"))
                {
                    *mine = theirs.clone();
                }
                return changed;
            }
            if call.tool.ends_with("network_request") || call.tool == "list_network_requests" {
                return preflights(call.arguments.contains("{req:"), ours, peer);
            }
            let same = call.tool == "list_console_messages" && ours.text != peer.text && body(ours) == body(peer);
            let has_issues = ours.text.contains("[issue]");
            if same && has_issues {
                ours.text = peer.text.clone();
                if ours.structured.get("consoleMessages").is_some() {
                    ours.structured = peer.structured.clone();
                }
            }
            same && has_issues
        },
    },
    rule("Console: paths in stacks", |_, _, ours, peer| {
        let is_same = |mine: &str, theirs: &str| {
            let (Some((name, place)), Some(_)) = (mine.rsplit_once(" ("), theirs.rsplit_once(" (")) else {
                return false;
            };
            let is_frame = mine.trim_start().starts_with("at ");
            // Scripts without an address are called by Chrome's running number.
            let numbered = |line: &str| {
                line.split("VM")
                    .map(|p| p.trim_start_matches(|c: char| c.is_ascii_digit()))
                    .collect::<Vec<_>>()
                    .join("VM")
            };
            is_frame && numbered(&format!("{name} ({}", place.rsplit('/').next().unwrap_or(place))) == numbered(theirs)
        };
        for key in ["/consoleMessage/stackTrace"] {
            let (Some(mine), Some(theirs)) = (ours.structured.pointer_mut(key), peer.structured.pointer(key)) else {
                continue;
            };
            let (one, other) = (mine.as_str().unwrap_or_default(), theirs.as_str().unwrap_or_default());
            if one.lines().zip(other.lines()).all(|(a, b)| a == b || is_same(a, b)) {
                *mine = theirs.clone();
            }
        }
        same_lines(ours, peer, is_same)
    }),
    rule("Console: uncaught values", |_, _, ours, peer| {
        same_lines(ours, peer, |mine, theirs| {
            let parts = |line: &str| -> Option<(String, String)> {
                let (head, text) = line.split_once("Uncaught")?;
                Some((head.to_owned(), text.trim_end_matches("(0 args)").trim_end().to_owned()))
            };
            let (Some((head, text)), Some((other, less))) = (parts(mine), parts(theirs)) else { return false };
            head == other && text != less && (text.starts_with(&less) || less == " Object")
        })
    }),
    rule("Console: values in lines", |_, _, ours, peer| {
        same_lines(ours, peer, |mine, theirs| {
            let head = |line: &str| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
            let count = |line: &str| line.rsplit_once(" (").map(|(_, count)| count.to_owned());
            let placeholder = ["[object ", "[array ", "[function ", "[set ", "%s", "… ("].iter();
            let hidden = placeholder.clone().any(|mark| theirs.contains(mark)) || mine.contains("… (");
            // In details there are neither number nor count.
            let in_details = mine.starts_with("Message: ") && head(mine) == head(theirs);
            let in_list = mine.starts_with("msgid=") && head(mine) == head(theirs) && count(mine) == count(theirs);
            hidden && (in_details || in_list)
        })
    }),
    rule("Console: values in details", |call, _, ours, peer| {
        call.tool == "get_console_message"
            && same_lines(ours, peer, |mine, theirs| {
                let (Some((arg, _)), Some((other, value))) = (mine.split_once(": "), theirs.split_once(": ")) else {
                    return false;
                };
                let lost = ["{}", "0", "10"].contains(&value)
                    || value.starts_with("{\"0\":")
                    || value.ends_with("is no longer available>");
                arg.starts_with("Arg #") && arg == other && lost
            })
    }),
];

/// An answer without the causes below its stacks.
fn without_causes(text: &str) -> String {
    let mut in_cause = false;
    let kept = text.lines().filter(|line| {
        let line = line.trim_start();
        if line.starts_with("Caused by: ") {
            in_cause = true;
        } else if !line.starts_with("at ") && !line.starts_with("--- ") {
            in_cause = false;
        }
        !in_cause
    });
    kept.collect::<Vec<_>>().join("\n")
}

/// A request and its preflight may change places, and with them their numbers.
fn preflights(is_details: bool, ours: &mut Answer, peer: &Answer) -> bool {
    if is_details {
        let key = "/networkRequest/requestId";
        if let (Some(mine), Some(theirs)) = (ours.structured.pointer_mut(key), peer.structured.pointer(key)) {
            let changed = mine != theirs;
            *mine = theirs.clone();
            return changed;
        }
        return false;
    }
    let body = |answer: &Answer| {
        let lines = answer.text.lines().filter(|line| line.starts_with("reqid="));
        let mut lines: Vec<String> =
            lines.map(|line| line.split_once(' ').map_or("", |(_, rest)| rest).to_owned()).collect();
        lines.sort();
        lines
    };
    let swapped = ours.text != peer.text
        && ours.text.contains(" PUT ") | ours.text.contains(" OPTIONS ")
        && body(ours) == body(peer);
    if swapped {
        ours.text = peer.text.clone();
        ours.structured = peer.structured.clone();
    }
    swapped
}

/// Where both answers have as many lines: takes the original's for those that differ as allowed. Whether there were any.
fn same_lines(ours: &mut Answer, peer: &Answer, allowed: impl Fn(&str, &str) -> bool) -> bool {
    let theirs: Vec<&str> = peer.text.split('\n').collect();
    if ours.text.split('\n').count() != theirs.len() {
        return false;
    }
    let mut number = 0;
    ours.map_lines(|line| {
        let other = theirs[number];
        number += 1;
        (line != other && allowed(line, other)).then(|| other.to_owned())
    })
}
