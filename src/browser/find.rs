//! Where Chrome is.

use std::path::PathBuf;

use super::BrowserError;

/// Installed places of stable Chrome, then of Chromium, as the systems' packages put them.
const PLACES: &[&str] = if cfg!(target_os = "macos") {
    &[
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
    ]
} else {
    &["/opt/google/chrome/chrome", "/usr/bin/chromium", "/usr/bin/chromium-browser", "/snap/bin/chromium"]
};

/// Names that are looked up on `PATH` after [`PLACES`].
const NAMES: &[&str] = &["google-chrome-stable", "google-chrome", "chromium", "chromium-browser"];

/// The given browser if it exists, else an installed one.
pub fn executable(given: Option<&str>) -> Result<PathBuf, BrowserError> {
    if let Some(path) = given {
        let path_buf = PathBuf::from(path);
        return if path_buf.is_file() { Ok(path_buf) } else { Err(BrowserError::NoSuchBrowser { path: path.into() }) };
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).flat_map(|dir| NAMES.iter().map(move |name| dir.join(name)));
    let candidates: Vec<PathBuf> = PLACES.iter().map(PathBuf::from).chain(on_path).collect();
    if let Some(found) = candidates.iter().find(|p| p.is_file()) {
        return Ok(found.clone());
    }
    let mut tried: Vec<String> = PLACES.iter().map(ToString::to_string).collect();
    tried.push(format!("{} on PATH", NAMES.join(", ")));
    Err(BrowserError::NotInstalled { tried })
}
