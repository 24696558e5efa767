//! `cargo xtask setup`: what building and testing need, each step skipped when it is done.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sha2::{Digest, Sha256};

use crate::shell::{self, Result, exists, npm, root, step};

/// The name that the v8 crate's build script looks for in its cache: the download URL of this very version and target
/// with every other character replaced by `_`.
const V8_CACHE_NAME: &str = "https___github_com_denoland_rusty_v8_releases_download_v150_4_0_librusty_v8_simdutf_release_x86_64_unknown_linux_gnu_a_gz";
const V8_ARCHIVE: &str = "vendor/v8/librusty_v8_simdutf_release_x86_64-unknown-linux-gnu.a.gz";

pub fn run() -> Result {
    v8_archive()?;
    npm_packages()?;
    test_packages()?;
    chromium().map(|path| step(&format!("Chrome for tests: {}", path.display())))
}

/// Puts the committed V8 library where the v8 crate's build script looks before it downloads.
pub fn v8_archive() -> Result {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu")) {
        step("V8: the v8 crate downloads its own library for this target");
        return Ok(());
    }
    let cargo_home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo")))
        .ok_or("neither CARGO_HOME nor HOME is set")?;
    let target = cargo_home.join(".rusty_v8").join(V8_CACHE_NAME);
    let expected =
        fs::read_to_string(root().join("vendor/v8/SHA256SUMS")).map_err(|e| format!("vendor/v8/SHA256SUMS: {e}"))?;
    let expected = expected.split_whitespace().next().unwrap_or_default().to_owned();
    if target.is_file() {
        // Another project may have put rusty_v8's own build of the same version there; both work.
        step("V8 library: present in cargo's cache");
        return Ok(());
    }
    let bytes = fs::read(root().join(V8_ARCHIVE)).map_err(|e| format!("{V8_ARCHIVE}: {e}"))?;
    let found: String = Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect();
    if found != expected {
        return Err(format!(
            "{V8_ARCHIVE} is damaged: its SHA-256 is {found}, SHA256SUMS says {expected}\nhint: check it out again"
        ));
    }
    fs::create_dir_all(target.parent().expect("has a parent")).map_err(|e| e.to_string())?;
    // Renamed into place, so that an interrupted copy is never taken for the library.
    let part = target.with_extension("part");
    fs::write(&part, &bytes)
        .and_then(|()| fs::rename(&part, &target))
        .map_err(|e| format!("{}: {e}", target.display()))?;
    step("V8 library: verified and placed in cargo's cache");
    Ok(())
}

/// The front-end's sources and esbuild.
pub fn npm_packages() -> Result {
    npm_ci("vendor", "front-end sources and esbuild")
}

/// The original server, a Node to run it on, and the TypeScript checker: only tests and benches use them.
pub fn test_packages() -> Result {
    npm_ci("tests/node", "test peers")
}

fn npm_ci(folder: &str, what: &str) -> Result {
    let dir = root().join(folder);
    let (lock, stamp) = (dir.join("package-lock.json"), dir.join("node_modules/.package-lock.json"));
    if newer(&stamp, &lock) {
        step(&format!("{what}: installed"));
        return Ok(());
    }
    if !exists("npm") && !cfg!(windows) {
        return Err(
            "npm is needed and was not found\nhint: install Node.js (Debian, Ubuntu: apt-get install nodejs npm)"
                .into(),
        );
    }
    step(&format!("{what}: npm ci in {folder}/"));
    shell::run(
        npm()
            .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
            .current_dir(dir)
            .stdout(Stdio::null()),
    )
}

fn newer(stamp: &Path, than: &Path) -> bool {
    let time = |path: &Path| fs::metadata(path).and_then(|m| m.modified()).ok();
    matches!((time(stamp), time(than)), (Some(a), Some(b)) if a >= b)
}

/// Finds Chrome or Chromium; on Debian and Ubuntu as root it is installed when missing.
pub fn chromium() -> Result<PathBuf> {
    if let Some(path) = find_chromium() {
        return Ok(path);
    }
    if is_root() && exists("apt-get") {
        step("Chromium: apt-get install chromium");
        shell::run(Command::new("apt-get").arg("update").stdout(Stdio::null()))?;
        shell::run(
            Command::new("apt-get")
                .args(["install", "-y", "--no-install-recommends", "chromium"])
                .env("DEBIAN_FRONTEND", "noninteractive")
                .stdout(Stdio::null()),
        )?;
    }
    find_chromium().ok_or_else(|| {
        "no Chrome or Chromium was found\n\
         hint: install it (Debian: sudo apt-get install chromium; others: Google Chrome), or set DEVTOOLS_MCP_CHROME to its path"
            .into()
    })
}

/// Whether this process is root (Unix).
pub fn is_root() -> bool {
    cfg!(unix) && Command::new("id").arg("-u").output().is_ok_and(|o| o.stdout.trim_ascii() == b"0")
}

fn find_chromium() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("DEVTOOLS_MCP_CHROME").map(PathBuf::from).filter(|p| p.is_file()) {
        return Some(path);
    }
    let fixed = [
        "/opt/google/chrome/chrome",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
    ];
    let names = ["google-chrome-stable", "google-chrome", "chromium", "chromium-browser"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let in_path = std::env::split_paths(&path).flat_map(|dir| names.map(|name| dir.join(name)));
    fixed.into_iter().map(PathBuf::from).chain(in_path).find(|p| p.is_file())
}
