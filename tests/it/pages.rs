//! The page tools, in real Chrome: ids, selection per client, contexts, titles, failures, the browser's end.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Client, alive, browser_arguments, chrome, chrome_lock, descendants, pages, text_of};

#[test]
fn pages_are_opened_listed_selected_and_closed() {
    let _alone = chrome_lock();
    let mut client = Client::with_browser(&["--experimentalStructuredContent"]);
    let threads_before = std::fs::read_dir(format!("/proc/{}/task", client.child.id())).unwrap().count();
    assert_eq!(client.text("list_pages", json!({})), "## Pages\n1: about:blank [selected]");

    let redirects = pages().url("redirects/index.html");
    let shifts = pages().url("layout-shifts/index.html");
    let text = client.text("new_page", json!({"url": redirects}));
    let title = "At the end of the redirects";
    assert_eq!(text, format!("## Pages\n1: about:blank\n2: {title} ({redirects}) [selected]"));

    let iso = client.text("new_page", json!({"url": shifts, "isolatedContext": "iso", "background": true}));
    let third = format!("3: Layout shifts ({shifts}) [selected] isolatedContext=iso");
    assert_eq!(iso, format!("## Pages\n1: about:blank\n2: {title} ({redirects})\n{third}"));
    let again = client.call("new_page", json!({"url": redirects, "isolatedContext": "iso"}));
    let listed = again["structuredContent"]["pages"].as_array().unwrap();
    assert_eq!(
        listed[3],
        json!({"id": 4, "url": redirects, "title": title, "selected": true, "isolatedContext": "iso"})
    );

    let selected = client.text("select_page", json!({"pageId": 2}));
    assert!(selected.contains(&format!("2: {title} ({redirects}) [selected]")), "{selected}");
    let closed = client.text("close_page", json!({"pageId": 2}));
    assert!(closed.starts_with("Note: the previously selected page was closed. Page 1 is now selected.\n## Pages\n1: about:blank [selected]\n3: "), "{closed}");
    let closed = client.text("close_page", json!({"pageId": 3}));
    assert!(closed.starts_with("## Pages\n1: about:blank [selected]\n4: "), "{closed}");

    for tool in ["select_page", "close_page"] {
        for id in [json!(2), json!(99), json!(1.5), json!(-1)] {
            let error = client.error(tool, json!({"pageId": id}));
            assert!(error.starts_with("Error: No page found\nhint: "), "{error}");
        }
    }
    client.text("close_page", json!({"pageId": 1}));
    let last = client.text("close_page", json!({"pageId": 4}));
    assert!(last.starts_with("The last open page cannot be closed.") && last.contains("\n4: "), "{last}");
    // Nothing of this needs V8: no isolate, no root thread.
    let threads = std::fs::read_dir(format!("/proc/{}/task", client.child.id())).unwrap().count();
    assert!(threads <= threads_before + 3, "{threads_before} threads became {threads}");
}

#[test]
fn addresses_that_cannot_be_opened() {
    let _alone = chrome_lock();
    let mut client = Client::with_browser(&["--no-fileNavigations", "--no-javascriptEvaluation"]);
    let error = client.error("new_page", json!({"url": "nowhere"}));
    assert!(error.starts_with("Error: Invalid URL: \"nowhere\".\nhint: "), "{error}");
    for (url, scheme) in [("file:///etc/passwd", "file"), ("data:text/html,x", "data"), ("chrome://settings", "chrome")]
    {
        let error = client.error("new_page", json!({"url": url}));
        assert!(error.starts_with(&format!("Error: Navigating to {scheme}: URLs is not allowed.\n")), "{error}");
    }
    let error = client.error("new_page", json!({"url": "http://127.0.0.1:1/"}));
    assert!(error.starts_with("Error: net::ERR_UNSAFE_PORT at http://127.0.0.1:1/\nhint: "), "{error}");
    // The tab stays, as in the original.
    assert!(client.text("list_pages", json!({})).contains("\n2: "));
    let slow = pages().url("redirects/index.html?delay=5000");
    let start = Instant::now();
    let error = client.error("new_page", json!({"url": slow, "timeout": 300}));
    assert!(error.starts_with("Error: Navigation timeout of 300 ms exceeded\nhint: "), "{error}");
    assert!(start.elapsed() < Duration::from_secs(4));
    // An error page of the server is a page.
    let text = client.text("new_page", json!({"url": pages().url("redirects/index.html?status=500")}));
    assert!(text.contains("status=500"), "{text}");
}

