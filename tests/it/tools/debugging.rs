//! take_snapshot, evaluate_script, take_screenshot.

use serde_json::{Value, json};

use crate::cases::{Browser, case, data_url, other_site, script_value, uid_in};
use crate::support::text_of;

#[test]
fn snapshots_whole_in_part_filtered_and_changed() {
    let dir = tempfile::tempdir().unwrap();
    let mut browser = Browser::start(&["--snapshotBudget=2000", "--experimentalStructuredContent"]);
    browser.open(
        "<title>Tree</title><nav aria-label=Menu><a href=about:blank>Home</a></nav><main><h1>Head</h1>\
         <form aria-label=Form><input aria-label=Name value=me required><select aria-label=Color><option>Red\
         <option selected>Green</select><input type=checkbox aria-label=Agree checked></form>\
         <ul></ul><p>para <b>bold</b></p></main><style>li{display:list-item}</style>",
    );
    let snapshot = browser.snapshot();
    for line in [
        "RootWebArea \"Tree\"",
        "  uid=",
        "navigation \"Menu\"",
        "heading \"Head\" level=\"1\"",
        "textbox \"Name\" required value=\"me\"",
        "combobox \"Color\" expandable haspopup=\"menu\" value=\"Green\"",
        "option \"Green\" selected",
        "checkbox \"Agree\" checked",
    ] {
        assert!(snapshot.contains(line), "{line} in {snapshot}");
    }
    assert!(!snapshot.contains("InlineTextBox"), "{snapshot}");
    let verbose = browser.text("take_snapshot", json!({"verbose": true}));
    assert!(verbose.contains("InlineTextBox") && verbose.contains("ignored"), "{verbose}");
    // One part, with uids that stay.
    let form = uid_in(&snapshot, "Form").unwrap();
    let part = browser.text("take_snapshot", json!({"uid": form}));
    assert!(part.starts_with(&format!("## Latest page snapshot\nuid={form} form \"Form\"\n  uid=")), "{part}");
    assert!(!part.contains("heading \"Head\""), "{part}");
    let error = browser.error("take_snapshot", json!({"uid": "77_7"}));
    assert!(error.contains("Element uid \"77_7\" not found on page 1."), "{error}");
    // Lines with a text, below what they are in.
    let found = browser.text("take_snapshot", json!({"query": "GREEN"}));
    assert!(found.contains("RootWebArea") && found.contains("form \"Form\"") && found.contains("option \"Green\""));
    assert!(!found.contains("option \"Red\"") && !found.contains("navigation \"Menu\""), "{found}");
    assert!(browser.text("take_snapshot", json!({"query": "purple"})).contains("No line contains \"purple\""));
    // Changes only.
    assert!(browser.text("take_snapshot", json!({"changesOnly": true})).contains("Nothing has changed"));
    browser.eval("() => { document.querySelector('h1').remove(); document.querySelector('input').value = 'you'; \
                  document.querySelector('main').append(Object.assign(document.createElement('button'), {textContent: 'New'})) }");
    let changed = browser.text("take_snapshot", json!({"changesOnly": true}));
    let marks: Vec<&str> = changed.lines().filter(|l| l.starts_with(['+', '-', '~'])).collect();
    assert!(marks.iter().any(|l| l.starts_with("+ ") && l.contains("button \"New\"")), "{changed}");
    assert!(marks.iter().any(|l| l.starts_with("- ") && l.contains("heading \"Head\"")), "{changed}");
    assert!(marks.iter().any(|l| l.starts_with("~ ") && l.contains("value=\"you\"")), "{changed}");
    assert!(!changed.contains("navigation \"Menu\""), "{changed}");
    // In a file, all of it, with the extension of text files.
    browser.eval("() => { for (let i = 0; i < 300; i++) document.querySelector('ul').innerHTML += `<li><button>Row ${i}</button>` }");
    let file = dir.path().join("deep/tree.txt");
    let text = browser.text("take_snapshot", json!({"filePath": file}));
    assert!(text.starts_with("Saved snapshot to ") && text.contains("tree.txt"), "{text}");
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(written.starts_with("uid=") && written.contains("\"Row 299\"") && written.len() > 5000, "{written}");
    // The budget, with counts and what to do.
    let short = browser.snapshot();
    assert!(short.len() < 2800 && !short.contains("\"Row 150\""), "{} {short}", short.len());
    assert!(short.contains("nodes are shown. hint: take_snapshot with uid"), "{short}");
    let found = browser.text("take_snapshot", json!({"query": "row 299"}));
    assert!(found.contains("button \"Row 299\""), "{found}");
    // The same as data.
    let result = browser.client.call("take_snapshot", json!({"query": "Agree"}));
    assert_eq!(result["structuredContent"]["snapshot"]["role"], "RootWebArea", "{result}");
    for denied in ["/proc/nowhere/x.txt", "/etc/x.txt"] {
        let error = browser.error("take_snapshot", json!({"filePath": denied}));
        assert!(error.contains("Access denied"), "{error}");
    }
}

