//! Whom `wss:` and `https:` endpoints are believed: Mozilla's roots, the system's store (or what `SSL_CERT_FILE` and
//! `SSL_CERT_DIR` name instead of it), and the file of `NODE_EXTRA_CA_CERTS`, which people have set for the original.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

/// Certificates of this machine, read once.
pub fn local() -> &'static [CertificateDer<'static>] {
    static LOCAL: OnceLock<Vec<CertificateDer<'static>>> = OnceLock::new();
    LOCAL.get_or_init(|| {
        let system = rustls_native_certs::load_native_certs();
        for error in &system.errors {
            tracing::debug!("the system's certificates: {error}");
        }
        let mut all = system.certs;
        if let Some(file) = std::env::var_os("NODE_EXTRA_CA_CERTS").filter(|file| !file.is_empty()) {
            match read(Path::new(&file)) {
                Ok(more) => all.extend(more),
                Err(error) => tracing::warn!("NODE_EXTRA_CA_CERTS is ignored: {error}"),
            }
        }
        all
    })
}

/// The certificates of a PEM file.
fn read(file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let all = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    all.map_err(|error| format!("{}: {error}", file.display()))
}

/// For connections to browsers.
pub(super) fn client_config() -> Arc<ClientConfig> {
    static CONFIG: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    let make = || {
        // Another crate in the program might bring a second provider; the choice must not depend on that.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        // Stores hold certificates that rustls does not understand.
        roots.add_parsable_certificates(local().iter().cloned());
        Arc::new(ClientConfig::builder().with_root_certificates(roots).with_no_client_auth())
    };
    CONFIG.get_or_init(make).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_hold_any_number_of_certificates() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let block = "-----BEGIN CERTIFICATE-----\nAAEC\n-----END CERTIFICATE-----\n";
        std::fs::write(file.path(), format!("# ours\n{block}\n{block}")).unwrap();
        assert_eq!(read(file.path()).unwrap(), [CertificateDer::from(vec![0, 1, 2]), vec![0, 1, 2].into()]);
        std::fs::write(file.path(), "-----BEGIN CERTIFICATE-----\n?\n-----END CERTIFICATE-----\n").unwrap();
        assert!(read(file.path()).is_err());
        assert!(read(Path::new("/nowhere/ca.pem")).unwrap_err().contains("/nowhere/ca.pem"));
    }
}
