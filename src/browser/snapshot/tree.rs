//! From frames' accessibility trees to one snapshot: which nodes appear, and which uids they have.
//!
//! The rules for what appears are those of the original (`docs/differences.md` has what ours adds). Everything walks
//! with a stack of its own: documents can be nested deeper than a thread's stack allows.

use std::collections::HashMap;
use std::sync::Arc;

use super::ax::{Attribute, Attributes, AxNode, add};
use crate::browser::frames::{Frame, MAX_DEPTH, MAX_FRAMES};

/// `<snapshot>_<number>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Uid(pub u32, pub u32);

impl std::fmt::Display for Uid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}_{}", self.0, self.1)
    }
}

impl std::str::FromStr for Uid {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (a, b) = text.split_once('_').ok_or(())?;
        Ok(Uid(a.parse().map_err(|_| ())?, b.parse().map_err(|_| ())?))
    }
}

/// A node of a snapshot.
#[derive(Debug)]
pub struct Node {
    /// Its name for clients.
    pub uid: Uid,
    /// Accessible role.
    pub role: Arc<str>,
    /// Accessible name.
    pub name: Box<str>,
    /// Kept properties.
    pub attributes: Attributes,
    /// Indexes of its children.
    pub children: Vec<u32>,
    /// DOM node in its frame's process.
    pub backend: i64,
    /// Index of its frame.
    pub frame: u16,
    /// Ignored by assistive technology; only in verbose snapshots.
    pub ignored: bool,
}

/// A snapshot of one page.
pub struct Snapshot {
    /// Parents before their children; the first is the root.
    pub nodes: Vec<Node>,
    /// The frames of the nodes.
    pub frames: Vec<Frame>,
    /// Includes every node.
    pub verbose: bool,
    numbers: HashMap<Uid, u32>,
}

impl Snapshot {
    /// The node with this uid.
    pub fn find(&self, uid: Uid) -> Option<&Node> {
        self.numbers.get(&uid).map(|&number| &self.nodes[number as usize])
    }

    /// Its number in [`Snapshot::nodes`].
    pub fn number(&self, uid: Uid) -> Option<u32> {
        self.numbers.get(&uid).copied()
    }

    /// The number of a DOM node in the process of a frame (`None`: the page's own), if it is in the tree.
    pub fn number_of(&self, frame: Option<&str>, backend: i64) -> Option<u32> {
        let process = match frame {
            Some(id) => self.frames.iter().find(|frame| frame.id == id)?,
            None => self.frames.first()?,
        };
        let is_it = |node: &Node| {
            let own = self.frames.get(usize::from(node.frame));
            node.backend == backend && own.is_some_and(|own| own.session.id() == process.session.id())
        };
        self.nodes.iter().position(is_it).map(|number| number as u32)
    }

    /// Uids of nodes with this role and name.
    pub fn alike<'a>(&'a self, role: &'a str, name: &'a str) -> impl Iterator<Item = Uid> + 'a {
        self.nodes.iter().filter(move |n| *n.role == *role && *n.name == *name).map(|n| n.uid)
    }

    /// The children of a node.
    pub fn children(&self, number: u32) -> &[u32] {
        &self.nodes[number as usize].children
    }
}

/// Which uid each DOM node of each document has.
#[derive(Default)]
pub struct Uids {
    known: HashMap<(Arc<str>, i64), Uid>,
}

/// A frame with its tree, and where it hangs.
pub struct FrameTree {
    /// The frame.
    pub frame: Frame,
    /// Its nodes; empty if it did not answer.
    pub nodes: Vec<AxNode>,
    /// Index of the parent frame and DOM node of the owner in it; `None` for the main frame.
    pub owner: Option<(usize, i64)>,
}

/// What role a node plays for whoever operates the page.
fn is_control(role: &str) -> bool {
    matches!(
        role,
        "button"
            | "checkbox"
            | "ColorWell"
            | "combobox"
            | "DisclosureTriangle"
            | "listbox"
            | "menu"
            | "menubar"
            | "menuitem"
            | "menuitemcheckbox"
            | "menuitemradio"
            | "radio"
            | "scrollbar"
            | "searchbox"
            | "slider"
            | "spinbutton"
            | "switch"
            | "tab"
            | "textbox"
            | "tree"
            | "treeitem"
    )
}

fn is_landmark(role: &str) -> bool {
    matches!(role, "banner" | "complementary" | "contentinfo" | "form" | "main" | "navigation" | "region" | "search")
}

/// Roles below which nothing is shown.
fn is_leaf_role(role: &str) -> bool {
    matches!(
        role,
        "LineBreak"
            | "text"
            | "InlineTextBox"
            | "StaticText"
            | "doc-cover"
            | "graphics-symbol"
            | "img"
            | "image"
            | "Meter"
            | "scrollbar"
            | "slider"
            | "separator"
            | "progressbar"
    )
}

fn is_leaf(node: &AxNode, focusable_below: bool) -> bool {
    // An editor has contents of its own, whatever its role.
    let plain_field =
        node.editable != "richtext" && (!node.editable.is_empty() || matches!(&*node.role, "textbox" | "searchbox"));
    node.children.is_empty()
        || plain_field
        || is_leaf_role(&node.role)
        || (&*node.role == "heading" && !node.name.is_empty() && !focusable_below)
}

fn is_interesting(node: &AxNode, inside_control: bool, leaf: bool) -> bool {
    if &*node.role == "Ignored" || node.hidden || node.ignored {
        return false;
    }
    if is_landmark(&node.role)
        || node.focusable
        || node.editable == "richtext"
        || node.notable
        || is_control(&node.role)
    {
        return true;
    }
    let described = node
        .attributes
        .iter()
        .any(|(key, value)| *key == "description" && matches!(value, Attribute::Text(text) if !text.is_empty()));
    !inside_control && leaf && (!node.name.is_empty() || described)
}

