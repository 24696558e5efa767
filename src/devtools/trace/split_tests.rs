//! The scanner against whole-file JSON parsing, at every chunk size, and each of its errors.

use super::error::TraceError;
use super::split::{Splitter, Tail};

fn split(text: &[u8], chunk: usize) -> Result<(Vec<serde_json::Value>, Tail), TraceError> {
    let mut splitter = Splitter::default();
    let mut pieces = Vec::new();
    for part in text.chunks(chunk) {
        splitter.push(part, &mut |piece| {
            pieces.push(piece);
            true
        })?;
    }
    let mut tail = splitter.finish()?;
    pieces.extend(tail.piece.take());
    let events = pieces
        .iter()
        .flat_map(|p| serde_json::from_slice::<Vec<serde_json::Value>>(p).expect("a piece is an array"))
        .collect();
    Ok((events, tail))
}

#[test]
fn every_layout_gives_the_same_events() {
    let events = r#"{"name":"a\"}]","args":{"x":["]",{"y":"\\"}]}} , {"name":"größe 日本","s":"\ud83d\ude00"},{}"#;
    let files = [
        format!("[{events}]"),
        format!("\u{feff} [ {events} \n]\r\n"),
        format!(r#"{{"traceEvents":[{events}]}}"#),
        format!(r#"{{"metadata":{{"source":"DevTools","a":[1,"}}"]}},"traceEvents":[{events}]}}"#),
        format!(
            r#"{{"x":[[{{}}]],"n":-1.5e3,"t":true,"z":null,"s":"traceEvents","traceEvents" : [{events}] , "metadata" : {{"source":"DevTools","a":[1,"}}"]}}}}"#
        ),
        format!(r#"{{"trace\u0045vents":[{events}],"metadata":"text"}}"#),
    ];
    for file in files {
        for chunk in [1, 2, 3, 7, 64, 100_000] {
            let (found, tail) = split(file.as_bytes(), chunk).unwrap_or_else(|e| panic!("{file}: {e}"));
            assert_eq!(found.len(), 3, "{file}");
            assert_eq!(found[0]["name"], "a\"}]");
            if file.contains("DevTools") {
                let metadata: serde_json::Value =
                    serde_json::from_slice(&tail.metadata.expect("has metadata")).unwrap();
                assert_eq!(metadata["a"][1], "}");
            } else {
                assert!(tail.metadata.is_none());
            }
        }
    }
}

#[test]
fn large_files_come_in_pieces() {
    let event = format!(r#"{{"name":"{}"}}"#, "x".repeat(1000));
    let file = format!("[{}]", vec![event; 20_000].join(","));
    let mut splitter = Splitter::default();
    let mut sizes = Vec::new();
    for part in file.as_bytes().chunks(256 * 1024) {
        splitter
            .push(part, &mut |piece| {
                sizes.push(piece.len());
                true
            })
            .unwrap();
    }
    assert!(sizes.len() >= 4 && sizes.iter().all(|&s| s < 5 * 1024 * 1024), "{sizes:?}");
    sizes.extend(splitter.finish().unwrap().piece.map(|p| p.len()));
    assert_eq!(sizes.iter().sum::<usize>(), file.len() + sizes.len() - 1, "nothing is lost or doubled");
}

#[test]
fn a_sink_can_stop_the_scan() {
    let event = format!(r#"{{"name":"{}"}}"#, "x".repeat(100_000));
    let file = format!("[{}]", vec![event; 200].join(","));
    let mut splitter = Splitter::default();
    assert!(!splitter.push(file.as_bytes(), &mut |_| false).unwrap());
}

#[test]
fn each_defect_has_its_own_error() {
    type Expected = fn(&TraceError) -> bool;
    let cases: [(&str, Expected); 19] = [
        ("", |e| matches!(e, TraceError::Empty)),
        (" \n\t", |e| matches!(e, TraceError::NotJson { .. })),
        ("<html>", |e| matches!(e, TraceError::NotJson { offset: 0, .. })),
        ("\"text\"", |e| matches!(e, TraceError::NotATrace { .. })),
        ("12", |e| matches!(e, TraceError::NotATrace { .. })),
        ("{}", |e| matches!(e, TraceError::NotATrace { .. })),
        (r#"{"nodes":[1,2]}"#, |e| matches!(e, TraceError::NotATrace { .. })),
        (r#"{"traceEvents":{}}"#, |e| matches!(e, TraceError::NotATrace { .. })),
        ("[1,2]", |e| matches!(e, TraceError::NotATrace { .. })),
        ("[]", |e| matches!(e, TraceError::NoEvents)),
        (r#"{"traceEvents":[]}"#, |e| matches!(e, TraceError::NoEvents)),
        (r#"[{"a":1}"#, |e| matches!(e, TraceError::Truncated { offset: 8, place: "inside the list of events" })),
        (r#"[{"a":"1"#, |e| matches!(e, TraceError::Truncated { place: "inside an event", .. })),
        (r#"{"traceEvents":[{}]"#, |e| matches!(e, TraceError::Truncated { .. })),
        (r#"{"traceEvents":[{}],"meta"#, |e| matches!(e, TraceError::Truncated { .. })),
        (r#"[{},]"#, |e| matches!(e, TraceError::NotJson { offset: 4, .. })),
        (r#"[{}] x"#, |e| matches!(e, TraceError::NotJson { offset: 5, .. })),
        (r#"[{}{}]"#, |e| matches!(e, TraceError::NotJson { offset: 3, .. })),
        (r#"{"a":1,}"#, |e| matches!(e, TraceError::NotJson { offset: 7, .. })),
    ];
    for (text, expected) in cases {
        for chunk in [1, 3, 1000] {
            let error = split(text.as_bytes(), chunk).expect_err(text);
            assert!(expected(&error), "{text:?} in chunks of {chunk} gave {error:?}");
            assert!(!error.hint().is_empty());
        }
    }
}

/// Random damage: the scanner never panics, accepts whatever is a trace by whole-file parsing, and what it accepts has
/// the same events.
#[test]
fn damaged_files_are_judged_as_by_whole_file_parsing() {
    let original = r#"{"metadata":{"source":"DevTools","x":[1,{"y":"}]"}]},"traceEvents":[{"name":"a","args":{"s":"\\\""}}, {"ts":1.5e3},{"n":null}],"z":[true,"\u00e9"]}"#;
    let alphabet = br#"{}[]",:\ a0-etrufl"#;
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |bound: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % bound as u64) as usize
    };
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..30_000 {
        let mut text = original.as_bytes().to_vec();
        for _ in 0..1 + next(3) {
            let at = next(text.len());
            match next(3) {
                0 => text[at] = alphabet[next(alphabet.len())],
                1 => _ = text.remove(at),
                _ => text.insert(at, alphabet[next(alphabet.len())]),
            }
        }
        let whole: Option<serde_json::Value> = serde_json::from_slice(&text).ok();
        let events = whole.as_ref().and_then(|w| match w {
            serde_json::Value::Array(events) => Some(events),
            other => other["traceEvents"].as_array(),
        });
        let expected = events.filter(|e| !e.is_empty() && e.iter().all(serde_json::Value::is_object));
        let found = scan(&text, 1 + next(40));
        match (&expected, &found) {
            (Some(expected), Ok(pieces)) => {
                let pieces: Option<Vec<serde_json::Value>> = pieces
                    .iter()
                    .map(|p| serde_json::from_slice::<Vec<serde_json::Value>>(p).ok())
                    .collect::<Option<Vec<_>>>()
                    .map(|p| p.into_iter().flatten().collect());
                assert_eq!(pieces.as_ref(), Some(*expected), "{}", String::from_utf8_lossy(&text));
                accepted += 1;
            }
            (Some(_), Err(error)) => panic!("{} was refused: {error}", String::from_utf8_lossy(&text)),
            // Skipped values and the inside of events are not judged here; V8 judges the events.
            (None, _) => refused += 1,
        }
    }
    assert!(accepted > 1000 && refused > 1000, "{accepted} accepted, {refused} refused");
}

/// The pieces of events, not parsed.
fn scan(text: &[u8], chunk: usize) -> Result<Vec<Vec<u8>>, TraceError> {
    let mut splitter = Splitter::default();
    let mut pieces = Vec::new();
    for part in text.chunks(chunk) {
        splitter.push(part, &mut |piece| {
            pieces.push(piece);
            true
        })?;
    }
    pieces.extend(splitter.finish()?.piece);
    Ok(pieces)
}
