//! `cargo xtask vendor`: rewrites `vendor/frontend.sha256`, the list of front-end files that enter the bundles.
//!
//! Bundles once against the whole unpacked package (plus our overlays) and records esbuild's inputs, then adds the
//! texts that are embedded as data and the licences that must travel with the code.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::shell::{self, Result, root, step};

fn esbuild() -> Result<PathBuf> {
    let dir = root().join("vendor/node_modules/@esbuild");
    let package = fs::read_dir(&dir)
        .map_err(|e| format!("{}: {e}; run `cargo xtask setup`", dir.display()))?
        .flatten()
        .next()
        .ok_or("no esbuild package is installed; run `cargo xtask setup`")?;
    Ok(package.path().join("bin/esbuild"))
}

pub fn run() -> Result {
    crate::setup::npm_packages()?;
    let frontend = root().join("vendor/node_modules/chrome-devtools-frontend");
    let temp = std::env::temp_dir().join(format!("devtools-mcp-vendor-{}", std::process::id()));
    let stage = temp.join("stage");
    step("staging the whole front-end");
    copy_sources(&frontend.join("front_end"), &stage.join("front_end"))?;
    let overlays: Value =
        serde_json::from_str(&read(&root().join("vendor/overlays.json"))?).map_err(|e| e.to_string())?;
    let mut replaced = BTreeSet::new();
    for overlay in overlays.as_array().ok_or("vendor/overlays.json is not an array")? {
        let (path, with) = (overlay["path"].as_str().unwrap_or(""), overlay["with"].as_str().unwrap_or(""));
        let target = stage.join(path);
        write(&target, &format!("export * from {};\n", Value::from(root().join(with).to_string_lossy().as_ref())))?;
        replaced.insert(path.to_owned());
    }
    let mut files = BTreeSet::new();
    step("bundling js/main.ts to see what it imports");
    let metafile = temp.join("meta.json");
    run_bundle(&stage, &temp, &metafile)?;
    let meta: Value = serde_json::from_str(&read(&metafile)?).map_err(|e| e.to_string())?;
    for input in meta["inputs"].as_object().ok_or("esbuild's metafile has no inputs")?.keys() {
        if let Some((_, path)) = input.split_once("/stage/") {
            files.insert(path.to_owned());
        }
    }
    files.retain(|file| !replaced.contains(file));
    add_data(&frontend, &mut files)?;
    let version: Value = serde_json::from_str(&read(&frontend.join("package.json"))?).map_err(|e| e.to_string())?;
    let mut list = format!(
        "# Files of chrome-devtools-frontend {} that are built into devtools-mcp. Written by `cargo xtask vendor`.\n",
        version["version"].as_str().unwrap_or("?")
    );
    for file in &files {
        let bytes = fs::read(frontend.join(file)).map_err(|e| format!("{file}: {e}"))?;
        let hash: String = Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect();
        list.push_str(&format!("{hash}  {file}\n"));
    }
    write(&root().join("vendor/frontend.sha256"), &list)?;
    step(&format!("vendor/frontend.sha256 lists {} files", files.len()));
    fs::remove_dir_all(&temp).map_err(|e| format!("{}: {e}", temp.display()))
}

fn run_bundle(stage: &Path, temp: &Path, metafile: &Path) -> Result {
    shell::run(
        Command::new(esbuild()?)
            .arg(root().join("js/main.ts"))
            .args(["--bundle", "--format=esm", "--platform=neutral", "--target=esnext", "--log-level=error"])
            .args(["--external:ext:*", "--tsconfig-raw={}"])
            .arg(format!("--alias:frontend={}", stage.display()))
            .arg(format!("--outfile={}", temp.join("out.js").display()))
            .arg(format!("--metafile={}", metafile.display()))
            .current_dir(root()),
    )
}

/// Texts that are read at run time, and the licence of every third-party folder that contributes code.
fn add_data(frontend: &Path, files: &mut BTreeSet<String>) -> Result {
    let descriptions = "front_end/models/issues_manager/descriptions";
    for entry in fs::read_dir(frontend.join(descriptions)).map_err(|e| e.to_string())?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") {
            files.insert(format!("{descriptions}/{name}"));
        }
    }
    let folders: BTreeSet<String> = files
        .iter()
        .filter_map(|f| f.strip_prefix("front_end/third_party/"))
        .filter_map(|f| f.split('/').next())
        .map(str::to_owned)
        .collect();
    for folder in folders {
        let base = format!("front_end/third_party/{folder}");
        let licence = ["LICENSE", "package/LICENSE", "package/LICENSE.md", "LICENSE.md", "package/license"]
            .iter()
            .map(|name| format!("{base}/{name}"))
            .find(|path| frontend.join(path).is_file())
            .ok_or_else(|| {
                format!("{base} has no licence file that this program knows; look, then extend xtask/src/vendor.rs")
            })?;
        files.insert(licence);
        if frontend.join(&base).join("README.chromium").is_file() {
            files.insert(format!("{base}/README.chromium"));
        }
    }
    files.insert("LICENSE".into());
    Ok(())
}

fn copy_sources(from: &Path, to: &Path) -> Result {
    fs::create_dir_all(to).map_err(|e| format!("{}: {e}", to.display()))?;
    for entry in fs::read_dir(from).map_err(|e| format!("{}: {e}", from.display()))?.flatten() {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            copy_sources(&source, &target)?;
        } else if matches!(source.extension().and_then(|e| e.to_str()), Some("ts" | "js" | "mjs" | "json")) {
            fs::copy(&source, &target).map_err(|e| format!("{}: {e}", source.display()))?;
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn write(path: &Path, text: &str) -> Result {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|e| format!("{}: {e}", parent.display()))?;
    }
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
