//! Where Chrome is installed, and where it keeps its default profile.
//!
//! Pure functions of the system's kind, its environment and the channel; only [`executable`] looks at the disk.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::BrowserError;
use crate::config::Channel;

/// The kinds of system that differ here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// Linux and other unixes.
    Linux,
    /// Linux under Windows.
    Wsl,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl System {
    /// The one we run on.
    pub fn current() -> Self {
        if cfg!(windows) {
            System::Windows
        } else if cfg!(target_os = "macos") {
            System::MacOs
        } else if is_wsl() {
            System::Wsl
        } else {
            System::Linux
        }
    }
}

/// Microsoft's kernels say so in their release.
fn is_wsl() -> bool {
    cfg!(target_os = "linux")
        && std::fs::read_to_string("/proc/sys/kernel/osrelease")
            .is_ok_and(|release| release.to_ascii_lowercase().contains("microsoft"))
}

/// Reads an environment variable; empty ones count as missing.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The process's own environment.
pub fn environment(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Chromium, as the systems' packages put it.
const CHROMIUM_LINUX: [&str; 3] = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/snap/bin/chromium"];
const CHROMIUM_MAC: &str = "/Applications/Chromium.app/Contents/MacOS/Chromium";

/// Programs that are looked up on `PATH`, after the fixed places.
fn names(channel: Option<Channel>) -> &'static [&'static str] {
    match channel {
        None => &["google-chrome-stable", "google-chrome", "chromium", "chromium-browser"],
        Some(Channel::Stable) => &["google-chrome-stable", "google-chrome"],
        Some(Channel::Beta) => &["google-chrome-beta"],
        Some(Channel::Dev) => &["google-chrome-unstable"],
        Some(Channel::Canary) => &["google-chrome-canary"],
    }
}

/// Fixed places of a channel's Chrome; without a channel those of stable Chrome, then Chromium.
pub fn places(system: System, env: Environment, channel: Option<Channel>) -> Vec<String> {
    let wanted = channel.unwrap_or_default();
    let mut places = Vec::new();
    match system {
        System::Linux | System::Wsl => {
            let suffix = match wanted {
                Channel::Stable => "",
                Channel::Beta => "-beta",
                Channel::Dev => "-unstable",
                Channel::Canary => "-canary",
            };
            places.push(format!("/opt/google/chrome{suffix}/chrome"));
        }
        System::MacOs => {
            let name = format!("Google Chrome{}", long_suffix(wanted));
            places.push(format!("/Applications/{name}.app/Contents/MacOS/{name}"));
        }
        System::Windows => {}
    }
    if channel.is_none() {
        match system {
            System::Linux | System::Wsl => places.extend(CHROMIUM_LINUX.map(String::from)),
            System::MacOs => places.push(CHROMIUM_MAC.into()),
            System::Windows => {}
        }
    }
    if matches!(system, System::Windows | System::Wsl) {
        places.extend(windows_places(system, env, &windows_folder(wanted), "chrome.exe"));
    }
    if system == System::Windows && channel.is_none() {
        places.extend(windows_places(system, env, "Chromium", "chrome.exe"));
    }
    places
}

/// ` Beta`, ` Dev`, ` Canary`; nothing for the stable channel.
fn long_suffix(channel: Channel) -> &'static str {
    match channel {
        Channel::Stable => "",
        Channel::Beta => " Beta",
        Channel::Dev => " Dev",
        Channel::Canary => " Canary",
    }
}

/// A channel's folder below Windows' program folders and `LOCALAPPDATA`.
fn windows_folder(channel: Channel) -> String {
    let suffix = if channel == Channel::Canary { " SxS" } else { long_suffix(channel) };
    format!(r"Google\Chrome{suffix}")
}

