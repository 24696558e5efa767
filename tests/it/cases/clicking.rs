//! C: covers, frames at every depth, pages that frame themselves, closed shadow roots.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{Browser, case, other_site, uids_in};
use crate::support::chrome_lock;

#[test]
fn c1_a_covered_element_is_not_clicked() {
    let mut browser = Browser::start(&[]);
    browser.open(
        "<button onclick=\"hit='target'\" onmousedown=\"hit='pressed'\">Target</button><script>hit=''</script>\
         <div id=cookies role=region aria-label=Cookies style='position:fixed;inset:0' onmousedown=\"hit='overlay'\">\
         We have cookies</div>",
    );
    let (uid, cover) = (browser.uid("Target"), browser.uid("Cookies"));
    let error = browser.error("click", json!({"uid": uid}));
    assert!(error.contains("<div#cookies>") && error.contains("We have cookies"), "{error}");
    assert!(error.contains(&format!("uid={cover}")), "{error}, not {cover}");
    assert_eq!(browser.eval("() => hit"), "");
    // The mouse does not go there to drag either.
    let error = browser.error("drag", json!({"from_uid": uid, "to_uid": cover}));
    assert!(error.contains("covered") && browser.eval("() => hit") == "", "{error}");
    // A cover that lets the mouse through, and one that goes away.
    for (style, script) in [
        ("pointer-events:none", ""),
        ("", "setTimeout(() => document.querySelector('div').remove(), 300 + performance.now())"),
        (
            "transition:none",
            "addEventListener('click', () => 0); setTimeout(() => document.querySelector('div')\
          .style.display = 'none', 300 + performance.now())",
        ),
    ] {
        browser.open(&format!(
            "<button onclick=\"hit='target'\">Target</button><script>hit=''</script>\
             <div style='position:fixed;inset:0;{style}'></div><script>{script}</script>"
        ));
        browser.click("Target");
        assert_eq!(browser.eval("() => hit"), "target", "{style} {script}");
    }
    // Styled labels over hidden boxes; an element below a fixed bar; text around; a button over its own children.
    browser.open(
        "<style>input{position:absolute;opacity:0}label span{background:silver;padding:9px;position:relative}</style>\
         <label><input type=checkbox aria-label=Hidden><span>Styled</span></label>\
         <input type=checkbox id=b aria-label=Beside style='width:40px;height:40px'>\
         <label for=b style='position:relative;background:gold'>Over the other</label>\
         <div style='position:fixed;top:0;left:0;right:0;height:90px;background:gray'>Bar</div>\
         <div style='height:2000px'></div><button style='display:block' onclick='low=1'>Low</button>\
         <div style='height:2000px'></div>\
         <button onclick='inner=1'><b style='position:absolute'>Inner</b></button>",
    );
    browser.eval("() => scrollTo(0, document.querySelector('button').offsetTop - 40)");
    browser.click("Low");
    assert_eq!(browser.eval("() => low"), 1, "scrolled clear of the bar");
    browser.click("Inner");
    assert_eq!(browser.eval("() => inner"), 1);
    browser.open(
        "<style>input{position:absolute;opacity:0;margin:0}label span{background:silver;padding:9px;\
         position:relative}</style><label><input type=checkbox aria-label=Hidden><span>Styled</span></label>",
    );
    browser.click("Hidden");
    assert_eq!(browser.eval("() => document.querySelector('input').checked"), true);
    browser.fill("Hidden", "false");
    assert_eq!(browser.eval("() => document.querySelector('input').checked"), false);
}

