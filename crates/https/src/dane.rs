//! DANE (RFC 6698, RFC 7671): whether a server's certificate is the one that TLSA records name.

use crate::certificate::{Parts, SEQUENCE, Values, algorithm_and_key, contents};
use core::fmt;
use ring::digest::{SHA256, SHA512, digest};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::ring::default_provider;
use rustls::crypto::{WebPkiSupportedAlgorithms, verify_tls13_signature_with_raw_key};
use rustls::pki_types::{CertificateDer, ServerName, SubjectPublicKeyInfoDer, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, OtherError, RootCertStore, SignatureScheme};
use std::sync::Arc;

/// The usages that need no public authority.
const DANE_TA: u8 = 2;
const DANE_EE: u8 = 3;

/// A TLSA record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tlsa {
    usage: u8,
    selector: u8,
    matching: u8,
    data: Vec<u8>,
}

impl Tlsa {
    /// Reads a record's data; `None` for what is too short.
    #[must_use]
    pub fn from_rdata(rdata: &[u8]) -> Option<Self> {
        let (&[usage, selector, matching], data) = rdata.split_first_chunk()?;
        Some(Self { usage, selector, matching, data: data.to_vec() })
    }

    /// Whether it can be met at all: what names a public authority, or a number that nobody knows, can't.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        matches!(self.usage, DANE_TA | DANE_EE)
            && self.selector <= 1
            && match self.matching {
                0 => !self.data.is_empty(),
                1 => self.data.len() == 32,
                2 => self.data.len() == 64,
                _ => false,
            }
    }

    fn matches(&self, certificate: &CertificateDer<'_>) -> bool {
        let selected = match self.selector {
            0 => certificate.as_ref(),
            // Whatever else the certificate says, and however old its version is.
            1 => match Parts::of(certificate) {
                Some(parts) => parts.public_key,
                None => return false,
            },
            _ => return false,
        };
        match self.matching {
            0 => self.data == selected,
            1 => self.data == digest(&SHA256, selected).as_ref(),
            2 => self.data == digest(&SHA512, selected).as_ref(),
            _ => false,
        }
    }
}

/// Why a server is not the one that the records name, or cannot be held against them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// No record names its key, nor that of an authority above it.
    OtherKey,
    /// A record may name it: its certificate, or that of an authority, cannot be read.
    Unreadable,
    /// Its key, or that of an authority that a record names, cannot be checked here: what kind of key it is.
    Kind(String),
    /// It shows the key that a record names, and a signature that is not of that key.
    Unproved,
}

impl fmt::Display for Unfit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherKey => out.write_str("another key than the records name"),
            Self::Unreadable => out.write_str("a certificate that cannot be read"),
            Self::Kind(kind) => write!(out, "a key that cannot be checked: {kind}"),
            Self::Unproved => out.write_str("no proof that the server has its key"),
        }
    }
}

impl core::error::Error for Unfit {}

impl From<Unfit> for Error {
    fn from(unfit: Unfit) -> Self {
        CertificateError::Other(OtherError(Arc::new(unfit))).into()
    }
}

/// The kinds of keys that [`Verifier`] checks, for people.
pub const KINDS: &str = "ECDSA P-256 and P-384, Ed25519, and RSA of 2,048 to 8,192 bits";
const RSA_BITS: core::ops::RangeInclusive<usize> = 2_048..=8_192;
// Identifiers of algorithms, with tag and length.
const RSA: &[u8] = &[6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1];
const RSA_PSS: &[u8] = &[6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 10];
const EC: &[u8] = &[6, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1];
const P_521: &[u8] = &[6, 5, 0x2b, 0x81, 4, 0, 35];
const ED448: &[u8] = &[6, 3, 0x2b, 0x65, 113];

