//! Profile folders: given ones, temporary ones with an owner, and what is left of owners that were killed.
//!
//! A temporary profile holds a file that its owner keeps locked. The lock ends with the owner, however it ends, so a
//! folder whose file can be locked belongs to nobody. Process ids would not do: they are used again, and mean nothing in
//! another container that shares the folder.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::browser::BrowserError;

/// Beginning of a temporary profile's name.
pub const PREFIX: &str = "devtools-mcp-profile-";

/// The locked file; it holds the owner's process id for people who look.
const OWNER: &str = "devtools-mcp-owner";

/// Folders that one sweep removes at most: a start must not turn into a clean-up.
const SWEEP: usize = 50;

/// Age at which a folder without an owner's file is nobody's.
const UNFINISHED: Duration = Duration::from_secs(24 * 60 * 60);

/// A profile folder; a temporary one is removed when this is dropped.
pub(super) struct Profile {
    pub folder: PathBuf,
    /// Kept open for its lock.
    owner: Option<File>,
}

impl Profile {
    /// The given folder, made if it is missing, or a temporary one.
    pub fn open(given: Option<&Path>) -> Result<Self, BrowserError> {
        let failed = |error: std::io::Error| BrowserError::Io {
            what: "cannot make a profile folder".into(),
            why: error.to_string(),
        };
        match given {
            Some(folder) => {
                std::fs::create_dir_all(folder).map_err(failed)?;
                Ok(Profile { folder: folder.to_path_buf(), owner: None })
            }
            None => {
                let folder = tempfile::Builder::new().prefix(PREFIX).tempdir().map_err(failed)?;
                let owner = own(folder.path()).map_err(failed)?;
                Ok(Profile { folder: folder.keep(), owner: Some(owner) })
            }
        }
    }

    pub fn is_temporary(&self) -> bool {
        self.owner.is_some()
    }
}

impl Drop for Profile {
    fn drop(&mut self) {
        // Closed first: some systems do not remove what is open.
        if self.owner.take().is_some() {
            remove(&self.folder);
        }
    }
}

/// Makes and locks the owner's file. It gets its name when it is locked, so that no sweep can come in between.
fn own(folder: &Path) -> std::io::Result<File> {
    let draft = folder.join(format!("{OWNER}.new"));
    let mut file = File::create_new(&draft)?;
    write!(file, "{}", std::process::id())?;
    file.lock()?;
    std::fs::rename(draft, folder.join(OWNER))?;
    Ok(file)
}

/// Removes a folder that a process which is just ending may still write to.
fn remove(folder: &Path) {
    for _ in 0..20 {
        match std::fs::remove_dir_all(folder) {
            Ok(()) => return,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
            Err(_) => std::thread::sleep(Duration::from_millis(25)),
        }
    }
    tracing::warn!("the temporary profile {} could not be removed", folder.display());
}

/// Removes temporary profiles in this folder whose owner has gone; how many.
pub(super) fn sweep(within: &Path) -> usize {
    let Ok(entries) = std::fs::read_dir(within) else { return 0 };
    let stale = entries
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX))
        // Not through links: the temporary folder is open to everybody.
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()) && is_ours(entry))
        .map(|entry| entry.path())
        .filter(|folder| is_abandoned(folder))
        .take(SWEEP);
    stale.map(|folder| remove(&folder)).count()
}

#[cfg(unix)]
fn is_ours(entry: &std::fs::DirEntry) -> bool {
    use std::os::unix::fs::MetadataExt;
    // SAFETY: geteuid has no preconditions.
    let us = unsafe { libc::geteuid() };
    entry.metadata().is_ok_and(|metadata| metadata.uid() == us)
}

#[cfg(not(unix))]
fn is_ours(_entry: &std::fs::DirEntry) -> bool {
    true
}

fn is_abandoned(folder: &Path) -> bool {
    let owned = match File::open(folder.join(OWNER)) {
        Ok(owner) => owner.try_lock().is_err(),
        // Without the file it is being made right now, unless it has been lying there for long.
        Err(_) => {
            let age = folder.metadata().and_then(|m| m.modified()).ok().and_then(|at| at.elapsed().ok());
            age.is_none_or(|age| age < UNFINISHED)
        }
    };
    !owned && holder(folder).is_none()
}

/// Who uses a profile, as far as can be told.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Holder {
    /// A process of this machine.
    Process,
    /// Another machine or container, or what it left behind.
    #[cfg_attr(not(unix), expect(dead_code, reason = "a locked file does not tell by whom"))]
    Elsewhere(String),
}

