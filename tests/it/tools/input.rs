//! click, click_at, hover, drag, press_key, type_text, upload_file.

use serde_json::{Value, json};

use crate::cases::{Browser, case, other_site};

#[test]
fn the_mouse_and_what_the_page_hears_of_it() {
    let mut browser = Browser::start(&["--experimentalVision"]);
    browser.open(
        "<style>p{display:none}div:hover+p{display:block}</style>\
         <button>Twice</button><div tabindex=0>Hover me</div><p>Now visible</p>\
         <svg width=60 height=60 role=button aria-label=Drawing><circle cx=30 cy=30 r=30 /></svg>\
         <button style='position:fixed;left:100px;top:300px;width:40px;height:20px'>At</button>\
         <div style='height:3000px'></div><button>Far below</button><button hidden>Hidden</button>\
         <button disabled>Off</button><script>log=[];\
         for (const t of ['mousedown','mouseup','click','dblclick','mouseover'])\
         addEventListener(t, e => t === 'mouseover' || log.push(t + e.detail + (e.isTrusted ? '' : '!')), true)</script>",
    );
    let uid = browser.uid("Twice");
    let text = browser.text("click", json!({"uid": uid, "dblClick": true}));
    assert!(text.starts_with("Successfully double clicked on the element"), "{text}");
    let twice = ["mousedown1", "mouseup1", "click1", "mousedown2", "mouseup2", "click2", "dblclick2"];
    assert_eq!(browser.eval("() => log.splice(0)"), json!(twice));
    let text = browser.text("click", json!({"uid": uid, "includeSnapshot": true}));
    assert!(text.starts_with("Successfully clicked on the element\n## Latest page snapshot\nuid="), "{text}");
    assert!(text.contains("button \"Twice\" focusable focused"), "{text}");
    assert_eq!(browser.eval("() => log.splice(0)"), json!(["mousedown1", "mouseup1", "click1"]));
    let uid = browser.uid("Hover me");
    let text = browser.text("hover", json!({"uid": uid, "includeSnapshot": true}));
    assert!(text.starts_with("Successfully hovered over the element\n") && text.contains("Now visible"), "{text}");
    assert_eq!(browser.eval("() => log.splice(0)"), json!([]), "nothing was pressed");
    for (arguments, line, clicks) in [
        (json!({"x": 120, "y": 310}), "Successfully clicked at the coordinates", 1),
        (json!({"x": 120.5, "y": 310.5, "dblClick": true}), "Successfully double clicked at the coordinates", 2),
    ] {
        let text = browser.text("click_at", arguments);
        assert!(text.starts_with(line), "{text}");
        assert_eq!(browser.eval("() => log.splice(0).filter(l => l.startsWith('click')).length"), clicks);
    }
    browser.click("Drawing");
    browser.click("Far below");
    assert!(browser.eval("() => scrollY").as_f64().unwrap() > 1000.0);
    assert_eq!(browser.eval("() => log.splice(0).filter(l => l.startsWith('click')).length"), 2);
    let uid = browser.uid("Off");
    let error = browser.error("click", json!({"uid": uid}));
    assert!(error.contains("is disabled") && error.contains("\nhint: "), "{error}");
    assert_eq!(browser.eval("() => log"), json!([]));
    // Errors about uids.
    for (uid, says) in [("99_99", "Element uid \"99_99\" not found on page 1."), ("nonsense", "not found on page 1.")] {
        let error = browser.error("click", json!({"uid": uid}));
        assert!(error.contains(says) && error.contains("take_snapshot"), "{error}");
    }
    browser.text("new_page", json!({"url": "about:blank"}));
    let error = browser.error("click", json!({"uid": "1_1"}));
    assert!(error.contains("No snapshot found for page 2."), "{error}");
}

