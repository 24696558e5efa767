//! Chrome's argument list, in the original's order.

use super::LaunchOptions;

const DEFAULTS: &[&str] = &[
    "--allow-pre-commit-input",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-crash-reporter",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-hang-monitor",
    "--disable-infobars",
    "--disable-ipc-flooding-protection",
    "--disable-popup-blocking",
    "--disable-prompt-on-repost",
    "--disable-renderer-backgrounding",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    "--enable-automation",
    "--export-tagged-pdf",
    "--force-color-profile=srgb",
    "--generate-pdf-document-outline",
    "--metrics-recording-only",
    "--no-first-run",
    "--password-store=basic",
    "--use-mock-keychain",
];

const DISABLED_FEATURES: &[&str] = &[
    "Translate",
    "AcceptCHFrame",
    "MediaRouter",
    "OptimizationHints",
    "WebUIReloadButton",
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
];

/// Left enabled where `PUPPETEER_TEST_EXPERIMENTAL_CHROME_FEATURES` is `true`.
const EXPERIMENTAL_FEATURES: &[&str] = &["ProcessPerSiteUpToMainFrameThreshold", "IsolateSandboxedIframes"];

const ENABLED_FEATURES: &[&str] = &["PdfOopif"];

const DISABLE: &str = "--disable-features=";
const ENABLE: &str = "--enable-features=";

/// How the browser is talked to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire {
    /// Two pipes; nobody else can connect.
    Pipe,
    /// A port of 127.0.0.1, told on stderr.
    Port,
}

/// What the arguments say about the wire: a port only where the user asked for one, or where there are no such pipes.
pub(super) fn wire(options: &LaunchOptions, executable: &std::path::Path) -> Wire {
    let asked = options.arguments.iter().any(|argument| argument.starts_with("--remote-debugging-port"));
    // Windows' Chrome under WSL inherits no Linux pipes.
    let foreign = executable.extension().is_some_and(|extension| extension == "exe");
    if asked || cfg!(not(unix)) || foreign { Wire::Port } else { Wire::Pipe }
}

/// Whether this environment variable is `true`.
fn is_on(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| value == "true")
}

/// All user arguments, with the one that puppeteer's variable stands for.
pub(super) fn given(options: &LaunchOptions) -> Vec<String> {
    let mut given = options.arguments.clone();
    if is_on("PUPPETEER_DANGEROUS_NO_SANDBOX") {
        given.push("--no-sandbox".into());
    }
    given
}

/// The list. `profile` is the folder's path; `temporary` decides where it stands.
pub(super) fn list(options: &LaunchOptions, wire: Wire, profile: &str, temporary: bool) -> Vec<String> {
    let user = given(options);
    let features = |prefix: &str| -> Vec<String> {
        let values = user.iter().filter_map(|argument| argument.strip_prefix(prefix));
        values.flat_map(|v| v.split(',')).map(|f| f.trim().to_owned()).filter(|f| !f.is_empty()).collect()
    };
    let (user_enabled, user_disabled) = (features(ENABLE), features(DISABLE));
    let experimental: &[&str] =
        if is_on("PUPPETEER_TEST_EXPERIMENTAL_CHROME_FEATURES") { &[] } else { EXPERIMENTAL_FEATURES };
    let disabled = merged(DISABLED_FEATURES.iter().chain(experimental), &user_disabled, &user_enabled);
    let enabled = merged(ENABLED_FEATURES.iter(), &user_enabled, &user_disabled);

    let mut list: Vec<String> = DEFAULTS.iter().map(ToString::to_string).collect();
    list.push(format!("{DISABLE}{}", disabled.join(",")));
    list.push(format!("{ENABLE}{}", enabled.join(",")));
    if !temporary {
        list.push(format!("--user-data-dir={profile}"));
    }
    if !options.headed {
        list.extend(["--headless=new", "--hide-scrollbars", "--mute-audio"].map(String::from));
    }
    if !options.extensions {
        list.push("--disable-extensions".into());
    }
    if user.iter().all(|argument| argument.starts_with('-')) {
        list.push("about:blank".into());
    }
    let is_feature_list = |argument: &&String| argument.starts_with(ENABLE) || argument.starts_with(DISABLE);
    let mut after: Vec<String> = options.proxy_server.iter().map(|proxy| format!("--proxy-server={proxy}")).collect();
    after.push("--hide-crash-restore-bubble".into());
    if !options.headed {
        after.push("--screen-info={3840x2160}".into());
    }
    if options.devtools_windows {
        after.push("--auto-open-devtools-for-tabs".into());
    }
    // What a user adds and ignores at the same time stays: only ours can be ignored.
    let ignored = |argument: &String| options.ignored_arguments.contains(argument);
    list.retain(|argument| !ignored(argument));
    list.extend(user.iter().filter(|argument| !is_feature_list(argument)).cloned());
    list.extend(after.into_iter().filter(|argument| !ignored(argument)));
    match wire {
        Wire::Pipe if list.iter().any(|argument| argument == "--remote-debugging-pipe") => {}
        Wire::Pipe => list.push("--remote-debugging-pipe".into()),
        Wire::Port if list.iter().any(|argument| argument.starts_with("--remote-debugging-port")) => {}
        Wire::Port => list.push("--remote-debugging-port=0".into()),
    }
    if temporary {
        list.push(format!("--user-data-dir={profile}"));
    }
    list
}

