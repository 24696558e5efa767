//! Beside a page that never stops: what half an hour of it costs us. Its own memory is Chrome's business.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::cases::script_value;
use crate::support::{Client, chrome_lock, pages, text_of};

/// Lines and requests of the page in a second.
const LINES: u64 = 1000;
const REQUESTS: u64 = 50;

/// What the server holds at one time.
struct Sample {
    seconds: u64,
    /// kB.
    resident: u64,
    /// kB, without pages of files: what a leak would make larger.
    anonymous: u64,
    /// kB on disk in files that have no name (bodies).
    on_disk: u64,
    files: usize,
    threads: u64,
    /// Processor seconds since its start.
    processor: f64,
}

impl Sample {
    fn take(client: &Client, start: Instant) -> Self {
        let (on_disk, files) = open_files(client.child.id());
        Sample {
            seconds: start.elapsed().as_secs(),
            resident: client.memory("VmRSS"),
            anonymous: client.memory("RssAnon"),
            on_disk,
            files,
            threads: client.memory("Threads"),
            processor: processor_seconds(client.child.id()),
        }
    }
}

/// The disk space of nameless files in kB, and how many files and connections are open.
fn open_files(pid: u32) -> (u64, usize) {
    let folder = format!("/proc/{pid}/fd");
    let mut space = 0;
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        count += 1;
        let is_nameless =
            std::fs::read_link(entry.path()).is_ok_and(|name| name.to_string_lossy().ends_with(" (deleted)"));
        if let (true, Ok(meta)) = (is_nameless, std::fs::metadata(entry.path())) {
            space += std::os::unix::fs::MetadataExt::blocks(&meta) / 2;
        }
    }
    (space, count)
}

fn processor_seconds(pid: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    // The name of the program may hold spaces; behind it user and system time are the 12th and 13th number.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    // SAFETY: sysconf has no preconditions.
    let ticks = unsafe { libc::sysconf(libc::_SC_CLK_TCK) } as f64;
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / ticks
}

/// The text of an answer, however long a page takes that has no time: on a loaded machine this one has none.
fn patiently(client: &mut Client, tool: &str, arguments: Value) -> String {
    let id = client.begin("tools/call", json!({"name": tool, "arguments": arguments}));
    let answer = client.finish_within(id, Duration::from_secs(400));
    text_of(&answer.unwrap_or_else(|| panic!("an answer of {tool}"))["result"])
}

fn number_after(text: &str, mark: &str) -> u64 {
    let rest = text.split(mark).nth(1).unwrap_or_else(|| panic!("{mark} in {text}"));
    rest.split(' ').next().unwrap().parse().unwrap()
}

fn median(values: impl Iterator<Item = u64>) -> u64 {
    let mut values: Vec<u64> = values.collect();
    values.sort_unstable();
    values[values.len() / 2]
}

/// A page that says a thousand lines and asks for fifty files a second, and a client that lists, and reads a message, its
/// stack and a body, once a minute. Prints what was held at each time.
#[test]
#[ignore = "half an hour (DEVTOOLS_MCP_SOAK_SECONDS for another time, at least 60); run by name"]
fn memory_stays_flat_beside_a_page_that_never_stops() {
    let seconds = std::env::var("DEVTOOLS_MCP_SOAK_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(1800u64);
    let samples = (seconds / 60).clamp(12, 120);
    let _alone = chrome_lock();
    let mut client = Client::with_browser(&[]);
    client.text("navigate_page", json!({"url": pages().url(&format!("bench/busy.html#{LINES},{REQUESTS}"))}));
    let start = Instant::now();
    let mut seen: Vec<Sample> = Vec::new();
    println!("seconds  resident anonymous  on disk (kB)  files threads  processor slowest call (s)");
    while start.elapsed().as_secs() < seconds {
        let next = Duration::from_secs(seconds * (seen.len() as u64 + 1) / samples);
        std::thread::sleep(next.saturating_sub(start.elapsed()));
        let mut slowest = Duration::ZERO;
        let mut call = |tool, arguments| {
            let begin = Instant::now();
            let answer = patiently(&mut client, tool, arguments);
            slowest = slowest.max(begin.elapsed());
            answer
        };
        let list = call("list_console_messages", json!({"pageSize": 5, "includeStackTraces": true}));
        assert!(list.contains("[log] line ") && list.contains("busy.html:"), "{list}");
        // It may have been pushed out since, and so may the requests.
        call("get_console_message", json!({"msgid": number_after(&list, "msgid=")}));
        let list = call("list_network_requests", json!({"pageSize": 20}));
        assert!(list.contains("links.html?n="), "{list}");
        for kind in ["links.html?n=", " blob:"] {
            let line = list.lines().rfind(|line| line.contains(kind)).unwrap_or(&list);
            call("get_network_request", json!({"reqid": number_after(line, "reqid=")}));
        }
        let sample = Sample::take(&client, start);
        println!(
            "{:7} {:9} {:9} {:9}      {:5} {:7} {:9.1} {:9.1}",
            sample.seconds,
            sample.resident,
            sample.anonymous,
            sample.on_disk,
            sample.files,
            sample.threads,
            sample.processor,
            slowest.as_secs_f64()
        );
        seen.push(sample);
    }
    // A page that hardly did anything would show nothing.
    let done = patiently(
        &mut client,
        "evaluate_script",
        json!({"function": "() => [said, asked]", "waitForStableDom": false}),
    );
    let done = script_value(&done);
    println!("the page said {} lines and asked for {} files", done[0], done[1]);
    let elapsed = start.elapsed().as_secs();
    assert!(done[0].as_u64().unwrap() > LINES / 2 * elapsed && done[1].as_u64().unwrap() > REQUESTS / 2 * elapsed);
    // From the second quarter on nothing grows: the first fills what is bounded.
    let quarter = seen.len() / 4;
    let (early, late) = (&seen[quarter..2 * quarter], &seen[seen.len() - quarter..]);
    let growth = |of: fn(&Sample) -> u64| {
        let (early, late) = (median(early.iter().map(of)), median(late.iter().map(of)));
        (late.saturating_sub(early), early)
    };
    for (what, (grown, from), allowed) in
        [("anonymous memory", growth(|s| s.anonymous), 15_000), ("resident memory", growth(|s| s.resident), 20_000)]
    {
        assert!(grown < allowed, "{what} grew by {grown} kB from {from} kB, more than {allowed} kB");
    }
    let (files, threads) = (growth(|s| s.files as u64).0, growth(|s| s.threads).0);
    assert!(files < 10 && threads < 5, "{files} more files, {threads} more threads");
    assert!(seen.iter().all(|s| s.on_disk <= 40 * 1024), "more on disk than the budget of 32 MB a page");
}
