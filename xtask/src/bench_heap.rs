//! Heap snapshots side by side: loading with the summary, its peak memory, and a page of retainers of the loaded file.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::bench::{median, milliseconds, row};
use crate::bench_servers::{Both, Server};
use crate::large_heap::{self, Shape};
use crate::shell::{Result, step};

const ROUNDS: usize = 3;
const PAGES: usize = 9;

/// Milliseconds to load and summarise, peak memory in megabytes, milliseconds for a page of retainers.
type Measured = [f64; 3];

/// Runs the rows for these sizes in megabytes of JSON.
pub fn run(both: &Both, temp: &Path, sizes: &[u64]) -> Result {
    for megabytes in sizes {
        let file = temp.join(format!("{megabytes}.heapsnapshot"));
        let objects = large_heap::write(&file, Shape::Records, large_heap::objects_for(megabytes * 1_000_000))
            .map_err(|e| e.to_string())?;
        let size = std::fs::metadata(&file).map_err(|e| e.to_string())?.len() / 1_000_000;
        step(&format!("heap snapshot of {objects} objects, {size} MB"));
        // The large ones take minutes in the original.
        let rounds = if *megabytes > 100 { 1 } else { ROUNDS };
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            let mut command = Command::new(&both.ours);
            command.args(["--memoryDebugging", "--workspace=/"]);
            a.push(measure(command, &file, false)?);
            let mut command = both.original(&["--max-old-space-size=16000"], &["--memoryDebugging", "--workspace=/"]);
            // It reads no heap snapshots without.
            command.args(both.browser_arguments());
            b.push(measure(command, &file, true)?);
        }
        let median = |rows: &[Measured], at: usize| median(rows.iter().map(|r| r[at]).collect());
        let name = format!("heap snapshot of {size} MB ({objects} objects)");
        row(&format!("{name}: load + summary"), median(&a, 0), median(&b, 0), "ms");
        row(&format!("{name}: peak memory"), median(&a, 1), median(&b, 1), "MB");
        row(&format!("{name}: a page of retainers"), median(&a, 2), median(&b, 2), "ms");
        std::fs::remove_file(&file).map_err(|e| e.to_string())?;
    }
    Ok(())
}

fn measure(command: Command, file: &Path, has_browser: bool) -> Result<Measured> {
    let mut server = Server::spawn(command)?;
    server.initialize()?;
    if has_browser {
        // It starts its browser with the first call whatever that is; that is not what is measured here.
        server.call("list_pages", json!({}))?;
    }
    let begin = Instant::now();
    server.call("get_heapsnapshot_summary", json!({"filePath": file}))?;
    let loaded = begin.elapsed();
    let peak = server.memory("VmHWM")? / 1024.0;
    // The first text that all records share: it has the most retainers.
    let node = 2 * 3 + 1;
    let mut pages: Vec<Duration> = Vec::new();
    for page in 0..PAGES {
        let begin = Instant::now();
        let page = json!({"filePath": file, "nodeId": node, "pageIdx": page % 2, "pageSize": 5});
        server.call("get_heapsnapshot_retainers", page)?;
        pages.push(begin.elapsed());
    }
    server.end();
    Ok([milliseconds(loaded), peak, median(pages.into_iter().map(milliseconds).collect())])
}
