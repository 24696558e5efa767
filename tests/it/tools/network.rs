//! list_network_requests, get_network_request.

use std::time::{Duration, Instant};

use devtools_mcp::browser::host::BrowserHost;
use devtools_mcp::config::{BrowserConfig, Connect};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};

use crate::cases::network::{encoded, part, reqid};
use crate::cases::{Browser, case, other_site};
use crate::connect::Foreign;
use crate::support::{Client, pages};

/// Ids and the rest of the lines of a list.
fn requests(list: &str) -> Vec<(u32, &str)> {
    let lines = list.lines().filter_map(|line| line.strip_prefix("reqid=")?.split_once(' '));
    lines.map(|(id, rest)| (id.parse().unwrap(), rest)).collect()
}

/// The list, as soon as it is as wanted.
fn until(browser: &mut Browser, arguments: Value, wanted: impl Fn(&str) -> bool) -> String {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let list = browser.text("list_network_requests", arguments.clone());
        if wanted(&list) {
            return list;
        }
        assert!(Instant::now() < end, "{list}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A server that answers WebSocket messages with themselves, and refuses one address; its port.
fn echo() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    listener.set_nonblocking(true).unwrap();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let Ok(mut socket) = tokio_tungstenite::accept_async(stream).await else { return };
                    while let Some(Ok(message)) = socket.next().await {
                        if message.is_close() || socket.send(message).await.is_err() {
                            return;
                        }
                    }
                });
            }
        });
    });
    port
}

#[test]
fn lists_of_every_type_in_pages_and_of_earlier_documents() {
    let mut browser = Browser::start(&["--experimentalStructuredContent"]);
    let nothing = browser.client.call("list_network_requests", json!({}));
    assert_eq!(nothing["content"][0]["text"], "## Network requests\nNo requests found.");
    assert_eq!(nothing["structuredContent"], json!({}));
    browser.go(&pages().url("requests/all.html"));
    browser.until("() => document.title", json!("done"));
    // The icon and the beacon come when they like.
    let list = until(&mut browser, json!({}), |list| {
        list.contains("favicon.ico [404]") && list.contains("beacon [200]") && !list.contains("[pending]")
    });
    let ids: Vec<u32> = requests(&list).iter().map(|request| request.0).collect();
    assert_eq!(ids, (1..=ids.len() as u32).collect::<Vec<_>>(), "{list}");
    let mut of = |kind: &str| browser.text("list_network_requests", json!({"resourceTypes": [kind]}));
    for (kind, part) in [
        ("document", "all.html [200]"),
        ("document", "inner.html [200]"),
        ("stylesheet", "style.css [200]"),
        ("script", "script.js [200]"),
        ("script", "worker.js [200]"),
        ("image", "picture.svg [200]"),
        ("image", "data:image/svg+xml,"),
        ("media", "sound.wav"),
        ("font", "font.woff2"),
        ("texttrack", "words.vtt [200]"),
        ("xhr", "x?xhr [404]"),
        ("fetch", "x?fetch [404]"),
        ("fetch", "x?worker [404]"),
        ("fetch", "blob:http"),
        ("fetch", "x?text=cors&cors=none [net::ERR_FAILED]"),
        ("fetch", "http://127.0.0.1:1/ [net::ERR_UNSAFE_PORT]"),
        ("eventsource", "type=text/event-stream"),
        ("ping", "POST "),
        ("manifest", "app.webmanifest [200]"),
        ("preflight", "OPTIONS "),
        ("other", "OPTIONS "),
        ("other", "favicon.ico [404]"),
    ] {
        let list = of(kind);
        assert!(requests(&list).iter().any(|(_, rest)| rest.contains(part)), "{kind} {part}: {list}");
    }
    let both = browser.text("list_network_requests", json!({"resourceTypes": ["stylesheet", "manifest"]}));
    assert_eq!(requests(&both).len(), 2, "{both}");
    assert!(browser.text("list_network_requests", json!({"resourceTypes": ["fedcm"]})).ends_with("No requests found."));
    // A page of the list.
    let page = browser.client.call("list_network_requests", json!({"pageSize": 2, "pageIdx": 1}));
    let text = page["content"][0]["text"].as_str().unwrap();
    assert!(text.contains(&format!("Showing 3-4 of {} (Page 2 of ", ids.len())), "{text}");
    assert!(text.contains("Next page: 2\nPrevious page: 0\nreqid=3 "), "{text}");
    let data = &page["structuredContent"];
    assert_eq!((&data["pagination"]["startIndex"], &data["networkRequests"][0]["requestId"]), (&json!(2), &json!(3)));
    assert_eq!(data["networkRequests"][0]["selectedInDevToolsUI"], false);
    // Errors of arguments.
    for (arguments, error) in [
        (json!({"pageSize": 0}), "pageSize: Too small"),
        (json!({"pageIdx": -1}), "pageIdx: Too small"),
        (json!({"resourceTypes": ["nope"]}), "resourceTypes.0: Invalid option"),
        (json!({"pageId": 77}), "No page found"),
    ] {
        let text = browser.error("list_network_requests", arguments);
        assert!(text.contains(error), "{text}");
    }
    // Documents: three are kept; numbers go on; the oldest one's are not found any more.
    for n in 0..3 {
        browser.go(&case(&format!("form.html?{n}")));
    }
    let now = browser.text("list_network_requests", json!({}));
    assert!(requests(&now)[0].1.contains("form.html?2") && requests(&now)[0].0 > ids.len() as u32, "{now}");
    let kept = browser.text("list_network_requests", json!({"includePreservedRequests": true}));
    for n in 0..3 {
        assert!(kept.contains(&format!("form.html?{n} [200]")), "{kept}");
    }
    assert!(!kept.contains("all.html"), "{kept}");
    let gone = browser.error("get_network_request", json!({"reqid": 1}));
    assert!(gone.contains("Request not found for selected page"), "{gone}");
    for reqid in [json!(1.5), json!(-1), json!(100_000)] {
        assert!(browser.error("get_network_request", json!({"reqid": reqid})).contains("Request not found"));
    }
    let nothing = browser.text("get_network_request", json!({}));
    assert_eq!(nothing, "Nothing is currently selected in the DevTools Network panel.");
}

