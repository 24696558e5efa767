//! Contexts with variables that nobody can read any more.

use serde_json::json;

use super::HeapData;
use super::names::{Names, size};
use crate::devtools::heap::answers::{Contexts, ScopedContext};

impl HeapData {
    /// The analysis of contexts.
    pub fn contexts(answer: &Contexts, names: Names) -> Self {
        let mut data = HeapData::default();
        data.line("### Context Analysis");
        data.paging(&answer.listed.page);
        if answer.listed.items.is_empty() {
            data.line("No live contexts with dead fields were found.");
        }
        for (number, item) in answer.listed.items.iter().enumerate() {
            if number > 0 {
                data.line("");
            }
            data.context(item, names);
        }
        if !answer.scripts_without_scopes.is_empty() {
            data.line("");
            data.line("Scripts whose scopes the snapshot does not describe:");
        }
        for script in &answer.scripts_without_scopes {
            let name = script_name(script.script_name.as_deref(), script.script_node_id, names);
            let contexts = counted(script.context_count, "context");
            data.line(format!("- `{name}` (@{}) \u{2014} {contexts}", script.script_node_id));
        }
        let report = json!({
            "contexts": answer.listed.items,
            "scriptsWithoutScopes": answer.scripts_without_scopes,
        });
        data.key("heapSnapshotContextAnalysis", report);
        data
    }

    fn context(&mut self, ScopedContext { scope, context }: &ScopedContext, names: Names) {
        let script = script_name(scope.script_name.as_deref(), scope.script_node_id, names);
        let place = match scope.scope_name.as_deref().filter(|name| !name.is_empty()) {
            Some(name) => format!("{} ({script})", names.line(name)),
            None => script,
        };
        self.line(format!(
            "#### Context @{} in `{place}` \u{2014} {}",
            context.context_node_id,
            size(context.dead_fields_retained_size_sum)
        ));
        self.line(format!(
            "Script @{}, ScopeInfo @{}, offsets {}-{}, {}",
            scope.script_node_id,
            scope.scope_info_node_id,
            scope.scope_start,
            scope.scope_end,
            counted(scope.context_field_count, "context field")
        ));
        for field in &context.dead_fields {
            self.line(format!(
                "- `{}` ({} @{}) \u{2014} {}",
                names.line(&field.name),
                names.line(&field.value_name),
                field.value_node_id,
                size(field.retained_size)
            ));
        }
    }
}

fn script_name(name: Option<&str>, id: u64, names: Names) -> String {
    match name.filter(|name| !name.is_empty()) {
        Some(name) => names.line(name),
        None => format!("script @{id}"),
    }
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
