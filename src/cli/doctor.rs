//! `devtools-mcp doctor`: what the server needs on this machine, one line a check. It takes the server's options, so
//! that exactly the configuration of a client can be tried.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use super::output::print;
use crate::browser::launch::{has_display, profile_in_use};
use crate::browser::{BrowserError, attach, find};
use crate::config::{BrowserConfig, Config, Connect, Parsed};
use crate::version;

/// How long a browser may take to tell its version.
const VERSION_LIMIT: Duration = Duration::from_secs(10);

/// The first version whose network stack can be given a list of allowed addresses.
const ALLOW_LIST_SINCE: u32 = 149;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Ok,
    Warn,
    Fail,
}

/// One line of the report.
#[derive(Debug)]
struct Check {
    state: State,
    name: &'static str,
    text: String,
    hint: Option<String>,
}

impl Check {
    fn ok(name: &'static str, text: impl Into<String>) -> Self {
        Check { state: State::Ok, name, text: text.into(), hint: None }
    }

    fn warn(name: &'static str, text: impl Into<String>, hint: impl Into<String>) -> Self {
        Check { state: State::Warn, name, text: text.into(), hint: Some(hint.into()) }
    }

    fn fail(name: &'static str, text: impl Into<String>, hint: impl Into<String>) -> Self {
        Check { state: State::Fail, name, text: text.into(), hint: Some(hint.into()) }
    }

    fn line(&self) -> String {
        let state = match self.state {
            State::Ok => "ok",
            State::Warn => "warn",
            State::Fail => "fail",
        };
        // Causes of several lines stay below their check.
        let text = self.text.replace('\n', "\n      ");
        let hint = self.hint.as_ref().map(|hint| format!("\n      hint: {}", hint.replace('\n', "\n      ")));
        format!("{state:<5} {}: {text}{}", self.name, hint.unwrap_or_default())
    }
}

/// Runs all checks. Fails if one of them found something that keeps the server from working.
pub fn run(arguments: &[String], output: &File) -> ExitCode {
    let mut checks = vec![Check::ok("version", version::verbose().replace('\n', ", ")), system()];
    let config = match Config::load(arguments.to_vec()) {
        Ok((config, parsed)) => {
            checks.extend(configuration(&parsed));
            config
        }
        Err(error) => {
            let text = error.to_string();
            let (problem, hint) = text.split_once("\nhint: ").unwrap_or((&text, "correct the value"));
            checks.push(Check::fail("options", problem, hint));
            Config::from_parsed(&Parsed::default())
        }
    };
    match &config.browser.connect {
        Some(connect) => checks.push(connection(connect)),
        None => launching(&config.browser, &mut checks),
    }
    checks.push(temporary_folder());
    checks.push(roots(&config));
    let count = |state| checks.iter().filter(|c| c.state == state).count();
    let (warnings, failures) = (count(State::Warn), count(State::Fail));
    let lines: Vec<String> = checks.iter().map(Check::line).collect();
    let printed = print(output, &format!("{}\n{warnings} warnings, {failures} failures", lines.join("\n")));
    if failures == 0 { printed } else { ExitCode::FAILURE }
}

fn system() -> Check {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|l| l.strip_prefix("PRETTY_NAME=")).map(|n| n.trim_matches('"'));
    let platform = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    let text = name.map_or(platform.clone(), |name| format!("{name} ({platform})"));
    let kernel = std::fs::read_to_string("/proc/version").unwrap_or_default().to_lowercase();
    if kernel.contains("microsoft") {
        let hint = "install Chrome inside Linux; a Chrome of Windows cannot be driven over the pipe, only attached to";
        return Check::warn("system", format!("{text} under WSL"), hint);
    }
    Check::ok("system", text)
}

fn configuration(parsed: &Parsed) -> Vec<Check> {
    let file = match &parsed.file {
        Some(file) => format!("{} is valid", file.display()),
        None => "no config file".into(),
    };
    let mut checks = vec![Check::ok("options", file)];
    if !parsed.unknown.is_empty() {
        let text = format!("unknown and ignored: {}", parsed.unknown.join(", "));
        checks.push(Check::warn("options", text, "check their spelling; devtools-mcp --help lists all options"));
    }
    checks
}

/// A browser that is attached to must answer.
fn connection(connect: &Connect) -> Check {
    const NAME: &str = "connection";
    let address = match connect {
        Connect::WebSocket { endpoint, .. } => endpoint,
        Connect::Http { url } => url,
        Connect::Auto { user_data_dir: Some(folder), .. } => return port_file(folder),
        Connect::Auto { user_data_dir: None, channel } => {
            let text = format!("the running {} Chrome is looked for when a tool needs it", channel.name());
            return Check::ok(NAME, text);
        }
    };
    // As the server does it, whatever is in the way there.
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return Check::fail(NAME, error.to_string(), "close other programs and try again"),
    };
    match runtime.block_on(attach::attach(connect)) {
        Ok(browser) => Check::ok(NAME, format!("{} answers at {address}", browser.product)),
        Err(error) => {
            let why = match &error {
                BrowserError::Connect { cause, .. } => cause.replace('\n', "; "),
                other => other.to_string(),
            };
            Check::fail(NAME, format!("cannot connect to {address}: {why}"), error.hint())
        }
    }
}

