//! What the passes need to know about the strings: which of the names that mean something each one is.
//!
//! The strings themselves go to V8 unread. One byte a string stays here, and the text of the few that are more than a
//! fixed name: tags of DOM nodes, and the references of weak maps.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

/// What a name means to the front-end's passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    Other,
    /// `Array`.
    Array,
    /// `system / JSArrayBufferData`.
    ArrayBufferData,
    /// `system / Context`, alone or with a name behind.
    Context,
    /// A number that is the place of a descriptor among map descriptors; see `HeapSnapshot.ts`, `calculateDistances`.
    Descriptor,
    /// Begins with `Detached `, and is no tag or native context.
    Detached,
    /// A native context that is detached.
    DetachedNativeContext,
    /// `(Document DOM trees)`.
    DocumentTrees,
    /// `elements`.
    Elements,
    /// `system / ExternalStringData`.
    ExternalStringData,
    /// `(map descriptors)`.
    MapDescriptors,
    /// `system / NativeContext`.
    NativeContext,
    /// The same with a name behind.
    NamedNativeContext,
    /// A reference of a weak map; its parts are kept.
    Pair,
    /// `sloppy_function_map`.
    SloppyFunctionMap,
    /// Begins with `<` or `Detached <`; its text is kept.
    Tag,
}

impl Kind {
    pub fn is_native_context(self) -> bool {
        matches!(self, Kind::NativeContext | Kind::NamedNativeContext | Kind::DetachedNativeContext)
    }
}

/// Values in weak maps are referred to by the map and by the key, under names that share a part.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair {
    /// Id of the map's table.
    pub table: u64,
    /// Number of the part that both names share.
    pub part: u32,
    /// As in [`Kind::Descriptor`].
    pub is_descriptor: bool,
}

/// Everything that is known about the strings, and those that the passes add.
#[derive(Default)]
pub(crate) struct Texts {
    kinds: Vec<Kind>,
    tags: HashMap<u32, Vec<u16>>,
    pairs: HashMap<u32, Pair>,
    parts: HashMap<Vec<u16>, u32>,
    /// Index of the first string `map`.
    pub map: Option<u32>,
    /// Index of the first string `native_context`.
    pub native_context: Option<u32>,
    /// Strings that follow those of the file.
    pub added: Vec<Added>,
}

/// A string that is not in the file.
#[derive(Debug)]
pub(crate) enum Added {
    /// `Detached ` and the string with this index.
    Detached(u32),
    /// A class name.
    Text(Vec<u16>),
}

impl Texts {
    /// Takes note of the next string: what is between its quotes in JSON.
    pub fn note(&mut self, raw: &[u8]) {
        let index = self.kinds.len() as u32;
        let kind = if raw.contains(&b'\\') {
            let units = unescaped(raw);
            self.kind_of(index, &String::from_utf16_lossy(&units), || units.clone())
        } else if may_mean_something(raw) {
            // What is no UTF-8 is refused by whoever reads the strings.
            let text = String::from_utf8_lossy(raw);
            self.kind_of(index, &text, || text.encode_utf16().collect())
        } else {
            Kind::Other
        };
        self.kinds.push(kind);
    }

    fn kind_of(&mut self, index: u32, text: &str, units: impl Fn() -> Vec<u16>) -> Kind {
        match text {
            "Array" => Kind::Array,
            "system / JSArrayBufferData" => Kind::ArrayBufferData,
            "system / Context" => Kind::Context,
            "(Document DOM trees)" => Kind::DocumentTrees,
            "elements" => Kind::Elements,
            "system / ExternalStringData" => Kind::ExternalStringData,
            "(map descriptors)" => Kind::MapDescriptors,
            "system / NativeContext" => Kind::NativeContext,
            "Detached system / NativeContext" => Kind::DetachedNativeContext,
            "sloppy_function_map" => Kind::SloppyFunctionMap,
            "map" => {
                self.map.get_or_insert(index);
                Kind::Other
            }
            "native_context" => {
                self.native_context.get_or_insert(index);
                Kind::Other
            }
            _ if text.starts_with("system / Context / ") => Kind::Context,
            _ if text.starts_with("system / NativeContext / ") => Kind::NamedNativeContext,
            _ if text.starts_with("Detached system / NativeContext / ") => Kind::DetachedNativeContext,
            _ if text.starts_with('<') || text.starts_with("Detached <") => {
                self.tags.insert(index, units());
                Kind::Tag
            }
            _ if text.starts_with("Detached ") => Kind::Detached,
            _ => match self.pair(text, &units) {
                Some(pair) => {
                    self.pairs.insert(index, pair);
                    Kind::Pair
                }
                None if is_descriptor(text) => Kind::Descriptor,
                None => Kind::Other,
            },
        }
    }

