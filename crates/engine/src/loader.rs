//! Source maps of our own bundles, decoded only when a stack has to be printed.
//!
//! deno_core asks its module loader for the map of a script that appears in an error's stack. The maps are embedded
//! compressed (they are larger than the code) and name sources as `devtools-mcp:///js/…` and `devtools-mcp:///front_end/…`.

use std::borrow::Cow;
use std::io::Read;

use deno_core::{
    ModuleLoadOptions, ModuleLoadReferrer, ModuleLoadResponse, ModuleLoader, ModuleSpecifier, ResolutionKind,
};
use deno_error::JsErrorBox;

use crate::extension::BUNDLE_SPECIFIER;

/// Scheme of mapped source names.
pub const SOURCE_SCHEME: &str = "devtools-mcp:///";

/// A loader that loads nothing: all code is in the snapshot.
pub(crate) struct BundleLoader {
    /// gzip-compressed source map v3 of [`BUNDLE_SPECIFIER`].
    pub source_map_gz: &'static [u8],
}

impl ModuleLoader for BundleLoader {
    fn resolve(&self, specifier: &str, referrer: &str, _kind: ResolutionKind) -> Result<ModuleSpecifier, JsErrorBox> {
        deno_core::resolve_import(specifier, referrer).map_err(JsErrorBox::from_err)
    }

    fn load(
        &self,
        specifier: &ModuleSpecifier,
        _referrer: Option<&ModuleLoadReferrer>,
        _options: ModuleLoadOptions,
    ) -> ModuleLoadResponse {
        ModuleLoadResponse::Sync(Err(JsErrorBox::generic(format!(
            "{specifier} is not in the snapshot, and modules cannot be loaded at run time"
        ))))
    }

    fn get_source_map(&self, file_name: &str) -> Option<Cow<'_, [u8]>> {
        if file_name != BUNDLE_SPECIFIER || self.source_map_gz.is_empty() {
            return None;
        }
        let mut map = Vec::new();
        flate2::read::GzDecoder::new(self.source_map_gz).read_to_end(&mut map).ok()?;
        Some(map.into())
    }

    fn source_map_source_exists(&self, source_url: &str) -> Option<bool> {
        Some(source_url.starts_with(SOURCE_SCHEME))
    }
}
