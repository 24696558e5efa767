//! Options and the config file: the real binary's exit codes and messages, where they come from, and what the original
//! says about the same command lines.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use devtools_mcp::config::UrlPolicy;
use serde_json::json;
use url::Url;

use crate::support::{BINARY, Client, node, root, run, stdout};

/// Starts a server that sees only these variables of config discovery, and closes its input at once.
fn serve(mut command: Command, arguments: &[&str], home: &Path, variables: &[(&str, &Path)]) -> Output {
    for name in
        ["PLUGIN_DATA", "XDG_CONFIG_HOME", "LOCALAPPDATA", "CHROME_DEVTOOLS_MCP_NO_CONFIG_DISCOVERY", "RUST_LOG"]
    {
        command.env_remove(name);
    }
    command.args(arguments).env("HOME", home).env("USERPROFILE", home).envs(variables.iter().copied());
    command.stdin(Stdio::null()).output().unwrap()
}

fn ours(arguments: &[&str], home: &Path, variables: &[(&str, &Path)]) -> (Option<i32>, String) {
    let output = serve(Command::new(BINARY), arguments, home, variables);
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

fn theirs(arguments: &[&str], home: &Path) -> (Option<i32>, String) {
    let mut command = Command::new(node());
    command
        .arg(root().join("tests/node/node_modules/chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js"))
        .args(["--no-usage-statistics", "--no-performance-crux"])
        .env("CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS", "1");
    let output = serve(command, arguments, home, &[]);
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// Lines that both have word for word, without our hints and the original's notices.
fn fixed(stderr: &str) -> Vec<&str> {
    let starts = ["Arguments ", "Implications failed:", "Invalid values:", "Unknown arguments: ", "  "];
    stderr.lines().filter(|line| starts.iter().any(|start| line.starts_with(start))).collect()
}

#[test]
fn command_lines_are_judged_as_by_the_original() {
    let home = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = home.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let isolated = file("isolated.json", r#"{"isolated": true, "u": ""}"#);
    let unknown = file("unknown.json", r#"{"user-data-dir": "x"}"#);
    let choice = file("choice.json", r#"{"screenshotFormat": "gif"}"#);
    let lines: &[&[&str]] = &[
        // Conflicts and implications: the same words.
        &["--wsEndpoint=ws://b", "--browser-url=http://a", "--channel", "beta"],
        &["--userDataDir", "x", "-w", "ws://b"],
        &["--isolated", "yes", "--user-data-dir="],
        &["--autoConnect", "-e/bin/x"],
        &["--workspace", "--allowUnrestrictedPaths"],
        &["--categoryPwa", "--autoConnect"],
        &["--allowedUrlPattern", "http://a/*", "--blockedUrlPattern=http://b/*"],
        &["--wsHeaders", "{}", "--isolated", "--userDataDir=x"],
        &["--wsHeaders", r#"{"A":"b"}"#],
        &["--experimentalFfmpegPath", "x", "--experimentalScreencast=false"],
        &["--userDataDir", "x", "--config", &isolated],
        // What is off, empty or overridden conflicts with nothing.
        &["--userDataDir", "x", "--no-isolated", "--config", &isolated],
        &["--no-isolated", "--userDataDir", "x", "--browserUrl=", "--blockedUrlPattern", "--channel=beta"],
        // Choices, unknown flags, both spellings, several values.
        &["--channel", "nightly", "--screenshot-format", "gif", "--isolated", "--userDataDir", "x"],
        &["--some-thing", "x", "--other=1", "-z", "--no-foo-bar", "--no-isolated=false", "--", "--more"],
        // Bad values: the same exit code.
        &["--viewport", "12", "--channel", "nightly"],
        &["--screenshotQuality", "-5"],
        &["--experimental-screencast-fps=0"],
        &["--screenshotQuality=0x10", "--screenshotMaxWidth", "1e3", "--viewport=1280x720x24"],
        &["--blockedUrlPattern=https://a/*", "*://10.0.*/*"],
        // Mistakes in the file.
        &["--config", &unknown],
        &["--config", &choice],
        &["--config", "/no/such/file.json"],
    ];
    // The original takes a second to start.
    let ask = |lines: &[&[&str]]| lines.iter().map(|line| theirs(line, home.path())).collect::<Vec<_>>();
    let (left, right) = lines.split_at(lines.len() / 2);
    let peer = std::thread::scope(|scope| {
        let other = scope.spawn(|| ask(right));
        let mut answers = ask(left);
        answers.extend(other.join().unwrap());
        answers
    });
    let mut failed = 0;
    for (line, (code, stderr)) in lines.iter().zip(&peer) {
        let (our_code, our_stderr) = ours(line, home.path(), &[]);
        assert_eq!(our_code, *code, "{line:?}\n ours: {our_stderr}\n peer: {stderr}");
        assert_eq!(fixed(&our_stderr), fixed(stderr), "{line:?}\n ours: {our_stderr}");
        if *code != Some(0) {
            failed += 1;
            let marker = "Invalid JSON config file: ";
            assert_eq!(our_stderr.starts_with(marker), stderr.starts_with(marker), "{line:?}: {our_stderr}");
        }
    }
    assert_eq!((failed, peer.len()), (19, 23), "the list has both kinds");
}

/// Names of the tools of a server that was started like this.
fn tools(arguments: &[&str], home: &Path, variables: &[(&str, &Path)]) -> Vec<String> {
    let mut command = Command::new(BINARY);
    for name in ["PLUGIN_DATA", "XDG_CONFIG_HOME", "LOCALAPPDATA", "CHROME_DEVTOOLS_MCP_NO_CONFIG_DISCOVERY"] {
        command.env_remove(name);
    }
    command.args(arguments).env("HOME", home).env("USERPROFILE", home).envs(variables.iter().copied());
    let mut client = Client::spawn(command);
    client.initialize(json!({}));
    let list = client.request("tools/list", json!({}))["result"]["tools"].clone();
    list.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_config_file_is_found_and_the_command_line_goes_first() {
    let home = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| -> PathBuf {
        let path = home.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    };
    // Which categories are offered tells which file was read.
    let has = |arguments: &[&str], variables: &[(&str, &Path)]| {
        let tools = tools(arguments, home.path(), variables);
        let has = |name: &str| tools.iter().any(|tool| tool == name);
        (has("new_page"), has("performance_analyze_insight"))
    };
    let (plugin, config) = (home.path().join("plugin"), home.path().join("xdg"));
    assert_eq!(has(&[], &[]), (true, true));
    write(".config/cd4a/config.json", r#"{"categoryNavigation": false}"#);
    assert_eq!(has(&[], &[]), (false, true), "the home folder's");
    assert_eq!(has(&["--category-navigation"], &[]), (true, true), "the command line goes first");
    let off = ("CHROME_DEVTOOLS_MCP_NO_CONFIG_DISCOVERY", Path::new("1"));
    assert_eq!(has(&[], &[off]), (true, true), "discovery is off");
    if cfg!(unix) {
        let xdg = ("XDG_CONFIG_HOME", config.as_path());
        assert_eq!(has(&[], &[xdg]), (true, true), "nothing there: other places are not tried");
        write("xdg/cd4a/config.json", r#"{"categoryPerformance": "false"}"#);
        assert_eq!(has(&[], &[xdg]), (true, false));
        assert_eq!(has(&[], &[("XDG_CONFIG_HOME", Path::new("xdg"))]), (false, true), "it must be absolute");
        write("plugin/cd4a.config.json", "{}");
        assert_eq!(has(&[], &[xdg, ("PLUGIN_DATA", plugin.as_path())]), (true, true), "the plugin's, not both");
    }
    let given = write("given.json", r#"{"categoryNavigation": false, "categoryPerformance": false}"#);
    let given = format!("--config={}", given.display());
    assert_eq!(has(&[given.as_str()], &[off]), (false, false), "the given one is read in any case");

    write(".config/cd4a/config.json", r#"{"headless": true, "nothing": 1}"#);
    let (code, stderr) = ours(&[], home.path(), &[]);
    assert_eq!(code, Some(1));
    assert!(stderr.starts_with("Invalid JSON config file: Unknown argument: nothing\nhint: the file is "), "{stderr}");
}

#[test]
fn aliases_are_options_and_bad_values_name_them() {
    let home = tempfile::tempdir().unwrap();
    for (arguments, start) in [
        (&["-u", "nope"][..], "Invalid browserUrl nope: "),
        (&["-w=http://x"], "Invalid wsEndpoint http://x: it must begin with ws:// or wss://"),
        (&["--experimentalMemory", "--experimental-screencast-fps", "0"], "Invalid screencastFps 0. "),
        (&["--workspace=/x", "--allow-unrestricted-paths"], "Arguments allowUnrestrictedPaths and filesystemRoot are"),
        (&["--logFile", "/no/such/folder/x.log"], "cannot open the log file /no/such/folder/x.log: "),
        (&["--no-headless", "--experimentalMemory", "-e/x", "--usageStatistics=false", "--clearcutEndpoint=x"], ""),
    ] {
        let (code, stderr) = ours(arguments, home.path(), &[]);
        assert_eq!(code, Some(i32::from(!start.is_empty())), "{arguments:?}: {stderr}");
        // A start that works begins with the notices.
        let start = if start.is_empty() { "devtools-mcp lets its client see " } else { start };
        assert!(stderr.starts_with(start), "{arguments:?}: {stderr}");
    }
}

/// Patterns of the kinds that users write, and addresses to try them on.
const PATTERNS: &[&str] = &[
    "*://*:*/*",
    "*://*/*",
    "https://example.com",
    "https://example.com/",
    "https://*.example.com/*",
    "https://{*.}?example.com/*",
    "http{s}?://example.com/a/*",
    "https://EXAMPLE.com/*?q=*",
    "https://example.com/*#*",
    "https://b\u{fc}cher.example/\u{fc}*",
    "http://localhost:*/*",
    "*://127.0.0.1:8080/*",
    r"http://[\:\:1]:*/*",
    r"https://user\:pw@example.com/*",
    "file:///tmp/*",
    "data:*",
    "chrome-extension://abc/*",
    r"about\:blank",
    "ws://example.com/*",
    "https://example.com/{a/}*",
    "*",
    "(",
    "example.com",
    "/path",
    "http://[::1]/*",
    "https://{a,b}://x",
    "data:text/html,*",
];
const ADDRESSES: &[&str] = &[
    "https://example.com/",
    "https://www.example.com/a/b?q=1&r=2#top",
    "http://example.com/a/b",
    "https://example.com/a/a/?q=",
    "https://xn--bcher-kva.example/%C3%BCx",
    "http://localhost/",
    "http://localhost:8080/x",
    "http://127.0.0.1:8080/",
    "http://[::1]:9000/",
    "https://user:pw@example.com/x",
    "https://example.com:8443/",
    "file:///tmp/x",
    "file:///etc/x",
    "data:text/html,x",
    "chrome-extension://abc/popup.html",
    "ws://example.com/socket",
    "about:srcdoc",
];

/// Node has an implementation of its own of the same standard.
#[test]
fn url_patterns_match_what_they_match_in_another_implementation() {
    const SCRIPT: &str = "const [patterns, urls] = JSON.parse(process.argv[1]);
        const test = p => { try { const u = new URLPattern(p); return urls.map(x => u.test(x)); } catch { return null; } };
        console.log(JSON.stringify(patterns.map(test)));";
    let input = json!([PATTERNS, ADDRESSES]).to_string();
    let text = stdout(&Command::new(node()).args(["-e", SCRIPT, &input]).output().unwrap());
    let answers: Vec<Option<Vec<bool>>> = serde_json::from_str(&text).unwrap();
    let (mut refused, mut matched) = (0, 0);
    for (pattern, answer) in PATTERNS.iter().zip(answers) {
        let list = [(*pattern).to_owned()];
        let (blocking, allowing) = (UrlPolicy::new(&list, &[]), UrlPolicy::new(&[], &list));
        let Some(answer) = answer else {
            refused += 1;
            assert!(blocking.is_err() && allowing.is_err(), "{pattern}");
            continue;
        };
        let (blocking, allowing) = (blocking.unwrap(), allowing.unwrap());
        for (address, matches) in ADDRESSES.iter().zip(answer) {
            matched += usize::from(matches);
            let url = Url::parse(address).unwrap();
            assert_eq!(allowing.permits(&url), matches, "{pattern} allows {address}");
            assert_eq!(blocking.permits(&url), !matches, "{pattern} blocks {address}");
        }
    }
    assert!(refused == 6 && matched > 40, "{refused} {matched}");
}

#[test]
fn the_doctor_names_what_is_wrong() {
    let home = tempfile::tempdir().unwrap();
    let doctor = |arguments: &[&str]| {
        let output = serve(Command::new(BINARY), &[&["doctor"], arguments].concat(), home.path(), &[]);
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    // A program that every system has and that tells a version like a browser does: this one.
    let browser = format!("--executablePath={BINARY}");
    let (code, text) = doctor(&["--chromeArg=--no-sandbox", "--headless", "--isolated", &browser]);
    assert_eq!(code, Some(0), "{text}");
    for part in
        ["ok    version: devtools-mcp ", "V8 15.", "ok    options: no config file", "ok    profile: a temporary one"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
    if cfg!(unix) {
        assert!(text.contains(&format!("ok    browser: {} ({BINARY})", env!("CARGO_PKG_VERSION"))), "{text}");
    }
    assert!(text.ends_with(" 0 failures\n"), "{text}");

    let (code, text) = doctor(&["--executablePath=/no/such/browser", "--workspace=/no/such/folder", "--typo"]);
    assert_eq!(code, Some(1));
    for part in
        ["fail  browser: ", "/no/such/browser", "warn  file access: ", "warn  options: unknown and ignored: --typo"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
    let (code, text) = doctor(&["--isolated", "--userDataDir=x"]);
    assert_eq!(code, Some(1));
    assert!(
        text.contains("fail  options: Arguments userDataDir and isolated are mutually exclusive\n      hint: "),
        "{text}"
    );
    let (code, text) = doctor(&["--browserUrl=http://127.0.0.1:1"]);
    assert_eq!(code, Some(1));
    assert!(
        text.contains("fail  connection: cannot connect to http://127.0.0.1:1: ") && !text.contains("browser:"),
        "{text}"
    );
    assert!(stdout(&run(&["--help"])).contains("devtools-mcp doctor"));
}

#[test]
fn the_doctor_sees_a_profile_in_use() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let profile = format!("--userDataDir={}", folder.path().display());
    let text = || String::from_utf8(run(&["doctor", "--headless", &profile]).stdout).unwrap();
    assert!(text().contains(&format!("ok    profile: {} is free", folder.path().display())), "{}", text());
    #[cfg(unix)]
    std::os::unix::fs::symlink(format!("host-{}", std::process::id()), folder.path().join("SingletonLock")).unwrap();
    assert!(text().contains(&format!("warn  profile: {} is in use", folder.path().display())), "{}", text());
}
