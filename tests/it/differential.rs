//! The same sessions with both servers, ours and the original, each with a Chrome of its own: every answer must be the
//! same in text, `isError`, `structuredContent` and picture sizes. What may differ is listed in [`rules`], each entry
//! with its row in docs/differences.md; an entry that no session needs fails the test. The sessions themselves are data:
//! `differential/*.txt`.

mod answer;
mod network;
mod rules;
mod script;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Client, chrome, chrome_arguments, chrome_lock, pages, root};
use answer::{Answer, Numbers};
use rules::{State, WORDINGS};
use script::{Call, Session};

/// How often a call is repeated whose answer settles later, and the pause between.
const REPEATS: usize = 50;
const PAUSE: Duration = Duration::from_millis(200);
/// Sessions at the same time: most of the time is the original's waiting.
const WORKERS: usize = 4;

/// One of the two servers.
struct Side {
    client: Client,
    /// Files that calls read and write.
    folder: TempDir,
    /// The last snapshot, in the server's own uids.
    tree: String,
    /// The last list of console messages.
    console: String,
    /// The last list of requests.
    requests: String,
    numbers: Numbers,
}

impl Side {
    fn new(client: Client) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("script.js"), "() => 'from the file'").unwrap();
        std::fs::write(folder.path().join("other.txt"), "twelve bytes").unwrap();
        Side {
            client,
            folder,
            tree: String::new(),
            console: String::new(),
            requests: String::new(),
            numbers: Numbers::default(),
        }
    }

    fn begin(&mut self, call: &Call, refused: u16, is_original: bool, used: &mut Used) -> Result<u64, String> {
        let text = script::filled(call, &self.tree, &self.console, &self.requests, refused, self.folder.path())?;
        let mut arguments: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("line {}: {e}", call.line));
        if is_original && call.has_page_id() && arguments.get("pageId").is_none() {
            // The page that ours uses by itself; always the first one in these sessions.
            arguments["pageId"] = 1.into();
            used.note("Page tools");
        }
        Ok(self.client.begin("tools/call", json!({"name": call.tool, "arguments": arguments})))
    }

    fn finish(&mut self, id: u64) -> Answer {
        let message = self.client.finish(id);
        let (answer, tree) = Answer::read(&message, self.folder.path(), &mut self.numbers);
        if let Some(tree) = tree {
            self.tree = tree;
        }
        if answer.has_line("## Network requests") {
            self.requests = answer.text.clone();
        }
        if answer.has_line("## Console messages") {
            self.console = answer.text.clone();
        }
        answer
    }
}

/// Kinds of issues that must occur in answers that were compared.
const ISSUES: usize = 40;

/// What a run has seen.
#[derive(Default)]
struct Used {
    /// How often each difference was needed.
    differences: BTreeMap<&'static str, usize>,
    /// Titles of issues that both servers listed. Each kind has one title; the deprecations share theirs.
    issues: BTreeSet<String>,
}

impl Used {
    fn note(&mut self, name: &'static str) {
        *self.differences.entry(name).or_default() += 1;
    }

    fn note_issues(&mut self, ours: &Answer, peer: &Answer) {
        let titles = |answer: &Answer| -> BTreeSet<String> {
            let lines = answer.text.lines().filter(|line| line.starts_with("msgid="));
            let titles = lines.filter_map(|line| line.split_once(" [issue] ")?.1.rsplit_once(" (count: "));
            titles.map(|(title, _)| title.to_owned()).collect()
        };
        self.issues.extend(titles(ours).intersection(&titles(peer)).cloned());
    }

    fn add(&mut self, other: Used) {
        other.differences.into_iter().for_each(|(name, count)| *self.differences.entry(name).or_default() += count);
        self.issues.extend(other.issues);
    }
}

fn ours(options: &[String]) -> Client {
    let mut arguments = vec!["--headless".to_owned(), "--isolated".into()];
    arguments.extend(chrome().map(|c| format!("--executablePath={c}")));
    arguments.extend(chrome_arguments().iter().map(|a| format!("--chromeArg={a}")));
    let all: Vec<&str> = arguments.iter().chain(options).map(String::as_str).collect();
    Client::ready(&all)
}

/// A port on which nobody listens.
fn refused_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

