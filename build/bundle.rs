//! esbuild: one ASCII module, with a source map for our own stacks.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Dirs;
use crate::frontend::{Frontend, path_text};

/// Scheme of source names in our stacks; `crates/engine/src/loader.rs` looks for it.
const SOURCE_SCHEME: &str = "devtools-mcp:///";

/// The bundled module.
pub struct Bundle {
    /// Its source, ASCII.
    pub code: String,
    /// Source map v3 without sources' contents.
    pub source_map: Vec<u8>,
}

/// Bundles `js/main.ts` with everything it imports.
pub fn run(dirs: &Dirs, frontend: &Frontend, stage: &Path) -> Result<Bundle, String> {
    let esbuild = esbuild(dirs)?;
    let output = dirs.out.join("main.js");
    let result = Command::new(&esbuild)
        .arg(dirs.root.join("js/main.ts"))
        .args(["--bundle", "--format=esm", "--platform=neutral", "--target=esnext", "--charset=ascii"])
        .args(["--sourcemap=external", "--sources-content=false", "--log-level=warning"])
        // Without comments, since some carry bytes above 0x7F; licences travel in the third-party notices.
        .args(["--minify-whitespace", "--legal-comments=none"])
        .args(["--external:ext:*", "--tsconfig-raw={}"])
        // Modules build URLs from it at top level; file names in it identify workers and issue descriptions.
        .arg(format!("--define:import.meta.url=\"{SOURCE_SCHEME}front_end/\""))
        .arg(format!("--alias:frontend={}", path_text(stage)))
        .arg(format!("--outfile={}", output.display()))
        .current_dir(&dirs.root)
        .output()
        .map_err(|e| format!("esbuild ({}) could not be run: {e}", esbuild.display()))?;
    if !result.status.success() {
        return Err(format!(
            "esbuild could not bundle js/main.ts with front-end {}:\n{}\n\
             hint: if the front-end's version changed, run `cargo xtask vendor`",
            frontend.version,
            String::from_utf8_lossy(&result.stderr)
        ));
    }
    let code = fs::read(&output).map_err(|e| format!("{}: {e}", output.display()))?;
    check_ascii(&code)?;
    check_top_level_await(dirs, stage, &esbuild)?;
    let code = String::from_utf8(code).map_err(|e| e.to_string())?;
    let map_path = dirs.out.join("main.js.map");
    let source_map = rename_sources(&map_path, dirs, stage)?;
    Ok(Bundle { code, source_map })
}

/// V8 reads extension sources as Latin-1 in release builds: a byte above 0x7F would corrupt a text silently.
fn check_ascii(code: &[u8]) -> Result<(), String> {
    let Some(at) = code.iter().position(|&b| b > 0x7f) else { return Ok(()) };
    let start = code[..at].iter().rposition(|&b| b == b'\n').map_or(0, |p| p + 1);
    let line = String::from_utf8_lossy(&code[start..(at + 40).min(code.len())]).into_owned();
    Err(format!("the bundle has a byte above 0x7F although esbuild was asked for ASCII, near: {line}"))
}

/// A module graph with a top-level `await` cannot be an extension's entry point. esbuild knows best: it refuses such a
/// graph in any format but ESM.
fn check_top_level_await(dirs: &Dirs, stage: &Path, esbuild: &Path) -> Result<(), String> {
    let result = Command::new(esbuild)
        .arg(dirs.root.join("js/main.ts"))
        .args(["--bundle", "--format=iife", "--platform=neutral", "--target=esnext", "--log-level=error"])
        .args(["--external:ext:*", "--tsconfig-raw={}"])
        .arg(format!("--alias:frontend={}", path_text(stage)))
        .arg(format!("--outfile={}", dirs.out.join("check.js").display()))
        .current_dir(&dirs.root)
        .output()
        .map_err(|e| format!("esbuild ({}) could not be run: {e}", esbuild.display()))?;
    if result.status.success() {
        return Ok(());
    }
    Err(format!(
        "the bundle awaits at top level, which a snapshot cannot hold:\n{}\n\
         hint: give that module an overlay in vendor/overlays.json",
        String::from_utf8_lossy(&result.stderr)
    ))
}

/// Names sources by where they are in the repository or the front-end, never by a path of the build machine.
fn rename_sources(map_path: &Path, dirs: &Dirs, stage: &Path) -> Result<Vec<u8>, String> {
    let text = fs::read_to_string(map_path).map_err(|e| format!("{}: {e}", map_path.display()))?;
    let mut map: serde_json::Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    let sources = map["sources"].as_array_mut().ok_or("esbuild's source map has no sources")?;
    for source in sources {
        let Some(relative) = source.as_str() else { continue };
        let absolute = normalise(&dirs.out.join(relative));
        let name = absolute
            .strip_prefix(stage)
            .or_else(|_| absolute.strip_prefix(&dirs.root))
            .map_err(|_| format!("{} is neither in the front-end nor in js/", absolute.display()))?;
        *source = format!("{SOURCE_SCHEME}{}", path_text(name)).into();
    }
    serde_json::to_vec(&map).map_err(|e| e.to_string())
}

/// Resolves `..` by text: the file need not exist.
fn normalise(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                result.pop();
            }
            other => result.push(other),
        }
    }
    result
}

/// The native binary out of esbuild's platform package; no Node is needed to run it.
fn esbuild(dirs: &Dirs) -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os("DEVTOOLS_MCP_ESBUILD") {
        return Ok(PathBuf::from(path));
    }
    let (os, file) = match std::env::consts::OS {
        "macos" => ("darwin", "bin/esbuild"),
        "windows" => ("win32", "esbuild.exe"),
        other => (other, "bin/esbuild"),
    };
    let arch = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    let path = dirs.root.join(format!("vendor/node_modules/@esbuild/{os}-{arch}/{file}"));
    if !path.is_file() {
        return Err(format!(
            "esbuild is missing at {}\nhint: run `npm ci --ignore-scripts` in vendor/, or set DEVTOOLS_MCP_ESBUILD",
            path.display()
        ));
    }
    Ok(path)
}