/// Accepts servers by their TLSA records alone: no authority of the system counts.
#[derive(Debug)]
pub struct Verifier {
    records: Vec<Tlsa>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl Verifier {
    /// For a server with these records.
    #[must_use]
    pub fn new(records: Vec<Tlsa>) -> Self {
        Self { records, algorithms: default_provider().signature_verification_algorithms }
    }

    fn of_usage(&self, usage: u8) -> impl Iterator<Item = &Tlsa> {
        self.records.iter().filter(move |record| record.usage == usage && record.is_usable())
    }

    /// The certificates of the chain, and those that records hold whole, which are authorities by a record.
    fn anchors(&self, chain: &[CertificateDer<'_>]) -> Result<RootCertStore, Unfit> {
        let mut anchors = RootCertStore::empty();
        let mut is_unreadable = false;
        for record in self.of_usage(DANE_TA) {
            is_unreadable |= record.selector == 1 && chain.iter().any(|certificate| Parts::of(certificate).is_none());
            for certificate in chain.iter().filter(|certificate| record.matches(certificate)) {
                is_unreadable |= anchors.add(certificate.clone().into_owned()).is_err();
                if let Some(authority) = Parts::of(certificate) {
                    self.known_kind(authority.public_key)?;
                }
            }
            if (record.selector, record.matching) == (0, 0) {
                is_unreadable |= anchors.add(record.data.clone().into()).is_err();
            }
        }
        match (anchors.is_empty(), is_unreadable) {
            (false, _) => Ok(anchors),
            (true, true) => Err(Unfit::Unreadable),
            (true, false) => Err(Unfit::OtherKey),
        }
    }

    /// Fails where signatures of a key cannot be checked.
    fn known_kind(&self, public_key: &[u8]) -> Result<(), Unfit> {
        let (algorithm, key) = algorithm_and_key(public_key).ok_or(Unfit::Unreadable)?;
        if algorithm.starts_with(RSA) {
            let bits = rsa_bits(key).ok_or(Unfit::Unreadable)?;
            let known = RSA_BITS.contains(&bits);
            return if known { Ok(()) } else { Err(Unfit::Kind(format!("RSA with {bits} bits"))) };
        }
        if self.algorithms.all.iter().any(|one| one.public_key_alg_id().as_ref() == algorithm) {
            return Ok(());
        }
        let kind = match algorithm.strip_prefix(EC) {
            Some(P_521) => "ECDSA P-521",
            Some(_) => "ECDSA on another curve",
            None if algorithm.starts_with(RSA_PSS) => "RSA-PSS",
            None if algorithm.starts_with(ED448) => "Ed448",
            None => "none of those",
        };
        Err(Unfit::Kind(kind.to_owned()))
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        // The record vouches for the key: names and dates of the certificate count for nothing (RFC 7671, 5.1).
        let leaf = Parts::of(end_entity).ok_or(Unfit::Unreadable)?;
        if self.of_usage(DANE_EE).any(|record| record.matches(end_entity)) {
            self.known_kind(leaf.public_key)?;
            return Ok(ServerCertVerified::assertion());
        }
        let anchors = self.anchors(intermediates)?;
        let parsed = ParsedCertificate::try_from(end_entity).map_err(|_| Unfit::Unreadable)?;
        verify_server_cert_signed_by_trust_anchor(&parsed, &anchors, intermediates, now, self.algorithms.all)?;
        verify_server_name(&parsed, server_name)?;
        self.known_kind(leaf.public_key)?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        // In place of rustls' own, which reads the certificate: version 3 alone, without unknown critical extensions.
        let (algorithm, key) =
            Parts::of(cert).and_then(|parts| algorithm_and_key(parts.public_key)).ok_or(Unfit::Unreadable)?;
        let (_, candidates) =
            self.algorithms.mapping.iter().find(|(scheme, _)| *scheme == dss.scheme).ok_or(Unfit::Unproved)?;
        let is_signed = candidates
            .iter()
            .filter(|one| one.public_key_alg_id().as_ref() == algorithm)
            .any(|one| one.verify_signature(key, message, dss.signature()).is_ok());
        if is_signed { Ok(HandshakeSignatureValid::assertion()) } else { Err(Unfit::Unproved.into()) }
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let parts = Parts::of(cert).ok_or(Unfit::Unreadable)?;
        let key = SubjectPublicKeyInfoDer::from(parts.public_key);
        verify_tls13_signature_with_raw_key(message, &key, dss, &self.algorithms).map_err(|error| match error {
            Error::InvalidCertificate(_) => Unfit::Unproved.into(),
            other => other,
        })
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

fn rsa_bits(key: &[u8]) -> Option<usize> {
    const INTEGER: u8 = 2;
    let modulus = contents(Values::within(key, SEQUENCE)?.next(INTEGER)?)?;
    let first = modulus.iter().position(|&byte| byte != 0)?;
    Some((modulus.len() - first) * 8 - modulus[first].leading_zeros() as usize)
}
