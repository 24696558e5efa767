//! The boundary between Rust and JavaScript, declared once.
//!
//! [`extensions`] is the only place that lists extensions; the snapshot builder and every isolate call it. deno_core
//! checks extension *names* against the snapshot but not the ops inside, so [`op_names`] exists for a test that
//! compares both sides.

use std::sync::Arc;

use deno_core::{Extension, ExtensionFileSource};

use crate::ops;

/// Specifier of the one bundled module a snapshot holds.
pub const BUNDLE_SPECIFIER: &str = "ext:devtools_mcp/bundle.js";

deno_core::extension!(
    devtools_mcp,
    deps = [deno_webidl, deno_web],
    ops = [
        ops::op_dtm_log,
        ops::op_dtm_now,
        ops::op_dtm_random_fill,
        ops::op_dtm_input_next,
        ops::op_dtm_progress,
        ops::op_dtm_cancelled,
        ops::op_dtm_resource_text,
        crate::bulk::op_dtm_output_text,
        crate::bulk::op_dtm_output_words,
        crate::link::op_dtm_link_open,
        crate::link::op_dtm_link_close,
        crate::link::op_dtm_link_request,
        crate::link::op_dtm_link_events,
        crate::worker::op_dtm_worker_start,
        crate::worker::op_dtm_worker_terminate,
    ],
);

/// The extension list, in the order both sides must use.
///
/// `bundle` is the ASCII source of the module to evaluate; given only when a snapshot is built, since at run time the
/// code is already in the blob.
pub fn extensions(bundle: Option<Arc<str>>) -> Vec<Extension> {
    let mut ours = devtools_mcp::init();
    if let Some(code) = bundle {
        ours.esm_files = vec![ExtensionFileSource::new_computed(BUNDLE_SPECIFIER, code)].into();
        ours.esm_entry_point = Some(BUNDLE_SPECIFIER);
    }
    vec![
        deno_webidl::deno_webidl::init(),
        deno_web::deno_web::init(
            Arc::new(deno_web::BlobStore::default()),
            None,
            false,
            deno_web::InMemoryBroadcastChannel::default(),
        ),
        // The core console prints every level to stdout, which carries the MCP protocol. Ours goes to `tracing`; this
        // stops any other path to `op_print`.
        deno_core::Extension {
            name: "devtools_mcp_no_print",
            middleware_fn: Some(Box::new(|op| match op.name {
                "op_print" => op.with_implementation_from(&ops::op_dtm_print()),
                _ => op,
            })),
            ..Default::default()
        },
        ours,
    ]
}

/// `extension/op` for every op, in registration order.
///
/// The builder records it beside the snapshot; a test compares it with the running binary's list.
pub fn op_names() -> Vec<String> {
    extensions(None)
        .iter()
        .flat_map(|extension| extension.ops.iter().map(|op| format!("{}/{}", extension.name, op.name)))
        .collect()
}
