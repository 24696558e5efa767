//! `cargo xtask test`: every check and every test, the same on a developer's machine and in CI.

use std::process::Command;

use crate::shell::{self, Result, cargo, output, root, step};
use crate::{gen_docs, setup, steady, tidy};

pub fn run(arguments: &[String]) -> Result {
    setup::run()?;
    step("tidy");
    tidy::run()?;
    step("formatting");
    shell::run(cargo().args(["fmt", "--all", "--check"]))?;
    step("types of js/ (tsc)");
    type_check()?;
    step("building and testing (release profile, shared by binary, tests and snapshot builder)");
    shell::run(cargo().args(["build", "--release", "--workspace", "--tests", "--exclude", "xtask"]))?;
    step("clippy");
    shell::run(cargo().args([
        "clippy",
        "--release",
        "--workspace",
        "--exclude",
        "xtask",
        "--all-targets",
        "--quiet",
        "--",
        "-D",
        "warnings",
    ]))?;
    step("generated pages are up to date");
    gen_docs::run(&["--check".to_owned()])?;
    step("xtask's own tests");
    shell::run(cargo().args(["test", "--quiet", "--package", "xtask"]))?;
    step("tests (two at a time)");
    let chromium = setup::chromium()?;
    steady::run(|rest| {
        let mut tests = cargo();
        tests.args(["test", "--release", "--workspace", "--exclude", "xtask", "--no-fail-fast"]);
        tests.args(arguments).arg("--").args(rest);
        tests.env("DEVTOOLS_MCP_CHROME", &chromium);
        tests
    })
}

/// The front-end's own sources are checked upstream, with other settings; only errors in our files count.
fn type_check() -> Result {
    let tsc = root().join("tests/node/node_modules/typescript/bin/tsc");
    let result = Command::new("node")
        .arg(tsc)
        .args(["--project", "js/tsconfig.json", "--pretty", "false"])
        .current_dir(root())
        .output()
        .map_err(|e| format!("tsc could not be run with node: {e}"))?;
    let text = String::from_utf8_lossy(&result.stdout);
    let ours: Vec<&str> = text.lines().filter(|line| line.starts_with("js/")).collect();
    if !ours.is_empty() {
        return Err(format!("tsc found errors:\n{}", ours.join("\n")));
    }
    // A run that could not even start would find nothing.
    let files = output(
        Command::new("node")
            .arg(root().join("tests/node/node_modules/typescript/bin/tsc"))
            .args(["--project", "js/tsconfig.json", "--listFilesOnly"])
            .current_dir(root()),
    )?;
    if files.lines().any(|f| f.ends_with("js/trace.ts")) {
        Ok(())
    } else {
        Err("tsc did not look at js/trace.ts".into())
    }
}
