//! Recordings by tool beside the original's: the same session with both servers, whose answers must be the same but for
//! measured numbers; and what we recorded, explained by the original's own modules to the letter.

use std::time::Duration;

use devtools_mcp::browser::host::BrowserHost;
use devtools_mcp::browser::tracer::{NothingToStop, Owner};
use devtools_mcp::config::BrowserConfig;
use serde_json::{Value, json};

use crate::peer::{assert_equal, difference, original, summary_of};
use crate::support::{Client, chrome, chrome_arguments, chrome_lock, pages, peer_modules, text_of};

/// Every number, also those in keys of events, as `N`; the line after the legend's heading is each server's own.
fn without_numbers(text: &str, folder: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut in_number = false;
    for c in text.replace(folder, "<folder>").chars() {
        let continues = in_number && (c.is_ascii_digit() || c == '.' || c == ',');
        if c.is_ascii_digit() && !in_number {
            result.push('N');
        } else if !continues {
            result.push(c);
        }
        in_number = continues || c.is_ascii_digit();
    }
    // Which kind of event a key is of depends on the order of events.
    for kind in ["r-N", "s-N", "p-N"] {
        result = result.replace(kind, "key");
    }
    result
}

/// A call with both servers; their answers without what is measured.
fn both(
    ours: &mut (Client, tempfile::TempDir),
    peer: &mut (Client, tempfile::TempDir),
    tool: &str,
    arguments: Value,
) -> [String; 2] {
    let begin = |(client, folder): &mut (Client, tempfile::TempDir)| {
        let mut arguments = arguments.clone();
        if tool != "list_pages" {
            arguments["pageId"] = 1.into();
        }
        if let Some(name) = arguments.get("filePath").and_then(Value::as_str) {
            arguments["filePath"] = folder.path().join(name).to_str().unwrap().into();
        }
        client.begin("tools/call", json!({"name": tool, "arguments": arguments}))
    };
    let ids = [begin(ours), begin(peer)];
    [(ours, ids[0]), (peer, ids[1])].map(|((client, folder), id)| {
        let answer = client.finish(id);
        assert!(answer["result"].get("isError").is_none(), "{tool}: {answer}");
        let folder = folder.path().canonicalize().unwrap();
        without_numbers(&text_of(&answer["result"]), folder.to_str().unwrap())
    })
}

/// What a busy machine does at another time in one of two browsers (the order of requests and paints) can be another
/// finding; it is not one in each of three recordings.
fn recorded_alike(mut record: impl FnMut() -> Vec<(&'static str, [String; 2])>) {
    let mut differences = Vec::new();
    for _ in 0..3 {
        let answers = record();
        let different = answers.iter().filter_map(|(what, [mine, theirs])| difference(what, mine, theirs));
        match different.collect::<Vec<_>>() {
            none if none.is_empty() => return,
            some => differences.push(some.join("\n")),
        }
    }
    panic!("{}", differences.join("\n\n"));
}

#[test]
fn the_same_recordings_as_with_the_original_give_the_same_answers() {
    let _alone = chrome_lock();
    let options = ["--no-performance-crux", "--workspace=/"];
    let folder = || tempfile::tempdir().unwrap();
    let mut ours = (Client::with_browser(&options), folder());
    let mut peer = (original(&options), folder());
    let mut call = |tool: &str, arguments: Value| both(&mut ours, &mut peer, tool, arguments);
    let stop_nothing = call("performance_stop_trace", json!({}));
    assert!(stop_nothing.iter().all(|t| t.starts_with("Error: no active performance trace")), "{stop_nothing:?}");
    let explain = |set: &str, name: &str| json!({"insightSetId": set, "insightName": name});
    let nothing = call("performance_analyze_insight", explain("NAVIGATION_0", "LCPBreakdown"));
    assert!(nothing.iter().all(|t| t.starts_with("No recorded traces found.")), "{nothing:?}");

    call("navigate_page", json!({"url": pages().url("layout-shifts/index.html")}));
    recorded_alike(|| {
        let mut answers = vec![("with reload", call("performance_start_trace", json!({"filePath": "one.trace"})))];
        for name in ["LCPBreakdown", "RenderBlocking", "DocumentLatency", "Cache", "DOMSize", "Viewport"] {
            answers.push((name, call("performance_analyze_insight", explain("NAVIGATION_0", name))));
        }
        answers
    });
    for (question, marker) in [
        (explain("NOWHERE", "LCPBreakdown"), "No Performance Insights for the given insight set id."),
        (explain("NAVIGATION_0", "Nothing"), "No Insight with the name Nothing found."),
    ] {
        let answers = call("performance_analyze_insight", question);
        assert!(answers.iter().all(|text| text.starts_with(marker)), "{answers:?}");
    }

    let emulation =
        json!({"cpuThrottlingRate": 2, "networkConditions": "Slow 4G", "viewport": "400x800x2,mobile,touch"});
    let [mine, theirs] = call("emulate", emulation);
    assert_equal("emulation", &mine, &theirs);
    let running = json!({"reload": false, "autoStop": false});
    let work = "() => { const until = performance.now() + 1500; while (performance.now() < until); }";
    recorded_alike(|| {
        let started = call("performance_start_trace", running.clone());
        assert!(started.iter().all(|t| t.starts_with("The performance trace is being recorded.")), "{started:?}");
        let again = call("performance_start_trace", running.clone());
        assert!(again.iter().all(|t| t.starts_with("Error: a performance trace is already running")), "{again:?}");
        call("evaluate_script", json!({"function": work}));
        vec![("without reload", call("performance_stop_trace", json!({"filePath": "two.json.gz"})))]
    });
    let names = |(_, folder): &(Client, tempfile::TempDir)| {
        let mut names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&ours), ["one.json", "two.json.gz"]);
    assert_eq!(names(&ours), names(&peer));
}

