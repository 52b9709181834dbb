//! Certificates of servers against TLSA records, and the authority of a machine against clients in Rust.

use chronym_https::dane::{Tlsa, Unfit, Verifier};
use chronym_https::x509::{Authority, CertificateError, authority, authority_suffix, self_signed};
use rcgen::{BasicConstraints, Certificate, CertificateParams, IsCa, Issuer, KeyPair, PublicKeyData};
use ring::digest::{SHA256, SHA512, digest};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{Error, RootCertStore};
use std::sync::Arc;
use std::time::Duration;

const NAME: &str = "alice.chronym";
const NOW: u64 = 1_800_000_000;

/// A certificate and its public key, in the forms that records name.
struct Made {
    certificate: CertificateDer<'static>,
    key: Vec<u8>,
}

impl Made {
    fn record(&self, usage: u8, selector: u8, matching: u8) -> Tlsa {
        let selected = if selector == 0 { self.certificate.as_ref() } else { &self.key };
        let data = match matching {
            0 => selected.to_vec(),
            1 => digest(&SHA256, selected).as_ref().to_vec(),
            _ => digest(&SHA512, selected).as_ref().to_vec(),
        };
        Tlsa::from_rdata(&[&[usage, selector, matching], data.as_slice()].concat()).unwrap()
    }
}

fn made(certificate: &Certificate, key: &KeyPair) -> Made {
    Made { certificate: certificate.der().clone(), key: key.subject_public_key_info() }
}

/// A server's certificate for `name`, the authority that signed it, and another authority.
fn chain(name: &str) -> (Made, Made, Made) {
    let ca = |key: &KeyPair| {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        (params.self_signed(key).unwrap(), params)
    };
    let [ca_key, other_key, leaf_key] = std::array::from_fn(|_| KeyPair::generate().unwrap());
    let (root, params) = ca(&ca_key);
    let (other, _) = ca(&other_key);
    let leaf =
        CertificateParams::new(vec![name.to_owned()]).unwrap().signed_by(&leaf_key, &Issuer::new(params, &ca_key));
    (made(&leaf.unwrap(), &leaf_key), made(&root, &ca_key), made(&other, &other_key))
}

fn check(records: Vec<Tlsa>, leaf: &Made, rest: &[&Made]) -> Result<(), Error> {
    let rest: Vec<_> = rest.iter().map(|made| made.certificate.clone()).collect();
    let name = ServerName::try_from(NAME).unwrap();
    let now = UnixTime::since_unix_epoch(Duration::from_secs(NOW));
    Verifier::new(records).verify_server_cert(&leaf.certificate, &rest, &name, &[], now).map(|_| ())
}

#[test]
fn a_key_counts_by_every_selector_and_matching_type() {
    // The record vouches for the key, whatever name its certificate has (RFC 7671, 5.1).
    let (leaf, root, other) = chain("elsewhere.example");
    for selector in [0, 1] {
        for matching in [0, 1, 2] {
            assert_eq!(check(vec![leaf.record(3, selector, matching)], &leaf, &[&root]), Ok(()));
            assert!(check(vec![other.record(3, selector, matching)], &leaf, &[&root]).is_err());
        }
    }
    // One of several records is enough, as while a key is rolled.
    assert_eq!(check(vec![other.record(3, 1, 1), leaf.record(3, 1, 1)], &leaf, &[]), Ok(()));
}

#[test]
fn an_authority_counts_by_every_selector_and_matching_type_and_for_its_names_alone() {
    let (leaf, root, other) = chain(NAME);
    let (foreign, foreign_root, _) = chain("elsewhere.example");
    for selector in [0, 1] {
        for matching in [0, 1, 2] {
            let record = |of: &Made| vec![of.record(2, selector, matching)];
            assert_eq!(check(record(&root), &leaf, &[&root]), Ok(()));
            // In the chain, but not its authority.
            assert!(check(record(&other), &leaf, &[&root, &other]).is_err());
            assert!(check(record(&foreign_root), &foreign, &[&foreign_root]).is_err(), "of another name");
        }
    }
    // A record that holds the authority whole needs none in the chain; a hash does.
    assert_eq!(check(vec![root.record(2, 0, 0)], &leaf, &[]), Ok(()));
    assert!(check(vec![root.record(2, 0, 1)], &leaf, &[]).is_err());
}

#[test]
fn records_that_need_public_authorities_or_that_nobody_knows_count_for_nothing() {
    let (leaf, root, _) = chain(NAME);
    for usage in [0, 1, 4, 255] {
        assert!(!leaf.record(usage, 1, 1).is_usable());
        assert!(check(vec![leaf.record(usage, 1, 1), root.record(usage, 1, 1)], &leaf, &[&root]).is_err());
    }
    let data = digest(&SHA256, &leaf.key);
    for head in [[3, 2, 1], [3, 1, 3]] {
        let record = Tlsa::from_rdata(&[&head[..], data.as_ref()].concat()).unwrap();
        assert!(!record.is_usable());
        assert!(check(vec![record], &leaf, &[]).is_err());
    }
    // Cut short, or empty: else a prefix could be found.
    for length in [0, 31] {
        assert!(!Tlsa::from_rdata(&[&[3, 1, 1], &data.as_ref()[..length]].concat()).unwrap().is_usable());
    }
    assert_eq!(Tlsa::from_rdata(&[3, 1]), None);
    assert!(check(Vec::new(), &leaf, &[&root]).is_err());
}

