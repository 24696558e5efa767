//! Which heap a file is of, as far as the file tells: V8 never gives an id to a second object, so snapshots of one page have
//! the same objects under the same ids.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use devtools_heapsnapshot::Loaded;
use serde_json::value::RawValue;

/// One object in so many is remembered.
const SHARE: u32 = 16;
/// Objects that two files must have in common before anything is concluded from them.
const ENOUGH: usize = 20;

/// What is remembered of a file.
pub struct Identity {
    /// Largest id of a JavaScript object.
    pub largest_id: u64,
    /// Type and name of some objects, hashed, by id.
    objects: HashMap<u32, u64>,
}

impl Identity {
    /// Reads it off a file's tables.
    pub fn of(loaded: &Loaded) -> Self {
        let fields = &loaded.header.fields;
        let sample = || {
            // Ids of JavaScript objects are odd.
            let is_wanted = |node: &&[u32]| node[fields.node_id] % (2 * SHARE) == 1;
            loaded.nodes.chunks_exact(fields.node).filter(is_wanted)
        };
        let mut names: HashMap<u32, u64> = sample().map(|node| (node[fields.node_name], 0)).collect();
        let mut index = 0;
        for piece in &loaded.strings {
            // They have been checked: what cannot be read here has lone surrogates at most, which raw values keep.
            let strings: Vec<&RawValue> = serde_json::from_slice(piece).unwrap_or_default();
            for string in strings {
                if let Some(name) = names.get_mut(&index) {
                    *name = hash(string.get());
                }
                index += 1;
            }
        }
        let objects = sample()
            .map(|node| (node[fields.node_id], hash((node[fields.node_type], names[&node[fields.node_name]]))))
            .collect();
        Identity { largest_id: loaded.max_js_id, objects }
    }

    /// Whether two files cannot be of one page: what they call by the same ids are mostly different things. False also
    /// if they have too little in common to tell.
    pub fn differs_from(&self, other: &Identity) -> bool {
        let common = || self.objects.iter().filter_map(|(id, object)| Some((object, other.objects.get(id)?)));
        let (all, equal) = (common().count(), common().filter(|(a, b)| a == b).count());
        all >= ENOUGH && equal * 2 < all
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
