//! Heap snapshots: the loader against damaged and unusual files, the native passes against the front-end's, the tools against the original, known leaks in real
//! pages.

mod differential;
mod files;
mod leaks;
mod passes;

use std::path::{Path, PathBuf};

use devtools_mcp::devtools::heap::{HeapError, HeapSnapshot, LoadOptions};
use tempfile::TempDir;

use crate::support::large_heap::{self, Shape};
use crate::support::root;

const MEMORY: usize = 8 << 30;

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap().block_on(work)
}

async fn load(path: &Path) -> Result<HeapSnapshot, HeapError> {
    HeapSnapshot::load(path, LoadOptions::new(MEMORY)).await
}

fn generated(folder: &TempDir, shape: Shape, objects: u64) -> PathBuf {
    let path = folder.path().join(format!("{shape:?}-{objects}.heapsnapshot"));
    large_heap::write(&path, shape, objects).unwrap();
    path
}

/// Snapshots of public test suites when they lie beside the repository.
pub fn fixtures() -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(root().join("../shared/fixtures/heap")) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.flatten().map(|e| e.path().canonicalize().unwrap()).collect();
    files.sort();
    files
}
