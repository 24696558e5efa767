//! list_pages, select_page, new_page, close_page, navigate_page, wait_for, resize_page: parameters, contexts, popups.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::cases::{Browser, case, data_url, other_site};

#[test]
fn navigating_in_every_way() {
    let mut browser = Browser::start(&[]);
    let (one, two) = (case("delete.html?1"), case("delete.html?2"));
    browser.go(&one);
    browser.go(&two);
    let text = browser.text("navigate_page", json!({"type": "back"}));
    assert!(text.starts_with(&format!("Successfully navigated back to {one}.\n## Pages\n")), "{text}");
    let text = browser.text("navigate_page", json!({"type": "forward"}));
    assert!(text.starts_with(&format!("Successfully navigated forward to {two}.")), "{text}");
    let error = browser.error("navigate_page", json!({"type": "forward"}));
    assert!(error.contains("Unable to navigate forward in the selected page: History entry"), "{error}");
    let text = browser.text("navigate_page", json!({"type": "url", "url": format!("{two}#part")}));
    assert!(text.starts_with(&format!("Successfully navigated to {two}#part.")), "{text}");
    browser.eval("() => { mark = 1 }");
    let text = browser.text("navigate_page", json!({"type": "reload"}));
    assert!(text.starts_with("Successfully reloaded the page."), "{text}");
    assert_eq!(browser.eval("() => window.mark ?? 0"), 0);
    for (arguments, says) in [
        (json!({}), "Either URL or a type is required."),
        (json!({"type": "url"}), "A URL is required"),
        (json!({"url": "nowhere"}), "Invalid URL: \"nowhere\"."),
        (json!({"type": "back", "url": "chrome://settings"}), "Navigating to chrome: URLs is not allowed."),
        (
            json!({"url": "http://127.0.0.1:1/"}),
            "Unable to navigate in the selected page: net::ERR_UNSAFE_PORT at http",
        ),
        (json!({"type": "sideways"}), "Input validation error"),
        (json!({"url": one, "more": 1}), "Input validation error"),
        (json!({"url": one, "pageId": 99}), "No page found"),
    ] {
        let error = browser.error("navigate_page", arguments.clone());
        assert!(error.contains(says), "{arguments}: {error}");
    }
    // Error pages of a server are pages.
    let text = browser.text("navigate_page", json!({"url": case("missing.html")}));
    assert!(text.starts_with("Successfully navigated"), "{text}");
    // Zero and less mean the default limit.
    for timeout in [0, -5] {
        browser.text("navigate_page", json!({"url": case("delete.html?delay=300"), "timeout": timeout}));
    }
    let error = browser.error("navigate_page", json!({"url": case("delete.html?delay=5000"), "timeout": 300}));
    assert!(error.contains("Navigation timeout of 300 ms exceeded"), "{error}");
}

#[test]
fn scripts_at_the_start_and_reloads_past_the_cache() {
    let mut browser = Browser::start(&[]);
    let frame = other_site(&case("frame.html"));
    let url = format!("{}?inner={frame}", case("frame.html"));
    let script = "globalThis.early = document.documentElement?.outerHTML.length ?? 0; Math.random = () => 4";
    browser.text("navigate_page", json!({"url": url, "initScript": script}));
    assert_eq!(browser.eval("() => [early < 50, Math.random()]"), json!([true, 4]));
    // For this navigation only.
    browser.text("navigate_page", json!({"type": "reload"}));
    assert_eq!(browser.eval("() => [typeof early, Math.random() === 4]"), json!(["undefined", false]));
    browser.text("navigate_page", json!({"type": "reload", "initScript": "globalThis.early = 1"}));
    assert_eq!(browser.eval("() => early"), 1);
    // A failing one is not left behind either.
    browser.error("navigate_page", json!({"url": "http://127.0.0.1:1/", "initScript": "globalThis.early = 1"}));
    browser.go(&url);
    assert_eq!(browser.eval("() => typeof early"), "undefined");
    // Without scripts there is no such parameter.
    let mut strict = Browser::start(&["--no-javascript-evaluation"]);
    let error = strict.error("navigate_page", json!({"url": url, "initScript": "1"}));
    assert!(error.starts_with("Input validation error"), "{error}");
    // What came from the cache and what did not.
    let sent =
        "async () => { const e = performance.getEntriesByName(document.scripts[0].src)[0]; return e.transferSize > 0 }";
    browser.go(&case("cached.html"));
    assert_eq!(browser.eval(sent), true);
    browser.text("navigate_page", json!({"url": case("cached.html?again")}));
    assert_eq!(browser.eval(sent), false, "from the cache");
    browser.text("navigate_page", json!({"type": "reload", "ignoreCache": true}));
    assert_eq!(browser.eval(sent), true, "past the cache");
}

