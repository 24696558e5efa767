//! A snapshot as text and as JSON: lines, the redundancy rule, the budget, `query`, `uid` and `changesOnly`.
//!
//! One line per node, two spaces of indentation per level; format of the original. A cut is always said, with counts
//! and with the next call; below the budget the text is exactly the original's.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use serde_json::{Map, Value};

use super::ax::Attribute;
use super::tree::{Node, Snapshot, Uid};

/// What of a snapshot is shown.
#[derive(Debug, Clone, Default)]
pub struct View {
    /// Only the subtree of this node.
    pub root: Option<Uid>,
    /// Only nodes whose line contains this (in any case), and their ancestors.
    pub query: Option<String>,
    /// Longest text in characters; 0 for no limit.
    pub budget: usize,
    /// The element that is selected in DevTools.
    pub selected: Selected,
}

/// Where the element is that is selected in the Elements panel.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Selected {
    /// There is none.
    #[default]
    None,
    /// A node of the tree, by its number.
    Node(u32),
    /// Not in the tree.
    Elsewhere,
}

impl Selected {
    /// Whether it is this node.
    fn is(self, number: u32) -> bool {
        self == Selected::Node(number)
    }
}

/// What the line of the selected element ends with.
const SELECTED: &str = " [selected in the DevTools Elements panel]";

/// Before a tree that lacks it. The beginning is the original's.
const SELECTED_ELSEWHERE: &str = "Note: there is a selected element in the DevTools Elements panel that is not in this snapshot.\n\
     take_snapshot with verbose shows it.\n\n";

/// When the text is too long, so many alike siblings in a row stay and the rest of them become one line: the largest
/// number with which the text fits, else the smallest.
const RUN_HEADS: [usize; 6] = [1000, 300, 100, 30, 10, 4];
/// A run that is longer by less than this stays whole: the line would save nothing.
const RUN_SAVES: usize = 4;

/// JSON deeper than this is cut: whoever reads it has a stack.
const MAX_JSON_DEPTH: usize = 500;

/// A property whose presence tells that a node can have the state at all.
fn capability(key: &str) -> Option<&'static str> {
    match key {
        "disabled" => Some("disableable"),
        "expanded" => Some("expandable"),
        "focused" => Some("focusable"),
        "selected" => Some("selectable"),
        _ => None,
    }
}

/// The line of a node without indentation.
pub fn line(node: &Node) -> String {
    let mut line = format!("uid={}", node.uid);
    if node.ignored {
        line.push_str(" ignored");
    } else if &*node.role != "StaticText" {
        let _ = write!(line, " {}", if &*node.role == "none" { "ignored" } else { &node.role });
    }
    if !node.name.is_empty() {
        let _ = write!(line, " \"{}\"", node.name);
    }
    let is_option = &*node.role == "option";
    for (key, value) in &node.attributes {
        if let Some(word) = capability(key)
            && !(is_option && word == "selectable")
        {
            let _ = write!(line, " {word}");
        }
        match value {
            Attribute::Bool(true) => _ = write!(line, " {key}"),
            Attribute::Bool(false) => {}
            Attribute::Number(number) => _ = write!(line, " {key}=\"{number}\""),
            Attribute::Text(text) if is_option && *key == "value" && *text == node.name => {}
            Attribute::Text(text) => _ = write!(line, " {key}=\"{text}\""),
        }
    }
    line
}

/// Whether the children only repeat the node's name.
fn children_repeat_name(snapshot: &Snapshot, node: &Node, selected: Selected) -> bool {
    if snapshot.verbose || node.name.is_empty() || node.children.is_empty() {
        return false;
    }
    let mut letters = node.name.chars().filter(|c| !c.is_whitespace());
    for &child in &node.children {
        if selected.is(child) {
            return false;
        }
        let child = &snapshot.nodes[child as usize];
        if &*child.role != "StaticText" || !child.children.is_empty() {
            return false;
        }
        for c in child.name.chars().filter(|c| !c.is_whitespace()) {
            if letters.next() != Some(c) {
                return false;
            }
        }
    }
    letters.next().is_none()
}

/// How the tree is written, and what is left out when the text would be too long.
struct Omissions {
    /// How many of alike siblings stay; `None` for all.
    head: Option<usize>,
    budget: usize,
    /// Whose line is marked.
    selected: Selected,
}

enum Step {
    Node(u32, usize),
    Collapsed { depth: usize, count: usize, role: String, first: Uid, last: Uid },
}

