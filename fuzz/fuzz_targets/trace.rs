//! The splitter that cuts traces at event boundaries. Its source is taken in by path: the server's package would bring V8.

#![no_main]

use libfuzzer_sys::fuzz_target;

/// As the server's, without what the splitter does not say.
mod error {
    #[derive(Debug, PartialEq)]
    pub enum TraceError {
        Empty,
        NoEvents,
        NotATrace { what: String },
        NotJson { offset: u64, what: String },
        Truncated { offset: u64, place: &'static str },
    }
}

#[path = "../../src/devtools/trace/split.rs"]
mod split;

use error::TraceError;
use split::Splitter;

/// Everything that comes out, put together, and the metadata.
fn whole(bytes: &[u8], chunk: usize) -> Result<(Vec<u8>, Option<Vec<u8>>), TraceError> {
    let mut events = Vec::new();
    let mut splitter = Splitter::default();
    for part in bytes.chunks(chunk) {
        splitter.push(part, &mut |piece| {
            events.extend(piece);
            true
        })?;
    }
    let tail = splitter.finish()?;
    events.extend(tail.piece.unwrap_or_default());
    Ok((events, tail.metadata))
}

fuzz_target!(|bytes: &[u8]| {
    assert_eq!(whole(bytes, usize::MAX), whole(bytes, 1));
});
