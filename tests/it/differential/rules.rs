//! The intended differences: what each allows, and nothing more. `name` is the first cell of its row in
//! docs/differences.md, where the reason stands for users.

mod console;
mod styles;
mod workers;

use serde_json::Value;

use super::answer::Answer;
use super::network;
use super::script::Call;

/// What earlier calls of a session left behind.
#[derive(Default)]
pub struct State {
    /// A script's dialog was answered; the original goes on reporting it as open.
    answered_for_script: bool,
}

/// One difference.
pub struct Rule {
    pub name: &'static str,
    /// Depends on which of two things of the original comes first, so a run may not need it.
    pub races: bool,
    /// Takes the difference out of the two answers. Whether there was any.
    apply: fn(&Call, &State, &mut Answer, &mut Answer) -> bool,
}

const fn rule(name: &'static str, apply: fn(&Call, &State, &mut Answer, &mut Answer) -> bool) -> Rule {
    Rule { name, races: false, apply }
}

/// Every one, in the order in which they are tried.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    workers::RULES.iter().chain(console::RULES).chain(RULES).chain(styles::RULES)
}

static RULES: &[Rule] = &[
    rule("Errors", |_, _, ours, _| ours.remove_lines(|line| line.starts_with("hint: "))),
    // The original tells a page when its own event has come, so in this answer, in a later one, or not at all.
    Rule {
        name: "Opened pages",
        races: true,
        apply: |_, _, ours, peer| {
            let (told, told_there) = (split_opened_pages(&ours.text).1, split_opened_pages(&peer.text).1);
            let allowed =
                !told.is_empty() && (told_there.is_empty() || told.iter().all(|page| told_there.contains(page)));
            if !allowed || told == told_there {
                return false;
            }
            for answer in [ours, peer] {
                answer.text = split_opened_pages(&answer.text).0;
                answer.remove_key("openedPages");
            }
            true
        },
    },
    rule("Redirects of `navigate_page`", |call, _, ours, peer| {
        let line = "The page is now at ";
        call.tool == "navigate_page" && !peer.has_line(line) && ours.remove_lines(|l| l.starts_with(line))
    }),
    rule("Failed navigation", |call, _, ours, peer| {
        let failed = ["Unable to navigate", "Unable to reload"];
        let told = failed.iter().any(|line| ours.has_line(line) && peer.has_line(line));
        let only_ours = ours.is_error && !peer.is_error && call.tool == "navigate_page" && told;
        if only_ours {
            ours.is_error = false;
            ours.remove_lines(|line| line.starts_with("Error: "));
            ours.remove_key("errorMessage");
        }
        only_ours
    }),
    rule("Dialogs of scripts", |call, _, ours, _| {
        call.tool == "evaluate_script"
            && ours.remove_lines(|line| {
                let rest = line.strip_prefix("Accepted").or_else(|| line.strip_prefix("Dismissed"));
                rest.is_some_and(|rest| rest.starts_with(" a dialog of the script ("))
            })
    }),
    rule("Dialogs that are gone", |_, state, ours, peer| {
        if !state.answered_for_script || ours.has_line("# Open dialog") || !peer.has_line("# Open dialog") {
            return false;
        }
        let mut lines: Vec<&str> = peer.text.split('\n').collect();
        let at = lines.iter().position(|line| *line == "# Open dialog").unwrap_or(0);
        let is_prompt = lines.get(at + 1).is_some_and(|line| line.starts_with("prompt: p"));
        lines.drain(at..(at + 3).min(lines.len()));
        peer.text = lines.join("\n");
        peer.remove_key("dialog");
        is_prompt
    }),
    rule("Values that JSON cannot hold", |call, _, ours, _| {
        call.tool == "evaluate_script"
            && ours
                .remove_lines(|line| line.starts_with("The value is ") && line.ends_with(", which JSON cannot hold."))
    }),
    rule("Native frames in errors", |call, _, ours, peer| {
        let frame = "JSON.stringify (<anonymous>)";
        call.tool == "evaluate_script" && !ours.text.contains(frame) && peer.remove_lines(|l| l.trim().ends_with(frame))
    }),
    rule("Thrown values that are not errors", |call, _, ours, peer| {
        let empty = ["", "Error: undefined"].contains(&peer.text.as_str());
        let ok = call.tool.starts_with("evaluate") && call.arguments.contains("throw '") && ours.is_error && empty;
        take_if(ok, ours, peer)
    }),
    rule("Downloads", |_, _, ours, peer| {
        ours.remove_key("downloads");
        let told = ours.remove_lines(|line| line.starts_with("Download started: \""));
        let aborted = |line: &str| line.starts_with("Unable to navigate") && line.contains("net::ERR_ABORTED");
        if told && peer.text.lines().any(aborted) {
            ours.remove_lines(|line| line.ends_with(" is a download; the page stays where it was."));
            peer.remove_lines(aborted);
        }
        told
    }),
    rule("Fields that do not take a value", |call, _, ours, peer| {
        let refused = ours.text.contains("its value was not touched") || ours.text.contains("\" after filling, not \"");
        let ok = call.tool == "fill" && ours.is_error && refused && !peer.is_error;
        take_if(ok, ours, peer)
    }),
    rule("Files that do not exist", |call, _, ours, peer| {
        let refused = ours.is_error && ours.text.contains("there is no such file");
        take_if(call.tool == "upload_file" && refused && !peer.is_error, ours, peer)
    }),
    // Chrome 156 keeps the nodes of the document before for a while, and the original clicks them.
    Rule {
        name: "Elements of an earlier document",
        races: true,
        apply: |_, _, ours, peer| {
            let refused = ours.is_error && ours.text.contains("no longer exists on the page. It belongs to an earlier");
            let other =
                peer.text.starts_with("Successfully clicked") || peer.text.contains("no longer exists on the page.");
            take_if(refused && other, ours, peer)
        },
    },
    rule("Covered elements", |call, _, ours, peer| {
        let covered = ours.is_error && ours.text.contains("covered");
        take_if(call.tool == "click" && covered && !peer.is_error, ours, peer)
    }),
    rule("Unknown `submitKey`", |call, _, ours, peer| {
        let asked = call.tool == "evaluate_script" && call.arguments.contains("const held = keys.value");
        let ok = asked && ours.text.contains("\n\"\"\n") && peer.text.contains("\n\"y\"\n");
        take_if(ok, ours, peer)
    }),
    // They get numbers that the original does not have, so a session meets no new uids after such a page.
    rule("Snapshots: file fields that are not shown, clickable icons", |_, _, ours, peer| {
        let is_field = |line: &str| line.trim_start().starts_with("uid=#") && line.contains(" FileInput \"");
        if peer.text.lines().any(is_field) {
            return false;
        }
        if let Some(tree) = ours.structured.get_mut("snapshot") {
            without_role(tree, "FileInput");
        }
        ours.remove_lines(|line| is_field(line) && line.ends_with(" hidden"))
    }),
    rule("Snapshots: marks", |_, _, ours, peer| {
        if let Some(tree) = ours.structured.get_mut("snapshot") {
            without_marks(tree);
        }
        let theirs: Vec<String> = peer.text.lines().map(str::to_owned).collect();
        ours.map_lines(|line| {
            let plain = plain_line(line);
            (plain != line && theirs.contains(&plain)).then_some(plain)
        })
    }),
    rule("Selects after a verbose snapshot", |call, _, ours, peer| {
        let asked = call.tool == "evaluate_script" && call.arguments.contains("const held = list.value");
        let ok = asked && ours.text.contains("\n\"\"\n") && peer.text.contains("\n\"a\"\n");
        take_if(ok, ours, peer)
    }),
    rule("Snapshots of large pages", |_, _, ours, peer| {
        if !ours.text.contains("... shortened to stay at ") {
            return false;
        }
        // What is shown must be the original's lines in their order; the whole tree is in `structuredContent`.
        let mut all = peer.text.split('\n');
        let shown = ours.text.split('\n').filter(|line| !line.trim_start().starts_with("... "));
        let ok = shown.into_iter().all(|line| all.any(|other| other == line));
        if ok {
            ours.text = peer.text.clone();
        }
        ok
    }),
    rule("Details of requests", |call, _, ours, peer| network::details(call, ours, peer)),
    rule("Redirect chains", |call, _, ours, peer| network::hops(call, ours, peer)),
    rule("Bodies of requests", |call, _, ours, peer| network::bodies(call, ours, peer)),
    rule("Reasons of failed requests", |call, _, ours, peer| network::reasons(call, ours, peer)),
    rule("Blocked requests", |call, _, ours, peer| network::blocked(call, ours, peer)),
    rule("Redirects of documents", |call, _, ours, peer| network::navigations(call, ours, peer)),
    rule("WebSockets", |call, _, ours, peer| network::sockets(call, ours, peer)),
    rule("Preflights", |call, _, ours, peer| network::preflights(call, ours, peer)),
    rule("Wording of errors", |_, _, ours, peer| ours != peer && wording(ours, peer).is_some()),
];

