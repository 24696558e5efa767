//! Group H: redirects, long bodies, bodies of documents that are gone.

use serde_json::{Value, json};

use super::{Browser, case, other_site};

/// The number of the newest request in a list whose line has this.
pub fn reqid(list: &str, part: &str) -> u32 {
    let line = list.lines().rfind(|line| line.contains(part)).unwrap_or_else(|| panic!("{part} in {list}"));
    line.strip_prefix("reqid=").and_then(|rest| rest.split(' ').next()).and_then(|id| id.parse().ok()).unwrap()
}

/// The lines of a part of an answer.
pub fn part<'a>(answer: &'a str, title: &str) -> &'a str {
    let start = format!("### {title}\n");
    let (_, rest) = answer.split_once(&start).unwrap_or_else(|| panic!("{title} in {answer}"));
    rest.split("\n### ").next().unwrap()
}

/// An address as the value of another one's parameter.
pub fn encoded(url: &str) -> String {
    url.chars().fold(String::new(), |text, c| match c {
        '%' | '?' | '&' | '=' | '#' => text + &format!("%{:02X}", c as u32),
        c => text + &c.to_string(),
    })
}

impl Browser {
    /// What one request answers, as text and as data.
    pub fn request(&mut self, arguments: Value) -> (String, Value) {
        let result = self.client.call("get_network_request", arguments);
        assert!(result.get("isError").is_none(), "{result}");
        (crate::support::text_of(&result), result["structuredContent"]["networkRequest"].clone())
    }
}

#[test]
fn h1_redirects_are_hops_in_one_order_everywhere() {
    let mut browser = Browser::start(&["--experimentalStructuredContent"]);
    let end = case("form.html?end=1");
    let second = format!("{}?status=307&cookie=two=2&redirect={}", case("second"), encoded(&end));
    let first = format!("{}?status=301&redirect={}", case("first"), encoded(&second));
    browser.go(&case("form.html"));
    browser.eval(&format!("async () => {{ await (await fetch({first:?})).text(); return 1 }}"));
    let list = browser.text("list_network_requests", json!({}));
    let ids = [reqid(&list, "/first?"), reqid(&list, "/second?"), reqid(&list, "end=1 ")];
    let (text, data) = browser.request(json!({"reqid": ids[2]}));
    let chain = part(&text, "Redirect chain");
    let lines: Vec<&str> = chain.lines().collect();
    assert!(lines[0].starts_with(&format!("reqid={} GET ", ids[0])) && lines[0].ends_with(" [301]"), "{chain}");
    assert_eq!(lines[1], format!("  location:{second}"));
    assert!(lines[2].starts_with(&format!("reqid={} GET ", ids[1])) && lines[2].ends_with(" [307]"), "{chain}");
    assert_eq!(&lines[3..], [format!("  location:{end}"), "  set-cookie:two=2".into()]);
    let hops = data["redirectChain"].as_array().unwrap();
    let numbers: Vec<&Value> = hops.iter().map(|hop| &hop["requestId"]).collect();
    assert_eq!(numbers, [&json!(ids[0]), &json!(ids[1])], "the same order as in the text");
    assert_eq!((&hops[1]["status"], &hops[1]["responseHeaders"]["set-cookie"]), (&json!("307"), &json!("two=2")));
    // A hop knows what led to it and where it led, and nothing that came after that.
    let (text, data) = browser.request(json!({"reqid": ids[0]}));
    assert!(!text.contains("### Redirect chain") && data.get("redirectChain").is_none(), "{text}");
    assert!(part(&text, "Redirected to").starts_with(&format!("reqid={} ", ids[1])), "{text}");
    assert!(part(&text, "Response Body").starts_with("<not available: the browser does not keep"), "{text}");
    // A form's post that is answered by redirects to a page: all of it belongs to the new page.
    let to_page = format!("{}?redirect={}", case("middle"), encoded(&case("form.html?landed=1")));
    let action = format!("{}?cookie=form=1&redirect={}", case("posted"), encoded(&to_page));
    browser.eval(&format!(
        "() => {{ const form = document.createElement('form'); form.method = 'post'; form.action = {action:?}; \
         form.innerHTML = '<input name=field value=content>'; document.body.append(form); setTimeout(() => form.submit(), 0) }}"
    ));
    browser.until("() => location.search", json!("?landed=1"));
    let list = browser.text("list_network_requests", json!({}));
    let methods: Vec<&str> = list.lines().filter(|l| l.starts_with("reqid=")).take(3).collect();
    assert!(methods[0].contains(" POST ") && methods[0].ends_with(" [302]"), "{list}");
    assert!(methods[1].contains("/middle?") && methods[2].contains("landed=1 [200]"), "{list}");
    let (text, _) = browser.request(json!({"reqid": reqid(&list, " POST ")}));
    assert_eq!(part(&text, "Request Body"), "field=content");
    assert!(part(&text, "Response Headers").contains("- set-cookie:form=1"), "{text}");
}

