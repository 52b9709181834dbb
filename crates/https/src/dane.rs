//! DANE (RFC 6698, RFC 7671): whether a server's certificate is the one that TLSA records name.

use ring::digest::{SHA256, SHA512, digest};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::ring::default_provider;
use rustls::crypto::{WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

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
        let key;
        let selected = match self.selector {
            0 => certificate.as_ref(),
            1 => match ParsedCertificate::try_from(certificate) {
                Ok(parsed) => {
                    key = parsed.subject_public_key_info();
                    key.as_ref()
                }
                Err(_) => return false,
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
    fn anchors(&self, chain: &[CertificateDer<'_>]) -> RootCertStore {
        let mut anchors = RootCertStore::empty();
        for record in self.of_usage(DANE_TA) {
            for certificate in chain.iter().filter(|certificate| record.matches(certificate)) {
                let _ = anchors.add(certificate.clone().into_owned());
            }
            if (record.selector, record.matching) == (0, 0) {
                let _ = anchors.add(record.data.clone().into());
            }
        }
        anchors
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
        if self.of_usage(DANE_EE).any(|record| record.matches(end_entity)) {
            return Ok(ServerCertVerified::assertion());
        }
        let anchors = self.anchors(intermediates);
        if anchors.is_empty() {
            return Err(CertificateError::ApplicationVerificationFailure.into());
        }
        let parsed = ParsedCertificate::try_from(end_entity)?;
        verify_server_cert_signed_by_trust_anchor(&parsed, &anchors, intermediates, now, self.algorithms.all)?;
        verify_server_name(&parsed, server_name)?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, cert, dss, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, cert, dss, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
