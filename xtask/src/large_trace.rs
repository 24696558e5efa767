//! Large traces for benches and drills: one long visit, made of the committed sample's events and then its main-thread
//! work over and over, shifted in time.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde_json::Value;

/// Names of the complete events that are repeated.
const REPEATED: [&str; 6] = ["RunTask", "FunctionCall", "Layout", "Paint", "RasterTask", "ParseHTML"];

/// Writes a trace of about this size; `sample` is a trace file (.json.gz). Returns the number of events.
pub fn write(sample: &Path, path: &Path, megabytes: u64) -> io::Result<u64> {
    let sample: Value = serde_json::from_reader(flate2::read::MultiGzDecoder::new(File::open(sample)?))?;
    let events = sample["traceEvents"].as_array().ok_or_else(|| io::Error::other("the sample has no traceEvents"))?;
    let times = || events.iter().filter_map(|e| e["ts"].as_u64()).filter(|&t| t > 0);
    let period = times().max().unwrap_or(0) - times().min().unwrap_or(0) + 1000;
    let repeated: Vec<&Value> =
        events.iter().filter(|e| e["ph"] == "X" && REPEATED.iter().any(|name| e["name"] == *name)).collect();
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    out.write_all(b"{\"traceEvents\":[\n")?;
    let (mut written, mut count) = (0, 0);
    let mut put = |text: String| -> io::Result<u64> {
        let separator: &[u8] = if written == 0 { b"" } else { b",\n" };
        out.write_all(separator)?;
        out.write_all(text.as_bytes())?;
        count += 1;
        written += (separator.len() + text.len()) as u64;
        Ok(written)
    };
    let mut size = 0;
    for event in events {
        size = put(event.to_string())?;
    }
    let mut round = 0;
    while size < megabytes * 1024 * 1024 {
        round += 1;
        for event in &repeated {
            let mut event = (*event).clone();
            for key in ["ts", "tts"] {
                if let Some(time) = event[key].as_u64() {
                    event[key] = (time + round * period).into();
                }
            }
            size = put(event.to_string())?;
        }
    }
    out.write_all(b"]}")?;
    out.flush()?;
    Ok(count)
}