#[test]
fn h2_long_bodies_are_read_in_pieces_of_whole_characters() {
    let dir = tempfile::tempdir().unwrap();
    let mut browser = Browser::start(&["--experimentalStructuredContent"]);
    browser.go(&case("form.html"));
    browser.eval(&format!(
        "async () => {{ \
         const text = 'x'.repeat(9999) + '\\u{{1f600}}' + 'y'.repeat(100); \
         await fetch({:?}, {{method: 'POST', body: text}}); \
         await fetch({:?}, {{method: 'POST', body: 'p'.repeat(200000)}}); \
         return (await (await fetch({:?})).text()).length }}",
        case("form.html?emoji"),
        case("form.html?post"),
        case(&format!("x?repeat=10000&type=text/plain&text={}", "x".repeat(1200))),
    ));
    let list = browser.text("list_network_requests", json!({}));
    let emoji = reqid(&list, "?emoji");
    let (text, data) = browser.request(json!({"reqid": emoji}));
    let shown = format!("{}\u{1f600}... <truncated>", "x".repeat(9999));
    let more =
        format!("<characters 0 to 10000 of 10100; go on with get_network_request with reqid {emoji} and offset 10000>");
    assert_eq!(part(&text, "Request Body"), format!("{shown}\n{more}"));
    assert_eq!((&data["requestBody"], &data["requestBodyPart"]["total"]), (&json!(shown), &json!(10100)));
    let (text, _) = browser.request(json!({"reqid": emoji, "offset": 9999, "limit": 2}));
    assert!(part(&text, "Request Body").starts_with("\u{1f600}y... <truncated>\n<characters 9999 to 10001 of 10100;"));
    let (text, _) = browser.request(json!({"reqid": emoji, "offset": 10000}));
    assert_eq!(part(&text, "Request Body"), format!("{}\n<characters 10000 to 10100 of 10100>", "y".repeat(100)));
    let post = reqid(&list, "?post");
    let file = dir.path().join("sent.txt");
    let (text, _) = browser.request(json!({"reqid": post, "requestFilePath": file}));
    assert_eq!(part(&text, "Request Body"), format!("Saved to {}.", file.canonicalize().unwrap().display()));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "p".repeat(200_000));
    // Twelve million characters: the last ones, and all of them in a file.
    let big = reqid(&list, "repeat=10000");
    let (text, _) = browser.request(json!({"reqid": big, "offset": 11_999_997}));
    assert_eq!(part(&text, "Response Body"), "xxx\n<characters 11999997 to 12000000 of 12000000>");
    let file = dir.path().join("received.txt");
    browser.request(json!({"reqid": big, "responseFilePath": file}));
    assert_eq!(std::fs::metadata(&file).unwrap().len(), 12_000_000);
}

#[test]
fn h4_bodies_outlive_their_document_and_what_is_gone_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let mut browser = Browser::start(&[]);
    browser.go(&case("form.html"));
    browser.eval(&format!(
        "async () => {{ await (await fetch({:?})).text(); await (await fetch(URL.createObjectURL(new Blob(['from a blob'])))).text(); \
         return (await (await fetch({:?}, {{method: 'POST', body: new File(['from a file'], 'f')}})).text()).length }}",
        case("data?type=application/json&text={\"kept\":true}"),
        case("form.html?file"),
    ));
    // Another site: another process.
    browser.go(&other_site(&case("form.html")));
    browser.go(&case("form.html?third"));
    let list = browser.text("list_network_requests", json!({"includePreservedRequests": true}));
    let kept = reqid(&list, "/data?");
    let (text, _) = browser.request(json!({"reqid": kept}));
    assert_eq!(part(&text, "Response Body"), "{\"kept\":true}");
    let file = dir.path().join("deep/down/kept.json");
    browser.request(json!({"reqid": kept, "responseFilePath": file}));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "{\"kept\":true}");
    // A file that cannot be written is no missing body.
    let error = browser.error("get_network_request", json!({"reqid": kept, "responseFilePath": dir.path()}));
    assert!(error.contains("Could not write") && error.contains("it is a directory"), "{error}");
    let (text, _) = browser.request(json!({"reqid": reqid(&list, " blob:")}));
    assert_eq!(part(&text, "Response Body"), "from a blob");
    let (text, _) = browser.request(json!({"reqid": reqid(&list, "?file")}));
    assert_eq!(part(&text, "Request Body"), "from a file");
    // More than is kept of all: said, and no file of any name.
    let big = case(&format!("x?repeat=10000&text={}", "z".repeat(7000)));
    browser.eval(&format!("async () => (await (await fetch({big:?})).arrayBuffer()).byteLength"));
    let list = browser.text("list_network_requests", json!({}));
    let before = std::fs::read_dir(dir.path()).unwrap().count();
    let file = dir.path().join("big.txt");
    let (text, _) = browser.request(json!({"reqid": reqid(&list, "repeat=10000"), "responseFilePath": file}));
    let body = part(&text, "Response Body");
    assert!(body.starts_with("<not available: ") && body.ends_with("; no file was written>"), "{body}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), before);
}
