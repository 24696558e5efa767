//! Class names: the front-end's `calculateObjectNames`.

use std::collections::HashMap;

use super::heap::Heap;
use crate::texts::{Kind, Texts};

/// Bits of a class entry below the index of the name.
const SHIFT: u32 = 2;
const STATE: u32 = 3;

/// Names that are added, each once.
struct Added<'a> {
    texts: &'a mut Texts,
    indexes: HashMap<Vec<u16>, u32>,
}

impl Added<'_> {
    fn index(&mut self, name: Vec<u16>) -> u32 {
        let texts = &mut self.texts;
        *self.indexes.entry(name).or_insert_with_key(|name| texts.add(name.clone()))
    }

    fn fixed(&mut self, name: &str) -> u32 {
        self.index(name.encode_utf16().collect())
    }
}

/// Writes the index of each node's class name above its detachedness.
pub(super) fn name(heap: &Heap, texts: &mut Texts, classes: &mut [u32]) {
    let types = &heap.node_types;
    // What an object's name was found to mean, by its index.
    let mut of_tags: HashMap<u32, u32> = HashMap::new();
    let mut of_types = vec![None; heap.type_names.len()];
    let mut added = Added { texts, indexes: HashMap::new() };
    let system = added.fixed("(system)");
    let code = added.fixed("(compiled code)");
    let function = added.fixed("Function");
    let regexp = added.fixed("RegExp");
    for (node, class) in classes.iter_mut().enumerate() {
        let kind = heap.kind(node);
        let index = if kind == types.hidden {
            system
        } else if kind == types.object || kind == types.native {
            let name = heap.name(node);
            if added.texts.kind(name) == Kind::Tag {
                *of_tags.entry(name).or_insert_with(|| added.index(added.texts.tag_class(name)))
            } else {
                name
            }
        } else if kind == types.code {
            code
        } else if kind == types.closure {
            function
        } else if kind == types.regexp {
            regexp
        } else {
            let name = &heap.type_names[kind as usize];
            *of_types[kind as usize].get_or_insert_with(|| added.fixed(&format!("({name})")))
        };
        *class = *class & STATE | index << SHIFT;
    }
}
