//! The TLS of DNS over TLS (RFC 7858).

use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::sync::Arc;

/// TLS 1.2 and 1.3 with that chain, the server's own certificate first. Errors name cause and cure.
pub fn tls_config(certificate: &[u8], key: &[u8]) -> Result<Arc<ServerConfig>, String> {
    let chain: Vec<CertificateDer<'static>> =
        CertificateDer::pem_slice_iter(certificate).collect::<Result<_, _>>().map_err(|error| unreadable(&error))?;
    if chain.is_empty() {
        return Err(
            "the TLS certificate holds no CERTIFICATE block; give a PEM file, the server's own first".to_owned()
        );
    }
    let key = PrivateKeyDer::from_pem_slice(key)
        .map_err(|error| format!("the TLS key cannot be read: {error}; give a PEM file with an unencrypted key"))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("TLS cannot be used: {error}"))?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(|error| format!("the TLS certificate and its key don't fit: {error}; give both of one pair"))?;
    config.alpn_protocols = vec![b"dot".to_vec()];
    Ok(Arc::new(config))
}

fn unreadable(error: &rustls::pki_types::pem::Error) -> String {
    format!("the TLS certificate cannot be read: {error}; give a PEM file")
}