/// The tree as text, every line ended.
pub fn text(snapshot: &Snapshot, view: &View) -> String {
    let root = view.root.and_then(|uid| snapshot.number(uid)).unwrap_or(0);
    let kept = view.query.as_deref().map(|query| matching(snapshot, root, query, view));
    if let Some(kept) = &kept
        && kept.is_empty()
    {
        let query = view.query.as_deref().unwrap_or_default();
        return format!("No line contains \"{query}\". Without query, take_snapshot shows all of it.\n");
    }
    let note = if view.selected == Selected::Elsewhere && !snapshot.verbose { SELECTED_ELSEWHERE } else { "" };
    let omissions = |head| Omissions { head, budget: view.budget, selected: view.selected };
    let attempt = |head| {
        let (fits, text) = write(snapshot, root, kept.as_ref(), &omissions(head));
        (fits.map(|text| format!("{note}{text}")), format!("{note}{text}"))
    };
    if let (Some(text), _) = attempt(None) {
        return text;
    }
    let mut shortest = String::new();
    for head in RUN_HEADS {
        let (fits, text) = attempt(Some(head));
        match fits {
            Some(text) => return text,
            None => shortest = text,
        }
    }
    shortest
}

/// Numbers of the nodes whose line contains the text, with their ancestors.
fn matching(snapshot: &Snapshot, root: u32, query: &str, view: &View) -> HashSet<u32> {
    let query = query.to_lowercase();
    let mut kept = HashSet::new();
    let mut path: Vec<u32> = Vec::new();
    let mut stack = vec![(root, 0usize)];
    while let Some((number, depth)) = stack.pop() {
        path.truncate(depth);
        path.push(number);
        let node = &snapshot.nodes[number as usize];
        if line(node).to_lowercase().contains(&query) {
            kept.extend(path.iter().copied());
        }
        if !children_repeat_name(snapshot, node, view.selected) {
            stack.extend(node.children.iter().rev().map(|&child| (child, depth + 1)));
        }
    }
    kept
}

/// Returns the text if it fits the budget, and in any case the text up to the cut with its marker.
fn write(
    snapshot: &Snapshot,
    root: u32,
    kept: Option<&HashSet<u32>>,
    omissions: &Omissions,
) -> (Option<String>, String) {
    let mut text = String::new();
    let mut length = 0;
    let mut shown = 0usize;
    let mut cut = false;
    let mut collapsed = 0usize;
    let mut stack = vec![Step::Node(root, 0)];
    while let Some(step) = stack.pop() {
        let (number, depth) = match step {
            Step::Node(number, depth) => (number, depth),
            Step::Collapsed { depth, count, role, first, last } => {
                let line = format!("... {count} more {role} siblings, uid={first} to uid={last}");
                length += line.len() + 2 * depth + 1;
                let _ = writeln!(text, "{:1$}{line}", "", depth * 2);
                collapsed += count;
                continue;
            }
        };
        let node = &snapshot.nodes[number as usize];
        let mut line = line(node);
        if omissions.selected.is(number) {
            line.push_str(SELECTED);
        }
        length += line.chars().count() + 2 * depth + 1;
        if omissions.budget > 0 && length > omissions.budget {
            if omissions.head.is_none() {
                // It will be written again with omissions.
                return (None, String::new());
            }
            cut = true;
            break;
        }
        let _ = writeln!(text, "{:1$}{line}", "", depth * 2);
        shown += 1;
        if children_repeat_name(snapshot, node, omissions.selected) {
            continue;
        }
        let children: Vec<u32> =
            node.children.iter().copied().filter(|child| kept.is_none_or(|k| k.contains(child))).collect();
        let mut steps = Vec::new();
        if let Some(head) = omissions.head {
            collapse(snapshot, &children, head, depth + 1, &mut steps)
        } else {
            steps.extend(children.iter().map(|&child| Step::Node(child, depth + 1)));
        }
        stack.extend(steps.into_iter().rev());
    }
    if cut || collapsed > 0 {
        let total = kept.map_or_else(|| subtree_size(snapshot, root), HashSet::len);
        let _ = writeln!(
            text,
            "... {} at {} characters: {shown} of {total} nodes are shown. hint: take_snapshot with uid for one part, \
             with query for lines with a text, or with filePath for all of it",
            if cut { "cut" } else { "shortened to stay" },
            omissions.budget
        );
    }
    (if cut { None } else { Some(text.clone()) }, text)
}

