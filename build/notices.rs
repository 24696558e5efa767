//! The licences of the front-end and of the third-party code inside it, which must travel with the binary.
//!
//! `cargo xtask vendor` puts one licence file for every third-party folder into the list of staged files, and fails for a
//! folder without.

use std::fs;
use std::path::Path;

use crate::Dirs;
use crate::frontend::Frontend;

/// Writes `licences.txt` into `OUT_DIR`.
pub fn write(dirs: &Dirs, frontend: &Frontend, stage: &Path) -> Result<(), String> {
    let mut text = format!("# chrome-devtools-frontend {}\n\n", frontend.version);
    text.push_str(&read(&stage.join("LICENSE"))?);
    let third_party = stage.join("front_end/third_party");
    let mut folders: Vec<_> = fs::read_dir(&third_party)
        .map_err(|e| format!("{}: {e}", third_party.display()))?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    folders.sort();
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let licence = find(&folder)
            .ok_or_else(|| format!("{name} of the front-end has no staged licence; run `cargo xtask vendor`"))?;
        text.push_str(&format!("\n\n# {name} (in chrome-devtools-frontend)\n\n{}", read(&licence)?));
    }
    let path = dirs.out.join("licences.txt");
    fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
}

/// The licence file of a folder, or of its `package` folder.
fn find(folder: &Path) -> Option<std::path::PathBuf> {
    [folder.to_path_buf(), folder.join("package")].iter().find_map(|dir| {
        fs::read_dir(dir).ok()?.flatten().map(|e| e.path()).find(|path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().to_ascii_lowercase().starts_with("license"))
        })
    })
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}
