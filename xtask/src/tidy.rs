//! `cargo xtask tidy`: rules that a reviewer should not have to look for.

use std::fs;
use std::path::{Path, PathBuf};

use crate::shell::{Result, output, root};

/// Lines a source file may have, tests included.
const MAX_LINES: usize = 600;

pub fn run() -> Result {
    let mut problems = Vec::new();
    let files = tracked_files()?;
    for file in &files {
        let Ok(text) = fs::read_to_string(root().join(file)) else { continue };
        let name = file.to_string_lossy().replace('\\', "/");
        let is_rust = name.ends_with(".rs");
        if is_rust && !text.starts_with("//!") {
            problems.push(format!("{name}: does not begin with a module doc (//!)"));
        }
        if (is_rust || name.ends_with(".ts")) && text.lines().count() > MAX_LINES {
            problems.push(format!("{name}: more than {MAX_LINES} lines; split it by its nouns"));
        }
        if name.starts_with("js/") && !text.is_ascii() {
            problems.push(format!("{name}: V8 reads our sources as Latin-1; keep them ASCII"));
        }
        if is_rust && name.starts_with("src/") && !name.ends_with("cli/output.rs") {
            for (number, _) in text
                .lines()
                .enumerate()
                .filter(|(_, l)| l.trim_start().starts_with("println!") || l.contains(" print!("))
            {
                problems
                    .push(format!("{name}:{}: prints to stdout, which belongs to data; use cli::output", number + 1));
            }
        }
        if name.ends_with("package-lock.json") && text.contains("\"resolved\"") {
            problems.push(format!("{name}: names download hosts; npm install with omit-lockfile-registry-resolved"));
        }
    }
    for file in files.iter().filter(|f| f.components().any(|c| c.as_os_str() == "node_modules")) {
        problems.push(format!("{}: third-party sources are not committed", file.display()));
    }
    dependencies_are_explained(&mut problems)?;
    if problems.is_empty() { Ok(()) } else { Err(format!("tidy:\n  {}", problems.join("\n  "))) }
}

fn tracked_files() -> Result<Vec<PathBuf>> {
    let list = output(std::process::Command::new("git").args(["ls-files", "-z"]).current_dir(root()))?;
    Ok(list.split_terminator('\0').map(PathBuf::from).collect())
}

/// Every direct dependency has its reason in docs/dependencies.md.
fn dependencies_are_explained(problems: &mut Vec<String>) -> Result {
    let reasons = read("docs/dependencies.md")?;
    for manifest in ["Cargo.toml", "crates/engine/Cargo.toml", "crates/heapsnapshot/Cargo.toml", "xtask/Cargo.toml"] {
        let mut in_dependencies = false;
        for line in read(manifest)?.lines() {
            if line.starts_with('[') {
                in_dependencies = line.ends_with("dependencies]") && !line.contains("workspace");
                continue;
            }
            let name = line.split(['=', '.', ' ']).next().unwrap_or_default().trim();
            if in_dependencies && !name.is_empty() && !name.starts_with('#') && !reasons.contains(&format!("`{name}`"))
            {
                problems.push(format!("{manifest}: {name} has no reason in docs/dependencies.md"));
            }
        }
    }
    for package in ["vendor/package.json", "tests/node/package.json"] {
        let json: serde_json::Value = serde_json::from_str(&read(package)?).map_err(|e| format!("{package}: {e}"))?;
        for name in json["dependencies"].as_object().into_iter().flat_map(|d| d.keys()) {
            if !reasons.contains(&format!("`{name}`")) {
                problems.push(format!("{package}: {name} has no reason in docs/dependencies.md"));
            }
        }
    }
    Ok(())
}

fn read(path: &str) -> Result<String> {
    fs::read_to_string(root().join(Path::new(path))).map_err(|e| format!("{path}: {e}"))
}
