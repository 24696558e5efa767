//! `cargo xtask gen [--check]`: the pages that are computed from the program and from the dependency graph.

use std::fs;
use std::process::Command;

use crate::shell::{self, Result, output, root, step};

/// Licences that may be in the graph. A crate that offers a choice needs one of them.
const ALLOWED: &[&str] = &[
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "0BSD",
    "CC0-1.0",
    "Unicode-3.0",
    "Unlicense",
    "BSL-1.0",
    "MPL-2.0",
    "MIT-0",
    "CDLA-Permissive-2.0",
];

pub fn run(arguments: &[String]) -> Result {
    let check = arguments.iter().any(|a| a == "--check");
    // A binary that was built some other way, while developing.
    let binary = match std::env::var_os("DEVTOOLS_MCP_BINARY") {
        Some(binary) => binary.into(),
        None => shell::build()?,
    };
    let page = |name: &str| output(Command::new(&binary).args(["reference", name]));
    let pages = [
        ("docs/tools.md", page("tools")?),
        ("docs/options.md", page("options")?),
        ("THIRD_PARTY_NOTICES.md", notices()?),
    ];
    let mut stale = Vec::new();
    for (path, text) in pages {
        let file = root().join(path);
        if fs::read_to_string(&file).is_ok_and(|current| current == text) {
            continue;
        }
        if check {
            stale.push(path);
        } else {
            fs::write(&file, text).map_err(|e| format!("{path}: {e}"))?;
            step(&format!("wrote {path}"));
        }
    }
    if stale.is_empty() {
        Ok(())
    } else {
        Err(format!("stale: {}\nhint: run `cargo xtask gen` and commit", stale.join(", ")))
    }
}

/// The Rust crates inside the binary with their licences.
fn notices() -> Result<String> {
    let tree = output(shell::cargo().args([
        "tree",
        "--locked",
        "--package",
        "devtools-mcp",
        "--edges",
        "normal",
        "--prefix",
        "none",
        "--format",
        "{p}|{l}",
        "--target",
        "x86_64-unknown-linux-gnu",
    ]))?;
    let mut rows: Vec<String> = Vec::new();
    let mut unknown = Vec::new();
    for line in tree.lines() {
        let (package, licence) = line.split_once('|').ok_or_else(|| format!("cargo tree printed {line}"))?;
        let licence = licence.trim_end_matches(" (*)").trim();
        let mut words = package.split(' ');
        let (name, version) =
            (words.next().unwrap_or_default(), words.next().unwrap_or_default().trim_start_matches('v'));
        if package.contains("(/") || package.contains("(path") || name.starts_with("devtools-") {
            continue;
        }
        let allowed = licence.replace('/', " OR ").split(" OR ").any(|choice| {
            choice
                .trim_matches(['(', ')'])
                .split(" AND ")
                .all(|part| ALLOWED.contains(&part.trim().trim_matches(['(', ')'])))
        });
        if !allowed {
            unknown.push(format!("{name} {version}: {licence}"));
        }
        rows.push(format!("| {name} | {version} | {licence} |"));
    }
    if !unknown.is_empty() {
        return Err(format!("licences that nobody has looked at:\n  {}", unknown.join("\n  ")));
    }
    rows.sort();
    rows.dedup();
    Ok(format!(
        "# Third-party notices\n\n\
         devtools-mcp is licensed under Apache-2.0. The binary contains V8 (BSD-3-Clause) with ICU (Unicode-3.0), files of\n\
         chrome-devtools-frontend (BSD-3-Clause) with third-party code of its own (`devtools-mcp notices` prints every\n\
         licence text), and these Rust crates, whose licence texts are in their packages. Written by `cargo xtask gen`.\n\n\
         | Crate | Version | Licence |\n|---|---|---|\n{}\n",
        rows.join("\n")
    ))
}
