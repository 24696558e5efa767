//! The three tools of `--slim`.

use serde_json::json;

use crate::cases::{Browser, case};

#[test]
fn navigate_evaluate_screenshot_and_nothing_else() {
    let mut browser = Browser::start(&["--slim"]);
    let tools = browser.client.request("tools/list", json!({}));
    let names: Vec<&str> =
        tools["result"]["tools"].as_array().unwrap().iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
    let (hop, end) = (case("delete.html?redirect=/cases/form.html"), case("form.html"));
    assert_eq!(browser.text("navigate", json!({"url": hop})), format!("Navigated to {end}."));
    for (script, answer) in [
        ("document.title", "\"Dirty form\""),
        ("let a = 20; a + 1", "21"),
        ("undefined", ""),
        ("(() => 1)", "{}"),
        ("Promise.resolve({b: [1, null]})", "{\"b\":[1,null]}"),
        ("document.body", "{}"),
        ("null", "null"),
        ("'ü😀'", "\"ü😀\""),
    ] {
        assert_eq!(browser.text("evaluate", json!({"script": script})), answer, "{script}");
    }
    assert!(browser.error("evaluate", json!({"script": "throw new Error('boom')"})).starts_with("Error: boom"));
    assert!(browser.error("evaluate", json!({"script": "no such"})).starts_with("Error: "));
    let path = browser.text("screenshot", json!({}));
    assert!(path.ends_with("screenshot.png"), "{path}");
    let bytes = std::fs::read(&path).unwrap();
    let size = imagesize::blob_size(&bytes).unwrap();
    let inner = browser.text("evaluate", json!({"script": "innerWidth + ' ' + innerHeight"}));
    assert_eq!(inner, format!("\"{} {}\"", size.width, size.height));
    std::fs::remove_file(&path).unwrap();
    std::fs::remove_dir(std::path::Path::new(&path).parent().unwrap()).unwrap();
    // A dirty form is left without asking back.
    browser.text("evaluate", json!({"script": "document.querySelector('input').focus(); 1"}));
    let text = browser.text("navigate", json!({"url": case("delete.html")}));
    assert!(text.ends_with(&format!("Navigated to {}.", case("delete.html"))), "{text}");
    for (url, says) in
        [("nowhere", "Invalid URL"), ("chrome://settings", "not allowed"), ("http://127.0.0.1:1/", "net::ERR_")]
    {
        let error = browser.error("navigate", json!({"url": url}));
        assert!(error.starts_with("Error: ") && error.contains(says), "{error}");
    }
    assert!(browser.error("navigate", json!({})).starts_with("Input validation error"));
    // A dialog ends the call, and the page can be left.
    browser.text("navigate", json!({"url": case("delete.html")}));
    let error = browser.error("evaluate", json!({"script": "alert('hi')"}));
    assert!(error.contains("alert: hi"), "{error}");
    browser.text("navigate", json!({"url": case("delete.html?after")}));
    assert_eq!(browser.text("evaluate", json!({"script": "1"})), "1");
    let unknown = browser.client.request("tools/call", json!({"name": "list_pages", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}