/// A certificate of `kinds/`, with its public key as OpenSSL reads it.
fn of_openssl(name: &str) -> Made {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kinds");
    let read = |kind: &str| std::fs::read(format!("{folder}/{name}.{kind}")).unwrap();
    Made { certificate: read("der").into(), key: read("spki") }
}

/// What the error says of a server.
fn unfit(result: Result<(), Error>) -> Unfit {
    match result {
        Err(Error::InvalidCertificate(rustls::CertificateError::Other(error))) => {
            error.0.downcast_ref::<Unfit>().unwrap().clone()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_key_counts_in_every_certificate_that_holds_it() {
    let (_, _, other) = chain(NAME);
    for kind in ["version-1", "critical", "p-384", "ed25519", "rsa-2048"] {
        let leaf = of_openssl(kind);
        for (selector, matching) in [(0, 1), (1, 0), (1, 1), (1, 2)] {
            assert_eq!(check(vec![leaf.record(3, selector, matching)], &leaf, &[]), Ok(()), "{kind}");
        }
        assert_eq!(unfit(check(vec![other.record(3, 1, 1)], &leaf, &[])), Unfit::OtherKey, "{kind}");
    }
}

#[test]
fn a_key_that_cannot_be_checked_is_called_so() {
    for (file, kind) in
        [("p-521", "ECDSA P-521"), ("ed448", "Ed448"), ("rsa-pss", "RSA-PSS"), ("rsa-1024", "RSA with 1024 bits")]
    {
        let leaf = of_openssl(file);
        assert_eq!(unfit(check(vec![leaf.record(3, 1, 1)], &leaf, &[])), Unfit::Kind(kind.to_owned()));
    }
}

#[test]
fn what_cannot_be_read_is_called_so() {
    let (leaf, root, _) = chain(NAME);
    let cut = |made: &Made| Made { certificate: made.certificate[..40].to_vec().into(), key: made.key.clone() };
    for usage in [2, 3] {
        assert_eq!(unfit(check(vec![leaf.record(usage, 1, 1)], &cut(&leaf), &[])), Unfit::Unreadable);
    }
    assert_eq!(unfit(check(vec![root.record(2, 1, 1)], &leaf, &[&cut(&root)])), Unfit::Unreadable);
    // A critical extension that nobody knows may bind an authority.
    let critical = of_openssl("critical");
    assert!(check(vec![critical.record(2, 1, 1)], &leaf, &[&critical]).is_err());
}

fn pkcs8() -> Vec<u8> {
    KeyPair::generate().unwrap().serialize_der()
}

#[test]
fn rustls_takes_leaves_of_the_authority_for_names_of_its_suffix_alone() {
    let (key, leaf_key) = (pkcs8(), pkcs8());
    let certificate = authority(&key, "chronym", NOW).unwrap();
    let authority = Authority::new(&key, certificate, "chronym").unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(authority.certificate()).unwrap();
    let verifier =
        WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::new(default_provider())).build().unwrap();
    let accepts = |name: &str, asked: &str, later: u64| {
        let leaf = authority.leaf(&leaf_key, name, NOW).unwrap();
        let now = UnixTime::since_unix_epoch(Duration::from_secs(NOW + later));
        verifier.verify_server_cert(&leaf, &[], &ServerName::try_from(asked.to_owned()).unwrap(), &[], now).is_ok()
    };
    for name in ["alice.chronym", "www.alice.chronym", "alice--7kq2mx.chronym"] {
        assert!(accepts(name, name, 0), "{name}");
    }
    for name in ["example.com", "evilchronym", "chronym.example.com", "alice.chronym.example.com"] {
        assert!(!accepts(name, name, 0), "{name}");
    }
    assert!(!accepts("alice.chronym", "bob.chronym", 0));
    assert!(!accepts("alice.chronym", "alice.chronym", 86_401), "a leaf is for a day");
}

#[test]
fn an_authority_is_taken_with_its_key_and_for_its_suffix_alone() {
    let (key, other) = (pkcs8(), pkcs8());
    let bound = authority(&key, "chronym", NOW).unwrap();
    let error = |key: &[u8], certificate: &[u8], suffix: &str| {
        Authority::new(key, certificate.to_vec(), suffix).err().map(|error| error.to_string())
    };
    assert_eq!(error(&key, &bound, "chronym"), None);
    assert_eq!(authority_suffix(&bound).as_deref(), Ok("chronym"));
    assert_eq!(error(&other, &bound, "chronym").unwrap(), "the certificate belongs to another key");
    assert_eq!(error(&key, &bound, "com").unwrap(), "the authority is for names of another suffix");
    assert_eq!(Authority::new(b"no key", bound.clone(), "chronym").err(), Some(CertificateError::NoKeyPair));
    let server = self_signed(&key, &["alice.chronym"], NOW).unwrap();
    assert!(error(&key, &server, "chronym").unwrap().contains("the subject"));
    assert!(authority_suffix(&authority(&key, "", NOW).unwrap()).is_err(), "every name ends in nothing");
    for wrong in [&bound[1..], &bound[..bound.len() - 1], &[&bound[..], &[0]].concat(), &[]] {
        assert!(error(&key, wrong, "chronym").unwrap().contains("cannot be read"));
    }
}

/// Each byte of it counts: no change leaves an authority of ours.
#[test]
fn no_bit_of_an_authority_can_be_changed() {
    let bound = authority(&pkcs8(), "chronym", NOW).unwrap();
    for at in 0..bound.len() * 8 {
        let mut changed = bound.clone();
        changed[at / 8] ^= 1 << (at % 8);
        assert!(authority_suffix(&changed).is_err(), "bit {at}");
    }
}
