//! emulate: every setting by its effect, through navigations, in frames of other sites, and undone by the next call.

use serde_json::{Value, json};

use crate::cases::{Browser, case, other_site, script_value, uids_in};

/// What a page can see of the settings.
const SEEN: &str = "() => { const is = q => matchMedia(q).matches; return {
    size: [innerWidth, innerHeight, devicePixelRatio], touch: navigator.maxTouchPoints, agent: navigator.userAgent,
    orientation: screen.orientation.type, dark: is('(prefers-color-scheme: dark)'),
    forced: is('(forced-colors: active)'), contrast: is('(prefers-contrast: more)'),
    still: is('(prefers-reduced-motion: reduce)'), coarse: is('(pointer: coarse)')} }";

#[test]
fn every_setting_is_seen_by_the_page_and_undone() {
    let mut browser = Browser::start(&[]);
    let frame = other_site(&case("frame.html"));
    let url = format!("{}?inner={frame}", case("frame.html"));
    browser.go(&url);
    let before = browser.eval(SEEN);
    let text = browser.text(
        "emulate",
        json!({"viewport": "400x700x2,mobile,touch", "userAgent": "UA/1", "colorScheme": "dark",
            "forcedColors": "active", "prefersContrast": "more", "prefersReducedMotion": "reduce",
            "cpuThrottlingRate": 2, "geolocation": "10.5,20"}),
    );
    let notices = "Emulation configured successfully\n\
        Default navigation timeout set to 20000 ms\n\
        Emulating geolocation: latitude=10.5, longitude=20\n\
        Emulating viewport: {\"deviceScaleFactor\":2,\"isMobile\":true,\"hasTouch\":true,\"isLandscape\":false,\"width\":400,\"height\":700}\n\
        Emulating user agent: UA/1\n\
        Emulating CPU throttling: 2x slowdown\n\
        Emulating color scheme: dark\n\
        Emulating forced-colors: active\n\
        Emulating prefers-contrast: more\n\
        Emulating prefers-reduced-motion: reduce";
    assert_eq!(without(&text, "Default navigation timeout"), without(notices, "Default navigation timeout"));
    let check = |browser: &mut Browser| {
        let seen = browser.eval(SEEN);
        assert_eq!(seen["size"][2], 2, "{seen}");
        assert_eq!(
            seen,
            json!({"size": [seen["size"][0], seen["size"][1], 2], "touch": seen["touch"], "agent": "UA/1",
                "orientation": "portrait-primary", "dark": true, "forced": true, "contrast": true, "still": true,
                "coarse": true})
        );
        assert!(seen["touch"].as_u64().unwrap() > 0, "{seen}");
        assert_eq!(browser.eval("() => Math.round(visualViewport.width * visualViewport.scale)"), 400);
        // A frame in another process is the same browser.
        let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
        let field = loop {
            if let Some(field) = uids_in(&browser.snapshot(), "Field").get(1) {
                break field.clone();
            }
            assert!(std::time::Instant::now() < end);
        };
        let script = json!({"function": format!("e => ({SEEN})()"), "args": [field]});
        let inner = script_value(&browser.text("evaluate_script", script));
        for key in ["agent", "dark", "forced", "contrast", "still"] {
            assert_eq!(inner[key], seen[key], "{key} in the frame: {inner}");
        }
    };
    check(&mut browser);
    // Later documents, of any site, are told the same; and every answer says it.
    browser.go(&other_site(&url).replacen("inner=http://localhost", "inner=http://127.0.0.1", 1));
    check(&mut browser);
    assert!(browser.text("take_snapshot", json!({})).contains("Emulating user agent: UA/1"));
    let agent = browser.eval("() => fetch('x?headers=1').then(r => r.text())");
    assert!(agent.as_str().unwrap().contains("User-Agent: UA/1"), "{agent}");
    // A call replaces all.
    let text = browser.text("emulate", json!({"viewport": "500x300,landscape"}));
    assert!(text.ends_with("\"isLandscape\":true,\"width\":500,\"height\":300}"), "{text}");
    let seen = browser.eval(SEEN);
    assert_eq!((&seen["size"], &seen["orientation"]), (&json!([500, 300, 1]), &json!("landscape-primary")));
    assert_eq!((&seen["agent"], &seen["dark"], &seen["touch"]), (&before["agent"], &before["dark"], &before["touch"]));
    assert_eq!(browser.text("emulate", json!({})), "Emulation configured successfully");
    browser.until(SEEN, before.clone());
    browser.go(&url);
    browser.until(SEEN, before.clone());
    // `auto` and empty texts are nothing.
    let nothing = json!({"userAgent": "", "viewport": "", "colorScheme": "auto", "forcedColors": "auto",
        "prefersContrast": "auto", "prefersReducedMotion": "auto", "geolocation": "", "cpuThrottlingRate": 1});
    browser.text("emulate", nothing);
    assert_eq!(browser.eval(SEEN), before);
}

fn without(text: &str, start: &str) -> String {
    text.lines().filter(|line| !line.starts_with(start)).collect::<Vec<_>>().join("\n")
}

