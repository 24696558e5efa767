//! The display that windows are opened on. Clients that are services or editors' helpers often start us without the
//! variables of the user's session; then they are taken from another process of the same user, as the original does.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::browser::find;

/// What names a display, and what is needed to use it.
const VARIABLES: [&str; 4] = ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR"];

/// More processes are not looked at.
const MAX_PROCESSES: usize = 4000;

/// Variables of a process, those of [`VARIABLES`] only.
type Environment = Vec<(&'static str, OsString)>;

/// The variables that Chrome needs in addition to ours to open windows; `None` if there is no display.
pub fn variables() -> Option<Environment> {
    if ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| find::environment(name).is_some()) {
        return Some(Vec::new());
    }
    // SAFETY: geteuid has no preconditions.
    let user = unsafe { libc::geteuid() };
    search(Path::new("/proc"), user, works)
}

/// The first process of the user that names a display that is there; the longest-running come first.
fn search(proc: &Path, user: u32, works: impl Fn(&Environment) -> bool) -> Option<Environment> {
    let entries = std::fs::read_dir(proc).ok()?.flatten();
    let mut processes: Vec<u32> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    processes.sort_unstable();
    processes.truncate(MAX_PROCESSES);
    processes.into_iter().find_map(|process| {
        let folder = proc.join(process.to_string());
        if std::fs::metadata(&folder).ok()?.uid() != user {
            return None;
        }
        let found = parse(&std::fs::read(folder.join("environ")).ok()?);
        works(&found).then_some(found)
    })
}

fn parse(environ: &[u8]) -> Environment {
    let entries = environ.split(|byte| *byte == 0);
    let pairs = entries.filter_map(|entry| {
        let at = memchr::memchr(b'=', entry)?;
        let name = VARIABLES.into_iter().find(|name| name.as_bytes() == &entry[..at])?;
        (at + 1 < entry.len()).then(|| (name, OsString::from_vec(entry[at + 1..].to_vec())))
    });
    pairs.collect()
}

/// Whether the socket of a display on this machine exists.
fn works(environment: &Environment) -> bool {
    let value = |name: &str| environment.iter().find(|(key, _)| *key == name).map(|(_, value)| value);
    let x11 = value("DISPLAY").and_then(|display| x11_socket(display.to_str()?));
    let wayland = value("WAYLAND_DISPLAY").map(|name| match value("XDG_RUNTIME_DIR") {
        Some(folder) => Path::new(folder).join(name),
        None => PathBuf::from(name),
    });
    x11.into_iter().chain(wayland).any(|socket| socket.exists())
}

/// Of `:1` or `:1.0`.
fn x11_socket(display: &str) -> Option<PathBuf> {
    let number = display.strip_prefix(':')?.split('.').next()?;
    Some(format!("/tmp/.X11-unix/X{}", number.parse::<u32>().ok()?).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_process_of_the_user_names_the_display() {
        let proc = tempfile::tempdir().unwrap();
        let process = |id: &str, environ: &str| {
            std::fs::create_dir(proc.path().join(id)).unwrap();
            std::fs::write(proc.path().join(id).join("environ"), environ).unwrap();
        };
        process("12", "HOME=/x\0DISPLAY=\0");
        process("30", "DISPLAY=:7\0");
        process("101", "DISPLAY=:1.0\0SECRET=a\0XAUTHORITY=/run/auth\0");
        process("self", "DISPLAY=:1\0");
        let user = std::fs::metadata(proc.path()).unwrap().uid();
        let works = |environment: &Environment| environment.iter().any(|(_, value)| value == ":1.0");
        let found = search(proc.path(), user, works).unwrap();
        assert_eq!(found, [("DISPLAY", ":1.0".into()), ("XAUTHORITY", "/run/auth".into())]);
        assert!(search(proc.path(), user + 1, works).is_none(), "of another user");
        assert_eq!(x11_socket(":12.0").unwrap(), Path::new("/tmp/.X11-unix/X12"));
        assert!(x11_socket("remote:1").is_none() && x11_socket(":x").is_none());
    }
}
