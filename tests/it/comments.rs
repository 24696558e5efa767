//! The tools for comments made in DevTools. The DevTools window is listed as a page (`--experimentalDevtools`), so that
//! the tests can make comments in it as a user would.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Client, chrome_lock, pages, text_of};

const FEATURE: &str = "--chromeArg=--enable-features=DevToolsComments";

/// Makes a thread about the selector's element (empty: about nothing) and hands it to the agent.
fn comment(client: &mut Client, window: u32, text: &str, selector: &str) {
    let script = format!(
        "async () => {{
            const {{DOMModel, TargetManager}} = await import('/bundled/core/sdk/sdk.js');
            const anchor = {{textSignature: 'said'}};
            const manager = universe.targetManager ?? TargetManager.TargetManager.instance();
            // The window may only just have been opened.
            for (let tries = 0; {selector:?} && !anchor.node && tries < 100; tries++) {{
                const target = manager.primaryPageTarget();
                const model = target?.model(DOMModel.DOMModel);
                const document = await model?.requestDocument();
                const id = document && await model.querySelector(document.id, {selector:?});
                if (id) {{
                    anchor.node = {{backendNodeId: model.nodeForId(id).backendNodeId(), targetId: target.id()}};
                }} else {{
                    await new Promise(resolve => setTimeout(resolve, 50));
                }}
            }}
            if ({selector:?} && !anchor.node) throw new Error('no element');
            universe.commentManager.createCommentThread(anchor, {text:?}).sendToAgent();
            return 'made';
        }}"
    );
    let answer = client.text("evaluate_script", json!({"pageId": window, "function": script}));
    assert!(answer.contains("\"made\""), "{answer}");
}

/// Number of the DevTools window in the list.
fn window(client: &mut Client) -> u32 {
    let list = client.text("list_pages", json!({}));
    let line = list.lines().find(|line| line.contains("devtools://")).unwrap_or_else(|| panic!("a window in {list}"));
    line.split(':').next().unwrap().parse().unwrap()
}

/// The next log message.
fn log_message(client: &mut Client) -> Value {
    let until = Instant::now() + Duration::from_secs(20);
    while let Some(message) = client.next_message(until.saturating_duration_since(Instant::now())) {
        if message["method"] == "notifications/message" {
            return message;
        }
    }
    panic!("no log message");
}

#[test]
fn without_a_window_or_without_the_feature_there_are_no_comments() {
    let _alone = chrome_lock();
    let mut client = Client::with_browser(&["--devtools-comments", "--experimentalStructuredContent"]);
    client.text("navigate_page", json!({"url": pages().url("cases/form.html")}));
    let tools = [
        ("get_devtools_comments", json!({})),
        ("resolve_devtools_comment", json!({"threadId": "x"})),
        ("reveal_in_devtools", json!({})),
    ];
    for (tool, arguments) in &tools {
        let text = client.text(tool, arguments.clone());
        assert_eq!(text, "DevTools window is not open for this page. Call open_devtools first.");
    }
    let opened = client.text("open_devtools", json!({}));
    assert!(opened.starts_with("DevTools window opened successfully.\n## Pages\n1: "), "{opened}");
    for (tool, arguments) in &tools {
        let text = client.text(tool, arguments.clone());
        assert!(text.starts_with("DevTools comments are not working right now. "), "{text}");
        assert!(!text.contains('\n'), "{text}");
    }
    let mut without = Client::with_browser(&[]);
    let refused = without.request("tools/call", json!({"name": "open_devtools", "arguments": {}}));
    assert_eq!(refused["error"]["message"], "Tool open_devtools disabled");
}

