//! What ours adds to the original's answers: elements that its snapshots miss, fences around page text.

use serde_json::json;

use crate::support::{Client, chrome_lock, pages};

#[test]
fn what_cannot_be_reached_and_what_is_closed_is_marked() {
    let mut client = Client::with_browser(&[]);
    client.text("navigate_page", json!({"url": pages().url("additions/marks.html")}));
    let snapshot = client.text("take_snapshot", json!({}));
    let line = |name: &str| {
        let line = snapshot.lines().find(|line| line.contains(&format!("\"{name}\"")));
        line.unwrap_or_else(|| panic!("{name} in {snapshot}")).to_owned()
    };
    assert!(line("Under").ends_with(" covered"), "{snapshot}");
    assert!(line("Skip").contains(" offscreen"), "{snapshot}");
    assert!(line("More").contains(" omitted=\"12 characters\""), "{snapshot}");
    // Scrolling brings them into view, or a label takes their clicks.
    for name in
        ["Below the bar", "In the box", "Down the box", "After the box", "Drawn", "Open more", "Nothing more", "Far"]
    {
        let line = line(name);
        assert!(!["covered", "offscreen", "omitted"].iter().any(|mark| line.contains(mark)), "{line}");
    }
    let uid = |name: &str| json!({"uid": line(name).trim_start()[4..].split(' ').next().unwrap()});
    let error = client.error("click", uid("Under"));
    assert!(error.contains("covered"), "{error}");
    for name in ["Below the bar", "Down the box", "Drawn", "Far"] {
        client.text("click", uid(name));
    }
    client.text("click", uid("More"));
    let opened = client.text("take_snapshot", json!({}));
    assert!(opened.contains("words") && !opened.contains("omitted"), "{opened}");
}

#[test]
fn hidden_file_fields_and_clickable_icons_are_in_the_snapshot_and_can_be_used() {
    let _alone = chrome_lock();
    let mut client = Client::with_browser(&["--workspace=/"]);
    client.text("navigate_page", json!({"url": pages().url("additions/operable.html")}));
    let snapshot = client.text("take_snapshot", json!({}));
    let uid = |line: &str| {
        let line = snapshot.lines().find(|l| l.contains(line)).unwrap_or_else(|| panic!("{line} in {snapshot}"));
        line.split("uid=").nth(1).unwrap().split(' ').next().unwrap().to_owned()
    };
    let (file, icon) = (uid("FileInput \"Hidden upload\" hidden"), uid("div \"icon-trash\" clickable"));
    assert!(!snapshot.contains("inside"), "what is around it can be clicked and has a text: {snapshot}");
    client.text("click", json!({"uid": icon}));
    let folder = tempfile::tempdir().unwrap();
    let upload = folder.path().join("upload.txt");
    std::fs::write(&upload, "content").unwrap();
    client.text("upload_file", json!({"uid": file, "filePaths": [upload]}));
    let script = "async () => [document.title, file.files[0].name, await file.files[0].text()]";
    let answer = client.text("evaluate_script", json!({"function": script}));
    assert!(answer.contains("[\"trash\",\"upload.txt\",\"content\"]"), "{answer}");
}

#[test]
fn page_text_is_fenced_if_that_is_asked_for() {
    let _alone = chrome_lock();
    let mut client = Client::with_browser(&["--markPageContent"]);
    client.text("navigate_page", json!({"url": pages().url("additions/operable.html")}));
    for (tool, arguments, inside) in [
        ("take_snapshot", json!({}), "button \"Choose\""),
        ("evaluate_script", json!({"function": "() => 'from the page'"}), "from the page"),
    ] {
        let text = client.text(tool, arguments);
        let (before, rest) = text.split_once("<page-content ").expect("a fence");
        let mark = rest.split('>').next().unwrap();
        let (fenced, after) = rest.split_once(&format!("</page-content {mark}>")).expect("its end");
        assert!(fenced.contains(inside) && !before.contains(inside) && !after.contains(inside), "{text}");
    }
}
