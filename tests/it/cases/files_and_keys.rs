//! B: uploads that cannot be, keys beyond the basic keyboard, native drag-and-drop.

use serde_json::json;

use super::{Browser, case, other_site};

#[test]
fn b1_uploads_are_checked_before_anything_is_sent() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("twelve.txt"), "twelve bytes").unwrap();
    std::fs::write(dir.path().join("thirteen.txt"), "thirteen bytes").unwrap();
    let mut browser = Browser::start_with(&[], |command| _ = command.current_dir(dir.path()));
    browser.open(
        "<input type=file aria-label=F><input type=file aria-label=M multiple>\
         <button onclick=\"document.querySelector('input').click()\">Choose</button>\
         <script>changes=0; addEventListener('change', () => changes++)</script>",
    );
    let state = "() => [changes, ...[...document.querySelectorAll('input')].map(i => i.files.length)]";
    let here = dir.path().display().to_string();
    for target in ["F", "Choose"] {
        let uid = browser.uid(target);
        for (paths, word) in [
            (json!([format!("{here}/nope-123.bin")]), "there is no such file"),
            (json!([here]), "it is a directory"),
            (json!(["twelve.txt", "twelve.txt"]), "takes one file, not 2"),
            (json!(["twelve.txt", "nope"]), "there is no such file"),
            (json!(["/proc/1/environ-not"]), "Access denied"),
        ] {
            let error = browser.error("upload_file", json!({"uid": uid, "filePaths": paths}));
            assert!(error.contains(word), "{target} {paths}: {error}");
            assert_eq!(browser.eval(state), json!([0, 0, 0]), "{target} {paths}");
        }
    }
    // Relative means the working directory.
    for (target, files) in
        [("F", &["thirteen.txt"][..]), ("Choose", &["twelve.txt"]), ("M", &["twelve.txt", "thirteen.txt"])]
    {
        let uid = browser.uid(target);
        let text = browser.text("upload_file", json!({"uid": uid, "filePaths": files}));
        let path = dir.path().canonicalize().unwrap().join(files[0]).display().to_string();
        assert!(text.contains(&path), "{text}");
    }
    let content = "async () => [await document.querySelector('input').files[0].text(),
        document.querySelector('[multiple]').files.length, changes]";
    assert_eq!(browser.eval(content), json!(["twelve bytes", 2, 3]));
}

#[test]
fn b3_keys_beyond_the_keyboard_and_no_modifier_stays_down() {
    let mut browser = Browser::start(&[]);
    browser.open(
        "<input aria-label=T autofocus><script>log=[]; addEventListener('keydown', e => log.push([e.key, e.ctrlKey, \
         e.shiftKey].join()), true); document.querySelector('input').focus()</script>",
    );
    browser.click("T");
    let error = browser.error("press_key", json!({"key": "Control+Shift+Nope"}));
    let first = error.lines().next().unwrap();
    assert!(first.contains("Nope") && error.len() < 300, "{error}");
    browser.text("press_key", json!({"key": "x"}));
    assert_eq!(browser.eval("() => log"), json!(["x,false,false"]), "the failure touched nothing");
    browser.text("press_key", json!({"key": "é"}));
    browser.text("press_key", json!({"key": "😀"}));
    browser.text("press_key", json!({"key": "Control++"}));
    browser.text("type_text", json!({"text": "é😀日本"}));
    assert_eq!(browser.eval("() => document.querySelector('input').value"), "xé😀é😀日本");
    assert!(browser.eval("() => log").to_string().contains("+,true,false"), "Control and plus");
    // A page that answers the key by a dialog must not leave Control held.
    browser.eval("() => { log.length = 0; addEventListener('keydown', e => e.key === 'k' && alert('k'), true); }");
    let text = browser.text("press_key", json!({"key": "Control+k"}));
    assert!(text.contains("alert: k"), "{text}");
    browser.text("handle_dialog", json!({"action": "accept"}));
    browser.text("press_key", json!({"key": "y"}));
    browser.until("() => log.at(-1)", json!("y,false,false"));
}

#[test]
fn b4_native_dragging_drops_everywhere() {
    let mut browser = Browser::start(&[]);
    let url = case("drag.html");
    for target in ["Near", "Far", "Inside", "Other side"] {
        browser.go(&format!("{url}?other={}", other_site(&case("drop.html?name=Other%20side"))));
        let (from, to) = (browser.uid("Source"), browser.uid(target));
        let text = browser.text("drag", json!({"from_uid": from, "to_uid": to}));
        assert!(text.contains("Successfully dragged"), "{target}: {text}");
        // Chrome does not tell the source of a drag that ended in another process.
        let order = if target == "Other side" { "dragstart,drop" } else { "dragstart,drop,dragend" };
        let script = format!("() => log.map(line => line.replace(' {target}', '')).join()");
        browser.until(&script, json!(order));
        let data = format!("() => dropped['{target}']");
        browser.until(&data, json!("cargo"));
    }
    browser.go(&url);
    let (from, to) = (browser.uid("Source"), browser.uid("Never"));
    let text = browser.text("drag", json!({"from_uid": from, "to_uid": to}));
    assert!(text.contains("did not accept the drop"), "{text}");
    browser.until("() => log.join()", json!("dragstart,dragend"));
    // No native drag: a slider that follows the mouse.
    browser.go(&url);
    let (from, to) = (browser.uid("Knob"), browser.uid("Near"));
    browser.text("drag", json!({"from_uid": from, "to_uid": to}));
    assert_eq!(browser.eval("() => knob.join()"), "down,move,up");
}
