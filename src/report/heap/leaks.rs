//! What the three-snapshot method found; only the command line shows it.

use super::names::{Names, size};
use crate::devtools::heap::answers::Leaks;

/// Classes with the way that holds the largest object of each.
pub fn leaks(answer: &Leaks, names: Names) -> String {
    let mut lines = Vec::new();
    if answer.classes.is_empty() {
        lines.push("Nothing that was allocated between the first two snapshots is left in the third.".to_owned());
    }
    for class in &answer.classes {
        let objects = if class.count == 1 { "object" } else { "objects" };
        lines.push(format!(
            "{}: {} {objects}, own size {}, retained size {}",
            names.line(&class.class_name),
            class.count,
            size(class.self_size),
            size(class.retained_size)
        ));
        let example = &class.example;
        lines.push(format!(
            "  @{} {} ({})",
            example.node_id,
            names.line(&example.node_name),
            size(example.retained_size)
        ));
        for step in &example.path {
            lines.push(format!(
                "    <- {} {} of @{} {}",
                step.edge_type,
                names.line(&step.edge_name),
                step.node_id,
                names.line(&step.node_name)
            ));
        }
        if example.path.is_empty() {
            lines.push("    (no way to a root was found)".to_owned());
        }
    }
    let more = answer.class_count - answer.classes.len() as u64;
    if more > 0 {
        lines.push(format!("{more} more classes; --limit shows more."));
    }
    if answer.hidden > 0 {
        lines.push(format!("{} internal groups of V8 are left out; --internal shows them.", answer.hidden));
    }
    lines.join("\n")
}