/// For each node whether something below it can take the focus.
fn focusable_below(nodes: &[AxNode]) -> Vec<bool> {
    let mut result = vec![false; nodes.len()];
    // Children do not have to come after their parents in Chrome's list, so this goes by an order of its own.
    let mut order = Vec::with_capacity(nodes.len());
    let mut parent = vec![u32::MAX; nodes.len()];
    let mut seen = vec![false; nodes.len()];
    let mut stack = vec![0u32];
    while let Some(number) = stack.pop() {
        let at = number as usize;
        if at >= nodes.len() || seen[at] {
            continue;
        }
        seen[at] = true;
        order.push(at);
        for &child in &nodes[at].children {
            if !seen[child as usize] {
                parent[child as usize] = number;
                stack.push(child);
            }
        }
    }
    for &at in order.iter().rev() {
        let up = parent[at];
        if up != u32::MAX && (nodes[at].focusable || result[at]) {
            result[up as usize] = true;
        }
    }
    result
}

/// Says in a node's line what is missing below it.
fn note(attributes: &mut Attributes, what: &str) {
    add(attributes, "omitted", Attribute::Text(what.into()));
}

struct Visit {
    frame: usize,
    number: u32,
    parent: Option<u32>,
    inside_control: bool,
}

/// Builds a snapshot. `serial` is its number; uids of nodes that were there before stay.
pub fn build(trees: Vec<FrameTree>, verbose: bool, serial: u32, uids: &mut Uids) -> Snapshot {
    let below: Vec<Vec<bool>> = trees.iter().map(|tree| focusable_below(&tree.nodes)).collect();
    let loaders: Vec<Arc<str>> = trees.iter().map(|tree| Arc::from(tree.frame.loader.as_str())).collect();
    // Frames by their owner's node.
    let mut owned: HashMap<(usize, i64), Vec<usize>> = HashMap::new();
    for (number, tree) in trees.iter().enumerate() {
        if let Some(owner) = tree.owner {
            owned.entry(owner).or_default().push(number);
        }
    }
    let mut trees: Vec<(Frame, Vec<AxNode>)> = trees.into_iter().map(|t| (t.frame, t.nodes)).collect();
    let mut seen: Vec<Vec<bool>> = trees.iter().map(|(_, nodes)| vec![false; nodes.len()]).collect();
    let mut nodes: Vec<Node> = Vec::new();
    let mut numbers = HashMap::new();
    let mut known = HashMap::new();
    let mut next = 0;
    let mut stack = Vec::new();
    if trees.first().is_some_and(|(_, nodes)| !nodes.is_empty()) {
        stack.push(Visit { frame: 0, number: 0, parent: None, inside_control: false });
    }
    while let Some(Visit { frame, number, parent, inside_control }) = stack.pop() {
        let at = number as usize;
        if std::mem::replace(&mut seen[frame][at], true) {
            continue;
        }
        let focusable_below = below[frame][at];
        let source = &mut trees[frame].1[at];
        let leaf = is_leaf(source, focusable_below);
        let backend = source.backend;
        let frames_inside = if &*source.role == "Iframe" { owned.get(&(frame, backend)) } else { None };
        let is_root = parent.is_none();
        let keep = verbose || is_root || frames_inside.is_some() || is_interesting(source, inside_control, leaf);
        let control = is_control(&source.role);
        let children = std::mem::take(&mut source.children);
        let mut below_parent = parent;
        if keep {
            let key = (loaders[frame].clone(), backend);
            let uid = *known.entry(key).or_insert_with_key(|key| {
                uids.known.get(key).copied().unwrap_or_else(|| {
                    next += 1;
                    Uid(serial, next - 1)
                })
            });
            let own = nodes.len() as u32;
            let cut = number == 0 && trees[frame].0.cut;
            let silent = frames_inside.is_some_and(|inside| inside.iter().any(|&inner| trees[inner].1.is_empty()));
            let source = &mut trees[frame].1[at];
            if cut {
                note(&mut source.attributes, &format!("frames deeper than {MAX_DEPTH} or beyond {MAX_FRAMES}"));
            } else if silent {
                note(&mut source.attributes, "the frame does not answer");
            }
            nodes.push(Node {
                uid,
                role: source.role.clone(),
                name: std::mem::take(&mut source.name),
                attributes: std::mem::take(&mut source.attributes),
                children: Vec::new(),
                backend,
                frame: frame as u16,
                ignored: source.ignored,
            });
            if let Some(parent) = parent {
                nodes[parent as usize].children.push(own);
            }
            // Nodes without a DOM node share a uid; the first one answers to it.
            numbers.entry(uid).or_insert(own);
            below_parent = Some(own);
        }
        // Last in, first out: the frame's document comes after the other children.
        if let Some(inside) = frames_inside {
            for &inner in inside.iter().rev() {
                if !trees[inner].1.is_empty() {
                    stack.push(Visit { frame: inner, number: 0, parent: below_parent, inside_control: false });
                }
            }
        }
        if verbose || !leaf || is_root {
            for &child in children.iter().rev() {
                let inside_control = inside_control || control;
                stack.push(Visit { frame, number: child, parent: below_parent, inside_control });
            }
        }
    }
    uids.known = known;
    let frames = trees.into_iter().map(|(frame, _)| frame).collect();
    Snapshot { nodes, frames, verbose, numbers }
}
