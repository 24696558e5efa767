//! I: pictures that a client and its model can take, and of the part that was meant.

use base64::Engine;
use serde_json::{Value, json};

use super::Browser;
use crate::support::text_of;

const TALL: &str = "<meta name=viewport content='width=device-width'><body style='margin:0'>\
    <div style='height:40000px;background:linear-gradient(red,blue)'>Tall</div>";

/// The picture in an answer.
pub fn picture(result: &Value) -> Vec<u8> {
    let image = &result["content"][1];
    assert_eq!(image["type"], "image", "{}", text_of(result));
    base64::engine::general_purpose::STANDARD.decode(image["data"].as_str().unwrap()).unwrap()
}

/// Width and height from a picture's header.
pub fn size(bytes: &[u8]) -> (usize, usize) {
    let size = imagesize::blob_size(bytes).expect("a picture");
    (size.width, size.height)
}

/// The file that an answer names.
fn saved(text: &str) -> Vec<u8> {
    let path = text.split("Saved screenshot to ").nth(1).and_then(|rest| rest.split(".\n").next()).unwrap();
    let path = std::path::Path::new(path.trim_end_matches('.'));
    let bytes = std::fs::read(path).unwrap();
    std::fs::remove_file(path).unwrap();
    let _ = std::fs::remove_dir(path.parent().unwrap());
    bytes
}

#[test]
fn i1_a_very_tall_page_in_every_format() {
    let mut browser = Browser::start(&[]);
    let dir = tempfile::tempdir().unwrap();
    browser.open(TALL);
    for (viewport, height) in [("300x500", 40_000), ("100x200x3", 120_000)] {
        let (width, factor): (usize, usize) = if viewport.ends_with("x3") { (300, 3) } else { (300, 1) };
        browser.text("emulate", json!({"viewport": viewport}));
        assert_eq!(browser.eval("() => devicePixelRatio"), json!(factor));
        let file = dir.path().join(format!("{height}.webp"));
        let error = browser.error("take_screenshot", json!({"fullPage": true, "format": "webp", "filePath": file}));
        assert!(error.contains("16383") && error.contains(&format!("{width}x{height}")), "{error}");
        assert!(!file.exists());
        // Each picture of the second kind takes seconds.
        let formats = if factor == 1 { &["webp", "jpeg", "png"][..] } else { &["jpeg"] };
        for format in ["jpeg", "png"].into_iter().filter(|f| factor == 1 || *f == "jpeg") {
            // JPEG itself ends at 65500.
            let file = dir.path().join(format!("{height}.{format}"));
            let arguments = json!({"fullPage": true, "format": format, "filePath": file});
            if height > 65_500 {
                let error = browser.error("take_screenshot", arguments);
                assert!(error.contains("JPEG holds at most 65500 pixels a side"), "{error}");
                assert!(!file.exists());
                continue;
            }
            browser.text("take_screenshot", arguments);
            assert_eq!(size(&std::fs::read(&file).unwrap()), (width, height), "{format}");
        }
        // Without a file: something that can be seen, whatever the format, and the original beside it.
        for format in formats {
            let result = browser.client.call("take_screenshot", json!({"fullPage": true, "format": format}));
            assert!(result.get("isError").is_none(), "{format}: {result}");
            let (_, shown) = size(&picture(&result));
            assert!((100..=8000).contains(&shown), "{format}: {shown}");
            assert!(text_of(&result).contains(&format!("{width}x{height}")), "{}", text_of(&result));
            assert_eq!(size(&saved(&text_of(&result))), (width, height), "{format}");
        }
    }
}