/// Chrome leaves a link `SingletonLock` to `<host>-<pid>` in a profile that it uses; on Windows a locked file.
pub(super) fn holder(profile: &Path) -> Option<Holder> {
    #[cfg(unix)]
    {
        let target = std::fs::read_link(profile.join("SingletonLock")).ok()?;
        let target = target.to_string_lossy().into_owned();
        let (host, pid) = target.rsplit_once('-')?;
        if hostname().is_some_and(|ours| ours != host) {
            return Some(Holder::Elsewhere(host.to_owned()));
        }
        let pid: i32 = pid.parse().ok()?;
        // SAFETY: signal 0 only asks.
        let lives =
            unsafe { libc::kill(pid, 0) } == 0 || std::io::Error::last_os_error().raw_os_error() == Some(libc::EPERM);
        lives.then_some(Holder::Process)
    }
    #[cfg(not(unix))]
    {
        let lock = profile.join("lockfile");
        let locked = lock.exists() && std::fs::OpenOptions::new().write(true).open(lock).is_err();
        locked.then_some(Holder::Process)
    }
}

#[cfg(unix)]
fn hostname() -> Option<String> {
    let mut buffer = [0_u8; 256];
    // SAFETY: the buffer is ours and as long as we say.
    let failed = unsafe { libc::gethostname(buffer.as_mut_ptr().cast(), buffer.len()) } != 0;
    let end = buffer.iter().position(|byte| *byte == 0)?;
    (!failed).then(|| String::from_utf8_lossy(&buffer[..end]).into_owned())
}

/// Whether files can be made in this folder; the reason if not.
pub(super) fn check_writable(folder: &Path) -> Result<(), std::io::Error> {
    tempfile::Builder::new().prefix("devtools-mcp-").tempfile_in(folder).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_without_an_owner_are_swept() {
        let temp = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            let folder = temp.path().join(name);
            std::fs::create_dir(&folder).unwrap();
            folder
        };
        let owned = make("devtools-mcp-profile-owned");
        let owner = own(&owned).unwrap();
        let unfinished = make("devtools-mcp-profile-unfinished");
        let foreign = make("other-profile-x");
        drop(own(&foreign).unwrap());
        let stale = make("devtools-mcp-profile-stale");
        std::fs::create_dir(stale.join("Default")).unwrap();
        std::fs::write(stale.join("Default/Cookies"), "x").unwrap();
        drop(own(&stale).unwrap());
        #[cfg(unix)]
        let link = {
            let link = temp.path().join("devtools-mcp-profile-link");
            std::os::unix::fs::symlink(&foreign, &link).unwrap();
            link
        };
        assert_eq!(sweep(temp.path()), 1);
        assert!(!stale.exists() && owned.exists() && unfinished.exists() && foreign.join(OWNER).exists());
        #[cfg(unix)]
        assert!(link.exists());
        assert_eq!(std::fs::read_to_string(owned.join(OWNER)).unwrap(), std::process::id().to_string());
        drop(owner);
        let long_ago = std::time::SystemTime::now() - 2 * UNFINISHED;
        File::open(&unfinished).unwrap().set_modified(long_ago).unwrap();
        assert_eq!(sweep(temp.path()), 2);
        assert!(!owned.exists() && !unfinished.exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_tells_who_holds_it() {
        let temp = tempfile::tempdir().unwrap();
        let lock = temp.path().join("SingletonLock");
        let hold = |target: String| {
            let _ = std::fs::remove_file(&lock);
            std::os::unix::fs::symlink(target, &lock).unwrap();
            holder(temp.path())
        };
        assert_eq!(holder(temp.path()), None);
        let host = hostname().unwrap();
        assert_eq!(hold(format!("{host}-{}", std::process::id())), Some(Holder::Process));
        assert_eq!(hold(format!("{host}-{}", i32::MAX)), None, "its process has gone");
        assert_eq!(hold("other-host-1".into()), Some(Holder::Elsewhere("other-host".into())));
    }

    #[test]
    fn a_temporary_profile_goes_with_its_guard() {
        let profile = Profile::open(None).unwrap();
        let folder = profile.folder.clone();
        assert!(profile.is_temporary() && folder.join(OWNER).is_file());
        drop(profile);
        assert!(!folder.exists());
        let given = tempfile::tempdir().unwrap();
        let profile = Profile::open(Some(&given.path().join("a/b"))).unwrap();
        drop(profile);
        assert!(given.path().join("a/b").is_dir(), "a given profile stays");
    }
}