/// Runs of siblings that look alike (same role, nothing but text below) become their first few and a line for the rest.
fn collapse(snapshot: &Snapshot, children: &[u32], head: usize, depth: usize, steps: &mut Vec<Step>) {
    let alike = |a: u32, b: u32| {
        let (a, b) = (&snapshot.nodes[a as usize], &snapshot.nodes[b as usize]);
        a.role == b.role && a.children.len() == b.children.len()
    };
    let mut at = 0;
    while at < children.len() {
        let run = children[at..].iter().take_while(|&&child| alike(children[at], child)).count();
        let shown = if run >= head + RUN_SAVES { head } else { run };
        steps.extend(children[at..at + shown].iter().map(|&child| Step::Node(child, depth)));
        if shown < run {
            let node = |number: u32| &snapshot.nodes[number as usize];
            let role = match node(children[at]).role.as_ref() {
                "StaticText" => "text".to_owned(),
                role => role.to_owned(),
            };
            let (first, last) = (node(children[at + shown]).uid, node(children[at + run - 1]).uid);
            steps.push(Step::Collapsed { depth, count: run - shown, role, first, last });
        }
        at += run;
    }
}

fn subtree_size(snapshot: &Snapshot, root: u32) -> usize {
    let mut count = 0;
    let mut stack = vec![root];
    while let Some(number) = stack.pop() {
        count += 1;
        stack.extend(snapshot.children(number));
    }
    count
}

/// What changed between two snapshots of a page: `+` new, `~` changed, `-` gone.
pub fn changes(old: &Snapshot, new: &Snapshot, budget: usize) -> String {
    let before: HashMap<Uid, &Node> = old.nodes.iter().rev().map(|node| (node.uid, node)).collect();
    let now: HashSet<Uid> = new.nodes.iter().map(|node| node.uid).collect();
    let mut text = String::new();
    let mut left_out = 0usize;
    let mut length = 0;
    let mut add = |mark: char, node: &Node| {
        let line = line(node);
        length += line.chars().count() + 3;
        if budget > 0 && length > budget {
            left_out += 1;
        } else {
            let _ = writeln!(text, "{mark} {line}");
        }
    };
    for node in &new.nodes {
        match before.get(&node.uid) {
            None => add('+', node),
            Some(old) if line(old) != line(node) => add('~', node),
            Some(_) => {}
        }
    }
    for node in old.nodes.iter().filter(|node| !now.contains(&node.uid)) {
        add('-', node);
    }
    if left_out > 0 {
        let _ = writeln!(text, "... cut at {budget} characters: {left_out} more changes");
    }
    if text.is_empty() { "Nothing has changed since the last snapshot.\n".into() } else { text }
}

/// The tree as JSON, as in `structuredContent`.
pub fn json(snapshot: &Snapshot, root: Option<Uid>) -> Value {
    let root = root.and_then(|uid| snapshot.number(uid)).unwrap_or(0);
    if snapshot.nodes.is_empty() {
        return Value::Null;
    }
    // Children first: their values are moved into their parents'.
    let mut order = Vec::new();
    let mut stack = vec![(root, 0usize)];
    while let Some((number, depth)) = stack.pop() {
        order.push(number);
        if depth < MAX_JSON_DEPTH {
            stack.extend(snapshot.children(number).iter().map(|&child| (child, depth + 1)));
        }
    }
    let mut values: HashMap<u32, Value> = HashMap::with_capacity(order.len());
    for &number in order.iter().rev() {
        let node = &snapshot.nodes[number as usize];
        let mut object = own_json(node);
        let children: Vec<Value> = node.children.iter().filter_map(|child| values.remove(child)).collect();
        if !children.is_empty() {
            object.insert("children".into(), children.into());
        }
        values.insert(number, object.into());
    }
    values.remove(&root).unwrap_or_default()
}

fn own_json(node: &Node) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("id".into(), node.uid.to_string().into());
    object.insert("role".into(), if node.ignored { "none".into() } else { (*node.role).into() });
    if !node.name.is_empty() {
        object.insert("name".into(), (*node.name).into());
    }
    for (key, value) in &node.attributes {
        if let Some(word) = capability(key) {
            object.insert(word.into(), true.into());
        }
        match value {
            Attribute::Bool(true) => _ = object.insert((*key).into(), true.into()),
            Attribute::Bool(false) => {}
            Attribute::Number(number) => _ = object.insert((*key).into(), number.clone().into()),
            Attribute::Text(text) => _ = object.insert((*key).into(), (**text).into()),
        }
    }
    object
}