#[test]
fn contexts_popups_and_selection() {
    let mut browser = Browser::start(&["--experimentalStructuredContent"]);
    let url = case("delete.html");
    browser.go(&url);
    let cookie = |browser: &mut Browser, page: u32| {
        let script = json!({"pageId": page, "function": "() => document.cookie"});
        crate::cases::script_value(&browser.text("evaluate_script", script))
    };
    browser.eval("() => { document.cookie = 'who=default'; localStorage.who = 'default' }");
    for (number, context) in [(2, "one"), (3, "two"), (4, "one")] {
        let text = browser.text("new_page", json!({"url": url, "isolatedContext": context}));
        assert!(text.contains(&format!("{number}: After ({url}) [selected] isolatedContext={context}")), "{text}");
        if number < 4 {
            assert_eq!(cookie(&mut browser, number), "", "a context of its own");
            browser.eval(&format!("() => {{ document.cookie = 'who={context}' }}"));
        }
    }
    assert_eq!(cookie(&mut browser, 4), "who=one", "shared within the context");
    assert_eq!(cookie(&mut browser, 1), "who=default");
    // Popups of every kind are told, and belong to their opener's context.
    browser.text("select_page", json!({"pageId": 4}));
    let popup = data_url("<title>Popup</title>");
    browser.eval(&format!(
        "() => {{ document.body.innerHTML = `<button onclick=\"window.open('delete.html?popup')\">Open</button>\
         <a href='delete.html?blank' target=_blank>Blank</a>\
         <button onclick=\"window.open('delete.html?noopener', '_blank', 'noopener')\">Quiet</button>` }} // {popup}"
    ));
    for (number, (name, query)) in [("Open", "popup"), ("Blank", "blank"), ("Quiet", "noopener")].iter().enumerate() {
        let id = number as u32 + 5;
        let uid = browser.uid(name);
        let result = browser.client.call("click", json!({"uid": uid}));
        let text = crate::support::text_of(&result);
        assert!(text.contains(&format!("## Opened pages\n{id}: After ({url}?{query})")), "{name}: {text}");
        assert_eq!(result["structuredContent"]["openedPages"][0]["id"], id);
        let list = browser.text("list_pages", json!({}));
        assert!(list.contains("isolatedContext=one [selected]") || list.contains("4: After"), "{list}");
        assert!(
            list.lines().any(|l| l.starts_with(&format!("{id}: ")) && l.ends_with("isolatedContext=one")),
            "{list}"
        );
        assert_eq!(cookie(&mut browser, id), "who=one");
    }
    // The selection is the client's own; a page brought to the front is the one that is shown.
    let text = browser.text("select_page", json!({"pageId": 1, "bringToFront": true}));
    assert!(text.contains(&format!("1: After ({url}) [selected]")), "{text}");
    browser.until("() => document.visibilityState", json!("visible"));
    let text = browser.text("new_page", json!({"url": url, "background": true}));
    assert!(text.contains("8: After") && text.lines().last().unwrap().contains("[selected]"), "{text}");
    for tool in ["select_page", "close_page"] {
        assert!(browser.error(tool, json!({"pageId": 77})).contains("No page found"));
        assert!(browser.error(tool, json!({})).starts_with("Input validation error"));
    }
}

