//! Running other programs and finding the repository, in one place.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub type Result<T = ()> = std::result::Result<T, String>;

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository").to_path_buf()
}

/// Prints a step's heading to stderr; stdout is for data.
pub fn step(text: &str) {
    eprintln!("xtask: {text}");
}

/// Runs a command to its end, with its output shown; an exit code other than 0 is an error.
pub fn run(command: &mut Command) -> Result {
    let shown = show(command);
    let status = command.status().map_err(|e| format!("`{shown}` could not be run: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{shown}` failed ({status})")) }
}

/// Like [`run`], but returns stdout.
pub fn output(command: &mut Command) -> Result<String> {
    let shown = show(command);
    let output = command.stderr(Stdio::inherit()).output().map_err(|e| format!("`{shown}` could not be run: {e}"))?;
    if !output.status.success() {
        return Err(format!("`{shown}` failed ({})", output.status));
    }
    String::from_utf8(output.stdout).map_err(|e| e.to_string())
}

/// Whether a program can be started at all.
pub fn exists(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

pub fn npm() -> Command {
    Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
}

/// Builds the release binary and returns its path.
pub fn build() -> Result<PathBuf> {
    step("building devtools-mcp (the first time this takes some minutes: V8's bindings and deno_core)");
    run(cargo().args(["build", "--release", "--package", "devtools-mcp"]))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    Ok(target.join("release").join(if cfg!(windows) { "devtools-mcp.exe" } else { "devtools-mcp" }))
}

fn show(command: &Command) -> String {
    let mut text = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args() {
        text.push(' ');
        text.push_str(&argument.to_string_lossy());
    }
    text
}
