//! The heap snapshot loader, and the passes over what it accepts.

#![no_main]

use std::io::Read;

use devtools_heapsnapshot::{LoadError, Loaded, Watch, load, prepare};
use libfuzzer_sys::fuzz_target;

struct Quiet;

impl Watch for Quiet {
    fn read(&mut self, _bytes: u64) -> bool {
        true
    }
}

/// Hands out a few bytes at a time, so that everything crosses a boundary.
struct Dripping<'a>(&'a [u8]);

impl Read for Dripping<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.0.len().min(buffer.len()).min(3);
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

fn told(result: &Result<Loaded, LoadError>) -> String {
    match result {
        Ok(loaded) => format!("{:?} {:?} {:?} {:?}", loaded.nodes, loaded.edges, loaded.tables, loaded.strings),
        Err(error) => error.to_string(),
    }
}

fuzz_target!(|bytes: &[u8]| {
    let whole = load(&mut &bytes[..], Some(bytes.len() as u64), &mut Quiet);
    let dripped = load(&mut Dripping(bytes), None, &mut Quiet);
    assert_eq!(told(&whole), told(&dripped));
    if let Ok(loaded) = whole {
        for piece in &loaded.strings {
            // V8 parses what was only checked.
            let text = std::str::from_utf8(piece).expect("pieces are UTF-8");
            serde_json::from_str::<Vec<&serde_json::value::RawValue>>(text).expect("pieces are arrays of strings");
        }
        if let Ok(prepared) = prepare(loaded) {
            serde_json::from_str::<Vec<&serde_json::value::RawValue>>(&prepared.added_strings).expect("JSON");
        }
    }
});
