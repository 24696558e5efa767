//! Runs tests. One that fails is run once more, alone, and its run is red if it fails again.
//!
//! Most tests drive a real browser on a machine that has other work too. What fails once and then passes is printed at
//! the end, with its output further up: it is a defect of the test or of the product, but not of the change that
//! happened to be tested. More than a few at a time are no coincidence and fail at once.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::shell::{Result, step};

/// So many failing tests are looked at a second time.
const AT_MOST: usize = 3;

/// What a run of `cargo test` printed.
#[derive(Default)]
struct Outcome {
    failed: BTreeSet<String>,
    passed: usize,
}

impl Outcome {
    /// Takes a line as libtest prints it.
    fn note(&mut self, line: &str) {
        let Some(rest) = line.strip_prefix("test ") else { return };
        if let Some(name) = rest.strip_suffix(" ... FAILED") {
            self.failed.insert(name.to_owned());
        } else if rest.ends_with(" ... ok") {
            self.passed += 1;
        }
    }
}

/// Runs the command that `tests` makes from arguments for the test programs.
pub fn run(tests: impl Fn(&[&str]) -> Command) -> Result {
    // Recordings are sensitive to other work on the machine; two at a time is what two cores carry.
    let (outcome, is_good) = watch(&mut tests(&["--test-threads=2"]))?;
    if is_good {
        return Ok(());
    }
    let failed: Vec<&str> = outcome.failed.iter().map(String::as_str).collect();
    if failed.is_empty() {
        return Err("the tests could not be run to their end".into());
    }
    if failed.len() > AT_MOST {
        return Err(format!("{} tests failed:\n  {}", failed.len(), failed.join("\n  ")));
    }
    step(&format!("again, alone: {}", failed.join(", ")));
    let (again, is_good) = watch(&mut tests(&[&["--test-threads=1", "--exact"], &failed[..]].concat()))?;
    if !is_good || again.passed < failed.len() {
        return Err(format!("{} tests failed:\n  {}", failed.len(), failed.join("\n  ")));
    }
    step(&format!("UNSTEADY, failed once and passed alone (see above why):\n  {}", failed.join("\n  ")));
    Ok(())
}

/// Runs a command, shows what it prints and reads along.
fn watch(command: &mut Command) -> Result<(Outcome, bool)> {
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|e| format!("cargo could not be run: {e}"))?;
    let mut outcome = Outcome::default();
    let mut lines = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).map_err(|e| e.to_string())? > 0 {
        let text = String::from_utf8_lossy(&line);
        print!("{text}");
        outcome.note(text.trim_end());
        line.clear();
    }
    let status = child.wait().map_err(|e| e.to_string())?;
    Ok((outcome, status.success()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_libtest_are_understood() {
        let mut outcome = Outcome::default();
        for line in [
            "running 3 tests",
            "test a::b has been running for over 60 seconds",
            "test a::b ... FAILED",
            "test c ... ok",
            "test d ... ignored, minutes",
            "test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.1s",
        ] {
            outcome.note(line);
        }
        assert_eq!((outcome.failed.into_iter().collect::<Vec<_>>(), outcome.passed), (vec!["a::b".to_owned()], 1));
    }

    /// A program that prints the first text when it runs all tests, and the second when it runs some by name.
    #[cfg(unix)]
    fn told(all: &str, alone: &str) -> Result {
        run(|rest| {
            let text = if rest.contains(&"--exact") { alone } else { all };
            let mut command = Command::new("sh");
            command.args(["-c", r#"echo "$1"; case "$1" in *FAILED*) exit 101;; esac"#, "sh", text]);
            command
        })
    }

    #[cfg(unix)]
    #[test]
    fn only_what_passes_alone_is_forgiven() {
        assert_eq!(told("test a ... ok", ""), Ok(()));
        assert_eq!(told("test a ... FAILED", "test a ... ok"), Ok(()));
        assert_eq!(told("test a ... FAILED", "test a ... FAILED").unwrap_err(), "1 tests failed:\n  a");
        assert_eq!(told("test a ... FAILED", "").unwrap_err(), "1 tests failed:\n  a");
        let many: String = ["a", "b", "c", "d"].map(|name| format!("test {name} ... FAILED\n")).concat();
        assert!(told(&many, "test a ... ok").unwrap_err().starts_with("4 tests failed"));
    }
}
