//! The zone's key: ECDSA on P-256 with SHA-256, algorithm 13 (RFC 6605).

use crate::codes::CLASS_IN;
use crate::rrset::RrSet;
use crate::{name, rrset};
use core::fmt;
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use std::fmt::Write;

/// The algorithm's number.
pub const ALGORITHM: u8 = 13;
/// Zone key and secure entry point: one key signs everything (RFC 4034, 2.1.1).
const FLAGS: u16 = 257;
/// The only protocol (RFC 4034, 2.1.2).
const PROTOCOL: u8 = 3;
/// SHA-256 (RFC 4509).
const DIGEST_TYPE: u8 = 2;
/// Bytes of a signature (RFC 6605, 4).
pub(crate) const SIGNATURE_BYTES: usize = 64;

/// A signing key that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyError {
    /// The bytes are not a PKCS#8 document with a P-256 key pair.
    NoKeyPair,
    /// The trust anchor's zone is not a name.
    NoName,
}

impl fmt::Display for KeyError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::NoKeyPair => "the key is not a PKCS#8 document (DER) with a P-256 key pair and its public key",
            Self::NoName => "the zone of a trust anchor must be a domain name of letters, digits and hyphens",
        })
    }
}

impl core::error::Error for KeyError {}

/// The key that signs the zone.
pub struct SigningKey {
    pair: EcdsaKeyPair,
    random: SystemRandom,
    dnskey: Vec<u8>,
    tag: u16,
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "SigningKey {{ tag: {} }}", self.tag)
    }
}

impl SigningKey {
    /// Reads a PKCS#8 document with a P-256 key pair.
    ///
    /// # Errors
    /// [`KeyError::NoKeyPair`].
    pub fn from_pkcs8(der: &[u8]) -> Result<Self, KeyError> {
        let random = SystemRandom::new();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der, &random)
            .map_err(|_| KeyError::NoKeyPair)?;
        let mut dnskey = Vec::with_capacity(68);
        dnskey.extend_from_slice(&FLAGS.to_be_bytes());
        dnskey.extend_from_slice(&[PROTOCOL, ALGORITHM]);
        // DNSSEC leaves out the 4 that marks an uncompressed point (RFC 6605, 4).
        dnskey.extend_from_slice(&pair.public_key().as_ref()[1..]);
        let tag = tag(&dnskey);
        Ok(Self { pair, random, dnskey, tag })
    }

    /// A new key as a PKCS#8 document, for tests and benchmarks.
    ///
    /// # Panics
    /// When the system gives no random bytes.
    #[must_use]
    pub fn generate_pkcs8() -> Vec<u8> {
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
        document.expect("random bytes").as_ref().to_vec()
    }

    /// The key's tag (RFC 4034, appendix B).
    #[must_use]
    pub fn key_tag(&self) -> u16 {
        self.tag
    }

    /// The data of the DNSKEY record.
    #[must_use]
    pub fn dnskey_rdata(&self) -> &[u8] {
        &self.dnskey
    }

    /// The DS record of the key in a zone, as a line of a master file.
    ///
    /// # Errors
    /// [`KeyError::NoName`].
    pub fn ds(&self, tld: &str) -> Result<String, KeyError> {
        let mut signed = name::from_text(tld).ok_or(KeyError::NoName)?;
        signed.extend_from_slice(&self.dnskey);
        let mut line = format!("{}. IN DS {} {ALGORITHM} {DIGEST_TYPE} ", tld.trim_end_matches('.'), self.tag);
        for byte in digest(&SHA256, &signed).as_ref() {
            write!(line, "{byte:02X}").expect("text takes text");
        }
        Ok(line)
    }

    /// The DNSKEY record in a zone, as a line of a master file.
    ///
    /// # Errors
    /// [`KeyError::NoName`].
    pub fn dnskey(&self, tld: &str) -> Result<String, KeyError> {
        name::from_text(tld).ok_or(KeyError::NoName)?;
        let key = domain::utils::base64::encode_string(&self.dnskey[4..]);
        Ok(format!("{}. IN DNSKEY {FLAGS} {PROTOCOL} {ALGORITHM} {key}", tld.trim_end_matches('.')))
    }

    /// Signs.
    ///
    /// # Panics
    /// When the system gives no random bytes.
    pub(crate) fn sign(&self, message: &[u8]) -> [u8; SIGNATURE_BYTES] {
        let signature = self.pair.sign(&self.random, message).expect("random bytes");
        signature.as_ref().try_into().expect("two numbers of 32 bytes")
    }
}

/// RFC 4034, appendix B.
fn tag(dnskey: &[u8]) -> u16 {
    let sum: u32 =
        dnskey.chunks(2).map(|pair| u32::from(pair[0]) << 8 | pair.get(1).map_or(0, |&low| low.into())).sum();
    let folded = (sum + (sum >> 16)) & 0xffff;
    u16::try_from(folded).expect("16 bits")
}

// Signatures of record sets (RFC 4034, 3.1).

/// Clocks of validators may be behind by this many seconds.
const BACKDATED: u32 = 3600;
/// Seconds for which a signature holds.
const VALIDITY: u32 = 2 * 86_400;
/// Seconds for which an answer with signatures may be kept, so that a day of validity is left.
pub(crate) const SIGNED_LIFETIME: u32 = 86_400;

/// Where the RRSIG's own signature begins: after the fixed part and the signer's name.
fn prefix_bytes(zone: &[u8]) -> usize {
    18 + zone.len()
}

/// The data of the RRSIG record over a set. `scratch` is overwritten and holds it afterwards.
pub(crate) fn rrsig<'s>(
    key: &SigningKey,
    zone: &[u8],
    owner: &[u8],
    set: &RrSet,
    now_unix: u32,
    scratch: &'s mut Vec<u8>,
) -> &'s [u8] {
    scratch.clear();
    scratch.extend_from_slice(&set.rtype.to_be_bytes());
    scratch.extend_from_slice(&[ALGORITHM, labels(owner)]);
    scratch.extend_from_slice(&set.ttl.to_be_bytes());
    scratch.extend_from_slice(&now_unix.wrapping_add(VALIDITY).to_be_bytes());
    scratch.extend_from_slice(&now_unix.wrapping_sub(BACKDATED).to_be_bytes());
    scratch.extend_from_slice(&key.key_tag().to_be_bytes());
    scratch.extend_from_slice(zone);
    for data in set.iter() {
        scratch.extend_from_slice(owner);
        scratch.extend_from_slice(&set.rtype.to_be_bytes());
        scratch.extend_from_slice(&CLASS_IN.to_be_bytes());
        scratch.extend_from_slice(&set.ttl.to_be_bytes());
        scratch.extend_from_slice(&u16::try_from(data.len()).expect("a record's data").to_be_bytes());
        let start = scratch.len();
        scratch.extend_from_slice(data);
        rrset::to_canonical(set.rtype, &mut scratch[start..]);
    }
    let signature: [u8; SIGNATURE_BYTES] = key.sign(scratch);
    scratch.truncate(prefix_bytes(zone));
    scratch.extend_from_slice(&signature);
    scratch
}

/// The owner's labels without the root, and without the asterisk of a wildcard asked for by its own name.
fn labels(owner: &[u8]) -> u8 {
    let asterisk = usize::from(owner.starts_with(b"\x01*"));
    u8::try_from(name::labels(owner) - asterisk).expect("a name has at most 127 labels")
}