/// Runs one session; the answers that differ and should not.
fn compare(session: &Session, used: &mut Used) -> Vec<String> {
    let mut mine = Side::new(ours(&session.options));
    let options: Vec<&str> = session.options.iter().map(String::as_str).collect();
    let mut theirs = Side::new(crate::peer::original(&options));
    let refused = refused_port();
    let mut state = State::default();
    let mut failures = Vec::new();
    let mut before_that = String::new();
    for call in &session.calls {
        let what = format!("{} (line {}): {} {}", session.name, call.line, call.tool, call.arguments);
        let mut repeats = if call.settles { REPEATS } else { 0 };
        loop {
            let before = (mine.numbers.clone(), theirs.numbers.clone());
            // A repeated call counts once.
            let mut needed = Used::default();
            let begun = mine.begin(call, refused, false, &mut needed).map_err(|e| format!("ours: {e}"));
            let begun = begun.and_then(|id| {
                let other = theirs.begin(call, refused, true, &mut needed).map_err(|e| format!("peer: {e}"))?;
                Ok((id, other))
            });
            let (mut a, mut b) = match begun {
                Ok((id, other)) => (mine.finish(id), theirs.finish(other)),
                Err(missing) => {
                    // Nothing after this would say anything.
                    failures.push(format!("{what}\n{missing}\nThe call before it:\n{before_that}"));
                    return failures;
                }
            };
            let shown = (a.clone(), b.clone());
            rules::apply(call, &mut state, &mut a, &mut b, &mut |name| needed.note(name));
            if a != b && repeats > 0 {
                repeats -= 1;
                (mine.numbers, theirs.numbers) = before;
                std::thread::sleep(PAUSE);
                continue;
            }
            needed.note_issues(&shown.0, &shown.1);
            used.add(needed);
            if a != b {
                failures.push(format!("{what}\n{}", answer::difference(&a, &b, &shown.0, &shown.1)));
            }
            before_that = format!("{what}\n ours: {}\n peer: {}", shown.0.text, shown.1.text);
            break;
        }
    }
    failures.extend(compare_files(session, mine.folder.path(), theirs.folder.path()));
    failures
}

/// What the calls wrote must be the same too; of pictures the size.
fn compare_files(session: &Session, mine: &Path, theirs: &Path) -> Vec<String> {
    let read = |folder: &Path| -> BTreeMap<String, String> {
        let files = std::fs::read_dir(folder).unwrap().flatten();
        let mut numbers = Numbers::default();
        let mut files: Vec<_> = files.map(|f| f.path()).collect();
        files.sort();
        let content = |path: &Path| match imagesize::size(path) {
            Ok(size) => format!("picture {}x{}", size.width, size.height),
            Err(_) => String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned(),
        };
        files
            .iter()
            .map(|path| {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                (name, numbers.renamed(&content(path)))
            })
            .collect()
    };
    let (mine, theirs) = (read(mine), read(theirs));
    if mine == theirs {
        Vec::new()
    } else {
        vec![format!("{}: files\n ours: {mine:#?}\n peer: {theirs:#?}", session.name)]
    }
}

#[test]
fn the_same_sessions_as_with_the_original_give_the_same_answers() {
    let _alone = chrome_lock();
    let mut sessions = script::read(&root().join("tests/it/differential"));
    // While developing: only the sessions of these names.
    if let Ok(names) = std::env::var("DEVTOOLS_MCP_SESSIONS") {
        sessions.retain(|session| names.split(',').any(|name| name == session.name));
    }
    let calls: usize = sessions.iter().map(|s| s.calls.len()).sum();
    let addresses = sessions.iter().flat_map(|s| &s.calls).filter_map(Call::page).collect::<BTreeSet<_>>();
    assert!(
        std::env::var_os("DEVTOOLS_MCP_SESSIONS").is_some() || calls >= 250 && addresses.len() >= 18,
        "{calls} calls on {} pages",
        addresses.len()
    );
    pages();
    let next = AtomicUsize::new(0);
    let results = Mutex::new((Used::default(), Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(session) = sessions.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut used = Used::default();
                    let mut failures = compare(session, &mut used);
                    if !failures.is_empty() {
                        // What two processes of Chrome's tell in an order of chance is not the same in each run of either
                        // server; what differs for a reason differs again.
                        println!("{} is played again: {}", session.name, failures.join("\n\n"));
                        used = Used::default();
                        failures = compare(session, &mut used);
                    }
                    let mut results = results.lock().unwrap();
                    results.0.add(used);
                    results.1.extend(failures);
                }
            });
        }
    });
    let (used, failures) = results.into_inner().unwrap();
    assert!(failures.is_empty(), "{} of {calls} answers differ\n\n{}", failures.len(), failures.join("\n\n"));
    let names = rules::rules().filter(|r| !r.races).map(|r| r.name).chain(WORDINGS.iter().map(|w| w.ours));
    let unused: Vec<&str> = names.chain(["Page tools"]).filter(|name| !used.differences.contains_key(name)).collect();
    let mut summary = String::new();
    used.differences.iter().for_each(|(name, count)| _ = writeln!(summary, "{count:4} {name}"));
    assert!(used.issues.len() >= ISSUES, "{} kinds of issues: {:#?}", used.issues.len(), used.issues);
    assert!(unused.is_empty(), "allowed but not needed: {unused:?}; needed:\n{summary}");
}

#[test]
fn every_allowed_difference_is_documented() {
    let document = std::fs::read_to_string(root().join("docs/differences.md")).unwrap();
    let rows = rules::rules().map(|r| r.name).chain(["Page tools", "Wording of errors"]);
    for name in rows {
        assert!(document.contains(&format!("\n| {name} | ")), "docs/differences.md has no row `{name}`");
    }
}