#[test]
fn requests_that_failed_that_are_blocked_and_in_other_encodings() {
    let mut browser = Browser::start(&["--redactNetworkHeaders"]);
    browser.go(&case("form.html"));
    browser.eval(&format!(
        "async () => {{ const get = (...a) => fetch(...a).then(r => r.arrayBuffer()).catch(() => 0); \
         await get({:?}); await get('latin.txt?type=text/plain;charset=iso-8859-1'); await get('twelve.bin?type=image/png'); \
         await get('latin.txt?type=image/png'); await get('x?status=204&text=x'); \
         await get('x?text=c', {{headers: {{'x-secret': 's', 'authorization': 'Bearer b'}}}}); \
         const meta = document.createElement('meta'); meta.httpEquiv = 'Content-Security-Policy'; meta.content = \"img-src 'none'\"; \
         document.head.append(meta); const image = new Image(); \
         await new Promise(done => {{ image.onerror = done; image.src = 'blocked.png' }}); return 1 }}",
        other_site(&case("x?text=secret&cors=none"))
    ));
    let list = browser.text("list_network_requests", json!({}));
    let (cors, _) = browser.request(json!({"reqid": reqid(&list, "cors=none [net::ERR_FAILED]")}));
    let why = part(&cors, "Request failed with");
    assert_eq!(
        why,
        "net::ERR_FAILED\nCORS: MissingAllowOriginHeader\nThe server answered 200; the page did not get it"
    );
    let (blocked, _) = browser.request(json!({"reqid": reqid(&list, "blocked.png [blocked:csp]")}));
    assert_eq!(part(&blocked, "Request failed with"), "blocked:csp");
    let (latin, _) = browser.request(json!({"reqid": reqid(&list, "iso-8859-1 [200]")}));
    assert_eq!(part(&latin, "Response Body"), "a\u{e9}");
    let (binary, _) = browser.request(json!({"reqid": reqid(&list, "latin.txt?type=image/png")}));
    assert_eq!(part(&binary, "Response Body"), "<binary data: image/png, 2 bytes>");
    assert!(part(&binary, "Transfer").contains("Type: fetch, http/1.1 from 127.0.0.1:"), "{binary}");
    assert!(part(&binary, "Transfer").contains("Content: 2 bytes, image/png, "), "{binary}");
    assert!(part(&binary, "Initiator").starts_with("script\nat "), "{binary}");
    let (empty, _) = browser.request(json!({"reqid": reqid(&list, "status=204")}));
    assert_eq!(part(&empty, "Response Body"), "<empty response>");
    // The front-end's list decides which headers are shown.
    let (headers, _) = browser.request(json!({"reqid": reqid(&list, "x?text=c [200]")}));
    let sent = part(&headers, "Request Headers");
    for line in ["- x-secret:<redacted>", "- authorization:<redacted>", "- sec-fetch-mode:<redacted>", "- accept:*/*"] {
        assert!(sent.lines().any(|l| l == line), "{line} in {sent}");
    }
    assert!(part(&headers, "Response Headers").contains("- cache-control:no-store"), "{headers}");
}

