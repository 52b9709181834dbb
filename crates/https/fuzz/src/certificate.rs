//! Certificates of a server, and of an authority: nothing that is not ours passes for ours.

use chronym_https::dane::{Tlsa, Verifier};
use chronym_https::x509::authority_suffix;
use rustls::client::danger::ServerCertVerifier;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};

/// The bytes are a certificate.
///
/// # Panics
/// When it counts as that of a record that names another key, or as an authority of ours although a byte follows.
pub fn run(data: &[u8]) {
    if authority_suffix(data).is_ok() {
        assert!(authority_suffix(&[data, &[0]].concat()).is_err());
    }
    let leaf = CertificateDer::from(data);
    let name = ServerName::try_from("alice.chronym").expect("a name");
    for head in [[3, 1, 1], [2, 1, 1], [3, 0, 1], [2, 0, 1]] {
        let other = Tlsa::from_rdata(&[&head[..], &[7; 32]].concat()).expect("a record");
        let verdict = Verifier::new(vec![other]).verify_server_cert(
            &leaf,
            std::slice::from_ref(&leaf),
            &name,
            &[],
            UnixTime::now(),
        );
        assert!(verdict.is_err());
    }
}
