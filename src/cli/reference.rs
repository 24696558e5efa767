//! `devtools-mcp reference tools|options`: the reference pages, computed from the tables. `cargo xtask gen` writes them.

use std::fmt::Write;
use std::fs::File;
use std::process::ExitCode;

use super::fail;
use super::output::print;
use crate::config::options::{Kind, OPTIONS, Status, kebab_case};
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
            ParamKind::Number { .. } => "number".into(),
            ParamKind::Integer { .. } | ParamKind::Positive => "integer".into(),
            ParamKind::ObjectList(keys) => {
                let keys: Vec<&str> = keys.iter().map(|(name, _)| *name).collect();
                format!("array of {{{}}}", keys.join(", "))
            }
            ParamKind::Choice(choices) => choices.join(" \\| "),
            ParamKind::TextList { .. } => "array of strings".into(),
        };
        let need = match (param.required, param.default) {
            (true, _) => "required".to_owned(),
            (false, ParamDefault::Bool(value)) => format!("default {value}"),
            (false, ParamDefault::Configured(value)) => format!("default {}", value(config)),
            (false, ParamDefault::None) => "optional".into(),
        };
        let _ = writeln!(text, "| `{}` | {kind}, {need} | {} |", param.name, param.description);
    }
}

fn options() -> String {
    let mut text = String::from(
        "# Options of the server\n\nWritten by `cargo xtask gen` from the table in `src/config/options.rs`. Names may be written in\n\
         camelCase or kebab-case; booleans take `--no-<name>`; lists may be repeated and take several values.\n\n\
         | Option | Values | Default | |\n|---|---|---|---|\n",
    );
    for option in OPTIONS {
        let names: Vec<String> =
            std::iter::once(&option.name).chain(option.aliases).map(|n| format!("`--{}`", kebab_case(n))).collect();
        let kind = match option.kind {
            Kind::Bool => "boolean",
            Kind::Text => "text",
            Kind::Number => "number",
            Kind::List => "list",
        };
        let note = match option.status {
            Status::Works => "",
            Status::Ours => " (not in the original)",
            Status::NoEffect => " (accepted, no effect)",
        };
        let _ = writeln!(text, "| {} | {kind} | {} | {}{note} |", names.join(", "), option.default, option.doc);
    }
    text
}