#[test]
fn files_are_opened_where_the_path_rules_allow_it() {
    let _alone = chrome_lock();
    let folder = tempfile::tempdir_in(crate::support::root().join("target")).unwrap();
    let file = folder.path().join("page.html");
    std::fs::write(&file, "<title>A file</title>").unwrap();
    let url = format!("file://{}?x#y", file.display());
    let outside = "file:///etc/hostname";
    let root = format!("--filesystemRoot={}", folder.path().display());
    for (option, allowed) in [(root.as_str(), false), ("--allowUnrestrictedPaths", true)] {
        let mut client = Client::with_browser(&[option]);
        assert!(client.text("new_page", json!({"url": url})).contains("2: A file"), "{option}");
        for (tool, arguments) in [
            ("navigate_page", json!({"pageId": 2, "url": outside})),
            ("new_page", json!({"url": format!("view-source:{outside}")})),
        ] {
            let text = text_of(&client.call(tool, arguments));
            let denied = text.starts_with("Error: Access denied: path \"file:///etc/hostname\" (canonical: ");
            assert_eq!(denied, !allowed, "{option}: {text}");
        }
    }
}

#[test]
fn a_dialog_while_loading_ends_the_wait_and_is_told() {
    let _alone = chrome_lock();
    let mut client = Client::with_browser(&[]);
    let url = "data:text/html,<title>D</title><script>alert('first'); alert('second')</script><p>loaded";
    let text = client.text("new_page", json!({"url": url}));
    let dialog = |message: &str| {
        format!("# Open dialog\nalert: {message}.\nCall handle_dialog to handle it before continuing.\n")
    };
    let told = "The page opened a dialog; it goes on loading when the dialog is answered.\n";
    assert!(text.starts_with(&format!("{told}{}## Pages\n", dialog("first"))), "{text}");
    client.text("handle_dialog", json!({"action": "accept"}));
    // The second one comes as soon as the script goes on.
    let mut error = String::new();
    for _ in 0..50 {
        let result = client.call("take_snapshot", json!({}));
        error = text_of(&result);
        if error.contains("alert: second") {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(error.starts_with(&dialog("second")), "{error}");
    client.text("handle_dialog", json!({"action": "dismiss"}));
    let text = client.text("wait_for", json!({"text": ["loaded"]}));
    assert!(!text.contains("Open dialog"), "{text}");
}

#[test]
fn one_page_that_loads_for_ever_does_not_stop_the_others() {
    let _alone = chrome_lock();
    let mut client = Client::with_browser(&[]);
    client.text("list_pages", json!({}));
    let slow = pages().url("redirects/index.html?delay=9000");
    let waiting = client.begin("tools/call", json!({"name": "new_page", "arguments": {"url": slow}}));
    std::thread::sleep(Duration::from_millis(500));
    let start = Instant::now();
    client.text("list_pages", json!({}));
    client.text("new_page", json!({"url": pages().url("many-nodes/index.html")}));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    client.notify("notifications/cancelled", json!({"requestId": waiting}));
    client.text("list_pages", json!({}));
}

#[test]
fn a_killed_browser_is_replaced_and_the_client_is_told_once() {
    let _alone = chrome_lock();
    let mut client = Client::with_browser(&["--experimentalStructuredContent"]);
    client.text("list_pages", json!({}));
    let browser = descendants(client.child.id());
    assert!(!browser.is_empty());
    // SAFETY: a process that our server started for this test.
    unsafe { libc::kill(browser[0] as i32, libc::SIGKILL) };
    std::thread::sleep(Duration::from_millis(300));
    let result = client.call("list_pages", json!({}));
    let text = text_of(&result);
    assert!(text.starts_with("Note: the browser was restarted or reconnected since the last call."), "{text}");
    assert!(text.ends_with("## Pages\n2: about:blank [selected]"), "ids are not used again: {text}");
    assert_eq!(result["structuredContent"]["reconnected"], true);
    assert_eq!(client.text("list_pages", json!({})), "## Pages\n2: about:blank [selected]");
}

#[test]
fn nothing_outlives_us() {
    let _alone = chrome_lock();
    for end in ["stdin", "term", "busy", "kill"] {
        let temp = tempfile::tempdir().unwrap();
        let arguments = browser_arguments();
        let mut command = std::process::Command::new(crate::support::BINARY);
        command.args(&arguments).env("TMPDIR", temp.path());
        let mut client = Client::spawn(command);
        client.initialize(json!({}));
        client.text("new_page", json!({"url": pages().url("redirects/index.html")}));
        let processes = descendants(client.child.id());
        assert!(processes.len() > 1, "{processes:?}");
        if end == "busy" {
            let slow = pages().url("redirects/index.html?delay=9000");
            client.begin("tools/call", json!({"name": "new_page", "arguments": {"url": slow}}));
            std::thread::sleep(Duration::from_millis(300));
        }
        match end {
            "stdin" => client.close_input(),
            // SAFETY: our own child.
            "term" | "busy" => _ = unsafe { libc::kill(client.child.id() as i32, libc::SIGTERM) },
            _ => client.child.kill().unwrap(),
        }
        let until = Instant::now() + Duration::from_secs(5);
        while processes.iter().any(|&p| alive(p)) {
            let left: Vec<&u32> = processes.iter().filter(|&&p| alive(p)).collect();
            assert!(Instant::now() < until, "after {end}: {left:?} of {processes:?} are left");
            std::thread::sleep(Duration::from_millis(20));
        }
        if end != "kill" {
            assert_eq!(client.wait(Duration::from_secs(3)), Some(0), "{end}");
            let left: Vec<_> = std::fs::read_dir(temp.path()).unwrap().flatten().map(|e| e.file_name()).collect();
            let profiles = left.iter().filter(|n| n.to_string_lossy().starts_with("devtools-mcp-profile-")).count();
            assert_eq!(profiles, 0, "after {end}: {left:?}");
        }
    }
}

#[test]
fn l4_a_two_servers_with_one_profile_have_a_browser_each() {
    let _alone = chrome_lock();
    let dir = tempfile::tempdir().unwrap();
    let mut shared = browser_arguments();
    shared.retain(|a| a != "--isolated");
    shared.push(format!("--userDataDir={}", dir.path().join("profile").display()));
    let shared: Vec<&str> = shared.iter().map(String::as_str).collect();
    let mut first = Client::ready(&shared);
    assert_eq!(first.text("list_pages", json!({})), "## Pages\n1: about:blank [selected]");
    let mut second = Client::ready(&shared);
    let text = second.text("list_pages", json!({}));
    assert!(
        text.starts_with("Note: the profile ") && text.contains("this one has a temporary profile.\n## Pages\n"),
        "{text}"
    );
    assert_eq!(second.text("list_pages", json!({})), "## Pages\n1: about:blank [selected]");
    drop(second);
    first.close_input();
    assert_eq!(first.wait(Duration::from_secs(8)), Some(0));
    // The profile is free again.
    assert_eq!(Client::ready(&shared).text("list_pages", json!({})), "## Pages\n1: about:blank [selected]");
}

#[test]
fn a_browser_that_does_not_start_is_explained() {
    let mut client = Client::ready(&["--executablePath=/nowhere/chrome", "--headless"]);
    let error = client.error("list_pages", json!({}));
    assert!(error.starts_with("there is no browser at /nowhere/chrome\nhint: "), "{error}");
}

#[test]
fn l4_b_root_without_the_sandbox_flag_is_told_which() {
    let browser = chrome().map(|c| format!("--executablePath={c}"));
    let arguments: Vec<&str> = ["--headless", "--isolated"].into_iter().chain(browser.as_deref()).collect();
    let mut client = Client::ready(&arguments);
    // SAFETY: geteuid has no preconditions.
    if unsafe { libc::geteuid() } == 0 {
        let error = client.error("list_pages", json!({}));
        assert!(error.contains("--chromeArg=--no-sandbox"), "{error}");
    } else {
        assert_eq!(client.text("list_pages", json!({})), "## Pages\n1: about:blank [selected]");
    }
}

#[test]
fn l4_c_without_a_display_the_browser_has_no_window() {
    let _alone = chrome_lock();
    let arguments = browser_arguments();
    let mut command = std::process::Command::new(crate::support::BINARY);
    command.args(arguments.iter().filter(|argument| *argument != "--headless"));
    // The display of another process of the user would do as well; then there is a window.
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    let mut client = Client::spawn(command);
    client.initialize(json!({}));
    assert_eq!(client.text("list_pages", json!({})), "## Pages\n1: about:blank [selected]");
    let size = client.text("evaluate_script", json!({"function": "() => innerWidth > 0 && innerHeight > 0"}));
    assert!(size.contains("true"), "{size}");
}

/// The same calls to both servers: the same answers.
#[test]
fn the_same_calls_as_to_the_original_give_the_same_answers() {
    let _alone = chrome_lock();
    let mut ours = Client::with_browser(&["--experimentalStructuredContent"]);
    let mut peer = crate::peer::original(&["--experimentalStructuredContent"]);
    let b = pages().url("render-blocking/index.html");
    let long = format!(
        "data:text/html,<title>{}</title>",
        "A \"quoted\" title that is quite long, longer than fifty units 😀"
    );
    let script: Vec<(&str, Value)> = vec![
        ("list_pages", json!({})),
        ("new_page", json!({"url": b})),
        ("new_page", json!({"url": pages().url("größe 日本/seite.html"), "isolatedContext": "iso1"})),
        ("new_page", json!({"url": long, "background": true})),
        ("select_page", json!({"pageId": 2})),
        ("select_page", json!({"pageId": 77})),
        ("select_page", json!({"pageId": "2"})),
        ("select_page", json!({})),
        ("close_page", json!({"pageId": 2})),
        ("close_page", json!({"pageId": 2})),
        ("new_page", json!({"url": "not an address"})),
        ("new_page", json!({"url": "chrome://version"})),
        ("new_page", json!({"url": "http://127.0.0.1:1/"})),
        ("new_page", json!({"url": b, "timeout": 50.5})),
        ("list_pages", json!({"x": 1})),
        ("list_pages", json!({})),
        ("new_page", json!({"url": pages().url("nothing.html"), "isolatedContext": "iso1"})),
        ("list_pages", json!({})),
    ];
    for (tool, arguments) in script {
        let (mut mine, mut theirs) = (ours.call(tool, arguments.clone()), peer.call(tool, arguments.clone()));
        // What a list says about a page settles a moment after the page did; the original is the later one.
        for _ in 0..25 {
            if tool != "list_pages" || text_of(&mine) == text_of(&theirs) {
                break;
            }
            std::thread::sleep(Duration::from_millis(200));
            (mine, theirs) = (ours.call(tool, arguments.clone()), peer.call(tool, arguments.clone()));
        }
        let what = format!("{tool} {arguments}");
        assert_eq!(mine.get("isError"), theirs.get("isError"), "{what}: {mine} / {theirs}");
        assert_eq!(without_hints(&text_of(&mine)), marker(&text_of(&theirs)), "{what}");
        if mine.get("isError").is_none() {
            assert_eq!(mine["structuredContent"]["pages"], theirs["structuredContent"]["pages"], "{what}");
        }
    }
}

/// Our hints are additional lines.
fn without_hints(text: &str) -> String {
    text.split("\nhint: ").next().unwrap_or_default().to_owned()
}

/// The original's advice after a fixed marker is worded by each server for itself.
fn marker(text: &str) -> String {
    match text.split_once("Invalid URL: ") {
        Some((before, after)) => {
            let quoted = after.split("\".").next().unwrap_or_default();
            format!("{before}Invalid URL: {quoted}\".")
        }
        None => text.to_owned(),
    }
}