/// Ours without those that the user wants the other way, then the user's.
fn merged<'a>(ours: impl Iterator<Item = &'a &'a str>, user: &[String], against: &[String]) -> Vec<String> {
    // A feature may carry a trial and parameters: `Name<Trial:parameter/value`.
    let name = |feature: &str| feature.split(['<', ':']).next().unwrap_or_default().to_owned();
    let against: Vec<String> = against.iter().map(|feature| name(feature)).collect();
    let ours = ours.filter(|feature| !against.iter().any(|name| name == *feature)).map(ToString::to_string);
    ours.chain(user.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn with(arguments: &[&str]) -> LaunchOptions {
        LaunchOptions { arguments: arguments.iter().map(ToString::to_string).collect(), ..LaunchOptions::default() }
    }

    #[test]
    fn the_order_is_the_originals() {
        let options = LaunchOptions {
            proxy_server: Some("p:1".into()),
            devtools_windows: true,
            ..with(&["--mine", "--enable-features=A"])
        };
        let list = list(&options, Wire::Pipe, "/p", false);
        let tail = list.iter().position(|a| a.starts_with("--enable-features=")).unwrap();
        assert_eq!(
            list[tail..],
            [
                "--enable-features=PdfOopif,A",
                "--user-data-dir=/p",
                "--headless=new",
                "--hide-scrollbars",
                "--mute-audio",
                "--disable-extensions",
                "about:blank",
                "--mine",
                "--proxy-server=p:1",
                "--hide-crash-restore-bubble",
                "--screen-info={3840x2160}",
                "--auto-open-devtools-for-tabs",
                "--remote-debugging-pipe",
            ]
        );
    }

    #[test]
    fn a_temporary_profile_comes_last_and_windows_have_no_headless_arguments() {
        let options = LaunchOptions { headed: true, extensions: true, ..with(&["http://a.test/"]) };
        let list = list(&options, Wire::Pipe, "/p", true);
        assert_eq!(
            list[list.len() - 4..],
            ["http://a.test/", "--hide-crash-restore-bubble", "--remote-debugging-pipe", "--user-data-dir=/p",]
        );
        for absent in ["about:blank", "--disable-extensions", "--headless=new", "--screen-info={3840x2160}"] {
            assert!(!list.iter().any(|a| a == absent), "{absent}");
        }
    }

    #[test]
    fn features_are_merged_and_the_users_wish_wins() {
        let list = list(
            &with(&["--enable-features=MediaRouter,New<Trial:a/b", "--disable-features=PdfOopif, Old", "--x"]),
            Wire::Pipe,
            "/p",
            true,
        );
        let lists: Vec<&String> = list.iter().filter(|a| a.contains("able-features=")).collect();
        assert_eq!(
            lists,
            [
                "--disable-features=Translate,AcceptCHFrame,OptimizationHints,WebUIReloadButton,WebUIOmniboxPopup,WebUIOmniboxAimPopup,ProcessPerSiteUpToMainFrameThreshold,IsolateSandboxedIframes,PdfOopif,Old",
                "--enable-features=MediaRouter,New<Trial:a/b",
            ]
        );
        assert!(list.contains(&"--x".to_owned()));
    }

    #[test]
    fn defaults_can_be_left_out_by_their_exact_text() {
        let ignored = ["--disable-extensions", "--enable-automation", "--mute-audio", "--disable"];
        let options =
            LaunchOptions { ignored_arguments: ignored.map(String::from).to_vec(), ..with(&["--mute-audio"]) };
        let list = list(&options, Wire::Pipe, "/p", true);
        assert!(!list.iter().any(|a| a == "--disable-extensions" || a == "--enable-automation"));
        assert_eq!(list.iter().filter(|a| *a == "--mute-audio").count(), 1, "the user's own stays");
        assert!(list.iter().any(|a| a == "--disable-sync"));
    }

    #[test]
    fn a_port_of_the_users_replaces_the_pipe() {
        let options = with(&["--remote-debugging-port=9333"]);
        assert_eq!(wire(&options, Path::new("/usr/bin/chromium")), Wire::Port);
        let list = list(&options, Wire::Port, "/p", true);
        let debugging: Vec<&String> = list.iter().filter(|a| a.starts_with("--remote-debugging")).collect();
        assert_eq!(debugging, ["--remote-debugging-port=9333"]);
        if cfg!(unix) {
            assert_eq!(wire(&with(&["--x"]), Path::new("/usr/bin/chromium")), Wire::Pipe);
            assert_eq!(wire(&with(&["--x"]), Path::new("/mnt/c/chrome.exe")), Wire::Port);
        }
    }
}