fn windows_places(system: System, env: Environment, folder: &str, program: &str) -> Vec<String> {
    let variables = ["PROGRAMFILES", "ProgramW6432", "ProgramFiles(x86)", "LOCALAPPDATA"];
    let mut roots: Vec<String> =
        variables.iter().filter_map(|name| env(name)).map(|root| root.to_string_lossy().into_owned()).collect();
    for drive in ["C:", "D:"] {
        roots.extend([r"\Program Files", r"\Program Files (x86)"].map(|folder| format!("{drive}{folder}")));
    }
    let mut places: Vec<String> = Vec::new();
    for root in roots {
        let place = format!(r"{}\{folder}\Application\{program}", root.trim_end_matches('\\'));
        let place = if system == System::Wsl { mounted(&place) } else { Some(place) };
        if let Some(place) = place.filter(|p| !places.contains(p)) {
            places.push(place);
        }
    }
    places
}

/// A Windows path as WSL mounts it.
fn mounted(path: &str) -> Option<String> {
    let (drive, rest) = path.split_once(":\\")?;
    Some(format!("/mnt/{}/{}", drive.to_ascii_lowercase(), rest.replace('\\', "/")))
}

/// The given browser if it exists, else an installed one: of the channel if one was asked for, else Chrome, else
/// Chromium.
pub fn executable(given: Option<&str>, channel: Option<Channel>) -> Result<PathBuf, BrowserError> {
    if let Some(path) = given {
        let path_buf = PathBuf::from(path);
        return if path_buf.is_file() { Ok(path_buf) } else { Err(BrowserError::NoSuchBrowser { path: path.into() }) };
    }
    let mut tried = places(System::current(), &environment, channel);
    if let Some(found) = tried.iter().map(Path::new).find(|place| place.is_file()) {
        return Ok(found.to_path_buf());
    }
    if cfg!(unix) {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut on_path = std::env::split_paths(&path).flat_map(|dir| names(channel).iter().map(move |n| dir.join(n)));
        if let Some(found) = on_path.find(|place| place.is_file()) {
            return Ok(found);
        }
        tried.push(format!("{} on PATH", names(channel).join(", ")));
    }
    Err(BrowserError::NotInstalled { channel, tried })
}