    fn pair(&mut self, text: &str, units: &impl Fn() -> Vec<u16>) -> Option<Pair> {
        // The front-end's `tryParseWeakMapEdgeName`.
        static NAME: LazyLock<Regex> = LazyLock::new(|| {
            let any = r"[^\n\r\x{2028}\x{2029}]*?";
            Regex::new(&format!(
                r"^[0-9]+( / part of key \({any} @[0-9]+\) -> value \({any} @[0-9]+\) pair in WeakMap \(table @([0-9]+)\))$"
            ))
            .expect("a constant")
        });
        if !text.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let found = NAME.captures(text)?;
        // Ids have 32 bits: a number that does not fit is nobody's.
        let table = found[2].parse().unwrap_or(u64::MAX);
        let digits = text.len() - found[1].len();
        let next = self.parts.len() as u32;
        let part = *self.parts.entry(units()[digits..].to_vec()).or_insert(next);
        Some(Pair { table, part, is_descriptor: is_descriptor(text) })
    }

    /// What the string with this index means. An edge of a type that nobody knows may name one that is not there.
    pub fn kind(&self, index: u32) -> Kind {
        self.kinds.get(index as usize).copied().unwrap_or(Kind::Other)
    }

    pub fn pair_of(&self, index: u32) -> Option<Pair> {
        (self.kind(index) == Kind::Pair).then(|| self.pairs[&index])
    }

    pub fn is_descriptor(&self, index: u32) -> bool {
        self.kind(index) == Kind::Descriptor || self.pair_of(index).is_some_and(|pair| pair.is_descriptor)
    }

    /// Whether the string begins with `Detached `.
    pub fn is_detached(&self, index: u32) -> bool {
        match self.kind(index) {
            Kind::Detached | Kind::DetachedNativeContext => true,
            Kind::Tag => self.tags[&index].first() != Some(&u16::from(b'<')),
            _ => false,
        }
    }

    /// Adds `Detached ` and the string with this index.
    pub fn add_detached(&mut self, of: u32) -> u32 {
        let index = self.kinds.len() as u32;
        let kind = match self.kind(of) {
            Kind::NativeContext | Kind::NamedNativeContext => Kind::DetachedNativeContext,
            Kind::Tag if !self.is_detached(of) => {
                let tag = "Detached ".encode_utf16().chain(self.tags[&of].iter().copied()).collect();
                self.tags.insert(index, tag);
                Kind::Tag
            }
            _ => Kind::Detached,
        };
        self.kinds.push(kind);
        self.added.push(Added::Detached(of));
        index
    }

    /// Adds a class name, which nothing else refers to.
    pub fn add(&mut self, text: Vec<u16>) -> u32 {
        self.kinds.push(Kind::Other);
        self.added.push(Added::Text(text));
        self.kinds.len() as u32 - 1
    }

    /// The class of a tag: its name without attributes.
    pub fn tag_class(&self, index: u32) -> Vec<u16> {
        const SPACE: u16 = b' ' as u16;
        let tag = &self.tags[&index];
        let from = if self.is_detached(index) { "Detached <".len() } else { 0 };
        match tag[from..].iter().position(|&unit| unit == SPACE) {
            Some(space) => tag[..from + space].iter().copied().chain([u16::from(b'>')]).collect(),
            None => tag.clone(),
        }
    }
}

/// Whether the front-end takes a name for the place of a descriptor: a number from 4 on, every third.
fn is_descriptor(text: &str) -> bool {
    let trimmed = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let digits = trimmed.strip_prefix('+').unwrap_or(trimmed);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse::<f64>().is_ok_and(|number| number >= 2.0 && number % 3.0 == 1.0)
}