#[test]
fn streams_that_are_open_and_messages_of_connections() {
    let mut browser = Browser::start(&["--experimentalStructuredContent"]);
    browser.go(&case("form.html"));
    let port = echo();
    browser.eval(&format!(
        "async () => {{ \
         window.open_ = fetch('x?text=first+part&open=50000'); window.read_ = (await open_).text(); \
         window.events = new EventSource('x?type=text/event-stream&open=50000&text=event:%20tick%0Aid:%207%0Adata:%20one%0A%0Adata:%20two%0A%0A'); \
         await new Promise(done => events.onmessage = done); \
         window.socket = new WebSocket('ws://127.0.0.1:{port}/'); await new Promise(done => socket.onopen = done); \
         let answers = 0; const all = new Promise(done => socket.onmessage = () => ++answers == 62 && done()); \
         for (let i = 0; i < 60; i++) socket.send('message ' + i); \
         socket.send(new Uint8Array([1, 2, 255])); socket.send('m'.repeat(20000)); await all; \
         window.refused = new WebSocket('ws://127.0.0.1:{}/'); await new Promise(done => refused.onerror = done); return 1 }}",
        pages().port()
    ));
    let list = browser.text("list_network_requests", json!({}));
    let (open, data) = browser.request(json!({"reqid": reqid(&list, "?text=first+part")}));
    assert_eq!(part(&open, "Response Body"), "first+part\n<still open: more may come>");
    assert!(part(&open, "Transfer").contains(", still open"), "{open}");
    assert_eq!((&data["responseBody"], &data["responseBodyIsOpen"]), (&json!("first+part"), &json!(true)));
    let (events, _) = browser.request(json!({"reqid": reqid(&list, "type=text/event-stream")}));
    let lines: Vec<&str> = part(&events, "Messages").lines().collect();
    assert_eq!(lines[0], "Showing 0 to 1 of 2.");
    assert!(lines[1].starts_with("0 tick id 7 +") && lines[1].ends_with(" s: one"), "{events}");
    assert!(lines[2].starts_with("1 message id 7 +") && lines[2].ends_with(" s: two"), "{events}");
    let sockets = browser.text("list_network_requests", json!({"resourceTypes": ["websocket"]}));
    let socket = reqid(&sockets, "[101]");
    let (messages, data) = browser.request(json!({"reqid": socket}));
    let shown = part(&messages, "Messages");
    assert!(shown.starts_with("Showing 74 to 123 of 124.\nOthers: get_network_request with reqid "), "{shown}");
    assert!(shown.lines().last().unwrap().ends_with("... <20000 characters>"), "{shown}");
    assert!(shown.contains(": <3 bytes> 01 02 ff"), "{shown}");
    assert_eq!((&data["messages"]["total"], data["messages"]["shown"].as_array().unwrap().len()), (&json!(124), 50));
    let (first, _) = browser.request(json!({"reqid": socket, "offset": 0, "limit": 1}));
    assert!(part(&first, "Messages").starts_with("Showing 0 to 0 of 124.\n0 sent +"), "{first}");
    let (long, _) = browser.request(json!({"reqid": socket, "offset": 123, "limit": 1}));
    assert!(part(&long, "Messages").contains(&"m".repeat(10_000)), "{long}");
    assert!(sockets.contains("[Error during WebSocket handshake: "), "{sockets}");
}