#[test]
fn our_recordings_are_explained_as_by_the_original() {
    let _alone = chrome_lock();
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::with_browser(&["--no-performance-crux"]);
    client.text("navigate_page", json!({"url": pages().url("render-blocking/index.html")}));
    client.text("performance_start_trace", json!({"autoStop": false}));
    // Until it has been painted.
    let painted = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))";
    client.text("evaluate_script", json!({"function": painted}));
    let file = folder.path().join("trace.json.gz");
    let text = client.text("performance_stop_trace", json!({"filePath": file}));
    let answer = peer_modules(std::slice::from_ref(&file)).remove(&file).unwrap();
    // The emulated rate is noted while recording; it is not in the file.
    let mine = summary_of(&text).replace("\nCPU throttling: 1x\n", "\nCPU throttling: none\n");
    assert_equal("summary", &mine, answer["summary"].as_str().unwrap());
    let insights = answer["insights"].as_array().unwrap();
    assert!(insights.len() >= 15, "{}", insights.len());
    for insight in insights {
        let (set, name) = (&insight["set"], insight["name"].as_str().unwrap());
        let mine = client.text("performance_analyze_insight", json!({"insightSetId": set, "insightName": name}));
        assert_equal(name, &mine, insight["text"].as_str().unwrap());
    }
}

/// Two clients of one browser, below MCP: standard input serves only one.
#[test]
fn a_recording_belongs_to_its_client_and_ends_with_it() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let host = BrowserHost::new(BrowserConfig {
        headless: true,
        isolated: true,
        executable: chrome(),
        arguments: chrome_arguments(),
        ..BrowserConfig::default()
    });
    runtime.block_on(async {
        let live = host.get().await.unwrap();
        let page = live.pages.create(false, None).await.unwrap();
        let attached = live.pages.attach(&page).await.unwrap();
        let ((one, one_is_here), (two, _two_is_here)) = (Owner::new(), Owner::new());
        let categories = ["devtools.timeline".to_owned()];

        // The right goes back with the claim, used or not.
        drop(live.tracer.begin(page.id, &one).await.ok().expect("nobody records"));
        let mut claim = live.tracer.begin(page.id, &two).await.ok().expect("nobody records");
        claim.start(&attached, &categories, 10_000.0).await.unwrap();
        let who = live.tracer.begin(page.id, &one).await.err().expect("two records");
        assert!(who.page == page.id && who.is(&two) && !who.is(&one));
        drop(claim);

        // The next one waits until the one before has been thrown away.
        let mut claim = live.tracer.begin(page.id, &one).await.ok().expect("nobody records");
        claim.start(&attached, &categories, 10_000.0).await.unwrap();
        claim.park();
        let other = live.tracer.take(&two).err().expect("it is the other's");
        assert!(matches!(other, NothingToStop::NotYours(who) if who.is(&one)));
        let mut claim = live.tracer.take(&one).ok().expect("it is this one's");
        let (completed, observed) = claim.end().await.unwrap();
        assert!(!completed.stream.is_empty() && observed.restored.is_empty());
        drop(claim);
        assert!(matches!(live.tracer.take(&one), Err(NothingToStop::Idle)));

        // A client that goes away leaves nothing running.
        let mut claim = live.tracer.begin(page.id, &one).await.ok().expect("nobody records");
        claim.start(&attached, &categories, 10_000.0).await.unwrap();
        claim.park();
        drop(one_is_here);
        let begun = async {
            loop {
                match live.tracer.begin(page.id, &two).await {
                    Ok(claim) => return claim,
                    Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
                }
            }
        };
        let mut claim = tokio::time::timeout(Duration::from_secs(30), begun).await.expect("it was given up");
        claim.start(&attached, &categories, 10_000.0).await.unwrap();
        drop(claim);
        host.close().await;
    });
}