#[test]
fn keys_are_named_held_and_released() {
    let mut browser = Browser::start(&[]);
    browser.open(
        "<textarea autofocus aria-label=T></textarea><script>log=[];\
         const note = e => log.push([e.type[3], e.key, e.code, e.location, e.ctrlKey|0, e.shiftKey|0, e.altKey|0, \
         e.metaKey|0, e.keyCode].join(' '));\
         addEventListener('keydown', note, true); addEventListener('keyup', note, true)</script>",
    );
    browser.click("T");
    for (key, downs) in [
        ("Enter", &["d Enter Enter 0 0 0 0 0 13"][..]),
        ("a", &["d a KeyA 0 0 0 0 0 65"]),
        ("A", &["d A KeyA 0 0 0 0 0 65"]),
        ("!", &["d ! Digit1 0 0 0 0 0 49"]),
        ("+", &["d + NumpadAdd 3 0 0 0 0 107"]),
        ("Digit1", &["d 1 Digit1 0 0 0 0 0 49"]),
        ("Shift+Digit1", &["d Shift ShiftLeft 1 0 1 0 0 16", "d ! Digit1 0 0 1 0 0 49"]),
        ("Shift+KeyQ", &["d Shift ShiftLeft 1 0 1 0 0 16", "d Q KeyQ 0 0 1 0 0 81"]),
        ("ShiftRight+ArrowLeft", &["d Shift ShiftRight 2 0 1 0 0 16", "d ArrowLeft ArrowLeft 0 0 1 0 0 37"]),
        (
            "Control+Alt+F5",
            &["d Control ControlLeft 1 1 0 0 0 17", "d Alt AltLeft 1 1 0 1 0 18", "d F5 F5 0 1 0 1 0 116"],
        ),
        ("Meta+k", &["d Meta MetaLeft 1 0 0 0 1 91", "d k KeyK 0 0 0 0 1 75"]),
        ("Control++", &["d Control ControlLeft 1 1 0 0 0 17", "d + NumpadAdd 3 1 0 0 0 107"]),
        ("Numpad7", &["d Home Numpad7 3 0 0 0 0 36"]),
        ("Space", &["d   Space 0 0 0 0 0 32"]),
    ] {
        let text = browser.text("press_key", json!({"key": key}));
        assert_eq!(text, format!("Successfully pressed key: {key}"));
        let log = browser.eval("() => log.splice(0)");
        let events: Vec<&str> = log.as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect();
        let (down, up): (Vec<&str>, Vec<&str>) = events.iter().partition(|e| e.starts_with('d'));
        assert_eq!(down, downs, "{key}");
        let codes =
            |events: &[&str]| events.iter().map(|e| e.split(' ').rev().nth(6).unwrap().to_owned()).collect::<Vec<_>>();
        let mut released = codes(&up);
        released.reverse();
        assert_eq!(released, codes(downs), "{key}: released in reverse");
        assert!(up.last().unwrap().contains(" 0 0 0 0 "), "{key}: nothing stays down: {up:?}");
    }
    assert_eq!(browser.eval("() => document.querySelector('textarea').value"), "\n aA!+1!Q", "what the keys typed");
    // Shortcuts work: all is selected and replaced.
    browser.text("press_key", json!({"key": "Control+A"}));
    let text = browser.text("type_text", json!({"text": "one\ntwo"}));
    assert_eq!(text, "Typed text \"one\ntwo\"");
    assert_eq!(browser.eval("() => document.querySelector('textarea').value"), "one\ntwo");
    let text = browser.text("press_key", json!({"key": "Tab", "includeSnapshot": true}));
    assert!(text.contains("## Latest page snapshot"), "{text}");
    for (key, says) in [("", "could not be parsed"), ("a+a", "duplicate"), ("enter", "enter"), ("Control+", "")] {
        let result = browser.client.call("press_key", json!({"key": key}));
        let error = crate::support::text_of(&result);
        if !says.is_empty() {
            assert_eq!(result["isError"], true, "{key}: {error}");
            assert!(error.contains(says) && error.len() < 300, "{key}: {error}");
        }
    }
    // A key that submits; a wrong one types nothing.
    browser.open("<form onsubmit='sent = this.f.value; return false'><input name=f aria-label=F></form>");
    browser.click("F");
    let error = browser.error("type_text", json!({"text": "x", "submitKey": "Nope"}));
    assert!(error.contains("Nope"), "{error}");
    let text = browser.text("type_text", json!({"text": "größe 😀", "submitKey": "Enter"}));
    assert!(text.starts_with("Typed text \"größe 😀 + Enter\""), "{text}");
    assert_eq!(browser.eval("() => sent"), "größe 😀");
}

#[test]
fn files_through_fields_choosers_and_frames() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, name).unwrap();
        path.canonicalize().unwrap().display().to_string()
    };
    let (one, two) = (file("eins ü.txt"), file("zwei.txt"));
    let mut browser = Browser::start(&[]);
    browser.go(&format!("{}?frame={}", case("upload.html"), other_site(&case("upload.html"))));
    let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while crate::cases::uids_in(&browser.snapshot(), "Choose several").len() < 2 {
        assert!(std::time::Instant::now() < end, "{}", browser.snapshot());
    }
    for frame in [0, 1] {
        let snapshot = browser.snapshot();
        let uid = |name: &str| crate::cases::uids_in(&snapshot, name)[frame].clone();
        let names = json!({"function": "e => e.ownerDocument.defaultView.names()", "args": [uid("Field")]});
        for (target, paths) in [
            ("Field", vec![&one]),
            ("Choose one", vec![&two]),
            ("Choose several", vec![&one, &two]),
            ("In a label", vec![&two]),
        ] {
            let text = browser.text("upload_file", json!({"uid": uid(target), "filePaths": paths}));
            let list: Vec<&str> = paths.iter().map(|p| p.as_str()).collect();
            assert!(text.starts_with(&format!("File uploaded from {}.", list.join(", "))), "{text}");
            let expected: Vec<Value> =
                paths.iter().map(|p| json!(std::path::Path::new(p).file_name().unwrap().to_str())).collect();
            let text = browser.text("evaluate_script", names.clone());
            let all = crate::cases::script_value(&text);
            assert_eq!(all["last"], json!(expected), "{target} in frame {frame}: {all}");
        }
        let error = browser.error("upload_file", json!({"uid": uid("Choose one"), "filePaths": [one, two]}));
        assert!(error.contains("takes one file, not 2"), "{error}");
    }
    let uid = browser.uid("No chooser");
    let error = browser.error("upload_file", json!({"uid": uid, "filePaths": [one]}));
    assert!(error.contains("Failed to upload file."), "{error}");
    let error = browser.error("upload_file", json!({"uid": uid, "filePaths": []}));
    assert!(error.starts_with("Input validation error"), "{error}");
    // The interception has ended: a later click opens the real chooser, which headless Chrome answers by itself.
    browser.click("Choose one");
    browser.text("take_snapshot", json!({}));
}