#[test]
fn scripts_values_elements_files_and_errors() {
    let dir = tempfile::tempdir().unwrap();
    let mut browser = Browser::start(&[]);
    browser.go(&format!("{}?inner={}", case("frame.html"), other_site(&case("frame.html"))));
    let call = |browser: &mut Browser, arguments: Value| browser.text("evaluate_script", arguments);
    for (source, json) in [
        (
            "() => ({a: 1, b: [1, 2], c: null, d: new Date(0)})",
            r#"{"a":1,"b":[1,2],"c":null,"d":"1970-01-01T00:00:00.000Z"}"#,
        ),
        ("async () => { await 0; return 'later' };  ", "\"later\""),
        ("() => {}", "undefined"),
        ("function () { return [...arguments].length }", "0"),
        ("() => document.body", "{}"),
        ("() => -0", "0"),
        ("() => NaN", "null"),
    ] {
        let text = call(&mut browser, json!({"function": source}));
        assert!(text.starts_with(&format!("Script ran on page and returned:\n```json\n{json}\n```")), "{text}");
    }
    for (source, says) in [
        ("() => { throw new Error('boom') }", "Error: boom\n"),
        ("() => { throw 'plain' }", "Error: plain\n"),
        ("() => { throw {code: 7} }", "Error: "),
        ("() => { throw undefined }", "Error: undefined"),
        ("() => Promise.reject(new TypeError('no'))", "Error: no\n"),
        ("() => 10n", "BigInt"),
        ("() => { const a = {}; a.a = a; return a }", "circular"),
        ("not valid js", "Error: "),
        ("42", "is not a function"),
    ] {
        let error = browser.error("evaluate_script", json!({"function": source}));
        assert!(error.contains(says), "{source}: {error}");
    }
    // Scripts: the last value counts, declarations work, promises are awaited.
    for (source, value) in [
        ("let q = 20; q + 1", json!(21)),
        ("Promise.resolve('p')", json!("p")),
        ("var w", Value::Null),
        ("null", Value::Null),
    ] {
        let text = call(&mut browser, json!({"function": source, "format": "script"}));
        assert_eq!(script_value(&text), value, "{source}");
    }
    // Files in and out.
    let (source, out) = (dir.path().join("source.js"), dir.path().join("out/value.json"));
    std::fs::write(&source, "() => 'from a file ü'").unwrap();
    let text = call(&mut browser, json!({"sourcePath": source, "filePath": out}));
    assert!(text.starts_with("Script ran on page. Output saved to ") && text.contains("value.json"), "{text}");
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "\"from a file ü\"");
    // Elements, of frames too.
    let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
    let fields = loop {
        let fields = crate::cases::uids_in(&browser.snapshot(), "Field");
        if fields.len() == 2 {
            break fields;
        }
        assert!(std::time::Instant::now() < end);
    };
    let script = "(a, b) => [a === b, location.hostname, a.tagName]";
    let text = call(&mut browser, json!({"function": script, "args": [fields[1], fields[1]]}));
    assert_eq!(script_value(&text), json!([true, "localhost", "INPUT"]));
    for (arguments, says) in [
        (json!({"function": script, "args": fields}), "different frames"),
        (json!({"function": "1", "format": "script", "args": [fields[0]]}), "args can't be passed to a script"),
        (json!({}), "Specify exactly one of function or sourcePath."),
        (json!({"function": "() => 1", "sourcePath": source}), "Specify exactly one of function or sourcePath."),
        (json!({"sourcePath": dir.path().join("none.js")}), "Unable to read script source from"),
        (json!({"sourcePath": "/etc/passwd"}), "Access denied"),
        (json!({"function": "() => 1", "args": ["88_8"]}), "Element uid \"88_8\" not found"),
        (json!({"function": "() => new Promise(() => {})", "timeout": 300}), "did not finish within 300 ms"),
        (json!({"function": "() => { location = 'delete.html?gone'; return new Promise(() => {}) }"}), "navigated"),
    ] {
        let error = browser.error("evaluate_script", arguments.clone());
        assert!(error.contains(says), "{arguments}: {error}");
    }
    browser.until("() => location.search", json!("?gone"));
    let text = call(&mut browser, json!({"function": "() => { history.pushState(0, '', '#route'); return 1 }"}));
    assert!(text.contains("Page navigated to ") && text.contains("#route."), "{text}");
    let strict = Browser::start(&["--no-javascript-evaluation"]).client.request("tools/list", json!({}));
    assert!(!strict.to_string().contains("evaluate_script"));
}