/// An explanation that each server words for itself.
pub struct Wording {
    /// In ours.
    pub ours: &'static str,
    /// In the original's.
    peer: &'static str,
}

/// Every one.
pub static WORDINGS: &[Wording] = &[
    Wording { ours: "The last open page cannot be closed.", peer: "The last open page cannot be closed." },
    Wording { ours: "No snapshot found for page 1.", peer: "No snapshot found for page 1." },
    Wording { ours: "Invalid URL: \"nonsense\".", peer: "Invalid URL: \"nonsense\"." },
    Wording { ours: "A URL is required for type url.", peer: "A URL is required" },
    Wording { ours: "takes \"true\" or \"false\", not \"yes\"", peer: "but yes was used" },
    Wording {
        ours: "Could not find option with text \"Nope\". Options: ",
        peer: "Could not find option with text \"Nope\"",
    },
    Wording { ours: "args can't be passed to a script.", peer: "when format is \"script\"" },
    Wording { ours: "missing.js: No such file or directory", peer: "missing.js: ENOENT" },
    Wording { ours: "\" is not an element node, and no element", peer: "\" is not an element node and has no parent" },
    Wording {
        ours: "Failed to resolve backend node ID for uid",
        peer: "Failed to resolve backend node ID for element",
    },
    Wording { ours: "Access denied: path \"/forbidden/", peer: "Access denied: path \"/forbidden/" },
    Wording { ours: "uid and fullPage can't be used together.", peer: "\"uid\" and \"fullPage\"" },
    Wording { ours: "Invalid viewport \"0x100\"", peer: "Invalid viewport width \"0\"" },
    Wording { ours: "Invalid viewport \"wide\"", peer: "Invalid viewport width \"NaN\"" },
    Wording { ours: "Invalid viewport \"100x100x0\"", peer: "Invalid devicePixelRatio \"0\"" },
    Wording { ours: "Invalid geolocation \"91,0\": the latitude", peer: "Invalid latitude \"91\"" },
    Wording { ours: "Invalid geolocation \"0,181\": the longitude", peer: "Invalid longitude \"181\"" },
    Wording { ours: "Invalid geolocation \"5\"", peer: "Invalid longitude \"undefined\"" },
    Wording { ours: "Invalid extraHttpHeaders: not a JSON object", peer: "Invalid JSON for headers: " },
    Wording { ours: "F5x is invalid.", peer: "F5x is invalid." },
    Wording { ours: "Nope is invalid.", peer: "Nope is invalid." },
    Wording { ours: "The file field takes one file, not 2", peer: "<input type=file multiple>" },
];

