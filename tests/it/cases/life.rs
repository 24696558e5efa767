//! L: nothing outlives the client, scripts that never end can be stopped, pages that defend themselves or sleep.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{Browser, case, data_url, script_value};
use crate::support::{alive, browser_arguments, chrome_lock, descendants, text_of};

/// Waits until processes have ended.
fn gone(processes: &[u32], what: &str) {
    let until = Instant::now() + Duration::from_secs(15);
    while processes.iter().any(|&p| alive(p)) {
        let left: Vec<&u32> = processes.iter().filter(|&&p| alive(p)).collect();
        assert!(Instant::now() < until, "after {what}: {left:?} of {processes:?} are left");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn l1_nothing_outlives_the_client_in_the_middle_of_a_call() {
    let _alone = chrome_lock();
    let never = json!({"function": "() => new Promise(() => {})"});
    let busy = json!({"function": "() => { while (1); }"});
    for (what, call) in [("waiting script", never), ("busy script", busy)] {
        let temp = tempfile::tempdir().unwrap();
        let mut browser = Browser::start_with(&[], |command| _ = command.env("TMPDIR", temp.path()));
        // With a page that asks before it is left.
        browser.go(&case("form.html"));
        browser.fill("Field", "dirty");
        browser.begin("evaluate_script", call);
        std::thread::sleep(Duration::from_millis(300));
        let processes = descendants(browser.client.child.id());
        assert!(processes.len() > 2, "{processes:?}");
        browser.client.close_input();
        assert_eq!(browser.client.wait(Duration::from_secs(15)), Some(0), "{what}");
        gone(&processes, what);
        profiles_gone(temp.path(), what);
    }
    // A wrapper that starts us is killed, then the client goes away.
    let temp = tempfile::tempdir().unwrap();
    let mut command = std::process::Command::new("sh");
    command.arg("-c").arg("\"$0\" \"$@\"; :").arg(crate::support::BINARY).args(browser_arguments());
    command.env("TMPDIR", temp.path());
    let mut client = crate::support::Client::spawn(command);
    client.initialize(json!({}));
    client.text("new_page", json!({"url": case("form.html")}));
    let processes = descendants(client.child.id());
    assert!(processes.len() > 3, "{processes:?}");
    client.child.kill().unwrap();
    client.close_input();
    gone(&processes, "wrapper");
    profiles_gone(temp.path(), "wrapper");
}

fn profiles_gone(temp: &std::path::Path, what: &str) {
    let until = Instant::now() + Duration::from_secs(15);
    loop {
        let left: Vec<_> = std::fs::read_dir(temp).unwrap().flatten().map(|e| e.file_name()).collect();
        if !left.iter().any(|name| name.to_string_lossy().starts_with("devtools-mcp-profile-")) {
            return;
        }
        assert!(Instant::now() < until, "after {what}: {left:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn l2_scripts_that_never_end_can_be_stopped() {
    let _alone = chrome_lock();
    let mut browser = Browser::start(&[]);
    browser.open("<title>Busy</title><button onclick='hit=1'>Usable</button>");
    browser.text("new_page", json!({"url": data_url("<title>Other</title><button>Fine</button>")}));
    browser.text("select_page", json!({"pageId": 1}));
    for script in ["() => new Promise(() => {})", "() => { while (1); }", "async () => { await 0; for (;;); }"] {
        let running = browser.begin("evaluate_script", json!({"function": script}));
        std::thread::sleep(Duration::from_millis(700));
        let start = Instant::now();
        let list = browser.text("list_pages", json!({}));
        assert!(list.contains("1: Busy") && list.contains("2: Other"), "{list}");
        let snapshot = browser.text("take_snapshot", json!({"pageId": 2}));
        assert!(snapshot.contains("button \"Fine\""), "{snapshot}");
        assert!(start.elapsed() < Duration::from_secs(5), "{script}: {:?}", start.elapsed());
        browser.client.notify("notifications/cancelled", json!({"requestId": running, "reason": "test"}));
        let start = Instant::now();
        browser.click("Usable");
        assert_eq!(browser.eval("() => hit"), 1, "{script}");
        assert!(start.elapsed() < Duration::from_secs(10), "{script}: {:?}", start.elapsed());
        assert!(browser.client.finish_within(running, Duration::from_millis(100)).is_none(), "cancelled");
        // Its own limit.
        let start = Instant::now();
        let error = browser.error("evaluate_script", json!({"function": script, "timeout": 400}));
        assert!(error.contains("did not finish within 400 ms"), "{error}");
        assert!(start.elapsed() < Duration::from_secs(8), "{script}: {:?}", start.elapsed());
        assert_eq!(browser.eval("() => 1 + 1"), 2, "{script}");
    }
    // In a frame of its own process, with an element of it.
    browser.go(&format!("{}?inner={}", case("frame.html"), super::other_site(&case("frame.html"))));
    let end = Instant::now() + Duration::from_secs(20);
    let inner = loop {
        if let Some(uid) = super::uids_in(&browser.snapshot(), "Field").get(1) {
            break uid.clone();
        }
        assert!(Instant::now() < end);
    };
    let script = json!({"function": "e => { while (1); }", "args": [inner], "timeout": 400});
    let error = browser.error("evaluate_script", script);
    assert!(error.contains("did not finish within 400 ms"), "{error}");
    let text = browser.text("evaluate_script", json!({"function": "e => e.tagName", "args": [inner]}));
    assert_eq!(script_value(&text), "INPUT");
}

#[test]
fn l4_d_pages_with_debugger_statements_run_on() {
    let mut browser = Browser::start(&[]);
    let url = data_url(
        "<title>Loading</title><script>debugger; document.title = 'Anti'; setInterval(() => { debugger }, 20)</script>\
         <button onclick='debugger; hit=1'>Go</button>",
    );
    let text = browser.text("new_page", json!({"url": url}));
    assert!(text.contains("2: Anti"), "{text}");
    let start = Instant::now();
    browser.click("Go");
    assert_eq!(browser.eval("() => { debugger; return hit }"), 1);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn l4_e_a_page_that_does_not_answer_stops_nobody_else() {
    let _alone = chrome_lock();
    let mut browser = Browser::start(&[]);
    browser.open("<title>Awake</title><button>Fine</button>");
    browser.text("new_page", json!({"url": case("delete.html")}));
    // The process that works while the page works is the page's.
    let before = renderers(&browser);
    browser.eval("() => { const end = Date.now() + 700; while (Date.now() < end); }");
    let after = renderers(&browser);
    let used = |pid: u32| before.iter().find(|(p, _)| *p == pid).map_or(0, |(_, ticks)| *ticks);
    let (sleeper, _) = after.iter().max_by_key(|(pid, ticks)| ticks - used(*pid)).unwrap();
    let _asleep = Stopped::new(*sleeper);
    let start = Instant::now();
    let list = browser.text("list_pages", json!({}));
    assert!(list.contains("1: Awake") && list.contains("\n2: "), "{list}");
    let snapshot = browser.text("take_snapshot", json!({"pageId": 1}));
    assert!(snapshot.contains("button \"Fine\""), "{snapshot}");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    // The page itself says so, sooner or later; another one is not held up meanwhile.
    let waiting = browser.begin("evaluate_script", json!({"pageId": 2, "function": "() => 1", "timeout": 2000}));
    browser.text("select_page", json!({"pageId": 1}));
    browser.click("Fine");
    let answer = browser.client.finish_within(waiting, Duration::from_secs(30)).expect("an answer");
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    drop(_asleep);
    browser.text("select_page", json!({"pageId": 2}));
    browser.until("() => document.title", json!("After"));
    let text = text_of(&browser.client.call("list_pages", json!({})));
    assert!(text.contains("2: After"), "{text}");
}

/// Chrome's page processes with the processor ticks that each has used.
fn renderers(browser: &Browser) -> Vec<(u32, u64)> {
    let ticks = |pid: u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit(')').next()?.split_whitespace().nth(11)?.parse().ok()
    };
    let is_renderer = |pid: &u32| {
        std::fs::read(format!("/proc/{pid}/cmdline"))
            .is_ok_and(|c| String::from_utf8_lossy(&c).contains("--type=renderer"))
    };
    let processes = descendants(browser.client.child.id());
    processes.into_iter().filter(is_renderer).filter_map(|pid| Some((pid, ticks(pid)?))).collect()
}

/// A process that is stopped until this is dropped.
struct Stopped(u32);

impl Stopped {
    fn new(pid: u32) -> Self {
        // SAFETY: a process that our server started for this test.
        unsafe { libc::kill(pid as i32, libc::SIGSTOP) };
        Stopped(pid)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { libc::kill(self.0 as i32, libc::SIGCONT) };
    }
}
