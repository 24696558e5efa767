//! Heap snapshots: the loader against damaged and unusual files, the tools against the original, known leaks in real
//! pages.

mod differential;
mod files;
mod leaks;

use std::path::PathBuf;

use crate::support::root;

/// Snapshots of public test suites when they lie beside the repository.
pub fn fixtures() -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(root().join("../shared/fixtures/heap")) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.flatten().map(|e| e.path().canonicalize().unwrap()).collect();
    files.sort();
    files
}