/// The entry that the two answers fit, which are made equal.
fn wording(ours: &mut Answer, peer: &Answer) -> Option<&'static str> {
    let texts = |answer: &Answer| -> Vec<String> { answer.text.split('\n').map(str::to_owned).collect() };
    let (a, b) = (texts(ours), texts(peer));
    let start = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let most = a.len().min(b.len()) - start;
    let end = a.iter().rev().zip(b.iter().rev()).take(most).take_while(|(x, y)| x == y).count();
    let (mine, theirs) = (a[start..a.len() - end].join("\n"), b[start..b.len() - end].join("\n"));
    let entry = WORDINGS.iter().find(|w| mine.contains(w.ours) && theirs.contains(w.peer))?;
    if ours.is_error != peer.is_error {
        return None;
    }
    ours.text = peer.text.clone();
    for key in ["message", "errorMessage", "text"] {
        if let (Some(Value::String(mine)), Some(Value::String(theirs))) =
            (ours.structured.get(key), peer.structured.get(key))
            && (mine.contains(entry.ours) && theirs.contains(entry.peer))
        {
            ours.structured[key] = theirs.as_str().into();
        }
    }
    Some(entry.ours)
}

/// The text without the section about opened pages, and that section's lines.
fn split_opened_pages(text: &str) -> (String, Vec<String>) {
    let mut lines: Vec<&str> = text.split('\n').collect();
    let Some(at) = lines.iter().position(|line| *line == "## Opened pages") else { return (text.into(), Vec::new()) };
    let count = lines[at + 1..].iter().take_while(|line| line.contains(": ") && !line.starts_with('#')).count();
    let pages = lines.drain(at..=at + count).skip(1).map(str::to_owned).collect();
    (lines.join("\n"), pages)
}