#[test]
fn pictures_of_viewport_page_and_elements() {
    let dir = tempfile::tempdir().unwrap();
    let mut browser = Browser::start(&["--screenshotFormat=jpeg", "--screenshotQuality=50"]);
    browser.text("emulate", json!({"viewport": "400x300x2"}));
    let frame = data_url(
        "<body style='margin:0'><button style='width:60px;height:30px;position:absolute;top:700px'>Framed</button>",
    );
    browser.open(&format!(
        "<body style='margin:0;height:900px'><button style='width:101px;height:51px;position:absolute;top:600px'>Box</button>\
         <iframe src=\"{frame}\" style='border:0;width:200px;height:100px'></iframe>\
         <button style='display:none' id=n>None</button><canvas tabindex=0 aria-label=Empty width=0 height=0></canvas>",
    ));
    let (uid, framed, empty) = (browser.uid("Box"), browser.uid("Framed"), browser.uid("Empty"));
    let shot = |browser: &mut Browser, arguments: Value| {
        let result = browser.client.call("take_screenshot", arguments);
        assert!(result.get("isError").is_none(), "{result}");
        let mime = result["content"][1]["mimeType"].as_str().unwrap().to_owned();
        (text_of(&result), mime, crate::cases::picture(&result))
    };
    let size = |bytes: &[u8]| crate::cases::size(bytes);
    for (arguments, line, expected) in [
        (json!({}), "Took a screenshot of the current page's viewport.".to_owned(), (800, 600)),
        (json!({"fullPage": true}), "Took a screenshot of the full current page.".to_owned(), (800, 1800)),
        (json!({"uid": uid}), format!("Took a screenshot of node with uid \"{uid}\"."), (202, 102)),
        (json!({"uid": framed}), format!("Took a screenshot of node with uid \"{framed}\"."), (120, 60)),
    ] {
        let (text, mime, bytes) = shot(&mut browser, arguments.clone());
        assert!(text.starts_with(&line), "{text}");
        assert_eq!((mime.as_str(), size(&bytes)), ("image/jpeg", expected), "{arguments}");
        for format in ["png", "webp"] {
            let mut arguments = arguments.clone();
            arguments["format"] = format.into();
            let (_, mime, bytes) = shot(&mut browser, arguments);
            assert_eq!((mime, size(&bytes)), (format!("image/{format}"), expected));
        }
    }
    browser.open("<body style='background:repeating-conic-gradient(red 0 9deg,blue 0 18deg,lime 0 27deg)'>");
    let bytes = |browser: &mut Browser, quality: f64| shot(browser, json!({"quality": quality})).2.len();
    let (low, high) = (bytes(&mut browser, 5.0), bytes(&mut browser, 95.4));
    assert!(low * 2 < high, "{low} {high}");
    // Files: the name as given where it fits; anything else is refused.
    for (name, format, kind) in [
        ("a.png", Some("png"), imagesize::ImageType::Png),
        ("b.jpg", Some("jpeg"), imagesize::ImageType::Jpeg),
        ("c.jpeg", None, imagesize::ImageType::Jpeg),
        ("new/d.webp", Some("webp"), imagesize::ImageType::Webp),
    ] {
        let path = dir.path().join(name);
        let mut arguments = json!({"filePath": path});
        if let Some(format) = format {
            arguments["format"] = format.into();
        }
        let text = browser.text("take_screenshot", arguments);
        assert!(text.contains("Saved screenshot to ") && text.contains(name), "{text}");
        assert_eq!(imagesize::image_type(&std::fs::read(&path).unwrap()).unwrap(), kind, "{name}");
    }
    let result = browser.client.call("take_screenshot", json!({"filePath": dir.path().join("e.jpeg")}));
    assert_eq!(result["content"].as_array().unwrap().len(), 1, "a file instead of a picture");
    for (arguments, says) in [
        (json!({"filePath": dir.path().join("x.webp"), "format": "png"}), "the name ends in .webp"),
        (json!({"filePath": dir.path()}), "it is a directory"),
        (json!({"filePath": "/etc/x.png", "format": "png"}), "Access denied"),
        (json!({"fullPage": true, "uid": uid}), "can't be used together"),
        (json!({"uid": empty}), ""),
        (json!({"uid": "55_5"}), "not found on page"),
        (json!({"quality": 101}), "Input validation error"),
        (json!({"format": "gif"}), "Input validation error"),
    ] {
        let error = browser.error("take_screenshot", arguments.clone());
        assert!(error.contains(says), "{arguments}: {error}");
    }
    assert!(!dir.path().join("x.webp").exists() && !dir.path().join("x.png").exists());
    browser.open(
        "<canvas tabindex=0 aria-label=Empty width=0 height=0></canvas><button style='visibility:hidden'>No</button>",
    );
    let uid = browser.uid("Empty");
    let error = browser.error("take_screenshot", json!({"uid": uid}));
    assert!(error.contains("has no size"), "{error}");
}
