//! From bytes to tables.

use std::io::Read;

use crate::check;
use crate::error::{LoadError, damaged, not_json, shown};
use crate::header::Header;
use crate::input::Input;
use crate::numbers::{self, Signs};
use crate::skip;
use crate::strings::{self, Strings};
use crate::texts::Texts;

/// Longest header: some kilobytes in practice.
const MAX_HEADER: usize = 16 << 20;

/// Follows a loading and may end it.
pub trait Watch {
    /// So many bytes of JSON have been read. False ends the loading.
    fn read(&mut self, bytes: u64) -> bool;

    /// The header has been read, so the size is known: nodes, edges. An error refuses the snapshot.
    fn header(&mut self, _nodes: u64, _edges: u64) -> Result<(), LoadError> {
        Ok(())
    }

    /// There are so many bytes of strings by now. An error refuses the snapshot.
    fn strings(&mut self, _bytes: u64) -> Result<(), LoadError> {
        Ok(())
    }
}

/// A snapshot whose indices have been checked.
pub struct Loaded {
    /// The section `snapshot`.
    pub header: Header,
    /// Nodes: `header.fields.node` numbers each.
    pub nodes: Vec<u32>,
    /// Edges: `header.fields.edge` numbers each.
    pub edges: Vec<u32>,
    /// Other tables of numbers, by their section's name: `locations`, `scopes`, `scope_context_vars`, `scope_uses`.
    pub tables: Vec<(&'static str, Vec<u32>)>,
    /// The strings, as JSON arrays of some megabytes.
    pub strings: Vec<Vec<u8>>,
    /// How many strings there are.
    pub string_count: u64,
    /// Largest id of a JavaScript object: the front-end's `maxJSObjectId`. Native objects have even ids.
    pub max_js_id: u64,
    pub(crate) texts: Texts,
}

impl Loaded {
    /// Objects.
    pub fn node_count(&self) -> u64 {
        (self.nodes.len() / self.header.fields.node) as u64
    }

    /// References.
    pub fn edge_count(&self) -> u64 {
        (self.edges.len() / self.header.fields.edge) as u64
    }

