//! `cargo xtask v8 --from-source`: builds V8's static library from the sources inside the v8 crate.
//!
//! For machines that reach neither rusty_v8's downloads nor want the committed archive. Takes about two hours on two
//! cores; not part of CI. The recipe, its tools and what it leaves out are described in vendor/v8/README.md.

use std::path::PathBuf;
use std::process::Command;

use crate::shell::{self, Result, exists, output, root, step};

pub fn run(arguments: &[String]) -> Result {
    if arguments.first().map(String::as_str) != Some("--from-source") {
        return Err("write `cargo xtask v8 --from-source`; it takes hours, see vendor/v8/README.md".into());
    }
    for tool in ["gn", "ninja", "python3"] {
        if !exists(tool) {
            return Err(format!(
                "{tool} is needed and was not found\nhint: vendor/v8/README.md lists the tools and where they come from"
            ));
        }
    }
    let crate_dir = v8_crate()?;
    let work = root().join("target/v8-from-source");
    let sources = work.join("v8");
    if !sources.is_dir() {
        step(&format!("copying {} (the build changes it)", crate_dir.display()));
        std::fs::create_dir_all(&work).map_err(|e| e.to_string())?;
        shell::run(Command::new("cp").arg("-r").arg(&crate_dir).arg(&sources))?;
    }
    step("building; this takes hours");
    shell::run(Command::new("bash").arg(root().join("vendor/v8/build-v8.sh")).arg(&sources).arg(work.join("out")))?;
    step(&format!("done: {}; build with RUSTY_V8_ARCHIVE set to it", work.join("out/librusty_v8.a.gz").display()));
    Ok(())
}

/// The unpacked v8 crate that Cargo.lock pins.
fn v8_crate() -> Result<PathBuf> {
    let metadata = output(shell::cargo().args(["metadata", "--format-version", "1", "--locked"]))?;
    let metadata: serde_json::Value = serde_json::from_str(&metadata).map_err(|e| e.to_string())?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata has no packages")?;
    let manifest = packages
        .iter()
        .find(|p| p["name"] == "v8")
        .and_then(|p| p["manifest_path"].as_str())
        .ok_or("the v8 crate is not in the dependency graph")?;
    Ok(PathBuf::from(manifest).parent().ok_or("the v8 crate has no folder")?.to_path_buf())
}