fn port_file(folder: &Path) -> Check {
    let file = folder.join("DevToolsActivePort");
    match std::fs::read_to_string(&file) {
        Ok(_) => Check::ok("connection", format!("{} is there", file.display())),
        Err(error) => Check::fail(
            "connection",
            format!("cannot read {}: {error}", file.display()),
            "switch remote debugging on in the running Chrome, at chrome://inspect/#remote-debugging",
        ),
    }
}

/// What only matters for a browser of our own.
fn launching(config: &BrowserConfig, checks: &mut Vec<Check>) {
    checks.push(browser(config));
    checks.push(sandbox(config));
    if cfg!(target_os = "linux") {
        checks.push(display(config));
        checks.push(shared_memory(config));
    }
    checks.push(profile(config));
}

/// The one place that asks which browser would be launched.
fn executable(config: &BrowserConfig) -> Result<PathBuf, BrowserError> {
    find::executable(config.executable.as_deref(), config.channel)
}

fn browser(config: &BrowserConfig) -> Check {
    const NAME: &str = "browser";
    let path = match executable(config) {
        Ok(path) => path,
        Err(error) => return Check::fail(NAME, error.to_string(), error.hint()),
    };
    if cfg!(windows) {
        // There `--version` opens a window.
        return Check::ok(NAME, path.display().to_string());
    }
    let mut command = Command::new(&path);
    command.arg("--version");
    let version = match first_line(command, VERSION_LIMIT) {
        Ok(version) => version,
        Err(why) => {
            let text = format!("{} did not tell its version: {why}", path.display());
            return Check::fail(NAME, text, "try it by hand with --version; give another one with --executablePath");
        }
    };
    let text = format!("{version} ({})", path.display());
    match major(&version) {
        Some(major) if major < ALLOW_LIST_SINCE && !config.urls.allowed().is_empty() => {
            let hint = format!("use Chrome {ALLOW_LIST_SINCE} or later, or --blockedUrlPattern");
            Check::fail(NAME, format!("{text} cannot be held to --allowedUrlPattern"), hint)
        }
        _ => Check::ok(NAME, text),
    }
}

/// The first line that a program prints.
fn first_line(mut command: Command, limit: Duration) -> Result<String, String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|e| e.to_string())?;
    let (sender, receiver) = std::sync::mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        // A thread, since a browser that hangs keeps its pipe open.
        std::thread::spawn(move || {
            let mut line = String::new();
            let _ = BufReader::new(stdout).read_line(&mut line);
            let _ = sender.send(line);
        });
    }
    let line = receiver.recv_timeout(limit);
    let _ = child.kill();
    let _ = child.wait();
    match line {
        Ok(line) if !line.trim().is_empty() => Ok(line.trim().to_owned()),
        Ok(_) => Err("it printed nothing".into()),
        Err(_) => Err(format!("no answer within {} s", limit.as_secs())),
    }
}

/// The major version in `Chromium 156.0.7000.1 …`.
fn major(version: &str) -> Option<u32> {
    version.split_whitespace().find_map(|word| word.split_once('.')?.0.parse().ok())
}

fn sandbox(config: &BrowserConfig) -> Check {
    const NAME: &str = "sandbox";
    let off = config.arguments.iter().any(|a| a == "--no-sandbox");
    match (is_root(), off) {
        (true, false) => Check::fail(
            NAME,
            "Chrome does not start as root with its sandbox",
            "run as another user, or in a container add --chromeArg=--no-sandbox",
        ),
        (true, true) => Check::ok(NAME, "running as root, the sandbox is off"),
        (false, true) => Check::warn(NAME, "the sandbox is off", "leave --no-sandbox out; it is only needed as root"),
        (false, false) => Check::ok(NAME, "not running as root"),
    }
}

#[cfg(target_os = "linux")]
fn is_root() -> bool {
    // SAFETY: geteuid has no preconditions.
    unsafe { libc::geteuid() == 0 }
}

#[cfg(not(target_os = "linux"))]
fn is_root() -> bool {
    false
}

fn display(config: &BrowserConfig) -> Check {
    const NAME: &str = "display";
    match (config.headless, has_display()) {
        (true, _) => Check::ok(NAME, "not needed, the browser is headless"),
        (false, true) => Check::ok(NAME, "there is one"),
        (false, false) => Check::warn(
            NAME,
            "DISPLAY and WAYLAND_DISPLAY are not set, nor in your other processes; the browser will be headless",
            "add --headless, or start a display (for example xvfb-run)",
        ),
    }
}