#[test]
fn c3_frames_at_every_depth_are_read_clicked_and_filled() {
    let mut browser = Browser::start(&[]);
    let frame = case("frame.html");
    browser.go(&format!("{}?frame={}", case("frames.html"), other_site(&frame)));
    // Frames load on their own time: everything of the innermost one too.
    let end = Instant::now() + Duration::from_secs(20);
    let snapshot = loop {
        let snapshot = browser.snapshot();
        if uids_in(&snapshot, "Button").len() == 5 {
            break snapshot;
        }
        assert!(Instant::now() < end, "{snapshot}");
        std::thread::sleep(Duration::from_millis(100));
    };
    for url in [frame.clone(), other_site(&frame)] {
        assert!(snapshot.contains(&format!("url=\"{url}")), "each frame with its address: {snapshot}");
    }
    let (buttons, fields) = (uids_in(&snapshot, "Button"), uids_in(&snapshot, "Field"));
    let clickables = uids_in(&snapshot, "Clickable");
    assert_eq!((fields.len(), clickables.len()), (5, 5), "{snapshot}");
    for (number, ((button, field), clickable)) in buttons.iter().zip(&fields).zip(&clickables).enumerate() {
        browser.text("click", json!({"uid": button}));
        browser.text("click", json!({"uid": clickable}));
        browser.text("fill", json!({"uid": field, "value": format!("value {number}")}));
        let script = "field => [field.value, log.filter(l => /button|div/.test(l)).join(' ')]";
        let text = browser.text("evaluate_script", json!({"function": script, "args": [field]}));
        let expected = "mousedown button mouseup button click button mousedown div mouseup div click div";
        assert_eq!(super::script_value(&text), json!([format!("value {number}"), expected]), "frame {number}");
    }
}

#[test]
fn c4_a_page_that_frames_itself_is_cut() {
    let _alone = chrome_lock();
    let mut browser = Browser::start(&[]);
    browser.open("<title>Other</title><button>Fine</button>");
    let url = case("endless.html");
    let start = Instant::now();
    // It may or may not have loaded; either way there is an answer, and the page.
    browser.client.call("new_page", json!({"url": url, "timeout": 3000}));
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    let start = Instant::now();
    let snapshot = browser.text("take_snapshot", json!({"pageId": 2}));
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    let depth = snapshot.matches("heading \"Endless\"").count();
    assert!((2..=20).contains(&depth), "{depth} levels in {snapshot}");
    assert!(snapshot.contains("omitted=\"frames deeper than 10 or beyond 200\""), "the cut is said: {snapshot}");
    let start = Instant::now();
    let list = browser.text("list_pages", json!({}));
    assert!(list.contains("\n2: ") && list.contains("1: Other"), "{list}");
    let other = browser.text("take_snapshot", json!({"pageId": 1}));
    assert!(other.contains("button \"Fine\""), "{other}");
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    browser.text("close_page", json!({"pageId": 2}));
}

#[test]
fn c5_closed_shadow_roots_are_open_to_us() {
    let mut browser = Browser::start(&[]);
    browser.open(
        "<div id=open><span>Slotted</span><button slot=s>Slotted button</button></div><div id=closed></div>\
         <script>log=[];\
         const wire = root => root.querySelectorAll('button').forEach(b => b.onclick = () => log.push(b.textContent));\
         const o = document.querySelector('#open').attachShadow({mode:'open'});\
         o.innerHTML = '<button>Open button</button><slot></slot><slot name=s></slot>'; wire(o);\
         const c = document.querySelector('#closed').attachShadow({mode:'closed'});\
         c.innerHTML = '<button>Closed button</button><input aria-label=Closed-field><div></div>'; wire(c);\
         const n = c.querySelector('div').attachShadow({mode:'closed'});\
         n.innerHTML = '<button>Nested button</button><textarea aria-label=Nested-field></textarea>'; wire(n);\
         wire(document); values = () => [c.querySelector('input').value, n.querySelector('textarea').value];</script>",
    );
    let names = ["Open button", "Slotted button", "Closed button", "Nested button"];
    for name in names {
        browser.click(name);
    }
    assert_eq!(browser.eval("() => log"), json!(names));
    browser.fill("Closed-field", "one");
    browser.fill("Nested-field", "two");
    assert_eq!(browser.eval("() => values()"), json!(["one", "two"]));
    let uid = browser.uid("Nested-field");
    let text = browser.text("evaluate_script", json!({"function": "e => e.tagName + e.value", "args": [uid]}));
    assert_eq!(super::script_value(&text), "TEXTAREAtwo");
    assert!(browser.snapshot().contains("\"Slotted\""));
}
