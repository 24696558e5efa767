//! The sessions as data: reading `sessions.txt`, and the placeholders in a call's arguments.

use std::path::Path;

use crate::support::pages;

/// Calls with one pair of servers.
pub struct Session {
    pub name: String,
    /// Options of both servers.
    pub options: Vec<String>,
    pub calls: Vec<Call>,
}

/// One call.
pub struct Call {
    pub line: usize,
    /// What it shows settles later; it may be repeated.
    pub settles: bool,
    pub tool: String,
    /// JSON with placeholders.
    pub arguments: String,
}

impl Call {
    /// Whether the original wants to know which page is meant.
    pub fn has_page_id(&self) -> bool {
        let without = ["list_pages", "new_page", "select_page", "close_page", "navigate", "evaluate", "screenshot"];
        !without.contains(&self.tool.as_str())
    }

    /// The page of ours that it goes to.
    pub fn page(&self) -> Option<&str> {
        let (_, after) = self.arguments.split_once("{A}").or_else(|| self.arguments.split_once("{B}"))?;
        after.split(['"', '?', '#']).next()
    }
}

/// Reads `sessions.txt` and the files of `sessions`.
pub fn read(folder: &Path) -> Vec<Session> {
    let mut files: Vec<_> = std::fs::read_dir(folder.join("sessions")).unwrap().flatten().map(|f| f.path()).collect();
    files.sort();
    files.insert(0, folder.join("sessions.txt"));
    files.iter().flat_map(|file| parse(&std::fs::read_to_string(file).unwrap())).collect()
}

fn parse(text: &str) -> Vec<Session> {
    let mut sessions: Vec<Session> = Vec::new();
    for (line, content) in (1..).zip(text.lines()) {
        if content.is_empty() || content.starts_with("# ") {
            continue;
        }
        if let Some(head) = content.strip_prefix("== ") {
            let mut parts = head.split(" --");
            let name = parts.next().unwrap_or_default().to_owned();
            let options = parts.map(|option| format!("--{option}")).collect();
            sessions.push(Session { name, options, calls: Vec::new() });
            continue;
        }
        let (settles, rest) = content.strip_prefix('~').map_or((false, content), |rest| (true, rest));
        let (tool, arguments) = rest.split_once(' ').unwrap_or_else(|| panic!("line {line}: a tool and its arguments"));
        let call = Call { line, settles, tool: tool.into(), arguments: arguments.into() };
        sessions.last_mut().expect("a session first").calls.push(call);
    }
    sessions
}

/// The arguments with the placeholders replaced, as one server gets them. The error is about an element that is not there.
pub fn filled(
    call: &Call,
    tree: &str,
    console: &str,
    requests: &str,
    refused: u16,
    folder: &Path,
) -> Result<String, String> {
    let mut text = call.arguments.clone();
    while let Some((before, rest)) = text.split_once("{uid:") {
        let (wanted, after) = rest.split_once('}').unwrap_or_else(|| panic!("line {}: an open placeholder", call.line));
        let (name, number) = wanted.split_once('/').unwrap_or((wanted, "0"));
        let uid = uid(tree, name, number.parse().unwrap()).ok_or_else(|| format!("there is no {wanted} in\n{tree}"))?;
        text = format!("{before}{uid}{after}");
    }
    while let Some((before, rest)) = text.split_once("{msg:") {
        let (wanted, after) = rest.split_once('}').unwrap_or_else(|| panic!("line {}: an open placeholder", call.line));
        let line = console.lines().find(|line| line.starts_with("msgid=") && line.contains(wanted));
        let id = line.and_then(|line| line.strip_prefix("msgid=")?.split(' ').next());
        let id = id.ok_or_else(|| format!("there is no {wanted} in\n{console}"))?;
        text = format!("{before}{id}{after}");
    }
    while let Some((before, rest)) = text.split_once("{req:") {
        let (wanted, after) = rest.split_once('}').unwrap_or_else(|| panic!("line {}: an open placeholder", call.line));
        let line = requests.lines().find(|line| line.starts_with("reqid=") && line.contains(wanted));
        let id = line.and_then(|line| line.strip_prefix("reqid=")?.split(' ').next());
        let id = id.ok_or_else(|| format!("there is no {wanted} in\n{requests}"))?;
        text = format!("{before}{id}{after}");
    }
    let by_address = pages().url("differential/");
    let by_name = by_address.replace("127.0.0.1", "localhost");
    Ok(text
        .replace("{A}", &by_address)
        .replace("{B}", &by_name)
        .replace("{refused}", &refused.to_string())
        .replace("{tmp}", &folder.to_string_lossy()))
}

/// The uid of the line with this name; a line with a role goes before a line with a text.
fn uid(tree: &str, name: &str, number: usize) -> Option<String> {
    let quoted = format!("\"{name}\"");
    let lines: Vec<(&str, &str)> = tree
        .lines()
        .filter(|line| line.contains(&quoted))
        .filter_map(|line| line.trim_start().strip_prefix("uid=")?.split_once(' '))
        .collect();
    let with_role: Vec<_> = lines.iter().filter(|(_, rest)| !rest.starts_with('"')).copied().collect();
    let lines = if with_role.is_empty() { lines } else { with_role };
    lines.get(number).map(|(uid, _)| (*uid).to_owned())
}