#[test]
fn places_headers_and_networks() {
    // A profile whose pages may ask where they are.
    let profile = tempfile::tempdir().unwrap();
    std::fs::create_dir(profile.path().join("Default")).unwrap();
    let preferences = json!({"profile": {"default_content_setting_values": {"geolocation": 1}}});
    std::fs::write(profile.path().join("Default/Preferences"), preferences.to_string()).unwrap();
    let mut browser = Browser::start_in(profile.path());
    browser.go(&case("delete.html"));
    let place = "() => new Promise((done, fail) => navigator.geolocation.getCurrentPosition(p =>
        done([p.coords.latitude, p.coords.longitude]), e => done(e.message), {timeout: 5000}))";
    browser.text("emulate", json!({"geolocation": "52.5,-13.25"}));
    assert_eq!(browser.eval(place), json!([52.5, -13.25]));
    browser.go(&case("form.html"));
    assert_eq!(browser.eval(place), json!([52.5, -13.25]), "also in the next document");
    browser.text("emulate", json!({}));
    assert_ne!(browser.eval(place), json!([52.5, -13.25]));
    let text = browser.text("emulate", json!({"extraHttpHeaders": "{\"X-Case\": \"wert\", \"x-other\": \"2\"}"}));
    assert_eq!(text, "Emulation configured successfully");
    let head = |browser: &mut Browser| {
        browser.go(&case("x?headers=1"));
        browser.eval("() => document.body.innerText").as_str().unwrap().to_lowercase()
    };
    let seen = head(&mut browser);
    assert!(seen.contains("x-case: wert") && seen.contains("x-other: 2"), "{seen}");
    let fetched = browser.eval("() => fetch('x?headers=1').then(r => r.text())").to_string().to_lowercase();
    assert!(fetched.contains("x-case: wert"), "{fetched}");
    // Kept by calls that do not mention them, cleared by an empty text.
    browser.text("emulate", json!({"colorScheme": "dark"}));
    assert!(head(&mut browser).contains("x-case: wert"));
    browser.text("emulate", json!({"extraHttpHeaders": ""}));
    assert!(!head(&mut browser).contains("x-case"));
    // Offline, for pages, their requests and frames of other sites.
    browser.go(&format!("{}?inner={}", case("frame.html"), other_site(&case("frame.html"))));
    let text = browser.text("emulate", json!({"networkConditions": "Offline"}));
    assert!(
        text.contains("Emulating network conditions: Offline\nDefault navigation timeout set to 10000 ms"),
        "{text}"
    );
    assert_eq!(browser.eval("() => navigator.onLine"), false);
    assert_eq!(browser.eval("() => fetch('delete.html').then(() => 'came', () => 'failed')"), "failed");
    let error = browser.error("navigate_page", json!({"url": case("delete.html")}));
    assert!(error.contains("net::ERR_INTERNET_DISCONNECTED"), "{error}");
    browser.text("emulate", json!({}));
    browser.go(&case("delete.html"));
    assert_eq!(browser.eval("() => fetch('delete.html').then(() => 'came', () => 'failed')"), "came");
    // Slow: at least the latency.
    browser.text("emulate", json!({"networkConditions": "Slow 3G"}));
    let took = browser
        .eval("async () => { const t = performance.now(); await fetch('delete.html'); return performance.now() - t }");
    assert!(took.as_f64().unwrap() > 1500.0, "{took}");
    browser.text("emulate", json!({}));
    for (arguments, says) in [
        (json!({"viewport": "0x5"}), "Invalid viewport"),
        (json!({"viewport": "4x4x0"}), "Invalid viewport"),
        (json!({"geolocation": "91,0"}), "latitude must be between"),
        (json!({"geolocation": "0,181"}), "longitude must be between"),
        (json!({"geolocation": "1"}), "Invalid geolocation"),
        (json!({"extraHttpHeaders": "[]"}), "not a JSON object"),
        (json!({"cpuThrottlingRate": 21}), "Input validation error"),
        (json!({"cpuThrottlingRate": 0}), "Input validation error"),
        (json!({"networkConditions": "2G"}), "Input validation error"),
    ] {
        let error = browser.error("emulate", arguments.clone());
        assert!(error.contains(says), "{arguments}: {error}");
    }
    // A refused call changes nothing.
    browser.text("emulate", json!({"userAgent": "UA/2"}));
    browser.error("emulate", json!({"viewport": "wide"}));
    assert_eq!(browser.eval("() => navigator.userAgent"), "UA/2");
}

#[test]
fn settings_belong_to_one_page() {
    let mut browser = Browser::start(&[]);
    browser.go(&case("delete.html"));
    browser.text("emulate", json!({"userAgent": "UA/1", "viewport": "300x200"}));
    browser.text("new_page", json!({"url": case("delete.html")}));
    let seen = browser.eval("() => [navigator.userAgent === 'UA/1', innerWidth]");
    assert_eq!(seen[0], false);
    assert_ne!(seen[1], 300);
    let other = json!({"pageId": 1, "function": "() => [navigator.userAgent, innerWidth]"});
    let value: Value = script_value(&browser.text("evaluate_script", other));
    assert_eq!(value, json!(["UA/1", 300]));
    // A slower processor: the same work takes longer.
    let work = "() => { const t = performance.now(); let x = 0; for (let i = 0; i < 3e7; i++) x += i % 7; return performance.now() - t }";
    let least = |browser: &mut Browser| (0..3).map(|_| browser.eval(work).as_f64().unwrap()).fold(f64::MAX, f64::min);
    let fast = least(&mut browser);
    browser.text("emulate", json!({"cpuThrottlingRate": 8}));
    let slow = least(&mut browser);
    assert!(slow > fast * 2.0, "{fast} {slow}");
}
