//! `--help`, computed from the option table.

use std::fmt::Write;

use crate::config::options::{OPTIONS, OptionSpec, Status, kebab_case};

/// Lines are not longer than this, even where the terminal is.
const WIDEST: usize = 120;

const COMMANDS: &str = "\
devtools-mcp: the real Chrome DevTools for coding agents

Usage:
  devtools-mcp [OPTIONS]                       serve MCP on standard input and output
  devtools-mcp doctor [OPTIONS]                check what the server needs on this machine
  devtools-mcp trace record <URL> [-o FILE]    record a page and print DevTools' insights
  devtools-mcp trace summary <FILE>            what DevTools says about a trace file
  devtools-mcp trace insight <FILE> --all      each insight in detail
  devtools-mcp heap summary <FILE>             what DevTools says about a heap snapshot file
  devtools-mcp heap leaks <A> <B> <C>          what was allocated between A and B and is left in C
  devtools-mcp notices                         third-party licences
  devtools-mcp --version [--verbose]
";

const NOTES: &str = "Names may also be written in camelCase; booleans take --no-<name>. All of them can also stand in a \
                     config file, and the command line goes first. Unknown options are noted and ignored.";

/// The help text for a terminal of this width.
pub fn text(terminal: usize) -> String {
    let width = terminal.clamp(40, WIDEST);
    let shown = || OPTIONS.iter().filter(|o| !o.hidden);
    let mut text = String::from(COMMANDS);
    let mut groups: Vec<&str> = Vec::new();
    for option in shown() {
        if !groups.contains(&option.group) {
            groups.push(option.group);
        }
    }
    for group in groups {
        let _ = write!(text, "\n{group}:\n");
        for option in shown().filter(|o| o.group == group) {
            wrap(&mut text, &heading(option), 2, width);
            wrap(&mut text, &explanation(option), 6, width);
        }
    }
    text.push('\n');
    wrap(&mut text, NOTES, 0, width);
    text
}

fn heading(option: &OptionSpec) -> String {
    let names = option.short.map(|letter| format!("-{letter}")).into_iter();
    let names =
        names.chain(std::iter::once(&option.name).chain(option.aliases).map(|name| format!("--{}", kebab_case(name))));
    format!("{} {}", names.collect::<Vec<_>>().join(", "), option.kind.placeholder()).trim_end().to_owned()
}

fn explanation(option: &OptionSpec) -> String {
    let planned = if option.status == Status::Planned { " Accepted; what it controls is not here yet." } else { "" };
    format!("{}{planned} [default: {}]", option.doc, option.default)
}

/// Adds a paragraph whose lines are indented and, where its words allow, not too long.
fn wrap(text: &mut String, paragraph: &str, indent: usize, width: usize) {
    let mut column = 0;
    for word in paragraph.split(' ') {
        if column > 0 && column + 1 + word.len() > width {
            text.push('\n');
            column = 0;
        }
        let gap = if column == 0 { indent } else { 1 };
        let _ = write!(text, "{:gap$}{word}", "");
        column += gap + word.len();
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_and_no_word_is_lost() {
        for (terminal, widest) in [(80, 80), (100, 100), (400, 120), (0, 80)] {
            let text = text(terminal);
            let options = text.split_once("\nBrowser:").unwrap().1;
            let longest = options.lines().max_by_key(|l| l.len()).unwrap();
            // Of a very narrow terminal only words that are longer themselves stick out.
            assert!(longest.len() <= widest, "{terminal}: {longest}");
        }
        let words = |text: String| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(text(60)), words(text(120)));
    }

    #[test]
    fn shown_options_are_there_and_hidden_ones_are_not() {
        let text = text(120);
        for option in OPTIONS {
            let named = text.lines().any(|l| l.trim_start() == heading(option));
            assert_eq!(named, !option.hidden, "{}", option.name);
        }
        assert!(text.contains("  -u, --browser-url <url>\n"), "{text}");
        assert!(text.contains("  --filesystem-root, --workspace <value>...\n"), "{text}");
    }
}
