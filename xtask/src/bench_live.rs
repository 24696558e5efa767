//! The rows of `cargo xtask bench` about what live pages say and request, side by side: stacks in the sources' positions, long
//! lists, busy pages.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::bench::{median, milliseconds, row};
use crate::bench_servers::{Both, Server};
use crate::pages::Pages;
use crate::shell::{Result, root, step};

/// Servers whose first stack is measured, calls of each list, entries of each list.
const STARTS: usize = 5;
const LISTS: usize = 20;
const ENTRIES: usize = 1000;
/// Pages that log and request, each so many times a second.
const BUSY_PAGES: usize = 20;
const LINES: usize = 20;
const REQUESTS: usize = 5;

/// How a server is started.
type Start<'a> = &'a dyn Fn() -> Command;

/// Runs the rows; `quick` with fewer starts, lists and busy pages.
pub fn run(both: &Both, quick: bool) -> Result {
    let pages = Pages::start(root().join("tests/pages")).map_err(|e| e.to_string())?;
    let servers: [Start; 2] = [&|| both.ours_with_browser(), &|| both.original_with_browser()];
    step("live pages: mapped stacks");
    let [a, b] = servers.map(|server| {
        let rounds = (0..if quick { 2 } else { STARTS }).map(|_| stacks(server, &pages));
        rounds.collect::<Result<Vec<[f64; 2]>>>()
    });
    let (a, b) = (a?, b?);
    for (at, what) in [
        "first source-mapped stack (list and details of an error), cold",
        "details of another message with a source-mapped stack, warm",
    ]
    .iter()
    .enumerate()
    {
        let median = |rounds: &[[f64; 2]]| median(rounds.iter().map(|round| round[at]).collect());
        row(what, median(&a), median(&b), "ms");
    }
    step("live pages: long lists");
    let [a, b] = servers.map(|server| lists(server, &pages, if quick { 3 } else { LISTS }));
    let (a, b) = (a?, b?);
    row("1 000 console messages listed", a[0], b[0], "ms");
    row("1 000 requests listed", a[1], b[1], "ms");
    let (count, time) = if quick { (5, 10) } else { (BUSY_PAGES, 60) };
    step("live pages: busy pages");
    let [a, b] = servers.map(|server| busy(server, &pages, count, Duration::from_secs(time)));
    row(&format!("resident memory with {count} busy pages"), a?, b?, "MB");
    Ok(())
}

/// Milliseconds from knowing nothing of a page's messages to the mapped stack of its error, in a server that has mapped none
/// yet, and those of the details of another message.
fn stacks(command: Start, pages: &Pages) -> Result<[f64; 2]> {
    let mut server = open(command, &pages.url("console/mapped.html"))?;
    // The last of its messages comes 60 ms after the first.
    script(&mut server, "() => new Promise(done => setTimeout(done, 1000))")?;
    let begin = Instant::now();
    let list = server.call("list_console_messages", json!({"pageId": 1}))?;
    let text = server.call("get_console_message", json!({"pageId": 1, "msgid": number(&list, "too many items")?}))?;
    let first = begin.elapsed();
    mapped(&text, "at computeTotal (", "app.ts:17:11)")?;
    let begin = Instant::now();
    let text = server.call("get_console_message", json!({"pageId": 1, "msgid": number(&list, "in async")?}))?;
    let second = begin.elapsed();
    mapped(&text, "at startAsync (", "app.ts:24:11)")?;
    server.end();
    Ok([milliseconds(first), milliseconds(second)])
}

/// Fails unless a stack has this frame, by whatever path it names the file.
fn mapped(text: &str, function: &str, place: &str) -> Result {
    let is_there = text.lines().any(|line| line.trim_start().starts_with(function) && line.ends_with(place));
    if is_there { Ok(()) } else { Err(format!("no frame {function}…{place} in {text}")) }
}