#[test]
fn i2_pictures_stay_below_what_models_take() {
    for (arguments, factor) in [(&[][..], 1), (&["--chromeArg=--force-device-scale-factor=2"][..], 2)] {
        let limited: Vec<&str> = [&["--screenshotMaxWidth=200"], arguments].concat();
        let mut browser = Browser::start(&limited);
        browser.open("<body style='margin:0'><button style='width:500px;height:50px'>Wide</button>");
        let ratio = browser.eval("() => devicePixelRatio");
        assert_eq!(ratio, json!(factor));
        let uid = browser.uid("Wide");
        for viewport in [None, Some("600x400x3")] {
            if let Some(viewport) = viewport {
                browser.text("emulate", json!({"viewport": viewport}));
            }
            for arguments in [json!({}), json!({"fullPage": true}), json!({"uid": uid})] {
                let result = browser.client.call("take_screenshot", arguments.clone());
                let (width, height) = size(&picture(&result));
                assert!(width <= 200 && width > 190 && height > 15, "{width}x{height} {viewport:?} {arguments}");
            }
        }
    }
    // Without limits, too: nothing above 8000 pixels or 2 MB is sent.
    let mut browser = Browser::start(&[]);
    browser.open(TALL);
    let result = browser.client.call("take_screenshot", json!({"fullPage": true, "format": "jpeg"}));
    let shown = picture(&result);
    let (width, height) = size(&shown);
    assert!(width <= 8000 && height <= 8000 && shown.len() < 2_000_000, "{width}x{height}, {} bytes", shown.len());
    let original = size(&saved(&text_of(&result)));
    assert_eq!(original.1, 40_000);
    // Noise does not compress.
    browser.open(
        "<canvas width=1200 height=1200></canvas><script>const c = document.querySelector('canvas').getContext('2d');\
         const d = c.createImageData(1200, 1200); let x = 1; for (let i = 0; i < d.data.length; i++) { x = x * 16807 % \
         2147483647; d.data[i] = i % 4 == 3 ? 255 : x & 255 } c.putImageData(d, 0, 0)</script>",
    );
    let result = browser.client.call("take_screenshot", json!({"fullPage": true}));
    let text = text_of(&result);
    assert!(text.contains("Saved screenshot to "), "{text}");
    assert!(result["content"].as_array().unwrap().len() == 1 && saved(&text).len() >= 2_000_000, "{text}");
}

#[test]
fn i3_scaled_pictures_of_scrolled_pages_show_what_is_visible() {
    let mut browser = Browser::start(&["--screenshotMaxWidth=200"]);
    browser.text("emulate", json!({"viewport": "800x600"}));
    for (style, inner, scroll) in [
        ("", "height:1000px", "0, 1000"),
        ("display:flex", "flex:none;width:1000px;height:600px", "1000, 0"),
        ("direction:rtl;display:flex", "flex:none;width:1000px;height:600px", "-1000, 0"),
    ] {
        browser.open(&format!(
            "<html style='{style}'><body style='margin:0;{style}'><div style='background:red;{inner}'></div>\
             <div style='background:blue;{inner}' role=img aria-label=Blue tabindex=0></div>"
        ));
        browser.eval(&format!("() => scrollTo({scroll})"));
        let uid = browser.uid("Blue");
        for arguments in [json!({}), json!({"uid": uid})] {
            let result = browser.client.call("take_screenshot", arguments.clone());
            let (width, _) = size(&picture(&result));
            assert!(width <= 200, "{width}");
            let pixels = pixels(&mut browser, &result);
            assert_eq!(pixels, json!([[0, 0, 255], [0, 0, 255], [0, 0, 255]]), "{style} {scroll} {arguments}");
        }
    }
}

#[test]
fn pictures_of_tabs_behind_others_show_what_input_has_done() {
    let mut browser = Browser::start(&[]);
    browser.open(
        "<body style='background:red'><button onclick=\"document.body.style.background = colours.shift()\">Next</button>\
         <script>colours = ['lime', 'blue']</script>",
    );
    // Focused while it was in front, and only when it was behind.
    for focused_in_front in [true, false] {
        let expected = if focused_in_front { json!([0, 255, 0]) } else { json!([0, 0, 255]) };
        if focused_in_front {
            browser.click("Next");
        }
        browser.text("new_page", json!({"url": "data:text/html,<title>In front</title>"}));
        browser.text("select_page", json!({"pageId": 1}));
        if !focused_in_front {
            browser.click("Next");
        }
        let result = browser.client.call("take_screenshot", json!({}));
        picture(&result);
        assert_eq!(pixels(&mut browser, &result)[0], expected, "{focused_in_front}");
        assert_eq!(browser.eval("() => document.visibilityState"), "hidden", "it is still behind");
    }
}

/// Colours of a picture at a quarter, the half and three quarters of its diagonal, as the browser sees them.
fn pixels(browser: &mut Browser, result: &Value) -> Value {
    let data = result["content"][1]["data"].as_str().unwrap();
    browser.eval(&format!(
        "async () => {{ const image = new Image(); image.src = 'data:image/png;base64,{data}'; await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
        canvas.drawImage(image, 0, 0);
        return [0.25, 0.5, 0.75].map(f => [...canvas.getImageData(image.width * f, image.height * f, 1, 1).data]
            .slice(0, 3)); }}"
    ))
}