#[test]
fn waiting_for_texts_wherever_they_are() {
    let mut browser = Browser::start(&[]);
    browser.go(&format!("{}?frame={}", case("frames.html"), other_site(&case("frame.html"))));
    for text in ["Clickable", "Nowhere"] {
        let texts = json!({"text": ["Nothing", text], "timeout": 3000});
        let result = browser.client.call("wait_for", texts);
        let said = crate::support::text_of(&result);
        if text == "Nowhere" {
            assert!(said.starts_with("Error: Timed out after waiting 3000ms"), "{said}");
        } else {
            assert!(
                said.starts_with("Element matching one of [\"Nothing\",\"Clickable\"] found.\n## Latest"),
                "{said}"
            );
        }
    }
    // Later, and in every place: a frame of another site, fields, shadow roots, hidden text, across elements, a name.
    let frame = other_site(&case("asks.html"));
    browser.go(&format!("{}?inner={frame}", case("frame.html")));
    browser.text("wait_for", json!({"text": ["Ask"]}));
    for (number, code) in [
        "document.querySelector('input').value = TEXT; document.body.append('')",
        "document.body.append(TEXT)",
        "document.body.innerHTML += `<p hidden>${TEXT}</p>`",
        "document.querySelector('#div').textContent = TEXT",
        "document.body.innerHTML += `<b>${TEXT.slice(0, 3)}</b><i>${TEXT.slice(3)}</i>`",
        "{ const d = document.createElement('div'); document.body.append(d); d.attachShadow({mode: 'open'}).innerHTML = TEXT }",
        "document.body.innerHTML += `<button aria-label='${TEXT}'>x</button>`",
        "document.body.innerHTML += `<textarea>${TEXT}</textarea>`",
    ]
    .iter()
    .enumerate()
    {
        let text = format!("arrives {number}");
        browser.eval(&format!("() => {{ setTimeout(() => {{ const TEXT = '{text}'; {code} }}, 400) }}"));
        let start = Instant::now();
        browser.text("wait_for", json!({"text": [text], "timeout": 20000}));
        assert!(start.elapsed() < Duration::from_secs(10), "{code}: {:?}", start.elapsed());
    }
    for wrong in [json!({"text": []}), json!({"text": "x"}), json!({})] {
        assert!(browser.error("wait_for", wrong).starts_with("Input validation error"));
    }
    // Through a navigation.
    browser.eval("() => { setTimeout(() => { location = 'delete.html' }, 300) }");
    browser.text("wait_for", json!({"text": ["Delete"], "timeout": 20000}));
    // Names of elements in frames of the same process.
    browser.go(&case(&format!("frame.html?inner={}", case("frame.html?x"))));
    browser.eval("() => { document.querySelector('input').remove(); return frames.length }");
    let text = browser.text("wait_for", json!({"text": ["Field"], "timeout": 10000}));
    assert!(text.contains("Field"), "{text}");
}

#[test]
fn the_window_takes_the_size_that_was_asked_for() {
    let mut browser = Browser::start(&[]);
    browser.open("<title>Size</title>");
    for (width, height) in [(500, 400), (1200, 700)] {
        let text = browser.text("resize_page", json!({"width": width, "height": height}));
        assert!(text.starts_with("## Pages\n1: Size"), "{text}");
        browser.until("() => [innerWidth, innerHeight]", json!([width, height]));
    }
    for wrong in [json!({"width": 0, "height": 5}), json!({"width": 5.5, "height": 5}), json!({"width": 5})] {
        assert!(browser.error("resize_page", wrong).starts_with("Input validation error"));
    }
    let mut sized = Browser::start(&["--viewport=640x480"]);
    sized.open("<title>Size</title>");
    sized.until("() => [innerWidth, innerHeight]", json!([640, 480]));
}