#[test]
fn what_is_selected_in_devtools_and_what_was_there_before_us() {
    let profile = tempfile::tempdir().unwrap();
    let foreign = Foreign::start(profile.path(), 0);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let config = BrowserConfig { connect: Some(Connect::Http { url: foreign.url() }), ..BrowserConfig::default() };
    let host = BrowserHost::new(config);
    let live = runtime.block_on(host.get()).unwrap();
    let call = |session: &devtools_mcp::cdp::Session, method: &str, params: Value| -> Value {
        runtime.block_on(session.call(method, params)).unwrap()
    };
    // A page that was there before the server.
    let target =
        call(live.session(), "Target.createTarget", json!({"url": case("form.html?early")}))["targetId"].clone();
    let mut client = Client::ready(&[&format!("--browserUrl={}", foreign.url())]);
    let pages = client.text("list_pages", json!({}));
    let id: u32 =
        pages.lines().find(|line| line.contains("?early")).unwrap().split(':').next().unwrap().parse().unwrap();
    let list = client.text("list_network_requests", json!({"pageId": id}));
    // Its icon may be asked for only now.
    let is_told = list.contains("\nRequests are recorded since ") && list.contains(" UTC; those");
    assert!(is_told && !list.contains("?early ["), "{list}");
    client.text("navigate_page", json!({"pageId": id, "url": case("form.html?late")}));
    let list = client.text("list_network_requests", json!({"pageId": id}));
    assert!(list.contains("form.html?late [200]") && !list.contains("recorded since"), "{list}");
    // A DevTools window, and a request that is selected in it.
    let window = call(live.session(), "Target.openDevTools", json!({"targetId": target}))["targetId"].clone();
    let attach = |target: &Value| {
        let params = json!({"targetId": target, "flatten": true});
        let session = call(live.session(), "Target.attachToTarget", params)["sessionId"].as_str().unwrap().to_owned();
        live.session().with_id(session)
    };
    let page = attach(&target);
    let document = call(&page, "Page.getFrameTree", json!({}))["frameTree"]["frame"]["loaderId"].clone();
    let script = format!(
        "(async () => {{ const [UI, SDK] = await Promise.all([import('/bundled/ui/legacy/legacy.js'), import('/bundled/core/sdk/sdk.js')]); \
         const request = SDK.NetworkRequest.NetworkRequest.create({document}, 'http://x/', '', null, null, null); \
         UI.Context.Context.instance().setFlavor(SDK.NetworkRequest.NetworkRequest, request); return 'selected' }})()"
    );
    let window = attach(&window);
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let params = json!({"expression": script, "awaitPromise": true, "returnByValue": true});
        let answer = call(&window, "Runtime.evaluate", params);
        if answer["result"]["value"] == "selected" {
            break;
        }
        assert!(Instant::now() < until, "{answer}");
        std::thread::sleep(Duration::from_millis(100));
    }
    // A window is asked for a second only, which a busy machine may exceed.
    let mut told = |tool: &str, arguments: Value, wanted: &dyn Fn(&str) -> bool| loop {
        let text = client.text(tool, arguments.clone());
        if wanted(&text) {
            return;
        }
        assert!(Instant::now() < until, "{text}");
    };
    told("list_network_requests", json!({"pageId": id}), &|list| {
        list.contains("form.html?late [200] [selected in the DevTools Network panel]")
    });
    // An element that is selected in it.
    let script = "(async () => { const [UI, SDK] = await Promise.all([import('/bundled/ui/legacy/legacy.js'), import('/bundled/core/sdk/sdk.js')]); \
         const model = SDK.TargetManager.TargetManager.instance().primaryPageTarget()?.model(SDK.DOMModel.DOMModel); \
         const root = await model?.requestDocument(); const found = root && await model.querySelector(root.id, 'SELECTOR'); \
         if (!found) return 'not yet'; \
         UI.Context.Context.instance().setFlavor(SDK.DOMModel.DOMNode, model.nodeForId(found)); return 'selected' })()";
    let select = |selector: &str| {
        let expression = script.replace("SELECTOR", selector);
        let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer = call(&window, "Runtime.evaluate", params);
        assert!(Instant::now() < until, "{answer}");
        answer["result"]["value"] == "selected"
    };
    let selected = |selector: &str| {
        while !select(selector) {
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    selected("input");
    told("take_snapshot", json!({"pageId": id}), &|tree| {
        let line = tree.lines().find(|line| line.contains("\"Field\"")).unwrap_or_default();
        line.ends_with(" [selected in the DevTools Elements panel]") && tree.matches("[selected in").count() == 1
    });
    selected("script");
    told("take_snapshot", json!({"pageId": id}), &|tree| {
        let note = "Note: there is a selected element in the DevTools Elements panel that is not in this snapshot.";
        let head = format!("## Latest page snapshot\n{note}\ntake_snapshot with verbose shows it.\n\nuid=");
        tree.starts_with(&head) && !tree.contains("[selected in")
    });
    for arguments in [json!({"pageId": id}), json!({"pageId": id, "reqid": 0})] {
        let start = format!("## Request {}\n", case("form.html?late"));
        told("get_network_request", arguments, &|text| text.starts_with(&start));
    }
}

#[test]
fn a_large_body_does_not_take_the_short_ones_of_earlier_documents_with_it() {
    let mut browser = Browser::start(&[]);
    browser.go(&pages().url("differential/final.html"));
    browser.eval("async () => (await fetch('early?text=kept&type=text/plain')).text()");
    let list = browser.text("list_network_requests", json!({}));
    let early = reqid(&list, "early?text=kept");
    browser.go(&pages().url("differential/final.html?late"));
    // More than the browser keeps of all bodies together.
    let large = format!("?text={}&repeat=10000", "x".repeat(7_000));
    for (name, take, why) in [
        ("text", "(await answer.text()).length", "it has more than the 64 MB that are kept"),
        ("blob", "(await answer.blob()).size", "the browser has not kept it"),
    ] {
        let length =
            browser.eval(&format!("async () => {{ const answer = await fetch('{name}{large}'); return {take} }}"));
        assert_eq!(length, 70_000_000);
        let (text, _) = browser.request(json!({"reqid": early}));
        assert_eq!(part(&text, "Response Body"), "kept", "{text}");
        let list = browser.text("list_network_requests", json!({}));
        let (text, _) = browser.request(json!({"reqid": reqid(&list, &format!("/{name}?text="))}));
        assert!(part(&text, "Response Body").starts_with(&format!("<not available: {why}")), "{name}: {text}");
    }
}

#[test]
fn lists_stay_readable_while_a_dialog_is_open_and_within_their_budget() {
    let mut browser = Browser::start(&["--markPageContent"]);
    browser.go(&case("form.html"));
    let query = encoded(&"q".repeat(200));
    browser.eval(&format!(
        "async () => {{ for (let i = 0; i < 1100; i++) await fetch('twelve.bin?' + i + '{query}'); return 1 }}"
    ));
    let list = browser.text("list_network_requests", json!({}));
    assert!(list.chars().count() < 62_000 && list.contains("twelve.bin?1099"), "{}", list.len());
    assert!(list.contains("older ones are left out to keep the answer short"), "{list}");
    assert!(list.contains("older requests are no longer kept."), "{list}");
    assert!(list.contains("<page-content "), "{list}");
    let all = browser.text("list_network_requests", json!({"pageSize": 1000}));
    assert_eq!(requests(&all).len(), 1000);
    browser.eval("() => console.log('from the page', {deep: 'also'})");
    let said = browser.text("list_console_messages", json!({"types": ["log"]}));
    let id: u32 = said.split("msgid=").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok()).expect("a message");
    let details = browser.text("get_console_message", json!({"msgid": id}));
    assert_eq!(details.matches("\n</page-content ").count(), 2, "text and arguments: {details}");
    browser.eval("() => { setTimeout(() => alert('stop'), 500) }");
    let list = until(&mut browser, json!({"pageSize": 1}), |list| list.contains("# Open dialog"));
    assert!(list.contains("Showing 1-1 of 1000"), "{list}");
    let error = browser.error("get_network_request", json!({"reqid": 1}));
    assert!(error.contains("A dialog is open (alert: stop)."), "{error}");
}
