//! `cargo xtask demo`: a real page in a real Chrome, and what DevTools says about it.

use std::process::Command;

use crate::pages::Pages;
use crate::setup;
use crate::shell::{self, Result, root, step};

pub fn run(arguments: &[String]) -> Result {
    setup::v8_archive()?;
    setup::npm_packages()?;
    let chrome = setup::chromium()?;
    let binary = shell::build()?;
    let pages = Pages::start(root().join("tests/pages")).map_err(|e| format!("cannot serve the sample page: {e}"))?;
    let url = pages.url("sample/index.html");
    step(&format!("recording {url} in {}", chrome.display()));
    let mut command = Command::new(binary);
    command.args(["trace", "record", &url, "--insights", "--executable-path"]).arg(chrome);
    if setup::is_root() {
        // Chrome refuses its sandbox to root; the sample page is ours.
        command.arg("--chrome-arg=--no-sandbox");
    }
    shell::run(command.args(arguments))
}