/// A quick no for nearly all strings.
fn may_mean_something(raw: &[u8]) -> bool {
    match raw.first() {
        Some(b'A') => raw == b"Array",
        Some(b'm') => raw == b"map",
        Some(b'n') => raw == b"native_context",
        Some(b'e') => raw == b"elements",
        Some(b's') => raw.starts_with(b"system / ") || raw == b"sloppy_function_map",
        Some(b'(') => raw == b"(map descriptors)" || raw == b"(Document DOM trees)",
        Some(b'D') => raw.starts_with(b"Detached "),
        Some(b'<' | b'+' | b'0'..=b'9') => true,
        // White space before a number.
        Some(&first) => first <= b' ' || first >= 0x80,
        None => false,
    }
}

/// UTF-16 of a JSON string that has been checked.
fn unescaped(raw: &[u8]) -> Vec<u16> {
    let mut units = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.iter().position(|&byte| byte == b'\\') {
        units.extend(String::from_utf8_lossy(&rest[..at]).encode_utf16());
        let (escape, length) = match rest.get(at + 1) {
            Some(b'u') => {
                let digits = rest.get(at + 2..at + 6).and_then(|digits| std::str::from_utf8(digits).ok());
                (digits.and_then(|digits| u16::from_str_radix(digits, 16).ok()).unwrap_or(0xfffd), 6)
            }
            Some(b'b') => (0x08, 2),
            Some(b'f') => (0x0c, 2),
            Some(b'n') => (0x0a, 2),
            Some(b'r') => (0x0d, 2),
            Some(b't') => (0x09, 2),
            Some(&other) => (u16::from(other), 2),
            None => (0xfffd, 1),
        };
        units.push(escape);
        rest = rest.get(at + length..).unwrap_or_default();
    }
    units.extend(String::from_utf8_lossy(rest).encode_utf16());
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(all: &[&str]) -> Texts {
        let mut texts = Texts::default();
        all.iter().for_each(|text| texts.note(text.as_bytes()));
        texts
    }

    #[test]
    fn names_are_recognised_however_they_are_written() {
        let texts = texts(&["system \\/ \\u0043ontext", "system / Context / x", "system / Contexts", "map", "map"]);
        assert_eq!([0, 1, 2].map(|at| texts.kind(at)), [Kind::Context, Kind::Context, Kind::Other]);
        assert_eq!((texts.map, texts.native_context), (Some(3), None));
    }

    #[test]
    fn a_pair_of_a_weak_map_shares_its_part() {
        let name = |number: u32, key: &str| {
            format!("{number} / part of key ({key} @11) -> value (B @13) pair in WeakMap (table @15)")
        };
        let texts = texts(&[&name(1, "A"), &name(2, "A"), &name(3, "C"), &name(4, "A\\nB"), "7 / part of key"]);
        let pair = |at| texts.pair_of(at).map(|pair| (pair.table, pair.part));
        assert_eq!([0, 1, 2].map(pair), [Some((15, 0)), Some((15, 0)), Some((15, 1))]);
        assert_eq!([3, 4].map(pair), [None, None]);
    }

    #[test]
    fn numbers_of_descriptors_are_read_as_javascript_reads_them() {
        let found = |text: &str| is_descriptor(text);
        assert!(["4", "+7", " 10x", "\u{a0}4"].into_iter().all(found));
        assert!(!["1", "3", "x4", "-5", "", "0x4"].into_iter().any(found));
    }

    #[test]
    fn classes_of_tags_lose_the_attributes() {
        let mut texts = texts(&["<div id=\\\"a\\\">", "Detached <a b>", "<p>", "Detached x"]);
        let class = |texts: &Texts, at| String::from_utf16(&texts.tag_class(at)).unwrap();
        assert_eq!([0, 1, 2].map(|at| class(&texts, at)), ["<div>", "Detached <a>", "<p>"]);
        let added = texts.add_detached(0);
        assert_eq!(class(&texts, added), "Detached <div>");
        assert_eq!([0, 1, 3, 4].map(|at| texts.is_detached(at)), [false, true, true, true]);
    }
}
