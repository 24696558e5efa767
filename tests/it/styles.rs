//! `get_css_styles` where it says more than the original, or fails otherwise. What is the same is compared by
//! `differential`.

use serde_json::{Value, json};

use crate::support::{Client, chrome_lock, pages};

/// The uids of the lines with this text.
fn uids(snapshot: &str, text: &str) -> Vec<String> {
    let lines = snapshot.lines().filter(|line| line.contains(text));
    lines.map(|line| line.split("uid=").nth(1).unwrap().split(' ').next().unwrap().to_owned()).collect()
}

fn opened(options: &[&str], page: &str) -> (Client, String) {
    let mut client = Client::with_browser(options);
    client.text("navigate_page", json!({"url": pages().url(page)}));
    let snapshot = client.text("take_snapshot", json!({}));
    (client, snapshot)
}

fn styles(client: &mut Client, uid: &str) -> String {
    client.text("get_css_styles", json!({"uid": uid, "pageSize": 100}))
}

fn assert_contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn positions_are_those_of_the_sources_and_animations_and_functions_are_shown() {
    let _alone = chrome_lock();
    let (mut client, snapshot) = opened(&[], "differential/styles-more.html");
    let mapped = styles(&mut client, &uids(&snapshot, "\"Mapped\"")[0]);
    let parts = [
        "  slide animation {\n    left: auto;\n  }\n",
        "    &:not(.off) (card.css:6) {\n",
        "  .mapped (card.css:18) {\n",
        "  .mapped (base.css:6) {\n    color: var(--accent);\n",
        "    :root (base.css:2) {\n",
        "  .mapped (blob:1) {\n",
        "  .mapped (data-uri:1) {\n",
    ];
    assert_contains(&mapped, &parts);
    let lines = styles(&mut client, &uids(&snapshot, "region \"Lines\"")[0]);
    let function = "  @function --double(--a, --b) (styles-more.html:33) {
    --c: 3;
    @media screen {
      @supports (display: grid) {
        result: calc(var(--a) * 2);
      }
    }
    result: 1px;
  }";
    let nested = "  @media screen {
    @media (min-width: 1px) {
      @layer one {
        @layer two {
          @supports (color: red) {
            @supports (color: blue) {
              @scope (html) to (iframe) {
                .lines (styles-more.html:48) {
                  color: red;
";
    assert_contains(&lines, &[function, nested, "          & (styles-more.html:49) {\n            bottom: 1px;\n"]);
    let moving = styles(&mut client, &uids(&snapshot, "region \"Moving\"")[0]);
    assert_contains(
        &moving,
        &["  transitions style {\n    color: rgb(0, 0, 255);\n", "    [overloaded] color: red;\n"],
    );
}

#[test]
fn a_frame_of_another_site_is_asked_itself() {
    let _alone = chrome_lock();
    let (mut client, snapshot) = opened(&["--experimentalStructuredContent"], "differential/styles-more.html");
    let uids = uids(&snapshot, "button \"In the frame\"");
    assert_eq!(uids.len(), 2, "{snapshot}");
    for uid in uids {
        let text = styles(&mut client, &uid);
        let parts = [format!("Styles for button.made (uid: \"{uid}\"):"), "  button (frame.html:2) {".into()];
        assert_contains(&text, &parts.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

#[test]
fn maps_that_fail_are_told_and_can_be_switched_off() {
    let _alone = chrome_lock();
    let page = "<link rel=stylesheet href=none.css><p>Text";
    let sheet = "p{top:0}/*# sourceMappingURL=missing.map */";
    let script = format!(
        "() => {{ document.body.innerHTML = {page:?};
        const style = document.head.appendChild(document.createElement('style'));
        style.textContent = {sheet:?}; }}"
    );
    for (options, noted) in [(&[][..], true), (&["--no-source-maps"][..], false)] {
        let (mut client, _) = opened(options, "cases/form.html");
        client.text("evaluate_script", json!({"function": script}));
        let snapshot = client.text("take_snapshot", json!({}));
        let text = styles(&mut client, &uids(&snapshot, "\"Text\"")[0]);
        assert_contains(&text, &["  p (<style>:1) {\n    top: 0;\n"]);
        let note = "\nNote: <style>: generated positions, missing.map was not used (it could not be loaded or read)";
        assert_eq!(text.ends_with(note), noted, "{text}");
    }
}

#[test]
fn what_is_not_an_element_any_more_has_no_styles() {
    let _alone = chrome_lock();
    let mut client = Client::with_browser(&[]);
    client.text("navigate_page", json!({"url": pages().url("differential/styles-more.html")}));
    let failure = client.error("get_css_styles", json!({"uid": "1_1"}));
    assert!(failure.starts_with("Error: No snapshot found for page 1.\nhint: "), "{failure}");
    let snapshot = client.text("take_snapshot", json!({}));
    let (gone, root) = (&uids(&snapshot, "button \"Gone\"")[0], &uids(&snapshot, "RootWebArea \"More")[0]);
    let failure = client.error("get_css_styles", json!({"uid": root}));
    assert_contains(&failure, &[&format!("Error: Element with uid \"{root}\" is not an element node"), "\nhint: "]);
    // Known to the front-end or not.
    for first in [true, false] {
        let (again, uid) = if first {
            (styles(&mut client, gone), gone.clone())
        } else {
            client.text("navigate_page", json!({"type": "reload"}));
            let snapshot = client.text("take_snapshot", json!({}));
            (String::new(), uids(&snapshot, "button \"Gone\"")[0].clone())
        };
        assert!(again.is_empty() || again.contains("Styles for button"), "{again}");
        client.text("evaluate_script", json!({"function": "() => document.querySelector('button').remove()"}));
        let failure = client.error("get_css_styles", json!({"uid": uid}));
        assert_contains(&failure, &[&format!("Error: Element with uid \"{uid}\" was detached"), "\nhint: "]);
    }
    // An earlier document's numbers may be those of other nodes now.
    let snapshot = client.text("take_snapshot", json!({}));
    client.text("navigate_page", json!({"url": pages().url("cases/form.html")}));
    let failure = client.error("get_css_styles", json!({"uid": uids(&snapshot, "main \"Outer\"")[0]}));
    assert_contains(&failure, &["was detached from the page."]);
    client.text("navigate_page", json!({"url": pages().url("differential/styles.html")}));
    let verbose = client.text("take_snapshot", json!({"verbose": true}));
    let inline = &uids(&verbose, "InlineTextBox ")[0];
    let failure = client.error("get_css_styles", json!({"uid": inline}));
    assert_contains(&failure, &["Error: Failed to resolve backend node ID for uid \"", "\nhint: "]);
}

#[test]
fn lists_are_in_pages_of_ten_by_default() {
    let _alone = chrome_lock();
    let (mut client, snapshot) = opened(&["--experimentalStructuredContent"], "differential/styles.html");
    let uid = &uids(&snapshot, "heading \"Heading\"")[0];
    let mut rules = 0;
    for page in 0..2 {
        let result = client.call("get_css_styles", json!({"uid": uid, "pageIdx": page}));
        let content = &result["structuredContent"];
        assert_eq!(content["pagination"]["totalPages"], 2, "{content}");
        rules += content["matchedStyles"]["rules"].as_array().map_or(0, Vec::len);
    }
    assert_eq!(rules, 15);
    let schema = client.request("tools/list", json!({}));
    let tools = schema["result"]["tools"].as_array().unwrap();
    let tool = tools.iter().find(|tool| tool["name"] == "get_css_styles").unwrap();
    let defaults = |name: &str| -> Value { tool["inputSchema"]["properties"][name]["default"].clone() };
    assert_eq!((defaults("pageSize"), defaults("pageIdx")), (json!(10), json!(0)));
}
