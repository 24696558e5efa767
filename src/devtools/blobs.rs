//! What `build.rs` made: the snapshot, its source map and the front-end's texts.

use std::sync::{Arc, LazyLock};

use devtools_engine::{Blob, EngineHost};
use include_dir::{Dir, include_dir};

/// `include_bytes!` promises no alignment. On a page boundary the blob's pages can be dropped exactly once it is read.
#[repr(C, align(4096))]
struct PageAligned<T: ?Sized>(T);

static SNAPSHOT: &PageAligned<[u8]> = &PageAligned(*include_bytes!(concat!(env!("OUT_DIR"), "/main.snapshot")));

/// Markdown texts of DevTools' issues, read by the front-end's issue code.
static ISSUE_DESCRIPTIONS: Dir<'static> = include_dir!("$DEVTOOLS_FRONTEND_TEXTS");

/// Rust crates with their licences, and the licence texts of the front-end and what it contains.
pub static THIRD_PARTY_NOTICES: [&str; 2] =
    [include_str!("../../THIRD_PARTY_NOTICES.md"), include_str!(concat!(env!("OUT_DIR"), "/licences.txt"))];

/// Op names the snapshot builder registered, in order, one a line; a test compares them with this binary's.
pub static SNAPSHOT_OP_NAMES: &str = include_str!(concat!(env!("OUT_DIR"), "/op_names.txt"));

static BLOB: Blob = Blob {
    snapshot: &SNAPSHOT.0,
    source_map_gz: include_bytes!(concat!(env!("OUT_DIR"), "/main.map.gz")),
    resources: text,
};

/// The front-end asks with the path of its module's URL; only the file's name matters, all texts lie in one folder.
fn text(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next()?;
    ISSUE_DESCRIPTIONS.get_file(name)?.contents_utf8()
}

static HOST: LazyLock<Arc<EngineHost>> = LazyLock::new(|| EngineHost::new(&BLOB));

/// The process's engine host. V8 itself starts with the first isolate.
pub fn engine() -> Arc<EngineHost> {
    HOST.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_descriptions_are_embedded() {
        let name = "front_end/descriptions/cookieWarnDomainNonAscii.md";
        assert!(text(name).is_some_and(|t| t.starts_with('#')));
        assert!(text("front_end/descriptions/nothing.md").is_none());
    }

    #[test]
    fn builder_and_binary_register_the_same_ops() {
        let ours = devtools_engine::extension::op_names();
        assert_eq!(SNAPSHOT_OP_NAMES.lines().collect::<Vec<_>>(), ours);
        assert!(ours.iter().any(|name| name == "devtools_mcp/op_dtm_input_next"));
    }
}
