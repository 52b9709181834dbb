//! Leaves of the machine's authority, minted as they are asked for. Their key never leaves memory.

use crate::x509::{Authority, CertificateError};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair};
use rustls::ServerConfig;
use rustls::crypto::ring::{default_provider, sign::any_ecdsa_type};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::NoServerSessionStorage;
use rustls::sign::{CertifiedKey, SigningKey, SingleCertAndKey};
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// Leaves that are kept; beyond, all are made again.
const LEAVES: usize = 1_024;
/// A leaf is made again after half of its day, in seconds.
const RENEWED_AFTER: u32 = 43_200;

/// Makes leaves.
pub struct Minter {
    authority: Authority,
    /// PKCS#8, of all leaves of this process.
    key: Vec<u8>,
    signing: Arc<dyn SigningKey>,
    /// With the Unix time of their making.
    leaves: Mutex<HashMap<String, (u32, Arc<CertifiedKey>)>>,
}

impl Minter {
    /// Of an authority, with a key of its own.
    pub fn new(authority: Authority) -> Result<Self, CertificateError> {
        let key = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &SystemRandom::new())
            .map_err(|_| CertificateError::NoRandom)?
            .as_ref()
            .to_vec();
        let der = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.clone()));
        let signing = any_ecdsa_type(&der).map_err(|_| CertificateError::NoKeyPair)?;
        Ok(Self { authority, key, signing, leaves: Mutex::default() })
    }

    /// TLS for a client that asked for `host`, which is a name of the zone, with one protocol or none.
    pub fn config(&self, host: &str, protocol: Option<Vec<u8>>, unix: u32) -> io::Result<Arc<ServerConfig>> {
        let leaf = self.leaf(host, unix).map_err(io::Error::other)?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(SingleCertAndKey::from(leaf)));
        config.alpn_protocols = protocol.into_iter().collect();
        // The origin is looked at for each connection, so nothing is resumed.
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
        Ok(Arc::new(config))
    }

    fn leaf(&self, host: &str, unix: u32) -> Result<Arc<CertifiedKey>, CertificateError> {
        let mut leaves = self.leaves.lock().unwrap_or_else(PoisonError::into_inner);
        match leaves.get(host) {
            // A clock that went back wraps to a large age.
            Some((made, leaf)) if unix.wrapping_sub(*made) < RENEWED_AFTER => Ok(Arc::clone(leaf)),
            _ => {
                let leaf = self.authority.leaf(&self.key, host, unix.into())?;
                let leaf = Arc::new(CertifiedKey::new(vec![leaf], Arc::clone(&self.signing)));
                if leaves.len() >= LEAVES {
                    leaves.clear();
                }
                leaves.insert(host.to_owned(), (unix, Arc::clone(&leaf)));
                Ok(leaf)
            }
        }
    }
}