/// Removes the nodes with a role from a tree.
fn without_role(node: &mut Value, role: &str) {
    let Some(children) = node.get_mut("children").and_then(Value::as_array_mut) else { return };
    children.retain(|child| child["role"] != role);
    children.iter_mut().for_each(|child| without_role(child, role));
}

/// Ours is right and the original is not: its answer is taken for the comparison.
fn take_if(ok: bool, ours: &mut Answer, peer: &Answer) -> bool {
    if ok {
        *ours = peer.clone();
    }
    ok
}

/// Applies what fits and notes the names.
pub fn apply(call: &Call, state: &mut State, ours: &mut Answer, peer: &mut Answer, note: &mut dyn FnMut(&'static str)) {
    if ours.text.contains(" a dialog of the script (") {
        state.answered_for_script = true;
    }
    for rule in rules() {
        // Which wording it was is wanted too, and lost once they are equal.
        let entry = if rule.name == "Wording of errors" { wording(&mut ours.clone(), peer) } else { None };
        if (rule.apply)(call, state, ours, peer) {
            note(rule.name);
            entry.into_iter().for_each(&mut *note);
        }
    }
}

/// A snapshot's line without the marks that only ours makes.
fn plain_line(line: &str) -> String {
    if !line.trim_start().starts_with("uid=") {
        return line.to_owned();
    }
    let mut plain = line.replace(" covered", "").replace(" offscreen", "");
    if let Some((before, after)) = plain.split_once(" omitted=\"")
        && let Some((_, after)) = after.split_once(" characters\"")
    {
        plain = format!("{before}{after}");
    }
    plain
}

fn without_marks(node: &mut Value) {
    let Some(object) = node.as_object_mut() else { return };
    object.retain(|key, value| match key.as_str() {
        "covered" | "offscreen" => false,
        "omitted" => !value.as_str().is_some_and(|text| text.ends_with(" characters")),
        _ => true,
    });
    object.get_mut("children").and_then(Value::as_array_mut).into_iter().flatten().for_each(without_marks);
}