/// Default data folders of a channel's Chrome, the first that exists counts. Debian's and others' Chromium keeps its own
/// beside; it stands in for the stable channel.
pub fn data_folders(system: System, env: Environment, channel: Channel) -> Vec<PathBuf> {
    let home = env("HOME").map(PathBuf::from);
    match system {
        System::Linux | System::Wsl => {
            let config = env("CHROME_CONFIG_HOME").or_else(|| env("XDG_CONFIG_HOME")).map(PathBuf::from);
            let Some(config) = config.or_else(|| home.clone().map(|home| home.join(".config"))) else {
                return Vec::new();
            };
            let name = match channel {
                Channel::Stable => "google-chrome",
                Channel::Beta => "google-chrome-beta",
                Channel::Dev => "google-chrome-unstable",
                Channel::Canary => "google-chrome-canary",
            };
            let mut folders = vec![config.join(name)];
            if channel == Channel::Stable {
                folders.push(config.join("chromium"));
                // A snap has a home of its own.
                folders.extend(home.map(|home| home.join("snap/chromium/common/chromium")));
            }
            folders
        }
        System::MacOs => {
            let Some(support) = home.map(|home| home.join("Library/Application Support")) else { return Vec::new() };
            let mut folders = vec![support.join(format!("Google/Chrome{}", long_suffix(channel)))];
            folders.extend((channel == Channel::Stable).then(|| support.join("Chromium")));
            folders
        }
        System::Windows => {
            let local = env("LOCALAPPDATA").map(|local| local.to_string_lossy().into_owned());
            let Some(local) = local else { return Vec::new() };
            let local = local.trim_end_matches('\\').to_owned();
            let mut folders = vec![PathBuf::from(format!(r"{local}\{}\User Data", windows_folder(channel)))];
            folders.extend((channel == Channel::Stable).then(|| PathBuf::from(format!(r"{local}\Chromium\User Data"))));
            folders
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env<'a>(pairs: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<OsString> + 'a {
        |name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
    }

    const CHANNELS: [Channel; 4] = [Channel::Stable, Channel::Beta, Channel::Dev, Channel::Canary];

    #[test]
    fn each_channel_has_its_place_on_each_system() {
        let first = |system| CHANNELS.map(|c| places(system, &env(&[]), Some(c)).remove(0));
        assert_eq!(
            first(System::Linux),
            ["", "-beta", "-unstable", "-canary"].map(|s| format!("/opt/google/chrome{s}/chrome"))
        );
        assert_eq!(
            first(System::MacOs),
            ["", " Beta", " Dev", " Canary"]
                .map(|s| format!("/Applications/Google Chrome{s}.app/Contents/MacOS/Google Chrome{s}"))
        );
        assert_eq!(
            first(System::Windows),
            ["", " Beta", " Dev", " SxS"].map(|s| format!(r"C:\Program Files\Google\Chrome{s}\Application\chrome.exe"))
        );
    }

    #[test]
    fn windows_program_folders_come_from_the_environment_first() {
        let pairs = [("LOCALAPPDATA", r"E:\me\Local\"), ("PROGRAMFILES", r"C:\Program Files")];
        let found = places(System::Windows, &env(&pairs), Some(Channel::Canary));
        let places = [
            r"C:\Program Files",
            r"E:\me\Local",
            r"C:\Program Files (x86)",
            r"D:\Program Files",
            r"D:\Program Files (x86)",
        ];
        assert_eq!(found, places.map(|root| format!(r"{root}\Google\Chrome SxS\Application\chrome.exe")));
        let wsl = places_of_wsl();
        assert_eq!(wsl[1], "/mnt/c/Program Files/Google/Chrome/Application/chrome.exe");
    }

    fn places_of_wsl() -> Vec<String> {
        places(System::Wsl, &env(&[]), Some(Channel::Stable))
    }

    #[test]
    fn chromium_stands_in_only_where_no_channel_was_asked_for() {
        for system in [System::Linux, System::Wsl, System::MacOs, System::Windows] {
            let without = places(system, &env(&[]), None);
            let stable = places(system, &env(&[]), Some(Channel::Stable));
            assert!(without.iter().any(|p| p.to_lowercase().contains("chromium")), "{without:?}");
            assert!(!stable.iter().any(|p| p.to_lowercase().contains("chromium")), "{stable:?}");
            assert_eq!(without[0], stable[0]);
        }
        let error = executable(None, Some(Channel::Canary)).unwrap_err().to_string();
        assert!(error.contains("channel canary") && error.contains("\n - /"), "{error}");
        let error = executable(Some("/nowhere/chrome"), Some(Channel::Beta)).unwrap_err().to_string();
        assert_eq!(error, "there is no browser at /nowhere/chrome");
    }

    #[test]
    fn the_data_folders_follow_the_environment() {
        let folder = |system, pairs: &[(&str, &str)], channel| {
            data_folders(system, &env(pairs), channel).first().map(|p| p.to_string_lossy().into_owned())
        };
        let all = [("CHROME_CONFIG_HOME", "/c"), ("XDG_CONFIG_HOME", "/x"), ("HOME", "/h")];
        let linux = |pairs| folder(System::Linux, pairs, Channel::Dev).unwrap();
        assert_eq!(linux(&all), "/c/google-chrome-unstable");
        assert_eq!(linux(&all[1..]), "/x/google-chrome-unstable");
        assert_eq!(linux(&all[2..]), "/h/.config/google-chrome-unstable");
        assert_eq!(folder(System::Linux, &[], Channel::Dev), None);
        let mac = folder(System::MacOs, &all, Channel::Beta).unwrap();
        assert_eq!(mac, "/h/Library/Application Support/Google/Chrome Beta");
        let windows = folder(System::Windows, &[("LOCALAPPDATA", r"C:\L")], Channel::Canary).unwrap();
        assert_eq!(windows, r"C:\L\Google\Chrome SxS\User Data");
        let stable = data_folders(System::Linux, &env(&all[2..]), Channel::Stable);
        assert_eq!(stable[..2], [PathBuf::from("/h/.config/google-chrome"), PathBuf::from("/h/.config/chromium")]);
    }
}
