//! A: fields that cannot take a value say so and keep what they have; what is filled in arrives, also in the
//! application's own state.

use std::time::{Duration, Instant};

use serde_json::json;

use super::Browser;

#[test]
fn a1_read_only_and_disabled_fields_keep_their_value() {
    let mut browser = Browser::start(&[]);
    browser.open(
        "<input aria-label=RO value=KEEP readonly><input aria-label=DIS value=KEEP disabled>\
         <textarea aria-label=TRO readonly>KEEP</textarea>\
         <fieldset disabled><input aria-label=FS value=KEEP></fieldset>\
         <input type=date aria-label=DRO value=2020-01-02 readonly>\
         <input type=number aria-label=NDIS value=1 disabled>\
         <select aria-label=SDIS disabled><option>KEEP<option>x</select>\
         <input type=checkbox aria-label=CDIS disabled>\
         <div role=textbox aria-label=ARO aria-readonly=true contenteditable>KEEP</div>\
         <input aria-label=LAST value=old>",
    );
    let values = "() => [...document.querySelectorAll('input, textarea, select, div')]
        .map(e => e.type === 'checkbox' ? e.checked : e.value ?? e.innerText)";
    let before = browser.eval(values);
    for (name, value, word) in [
        ("RO", "x", "read-only"),
        ("DIS", "x", "disabled"),
        ("TRO", "x", "read-only"),
        ("FS", "x", "disabled"),
        ("DRO", "2021-01-01", "read-only"),
        ("NDIS", "2", "disabled"),
        ("SDIS", "x", "disabled"),
        ("CDIS", "true", "disabled"),
        ("ARO", "x", "read-only"),
    ] {
        let uid = browser.uid(name);
        let start = Instant::now();
        let error = browser.error("fill", json!({"uid": uid, "value": value}));
        assert!(start.elapsed() < Duration::from_secs(4), "{name} after {:?}", start.elapsed());
        assert!(error.contains(word), "{name}: {error}");
        assert_eq!(browser.eval(values), before, "{name}");
    }
    // In a form too; what comes after it is not touched.
    let (ro, last) = (browser.uid("RO"), browser.uid("LAST"));
    let fields = json!([{"uid": last, "value": "new"}, {"uid": ro, "value": "x"}, {"uid": last, "value": "newer"}]);
    let error = browser.error("fill_form", json!({"elements": fields}));
    assert!(error.contains("read-only") && error.contains("the first 1 of 3 fields are filled"), "{error}");
    let after = browser.eval(values);
    assert_eq!((&after[0], after.as_array().unwrap().last().unwrap()), (&json!("KEEP"), &json!("new")));
}

#[test]
fn a2_a_value_that_the_field_cannot_hold_is_an_error() {
    let mut browser = Browser::start(&[]);
    browser.open(
        "<input type=number aria-label=N value=5><input type=date aria-label=D value=2020-02-02>\
         <input aria-label=MX maxlength=3 value=pre><input type=time aria-label=T value=10:00>\
         <input type=color aria-label=COL value=#00ff00><input type=range aria-label=RG min=0 max=100 value=7>\
         <input aria-label=ONE value=one><textarea aria-label=TMX maxlength=4></textarea>\
         <input aria-label=UP oninput=\"this.value = this.value.toUpperCase()\">",
    );
    for (name, value) in [
        ("N", "abc"),
        ("D", "not-a-date"),
        ("D", "2020-13-01"),
        ("T", "25:99"),
        ("COL", "reddish"),
        ("RG", "500"),
        ("ONE", "two\nlines"),
    ] {
        let script = format!("() => document.querySelector('[aria-label={name}]').value");
        let before = browser.eval(&script);
        let error = browser.refused(name, value);
        assert!(error.contains(value), "{name}: {error}");
        assert_eq!(browser.eval(&script), before, "{name} keeps its value");
    }
    // Only the field's own reaction shows these: the error names what was asked for and what is there now.
    for (name, value, holds) in [("MX", "abcdef", "abc"), ("TMX", "0123456", "0123"), ("UP", "abc", "ABC")] {
        let error = browser.refused(name, value);
        assert!(error.contains(&format!("\"{value}\"")) && error.contains(&format!("\"{holds}\"")), "{error}");
        assert_eq!(browser.eval(&format!("() => document.querySelector('[aria-label={name}]').value")), holds);
    }
    // Valid values of the same fields.
    for (name, value) in [("N", "-1.5e3"), ("MX", "xyz"), ("RG", "100"), ("N", "")] {
        browser.fill(name, value);
        assert_eq!(browser.eval(&format!("() => document.querySelector('[aria-label={name}]').value")), value);
    }
}

