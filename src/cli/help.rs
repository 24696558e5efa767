//! `--help`, computed from the option table.

use std::fmt::Write;

use crate::config::options::{Kind, OPTIONS, Status, kebab_case};

/// The help text.
pub fn text() -> String {
    let mut text = String::from(
        "devtools-mcp: the real Chrome DevTools for coding agents\n\n\
         Usage:\n\
         \x20 devtools-mcp [OPTIONS]                       serve MCP on standard input and output\n\
         \x20 devtools-mcp trace record <URL> [-o FILE]    record a page and print DevTools' insights\n\
         \x20 devtools-mcp trace summary <FILE>            what DevTools says about a trace file\n\
         \x20 devtools-mcp trace insight <FILE> --all      each insight in detail\n\
         \x20 devtools-mcp notices                         third-party licences\n\
         \x20 devtools-mcp --version [--verbose]\n",
    );
    let mut groups: Vec<&str> = Vec::new();
    for option in OPTIONS {
        if !groups.contains(&option.group) {
            groups.push(option.group);
        }
    }
    for group in groups {
        let _ = write!(text, "\n{group}:\n");
        for option in OPTIONS.iter().filter(|o| o.group == group && o.status != Status::NoEffect) {
            let value = match option.kind {
                Kind::Bool => "",
                Kind::Text => " <text>",
                Kind::Number => " <number>",
                Kind::List => " <value>...",
            };
            let _ = writeln!(text, "  --{}{value}", kebab_case(option.name));
            let _ = writeln!(text, "      {} [default: {}]", option.doc, option.default);
            if !option.aliases.is_empty() {
                let names: Vec<String> = option.aliases.iter().map(|a| format!("--{}", kebab_case(a))).collect();
                let _ = writeln!(text, "      also: {}", names.join(", "));
            }
        }
    }
    text.push_str(
        "\nNames may also be written in camelCase; booleans take --no-<name>. Unknown options are noted and ignored.\n",
    );
    text
}
