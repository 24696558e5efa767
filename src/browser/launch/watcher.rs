//! The last net: a tiny shell that outlives us when we are killed, ends what is left of Chrome and removes its temporary
//! profile.
//!
//! It waits for the end of a pipe that only we hold, so it notices any kind of end. It has a session of its own: killing
//! our process group does not reach it.

use std::path::Path;

/// `$1` is Chrome's process group, `$2` a temporary profile or empty. A lasting profile gives Chrome a second to write
/// it; nobody reads a temporary one again. The pattern is a belt to the braces: nothing else is ever passed.
#[cfg(unix)]
const SCRIPT: &str = r#"
trap '' HUP INT QUIT TERM
read -r _
if [ -z "$2" ]; then
    n=0
    while [ $n -lt 20 ] && kill -0 "-$1"; do sleep 0.05; n=$((n + 1)); done
fi
kill -KILL "-$1"
case "$2" in
*/devtools-mcp-profile-*)
    n=0
    while [ $n -lt 40 ] && [ -e "$2" ]; do
        rm -rf "$2"
        [ -e "$2" ] && sleep 0.05
        n=$((n + 1))
    done
    ;;
esac
"#;

/// Runs until it is dropped, then does its work unless there is none left.
pub(super) struct Watcher {
    /// Its standard input is the pipe. Reaped by the runtime when it ends after us.
    #[cfg(unix)]
    _child: tokio::process::Child,
}

impl Watcher {
    /// Starts it. `None` where it cannot: then the other nets have to do.
    #[cfg(unix)]
    pub fn start(group: i32, temporary: Option<&Path>) -> Option<Self> {
        use std::process::Stdio;

        let mut command = tokio::process::Command::new("/bin/sh");
        command
            .args(["-c", SCRIPT, "devtools-mcp-watcher", &group.to_string()])
            .arg(temporary.unwrap_or(Path::new("")))
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // SAFETY: setsid is async-signal-safe and has no preconditions.
        unsafe {
            command.pre_exec(|| if libc::setsid() < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) });
        }
        match command.spawn() {
            Ok(child) => Some(Watcher { _child: child }),
            Err(error) => {
                tracing::warn!("no watcher for the browser: /bin/sh: {error}");
                None
            }
        }
    }

    #[cfg(not(unix))]
    pub fn start(_group: i32, _temporary: Option<&Path>) -> Option<Self> {
        None
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::CommandExt as _;
    use std::time::{Duration, Instant};

    use super::*;

    #[tokio::test]
    async fn it_ends_the_group_and_removes_the_profile_only_when_we_have_gone() {
        let temp = tempfile::tempdir().unwrap();
        let profile = temp.path().join("devtools-mcp-profile-x y");
        std::fs::create_dir_all(profile.join("Default")).unwrap();
        let mut group = std::process::Command::new("sleep").arg("60").process_group(0).spawn().unwrap();
        let watcher = Watcher::start(group.id() as i32, Some(&profile)).unwrap();
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert!(group.try_wait().unwrap().is_none() && profile.exists());
        drop(watcher);
        let until = Instant::now() + Duration::from_secs(10);
        while profile.exists() || group.try_wait().unwrap().is_none() {
            assert!(Instant::now() < until, "profile {}, process {:?}", profile.exists(), group.try_wait());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert!(temp.path().exists());
    }

    #[tokio::test]
    async fn other_folders_are_never_removed() {
        let temp = tempfile::tempdir().unwrap();
        let mut group = std::process::Command::new("sleep").arg("60").process_group(0).spawn().unwrap();
        let mut watcher = Watcher::start(group.id() as i32, Some(temp.path())).unwrap();
        drop(watcher._child.stdin.take());
        watcher._child.wait().await.unwrap();
        group.wait().unwrap();
        assert!(temp.path().exists());
    }
}
