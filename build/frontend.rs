//! The vendored front-end: where it is, whether it is the pinned one, and a staged copy of exactly the files we use.
//!
//! `vendor/frontend.sha256` names every file that enters a bundle with its SHA-256. Staging copies those and nothing
//! else, so an import outside the list fails the bundling, and a changed file fails here. `cargo xtask vendor`
//! rewrites the list when the pinned version changes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

use crate::Dirs;

const PACKAGE: &str = "chrome-devtools-frontend";

pub struct Frontend {
    /// The unpacked npm package.
    pub dir: PathBuf,
    /// Version from its package.json, equal to the pin.
    pub version: String,
}

impl Frontend {
    /// Finds the front-end: `DEVTOOLS_FRONTEND_DIR`, else `vendor/node_modules`, filled by `npm ci` when it is missing.
    pub fn locate(dirs: &Dirs) -> Result<Self, String> {
        let vendor = dirs.root.join("vendor");
        let dir = match std::env::var_os("DEVTOOLS_FRONTEND_DIR") {
            Some(dir) => PathBuf::from(dir),
            None => {
                let dir = vendor.join("node_modules").join(PACKAGE);
                if !dir.join("package.json").is_file() {
                    npm_ci(&vendor)?;
                }
                dir
            }
        };
        let pinned = pinned_version(&vendor)?;
        let version = json_field(&dir.join("package.json"), "version")?;
        if version != pinned {
            return Err(format!(
                "the front-end in {} is version {version}, but vendor/package.json pins {pinned}\n\
                 hint: run `npm ci --ignore-scripts` in vendor/, or point DEVTOOLS_FRONTEND_DIR at that version",
                dir.display()
            ));
        }
        Ok(Frontend { dir, version })
    }

    /// Copies the pinned files into `OUT_DIR/stage`, verified, with the overlays in place.
    pub fn stage(&self, dirs: &Dirs) -> Result<PathBuf, String> {
        let stage = dirs.out.join("stage");
        // A file that left the list must not linger.
        if stage.exists() {
            fs::remove_dir_all(&stage).map_err(|e| format!("{}: {e}", stage.display()))?;
        }
        let list = dirs.root.join("vendor/frontend.sha256");
        let text = fs::read_to_string(&list).map_err(|e| format!("{}: {e}", list.display()))?;
        for (number, line) in text.lines().enumerate().filter(|(_, l)| !l.starts_with('#') && !l.is_empty()) {
            let (hash, path) = line
                .split_once("  ")
                .ok_or_else(|| format!("vendor/frontend.sha256:{}: expected `<sha256>  <path>`", number + 1))?;
            let source = self.dir.join(path);
            let bytes = fs::read(&source).map_err(|e| format!("the front-end lacks {}: {e}", source.display()))?;
            let found = Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect::<String>();
            if found != hash {
                return Err(format!(
                    "{} differs from the pinned front-end {}\n  expected sha256 {hash}\n  found           {found}\n\
                     hint: run `npm ci --ignore-scripts` in vendor/",
                    source.display(),
                    self.version
                ));
            }
            write(&stage.join(path), &bytes)?;
        }
        for overlay in overlays(dirs)? {
            let source = dirs.root.join(&overlay.with);
            // Relative imports of an overlay must resolve from js/, so the staged file only forwards to it.
            let forward = format!("export * from {};\n", serde_json::Value::from(path_text(&source)));
            write(&stage.join(&overlay.path), forward.as_bytes())?;
        }
        Ok(stage)
    }
}

/// One replaced or added file of the front-end.
#[derive(serde::Deserialize)]
pub struct Overlay {
    /// Path inside the front-end.
    pub path: String,
    /// Our file, from the repository's root.
    pub with: String,
    #[expect(dead_code, reason = "for readers of the list; required there")]
    pub reason: String,
}

pub fn overlays(dirs: &Dirs) -> Result<Vec<Overlay>, String> {
    let path = dirs.root.join("vendor/overlays.json");
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
}

/// esbuild reads forward slashes everywhere.
pub fn path_text(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let parent = path.parent().expect("staged files have a folder");
    fs::create_dir_all(parent).map_err(|e| format!("{}: {e}", parent.display()))?;
    fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()))
}

fn json(path: &Path) -> Result<serde_json::Value, String> {
    let text = fs::read_to_string(path)
        .map_err(|e| format!("{}: {e}\nhint: run `npm ci --ignore-scripts` in vendor/", path.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
}

fn json_field(path: &Path, field: &str) -> Result<String, String> {
    json(path)?[field].as_str().map(str::to_owned).ok_or_else(|| format!("{} has no {field}", path.display()))
}

fn pinned_version(vendor: &Path) -> Result<String, String> {
    json(&vendor.join("package.json"))?["dependencies"][PACKAGE]
        .as_str()
        .map(str::to_owned)
        .ok_or_else(|| format!("vendor/package.json does not pin {PACKAGE}"))
}

fn npm_ci(vendor: &Path) -> Result<(), String> {
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let output = Command::new(npm)
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .current_dir(vendor)
        .output()
        .map_err(|e| format!("the front-end's sources come from npm, and npm could not be run: {e}\nhint: install Node.js, or set DEVTOOLS_FRONTEND_DIR and DEVTOOLS_MCP_ESBUILD"))?;
    if !output.status.success() {
        return Err(format!(
            "`npm ci --ignore-scripts` in vendor/ failed:\n{}",
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    Ok(())
}