    /// Bytes of the strings' JSON.
    pub fn string_bytes(&self) -> u64 {
        self.strings.iter().map(|piece| piece.len() as u64).sum()
    }
}

/// Small tables and the header's list of their fields. A table without that list, or a list without the table, is left
/// out, as in files of older versions.
const TABLES: [(&str, &str, &str); 4] = [
    ("locations", "location_fields", "in the section \"locations\""),
    ("scopes", "scope_fields", "in the section \"scopes\""),
    ("scope_context_vars", "scope_context_var_fields", "in the section \"scope_context_vars\""),
    ("scope_uses", "scope_use_fields", "in the section \"scope_uses\""),
];

#[derive(Default)]
struct Sections {
    header: Option<Header>,
    nodes: Option<Vec<u32>>,
    edges: Option<Vec<u32>>,
    strings: Option<Strings>,
    tables: Vec<(&'static str, Vec<u32>)>,
}

/// Reads a snapshot. `size` is the JSON's length in bytes, as far as it is known; it bounds what is reserved in advance.
///
/// Allocation traces and the samples of allocation timelines are passed over: nothing that is asked of a snapshot here
/// depends on them.
pub fn load(reader: &mut dyn Read, size: Option<u64>, watch: &mut dyn Watch) -> Result<Loaded, LoadError> {
    let mut input = Input::new(reader, watch);
    let sections = read_sections(&mut input, size)?;
    let missing = |name: &str| LoadError::NotASnapshot { what: format!("it has no section \"{name}\"") };
    let header = sections.header.ok_or_else(|| missing("snapshot"))?;
    let nodes = sections.nodes.ok_or_else(|| missing("nodes"))?;
    let edges = sections.edges.ok_or_else(|| missing("edges"))?;
    let strings = sections.strings.ok_or_else(|| missing("strings"))?;
    let mut tables = Vec::new();
    for (name, list, _) in TABLES {
        let Some(at) = sections.tables.iter().position(|(n, _)| *n == name) else { continue };
        let Some(fields) = header.fields_of(list).filter(|&count| count > 0) else { continue };
        let table = &sections.tables[at].1;
        if !table.len().is_multiple_of(fields) {
            return Err(damaged(format!("\"{name}\" has {} numbers, no multiple of its {fields} fields", table.len())));
        }
        tables.push((name, at));
    }
    let mut found = sections.tables;
    let tables = tables.into_iter().map(|(name, at)| (name, std::mem::take(&mut found[at].1))).collect();
    let Strings { pieces, count, texts } = strings;
    let mut loaded = Loaded { header, nodes, edges, tables, string_count: count, strings: pieces, max_js_id: 0, texts };
    loaded.max_js_id = check::check(&loaded)?;
    Ok(loaded)
}

fn read_sections(input: &mut Input, size: Option<u64>) -> Result<Sections, LoadError> {
    const PLACE: &str = "between the sections";
    let mut sections = Sections::default();
    // A byte order mark. Whatever else begins so is no JSON.
    if input.peek()? == Some(0xef) {
        for _ in 0..3 {
            input.next(PLACE)?;
        }
    }
    match input.significant()? {
        None => return Err(LoadError::Empty),
        Some(b'{') => input.consume(1),
        Some(b'[') => return Err(LoadError::NotASnapshot { what: "it is a JSON array".into() }),
        Some(other) => return Err(not_json(input.offset(), shown(other))),
    }
    if input.significant_in(PLACE)? == b'}' {
        return Err(LoadError::NotASnapshot { what: "it is an empty object".into() });
    }
    loop {
        let start = input.offset();
        let name = skip::key(input, PLACE)?;
        input.expect(b':', PLACE)?;
        section(&name, start, &mut sections, input, size)?;
        match input.significant_in(PLACE)? {
            b',' => input.consume(1),
            b'}' => {
                input.consume(1);
                break;
            }
            other => return Err(not_json(input.offset(), format!("{}, {PLACE}", shown(other)))),
        }
    }
    if let Some(other) = input.significant()? {
        return Err(not_json(input.offset(), format!("{} after the end of the snapshot", shown(other))));
    }
    Ok(sections)
}

fn section(
    name: &str,
    start: u64,
    sections: &mut Sections,
    input: &mut Input,
    size: Option<u64>,
) -> Result<(), LoadError> {
    let twice = || damaged(format!("the section \"{name}\" is there a second time, at byte {start}"));
    match name {
        "snapshot" => {
            if sections.header.is_some() {
                return Err(twice());
            }
            let mut bytes = Vec::new();
            skip::value(input, "in the section \"snapshot\"", Some((&mut bytes, MAX_HEADER)))?;
            let header = Header::read(&bytes)?;
            if let (Some(nodes), Some(edges)) = (header.node_count, header.edge_count) {
                input.watch().header(nodes, edges)?;
            }
            sections.header = Some(header);
        }
        "nodes" => {
            if sections.nodes.is_some() {
                return Err(twice());
            }
            let expected = sections.header.as_ref().and_then(|h| h.node_count?.checked_mul(h.fields.node as u64));
            sections.nodes = Some(table(input, "in the section \"nodes\"", Signs::None, expected, size)?);
        }
        "edges" => {
            if sections.edges.is_some() {
                return Err(twice());
            }
            let expected = sections.header.as_ref().and_then(|h| h.edge_count?.checked_mul(h.fields.edge as u64));
            sections.edges = Some(table(input, "in the section \"edges\"", Signs::None, expected, size)?);
        }
        "strings" => {
            if sections.strings.is_some() {
                return Err(twice());
            }
            sections.strings = Some(strings::read(input)?);
        }
        _ => match TABLES.iter().find(|(table, ..)| *table == name) {
            Some((name, _, place)) => {
                if sections.tables.iter().any(|(n, _)| n == name) {
                    return Err(twice());
                }
                let numbers = table(input, place, Signs::Ignored, None, size)?;
                sections.tables.push((name, numbers));
            }
            None => skip::value(input, "in a section that is not read", None)?,
        },
    }
    Ok(())
}

fn table(
    input: &mut Input,
    place: &'static str,
    signs: Signs,
    expected: Option<u64>,
    size: Option<u64>,
) -> Result<Vec<u32>, LoadError> {
    // A number and its comma take two bytes: a header cannot make us reserve more than the file could fill.
    let most = size.unwrap_or(0) / 2;
    let mut numbers = Vec::with_capacity(usize::try_from(expected.unwrap_or(0).min(most)).unwrap_or(0));
    // The front-end multiplies and shifts indices in 32 bits.
    let limit = usize::try_from(expected.unwrap_or(u64::MAX)).unwrap_or(usize::MAX).min(u32::MAX as usize);
    numbers::read(input, place, signs, limit, &mut numbers)?;
    Ok(numbers)
}