#[test]
fn a4_an_option_is_chosen_by_its_label() {
    let mut browser = Browser::start(&[]);
    browser.open(
        "<select aria-label=S><option value=x selected>Ex</option><option value=''>None</option>\
         <option value=off disabled>Off</option><optgroup label=G disabled><option>Grouped</optgroup>\
         <option value=same>First</option><option value=First>Second</option></select>\
         <script>log=[]; for (const t of ['input','change'])\
         document.querySelector('select').addEventListener(t, e => log.push(t))</script>",
    );
    browser.fill("S", "None");
    assert_eq!(browser.eval("() => [document.querySelector('select').value, log]"), json!(["", ["input", "change"]]));
    let error = browser.refused("S", "Nope");
    for option in ["Nope", "\"Ex\"", "\"None\"", "\"Second\""] {
        assert!(error.contains(option), "{error}");
    }
    for disabled in ["Off", "Grouped"] {
        let error = browser.refused("S", disabled);
        assert!(error.contains("disabled") && error.contains(disabled), "{error}");
    }
    assert_eq!(browser.eval("() => [document.querySelector('select').value, log.length]"), json!(["", 2]));
    // A label comes before a value, a value still works, and the option itself can be clicked.
    browser.fill("S", "First");
    assert_eq!(browser.eval("() => document.querySelector('select').value"), "same");
    browser.fill("S", "x");
    assert_eq!(browser.eval("() => document.querySelector('select').value"), "x");
    browser.click("Second");
    assert_eq!(browser.eval("() => [document.querySelector('select').value, log.length]"), json!(["First", 8]));
}

#[test]
fn a6_filling_replaces_and_each_field_gets_its_own() {
    let mut browser = Browser::start(&[]);
    browser.open(
        "<input type=email aria-label=E value=old@x.test><input aria-label=P type=password>\
         <textarea aria-label=A>before</textarea><div contenteditable role=textbox aria-label=R>rich <b>text</b></div>",
    );
    let values = "() => [...document.querySelectorAll('input, textarea, div')].map(e => e.value ?? e.innerText)";
    browser.fill("E", "new@x.test");
    browser.fill("P", "s3cret!ü😀");
    browser.fill("A", "one\ntwo");
    browser.fill("R", "plain");
    let expected = json!(["new@x.test", "s3cret!ü😀", "one\ntwo", "plain"]);
    assert_eq!(browser.eval(values), expected);
    // Again and twice over: nothing is appended. A value that begins like the old one is no exception.
    let fields: Vec<_> = [("E", "new@x.test.example"), ("P", "s3cret!ü😀"), ("A", "one\ntwo\nthree"), ("R", "")]
        .map(|(name, value)| json!({"uid": browser.uid(name), "value": value}))
        .into();
    for _ in 0..2 {
        browser.text("fill_form", json!({"elements": fields}));
        let now = browser.eval(values);
        assert_eq!(now[0], "new@x.test.example");
        assert_eq!((&now[1], &now[2]), (&json!("s3cret!ü😀"), &json!("one\ntwo\nthree")));
        assert_eq!(now[3].as_str().unwrap().trim(), "");
    }
    // Longer than what is typed key by key.
    let long = "Zeile ü 😀 ".repeat(40);
    browser.fill("A", &long);
    assert_eq!(browser.eval(values)[2], long);
}

#[test]
fn a7_dates_times_colours_and_ranges_in_any_language() {
    for language in ["en-US", "de-DE"] {
        let mut browser = Browser::start(&[&format!("--chromeArg=--accept-lang={language}")]);
        browser.open(
            "<input type=date aria-label=date><input type=time aria-label=time><input type=month aria-label=month>\
             <input type=week aria-label=week><input type=datetime-local aria-label=datetime-local>\
             <input type=color aria-label=color><input type=range aria-label=range>\
             <script>log=[]; addEventListener('change', e => log.push(e.target.type))</script>",
        );
        assert_eq!(browser.eval("() => navigator.language"), language);
        let values = [
            ("date", "2026-03-04"),
            ("time", "13:45"),
            ("month", "2026-03"),
            ("week", "2026-W10"),
            ("datetime-local", "2026-03-04T13:45"),
            ("color", "#ff0000"),
            ("range", "70"),
        ];
        for (kind, value) in values {
            browser.fill(kind, value);
            let script = format!("() => document.querySelector('[aria-label={kind}]').value");
            assert_eq!(browser.eval(&script), value, "{language}");
        }
        let kinds: Vec<&str> = values.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(browser.eval("() => log"), json!(kinds), "one change of each");
    }
}

#[test]
fn a9_fields_controlled_by_a_framework_keep_their_state() {
    let mut browser = Browser::start(&[]);
    // What React does: the last value set by script is remembered, and an event without a difference is ignored.
    browser.open(
        "<input aria-label=I><textarea aria-label=T></textarea><select aria-label=S><option>a<option>b</select>\
         <input type=checkbox aria-label=C><input type=date aria-label=D><button disabled>Submit</button>\
         <script>state={};\
         for (const e of document.querySelectorAll('input, textarea, select')) {\
           const key = e.type === 'checkbox' ? 'checked' : 'value';\
           const own = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(e), key);\
           let known = own.get.call(e);\
           Object.defineProperty(e, key, {get() { return own.get.call(e) }, set(v) { known = v; own.set.call(e, v) }});\
           const note = () => { const now = own.get.call(e); if (now === known) return; known = now;\
             state[e.ariaLabel] = now; document.querySelector('button').disabled = !state.I };\
           e.addEventListener(e.type === 'select-one' || key === 'checked' ? 'change' : 'input', note);\
         }</script>",
    );
    for (name, value) in [("I", "text"), ("T", "more\ntext"), ("S", "b"), ("C", "true"), ("D", "2026-03-04")] {
        browser.fill(name, value);
    }
    let state = json!({"I": "text", "T": "more\ntext", "S": "b", "C": true, "D": "2026-03-04"});
    assert_eq!(browser.eval("() => state"), state);
    browser.click("Submit");
}