/// The number of the first message in a list whose line has this.
fn number(list: &str, part: &str) -> Result<u64> {
    let line = list.lines().find(|line| line.contains(part)).ok_or_else(|| format!("no {part} in {list}"))?;
    let number = line.strip_prefix("msgid=").and_then(|rest| rest.split(' ').next()?.parse().ok());
    number.ok_or_else(|| format!("no msgid in {line}"))
}

/// Median milliseconds of listing so many messages, and so many requests.
fn lists(command: Start, pages: &Pages, count: usize) -> Result<[f64; 2]> {
    let mut server = open(command, &pages.url("bench/static.html"))?;
    let all = json!({"pageId": 1, "pageSize": 2 * ENTRIES, "pageIdx": 0});
    script(&mut server, &format!("() => {{ for (let n = 0; n < {ENTRIES}; n++) console.log('entry', n, {{n}}) }}"))?;
    let last = format!("entry {}", ENTRIES - 1);
    let messages = repeated(&mut server, "list_console_messages", &all, count, "msgid=", &last)?;
    // The page itself and perhaps its icon are requests too, and a missing icon is a message.
    let rest = ENTRIES - 2;
    let ask = format!(
        "async () => {{ for (let n = 0; n < {rest}; n++) await (await fetch('static.html?entry=' + n)).text(); return {rest} }}"
    );
    script(&mut server, &ask)?;
    let last = format!("entry={} ", rest - 1);
    let requests = repeated(&mut server, "list_network_requests", &all, count, "reqid=", &last)?;
    server.end();
    Ok([messages, requests])
}

/// Lists until all entries are there, then measures.
fn repeated(server: &mut Server, tool: &str, all: &Value, count: usize, mark: &str, last: &str) -> Result<f64> {
    let is_whole = |text: &str| {
        let entries = text.lines().filter(|line| line.starts_with(mark)).count();
        (ENTRIES - 2..=ENTRIES + 2).contains(&entries) && text.contains(last)
    };
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        let text = server.call(tool, all.clone())?;
        if is_whole(&text) {
            break;
        }
        if Instant::now() > until {
            return Err(format!("{tool} does not list {ENTRIES} entries up to {last}: {text}"));
        }
    }
    let mut times = Vec::new();
    for _ in 0..count {
        let begin = Instant::now();
        let text = server.call(tool, all.clone())?;
        times.push(milliseconds(begin.elapsed()));
        if !is_whole(&text) {
            return Err(format!("{tool} lists something else now: {text}"));
        }
    }
    Ok(median(times))
}

/// Megabytes resident after a time with busy pages, of which each has been asked for its messages and requests.
fn busy(command: Start, pages: &Pages, count: usize, time: Duration) -> Result<f64> {
    let url = pages.url(&format!("bench/busy.html#{LINES},{REQUESTS}"));
    let mut server = open(command, &url)?;
    for _ in 1..count {
        server.call("new_page", json!({"url": url, "background": true, "timeout": 60_000}))?;
    }
    std::thread::sleep(time);
    for page in 1..=count {
        let part = json!({"pageId": page, "pageSize": 20});
        for (tool, entry) in [("list_console_messages", "[log] line "), ("list_network_requests", "links.html?n=")] {
            let text = server.call(tool, part.clone())?;
            if !text.contains(entry) {
                return Err(format!("{tool}: page {page} is not busy: {text}"));
            }
        }
    }
    let memory = server.memory("VmRSS")? / 1024.0;
    server.end();
    Ok(memory)
}

/// A server with a page at this address.
fn open(command: Start, url: &str) -> Result<Server> {
    let mut server = Server::spawn(command())?;
    server.initialize()?;
    server.call("navigate_page", json!({"pageId": 1, "url": url, "timeout": 60_000}))?;
    Ok(server)
}

fn script(server: &mut Server, function: &str) -> Result {
    server.call("evaluate_script", json!({"pageId": 1, "function": function})).map(drop)
}
