//! `devtools-mcp reference tools|options`: the reference pages, computed from the tables. `cargo xtask gen` writes them.

use std::fmt::Write;
use std::fs::File;
use std::process::ExitCode;

use super::fail;
use super::output::print;
use crate::config::options::{CONFLICTS, IMPLICATIONS, OPTIONS, Status, kebab_case};
use crate::config::{Config, Parsed};
use crate::tools::schema::{Param, ParamDefault, ParamKind};
use crate::tools::{Condition, TOOLS, Tool};

/// Prints one page.
pub fn run(page: Option<&str>, output: &File) -> ExitCode {
    match page {
        Some("tools") => print(output, &tools()),
        Some("options") => print(output, &options()),
        _ => fail("there is no such reference page", "write `devtools-mcp reference tools` or `reference options`"),
    }
}

fn tools() -> String {
    let mut text = String::from("# Tools\n\nWritten by `cargo xtask gen` from the tool table in `src/tools/`.\n");
    for tool in TOOLS {
        let _ = write!(text, "\n## `{}`\n\n{}\n\n", tool.name, tool.description);
        let _ = writeln!(
            text,
            "Category {}, {}.\n",
            tool.category.name(),
            if tool.read_only { "read-only" } else { "changes the page or files" }
        );
        if !tool.conditions.is_empty() {
            let names: Vec<String> = tool.conditions.iter().map(|c| format!("`--{}`", kebab_case(c.name()))).collect();
            let _ = writeln!(text, "Needs {}.\n", names.join(", "));
        }
        parameters(&mut text, tool, &config_of(tool));
    }
    text
}

/// The options under which a tool is offered.
fn config_of(tool: &Tool) -> Config {
    let mut config = Config::from_parsed(&Parsed::default());
    config.slim = tool.conditions.contains(&Condition::Slim);
    config
}

fn parameters(text: &mut String, tool: &Tool, config: &Config) {
    let params: Vec<&Param> = tool.all_params(config).collect();
    if params.is_empty() {
        text.push_str("No parameters.\n");
        return;
    }
    text.push_str("| Parameter | Type | |\n|---|---|---|\n");
    for param in params {
        let kind = match param.kind {
            ParamKind::Text => "string".to_owned(),
            ParamKind::Bool => "boolean".into(),
            ParamKind::SizeRange => "size range".into(),
            ParamKind::Number { .. } => "number".into(),
            ParamKind::Integer { .. } | ParamKind::Positive => "integer".into(),
            ParamKind::ObjectList(keys) => {
                let keys: Vec<&str> = keys.iter().map(|(name, _)| *name).collect();
                format!("array of {{{}}}", keys.join(", "))
            }
            ParamKind::Choice(choices) => choices.join(" \\| "),
            ParamKind::ChoiceList(choices) => format!("array of {}", choices.join(" \\| ")),
            ParamKind::TextList { .. } => "array of strings".into(),
        };
        let need = match (param.required, param.default) {
            (true, _) => "required".to_owned(),
            (false, ParamDefault::Bool(value)) => format!("default {value}"),
            (false, ParamDefault::Number(value)) => format!("default {value}"),
            (false, ParamDefault::Configured(value)) => format!("default {}", value(config)),
            (false, ParamDefault::None) => "optional".into(),
        };
        let _ = writeln!(text, "| `{}` | {kind}, {need} | {} |", param.name, param.description);
    }
}

fn options() -> String {
    let mut text = String::from(
        "# Options of the server\n\nWritten by `cargo xtask gen` from the table in `src/config/options.rs`. Names may be written in\n\
         camelCase or kebab-case; booleans take `--no-<name>`; lists may be repeated and take several values. Unknown\n\
         options are noted on stderr and ignored.\n\n\
         The camelCase names are also the keys of the config file, one flat JSON object: the file of `--config`, else\n\
         `$PLUGIN_DATA/cd4a.config.json`, else `cd4a/config.json` in `$XDG_CONFIG_HOME` or `~/.config` (Windows:\n\
         `%LOCALAPPDATA%\\Google`). `CHROME_DEVTOOLS_MCP_NO_CONFIG_DISCOVERY=1` turns looking for it off. The command line goes\n\
         first, then the file, then the default.\n\n\
         | Option | Values | Default | |\n|---|---|---|---|\n",
    );
    for option in OPTIONS {
        let names = [option.name].into_iter().chain(option.aliases.iter().copied());
        let mut names: Vec<String> = names.map(|name| format!("`--{}`", kebab_case(name))).collect();
        names.extend(option.short.map(|letter| format!("`-{letter}`")));
        let note = match option.status {
            Status::Works => "",
            Status::Ours => " (not in the original)",
            Status::Planned => " (accepted; what it controls is not here yet)",
            Status::NoEffect => " (accepted, no effect)",
        };
        let (names, kind) = (names.join(", "), option.kind.describe());
        // What Markdown would take for emphasis or HTML.
        let doc = option.doc.replace('*', "\\*").replace('<', "\\<");
        let _ = writeln!(text, "| {names} | {kind} | {} | {doc}{note} |", option.default);
    }
    let groups: Vec<String> = CONFLICTS.iter().map(|group| format!("- {}\n", group.join(", "))).collect();
    let pairs: Vec<String> = IMPLICATIONS.iter().map(|(a, b)| format!("- {a} needs {b}\n")).collect();
    let _ = write!(
        text,
        "\n## Options that exclude each other\n\nOf each line at most one may be given, command line and config file taken \
         together; a boolean that is off does\nnot count.\n\n{}\n## Options that need another one\n\n{}",
        groups.concat(),
        pairs.concat()
    );
    text
}