#[test]
fn comments_are_told_once_resolved_and_their_elements_revealed() {
    let _alone = chrome_lock();
    let options = ["--devtools-comments", "--experimentalDevtools", "--experimentalStructuredContent", FEATURE];
    let mut client = Client::with_browser(&options);
    client.text("navigate_page", json!({"url": pages().url("differential/styles-more.html")}));
    client.text("open_devtools", json!({}));
    let window = window(&mut client);
    assert_eq!(client.text("get_devtools_comments", json!({})), "No open DevTools comments found.");

    // No snapshot has been taken yet, so one is.
    comment(&mut client, window, "Fix this", "button[onclick]");
    let message = log_message(&mut client);
    let expected = json!({"level": "info", "data": "DevTools comment threads updated"});
    assert_eq!(message["params"], expected);
    let result = client.call("get_devtools_comments", json!({}));
    let text = text_of(&result);
    assert!(text.starts_with("Found 1 DevTools comment thread(s):\n\n### Thread: "), "{text}");
    assert!(
        text.contains(
            "\n- Comment: Fix this\n\n- DevTools element: said\n- DOM node selector: button\n- Related element uid: "
        ),
        "{text}"
    );
    assert!(text.ends_with("\n\nNote: DevTools comments regenerated the standard text snapshot."), "{text}");
    let told = &result["structuredContent"];
    assert_eq!(told["commentsSnapshotRegenerated"], "standard");
    let (thread, uid) = (told["comments"][0]["id"].clone(), told["comments"][0]["elementUid"].clone());
    assert!(client.text("get_css_styles", json!({"uid": uid})).contains("Styles for button (uid: "));
    assert_eq!(client.text("get_devtools_comments", json!({})), "No open DevTools comments found.");

    // An element that only a verbose snapshot has, and several changes at once.
    comment(&mut client, window, "And this", "body");
    comment(&mut client, window, "Nothing special", "");
    let result = client.call("get_devtools_comments", json!({}));
    let told = &result["structuredContent"];
    assert_eq!(told["commentsSnapshotRegenerated"], "verbose", "{told}");
    assert_eq!(told["comments"].as_array().unwrap().len(), 2, "{told}");
    assert!(told["comments"][0]["elementUid"].is_string(), "{told}");
    assert_eq!(told["comments"][1].get("elementUid"), None);

    let done = client.text("resolve_devtools_comment", json!({"threadId": thread, "replyText": "It is blue now"}));
    let id = thread.as_str().unwrap();
    assert_eq!(done, format!("Comment thread {id} resolved successfully.\nAgent reply added: \"It is blue now\""));
    let status = format!(
        "() => {{ const thread = universe.commentManager.getCommentThread({id:?});
        return [thread.status, thread.comments.at(-1).author, thread.comments.at(-1).text]; }}"
    );
    let held = client.text("evaluate_script", json!({"pageId": window, "function": status}));
    assert!(held.contains("[\"RESOLVED\",\"AGENT\",\"It is blue now\"]"), "{held}");
    let twice = client.text("resolve_devtools_comment", json!({"threadId": thread}));
    assert_eq!(twice, format!("Comment thread {id} resolved successfully."));
    let unknown = client.text("resolve_devtools_comment", json!({"threadId": "nope"}));
    assert_eq!(unknown, "Failed to resolve comment thread \"nope\". Thread not found.");

    let shown = client.text("reveal_in_devtools", json!({"panelName": "elements", "uid": uid}));
    let start = format!("Navigated to elements panel (revealing element {} [backend node ", uid.as_str().unwrap());
    assert!(shown.starts_with(&start) && shown.ends_with("]) in DevTools."), "{shown}");
    let selected = "async () => {
        const [{Context}, {DOMModel}] = await Promise.all(
            [import('/bundled/ui/legacy/legacy.js'), import('/bundled/core/sdk/sdk.js')]);
        for (let tries = 0; tries < 100; tries++) {
            const node = Context.Context.instance().flavor(DOMModel.DOMNode);
            if (node?.nodeName() === 'BUTTON') return 'selected';
            await new Promise(resolve => setTimeout(resolve, 50));
        }
        return 'not selected';
    }";
    let held = client.text("evaluate_script", json!({"pageId": window, "function": selected}));
    assert!(held.contains("\"selected\""), "{held}");
    let shown = client.text("reveal_in_devtools", json!({"uid": "99_99"}));
    assert!(shown.starts_with("Warning: Could not resolve snapshot UID \"99_99\""), "{shown}");
    assert!(shown.ends_with("\nRevealed target in DevTools."), "{shown}");
    let failed = client.error("reveal_in_devtools", json!({"reqid": 999}));
    assert!(failed.starts_with("Error: Request not found for selected page\nhint: "), "{failed}");

    // A window that is closed is not open.
    client.text("close_page", json!({"pageId": window}));
    let closed = client.text("get_devtools_comments", json!({}));
    assert!(closed.starts_with("DevTools window is not open for this page."), "{closed}");
}
