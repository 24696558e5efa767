//! Snapshots without a browser: what appears, uids, text, budget.

use super::ax::{Attribute, AxNode};
use super::render::{View, changes, json, text};
use super::tree::{FrameTree, Snapshot, Uids, build};
use crate::browser::frames::Frame;
use crate::cdp::{Connection, Session, pipe};

fn frame(id: &str) -> Frame {
    let (near, _far) = tokio::io::duplex(64);
    let (input, output) = tokio::io::split(near);
    let (reader, writer) = pipe::pair(input, output);
    let session = Session::browser(Connection::start(reader, writer));
    let (loader, url) = (format!("L{id}"), String::new());
    Frame { id: id.into(), parent: None, loader, url, session, depth: 0, cut: false, silent: false }
}

fn node(role: &str, name: &str, backend: i64, children: &[u32]) -> AxNode {
    AxNode { role: role.into(), name: name.into(), backend, children: children.to_vec(), ..AxNode::default() }
}

fn snapshot(nodes: Vec<AxNode>, verbose: bool, serial: u32, uids: &mut Uids) -> Snapshot {
    build(vec![FrameTree { frame: frame("F"), nodes, owner: None }], verbose, serial, uids)
}

fn page() -> Vec<AxNode> {
    let mut link = node("link", "Go there", 5, &[6]);
    link.focusable = true;
    link.attributes = Box::new([("url", Attribute::Text("http://a.test/".into()))]);
    vec![
        node("RootWebArea", "T", 1, &[1, 3]),
        node("paragraph", "", 2, &[2]),
        node("StaticText", "Some text", 3, &[4]),
        node("generic", "", 4, &[5]),
        node("InlineTextBox", "Some text", 0, &[]),
        link,
        node("StaticText", "Go there", 6, &[]),
    ]
}

#[tokio::test]
async fn only_interesting_nodes_appear_and_repeated_names_are_not_printed() {
    let mut uids = Uids::default();
    let taken = snapshot(page(), false, 1, &mut uids);
    assert_eq!(
        text(&taken, &View::default()),
        "uid=1_0 RootWebArea \"T\"\n  uid=1_1 \"Some text\"\n  uid=1_2 link \"Go there\" url=\"http://a.test/\"\n"
    );
    assert_eq!(
        json(&taken, None).to_string(),
        r#"{"id":"1_0","role":"RootWebArea","name":"T","children":[{"id":"1_1","role":"StaticText","name":"Some text"},{"id":"1_2","role":"link","name":"Go there","url":"http://a.test/","children":[{"id":"1_3","role":"StaticText","name":"Go there"}]}]}"#
    );
    let all = snapshot(page(), true, 2, &mut uids);
    assert!(
        text(&all, &View::default())
            .contains("\n  uid=2_0 paragraph\n    uid=1_1 \"Some text\"\n      uid=2_1 InlineTextBox")
    );
}

#[tokio::test]
async fn an_editor_shows_its_contents_and_a_text_field_does_not() {
    let mut editor = node("textbox", "Editor", 2, &[2]);
    editor.editable = "richtext".into();
    let mut field = node("textbox", "Field", 4, &[4]);
    field.editable = "plaintext".into();
    // Chrome says of what is in an editor too that it is editable.
    let mut words = node("StaticText", "words", 3, &[]);
    words.editable = "richtext".into();
    let nodes = vec![node("RootWebArea", "T", 1, &[1, 3]), editor, words, field, node("StaticText", "value", 5, &[])];
    assert_eq!(
        text(&snapshot(nodes, false, 1, &mut Uids::default()), &View::default()),
        "uid=1_0 RootWebArea \"T\"\n  uid=1_1 textbox \"Editor\"\n    uid=1_2 \"words\"\n  uid=1_3 textbox \"Field\"\n"
    );
}

#[tokio::test]
async fn a_uid_stays_with_its_node_and_is_never_given_again() {
    let mut uids = Uids::default();
    snapshot(page(), false, 1, &mut uids);
    let mut changed = page();
    changed[0].children = vec![3];
    assert_eq!(snapshot(changed, false, 2, &mut uids).nodes[1].uid.to_string(), "1_2");
    // The text is back: another uid than before.
    assert_eq!(snapshot(page(), false, 3, &mut uids).nodes[1].uid.to_string(), "3_0");
}

#[tokio::test]
async fn long_lists_are_collapsed_and_longer_ones_cut_with_counts() {
    let count = 500u32;
    let mut nodes = vec![node("RootWebArea", "T", 1, &(1..=count).collect::<Vec<_>>())];
    for n in 1..=count {
        let mut link = node("link", &format!("Link number {n}"), i64::from(n) + 1, &[]);
        link.focusable = true;
        nodes.push(link);
    }
    let taken = snapshot(nodes, false, 1, &mut Uids::default());
    let view = |budget| View { budget, ..View::default() };
    assert_eq!(text(&taken, &view(0)).lines().count(), 501);
    // As many as fit stay.
    let short = text(&taken, &view(2000));
    assert!(short.contains("\n  ... 470 more link siblings, uid=1_31 to uid=1_500\n"), "{short}");
    assert!(short.contains("31 of 501 nodes are shown. hint: "), "{short}");
    let shorter = text(&taken, &view(400));
    assert!(shorter.contains("\n  ... 490 more link siblings, uid=1_11 to uid=1_500\n"), "{shorter}");
    let cut = text(&taken, &view(80));
    assert!(cut.contains("... cut at 80 characters: ") && cut.len() < 400, "{cut}");
    let found = text(&taken, &View { query: Some("NUMBER 77".into()), ..view(2000) });
    assert_eq!(found, "uid=1_0 RootWebArea \"T\"\n  uid=1_77 link \"Link number 77\"\n");
    let part = text(&taken, &View { root: Some("1_9".parse().unwrap()), ..View::default() });
    assert_eq!(part, "uid=1_9 link \"Link number 9\"\n");
}

#[tokio::test]
async fn depth_does_not_need_stack() {
    let count = 100_000u32;
    let mut nodes: Vec<AxNode> = (0..count)
        .map(|n| {
            let mut node = node("group", "", i64::from(n) + 1, if n + 1 < count { &[0] } else { &[] });
            if let Some(child) = node.children.first_mut() {
                *child = n + 1;
            }
            node.focusable = true;
            node
        })
        .collect();
    nodes[0].role = "RootWebArea".into();
    let taken = snapshot(nodes, false, 1, &mut Uids::default());
    assert_eq!(taken.nodes.len(), count as usize);
    assert!(text(&taken, &View { budget: 60_000, ..View::default() }).len() < 70_000);
    assert!(json(&taken, None)["children"].is_array());
}

#[tokio::test]
async fn changes_are_new_changed_and_gone_lines() {
    let mut uids = Uids::default();
    let old = snapshot(page(), false, 1, &mut uids);
    let mut nodes = page();
    nodes[5].name = "Go here".into();
    nodes[6].name = "Go here".into();
    nodes[1].children = vec![];
    let new = snapshot(nodes, false, 2, &mut uids);
    let text = changes(&old, &new, 0);
    assert_eq!(
        text,
        "~ uid=1_2 link \"Go here\" url=\"http://a.test/\"\n~ uid=1_3 \"Go here\"\n- uid=1_1 \"Some text\"\n"
    );
    assert_eq!(changes(&new, &new, 0), "Nothing has changed since the last snapshot.\n");
}
