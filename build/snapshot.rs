//! Turns the bundle into a snapshot and writes what the binary includes.

use std::fs;
use std::io::{Read, Write};
use std::sync::Arc;

use crate::Dirs;
use crate::bundle::Bundle;

/// Writes `main.snapshot`, `main.map.gz` and `op_names.txt` into `OUT_DIR`.
pub fn write(dirs: &Dirs, bundle: &Bundle) -> Result<(), String> {
    let warm_ups = [read_gz(dirs, "tests/fixtures/warmup.json.gz")?];
    let blob = devtools_engine::snapshot::build(Arc::from(bundle.code.as_str()), &warm_ups)
        .map_err(|e| format!("no snapshot: {e}"))?;
    put(dirs, "main.snapshot", &blob)?;
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gz.write_all(&bundle.source_map).map_err(|e| e.to_string())?;
    put(dirs, "main.map.gz", &gz.finish().map_err(|e| e.to_string())?)?;
    put(dirs, "op_names.txt", devtools_engine::extension::op_names().join("\n").as_bytes())
}

fn read_gz(dirs: &Dirs, path: &str) -> Result<String, String> {
    let path = dirs.root.join(path);
    let file = fs::File::open(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(text)
}

fn put(dirs: &Dirs, name: &str, bytes: &[u8]) -> Result<(), String> {
    let path = dirs.out.join(name);
    fs::write(&path, bytes).map_err(|e| format!("{}: {e}", path.display()))
}