fn shared_memory(config: &BrowserConfig) -> Check {
    const NAME: &str = "/dev/shm";
    /// Less than this makes tabs crash; containers have 64 MB unless told otherwise.
    const ENOUGH: u64 = 256 << 20;
    const AVOIDING: &str = "--disable-dev-shm-usage";
    let size = shared_memory_size();
    let text = size.map_or("there is none".to_owned(), |size| format!("{} MB", size >> 20));
    let avoided = !config.ignored_arguments.iter().any(|a| a == AVOIDING);
    match size {
        Some(size) if size >= ENOUGH => Check::ok(NAME, text),
        _ if avoided => Check::ok(NAME, format!("{text}; not used, the browser gets {AVOIDING}")),
        _ => {
            let hint = format!("make it larger (docker: --shm-size=1g), or do not leave {AVOIDING} out");
            Check::warn(NAME, format!("{text}, tabs may crash"), hint)
        }
    }
}

#[cfg(target_os = "linux")]
fn shared_memory_size() -> Option<u64> {
    // SAFETY: an all-zero statvfs is valid, the path ends in 0, and the call writes only into the struct.
    let mut info: libc::statvfs = unsafe { std::mem::zeroed() };
    let known = unsafe { libc::statvfs(c"/dev/shm".as_ptr(), &raw mut info) } == 0;
    // The fields' types differ between systems.
    #[allow(clippy::unnecessary_cast)]
    known.then(|| (info.f_blocks as u64).saturating_mul(info.f_frsize as u64))
}

#[cfg(not(target_os = "linux"))]
fn shared_memory_size() -> Option<u64> {
    None
}

fn profile(config: &BrowserConfig) -> Check {
    const NAME: &str = "profile";
    let Some(folder) = config.profile_folder() else { return Check::ok(NAME, "a temporary one") };
    let shown = folder.display();
    if profile_in_use(&folder) {
        let text = format!("{shown} is in use by another browser; this one will get a temporary profile");
        return Check::warn(NAME, text, "close that browser, or choose with --isolated or --userDataDir");
    }
    let existing = folder.ancestors().find(|f| f.exists()).unwrap_or(&folder);
    match tempfile::tempfile_in(existing) {
        Ok(_) if existing == folder => Check::ok(NAME, format!("{shown} is free")),
        Ok(_) => Check::ok(NAME, format!("{shown} will be made")),
        Err(error) => Check::fail(
            NAME,
            format!("cannot write to {}: {error}", existing.display()),
            "correct its permissions, or use --isolated or another --userDataDir",
        ),
    }
}

fn temporary_folder() -> Check {
    const NAME: &str = "temporary files";
    let folder = std::env::temp_dir();
    match tempfile::tempfile_in(&folder) {
        Ok(_) => Check::ok(NAME, format!("{} is writable", folder.display())),
        Err(error) => Check::fail(
            NAME,
            format!("cannot write to {}: {error}", folder.display()),
            "correct its permissions or free space, or set TMPDIR to another folder",
        ),
    }
}

/// The folders that file tools may use while the client has named none.
fn roots(config: &Config) -> Check {
    const NAME: &str = "file access";
    if config.allow_unrestricted_paths {
        return Check::ok(NAME, "everywhere, unless the client announces roots");
    }
    let given = &config.filesystem_roots;
    let own = if given.is_empty() { std::env::current_dir().into_iter().collect() } else { given.clone() };
    let all: Vec<String> = own.iter().chain([&std::env::temp_dir()]).map(|f| f.display().to_string()).collect();
    let missing: Vec<String> = own.iter().filter(|f| !f.is_dir()).map(|f| f.display().to_string()).collect();
    if missing.is_empty() {
        return Check::ok(NAME, format!("{}, and the roots of the client", all.join(", ")));
    }
    let text = format!("these folders do not exist: {}", missing.join(", "));
    Check::warn(NAME, text, "correct --filesystemRoot (--workspace)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_continuations_together() {
        let check = Check::fail("browser", "none\n - /a", "install one");
        assert_eq!(check.line(), "fail  browser: none\n       - /a\n      hint: install one");
        assert_eq!(Check::ok("a", "b").line(), "ok    a: b");
    }

    #[test]
    fn versions_are_read() {
        assert_eq!(major("Chromium 156.0.7000.1 built on Debian"), Some(156));
        assert_eq!(major("Google Chrome for Testing 149.1.2.3"), Some(149));
        assert_eq!(major("something"), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_browser_that_hangs_is_given_up() {
        let script = |text: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", text]);
            command
        };
        let begin = std::time::Instant::now();
        assert!(first_line(script("exec sleep 60"), Duration::from_millis(500)).is_err());
        assert!(begin.elapsed() < Duration::from_secs(30));
        let long = Duration::from_secs(30);
        assert_eq!(first_line(script("echo Chromium 1.2; sleep 60"), long), Ok("Chromium 1.2".into()));
        assert_eq!(first_line(script("exit 1"), long), Err("it printed nothing".into()));
        assert!(first_line(Command::new("/no/such/browser"), long).is_err());
    }
}
