//! What the three-snapshot method found; only the command line shows it.

use super::names::{Names, size};
use crate::devtools::heap::answers::Leaks;

/// What is odd about the three files.
pub struct Notes {
    /// Two of them are of different pages or processes.
    pub are_different: bool,
    /// An earlier one has larger ids than a later one.
    pub are_out_of_order: bool,
}

impl Notes {
    /// In words.
    pub fn lines(&self) -> Vec<&'static str> {
        let different = "Note: the snapshots are not of one page: what has the same id is something else in another file. \
                         Take all three of the same page, without loading another in between.";
        let order = "Note: a later snapshot has smaller ids than an earlier one. Give them in the order of time.";
        let all = [(self.are_different, different), (self.are_out_of_order, order)];
        all.into_iter().filter(|(is_so, _)| *is_so).map(|(_, line)| line).collect()
    }
}

/// Classes with the way that holds the largest object of each.
pub fn leaks(answer: &Leaks, notes: &Notes, names: Names) -> String {
    let mut lines: Vec<String> = notes.lines().into_iter().map(str::to_owned).collect();
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
