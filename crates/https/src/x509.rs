//! The X.509 certificates that the daemon makes (RFC 5280): the authority of a machine, leaves below it, and those of a
//! server by itself. All are P-256 with SHA-256.

use crate::certificate::{Parts, SEQUENCE, Values, algorithm_and_key, contents};
use core::fmt;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair, UnparsedPublicKey,
};
use rustls::pki_types::CertificateDer;

const DAY: u64 = 86_400;
/// Ten years, leap days included.
const AUTHORITY_DAYS: u64 = 3_652;
const LEAF_DAYS: u64 = 1;
/// Clocks of clients may be behind by an hour.
const BACKDATED: u64 = 3_600;

// Tags of ASN.1.
const BOOLEAN: u8 = 0x01;
const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const OCTET_STRING: u8 = 0x04;
const OID: u8 = 0x06;
const UTF8_STRING: u8 = 0x0c;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const SET: u8 = 0x31;
/// Context-specific, primitive or constructed.
const fn context(number: u8, is_constructed: bool) -> u8 {
    0x80 | number | if is_constructed { 0x20 } else { 0 }
}
/// Kinds of general names.
const DNS_NAME: u8 = context(2, false);
const IP_ADDRESS: u8 = context(7, false);

const ECDSA_WITH_SHA256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const EC_PUBLIC_KEY: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
const PRIME256V1: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
const SERVER_AUTH: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01];
/// The last byte of an extension's identifier below 2.5.29.
const SUBJECT_KEY_ID: u8 = 14;
const KEY_USAGE: u8 = 15;
const SUBJECT_ALT_NAME: u8 = 17;
const BASIC_CONSTRAINTS: u8 = 19;
const NAME_CONSTRAINTS: u8 = 30;
const AUTHORITY_KEY_ID: u8 = 35;
const EXTENDED_KEY_USAGE: u8 = 37;

/// A certificate that cannot be made or used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateError {
    /// The key is not a PKCS#8 document with a P-256 key pair.
    NoKeyPair,
    /// The certificate is not that of the key.
    OtherKey,
    /// The certificate is none that [`authority`] makes: why.
    NoAuthority(&'static str),
    /// The authority is bound to another suffix.
    OtherSuffix,
    /// The system gave no random bytes.
    NoRandom,
}

impl fmt::Display for CertificateError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::NoKeyPair => "the key is not a PKCS#8 document (DER) with a P-256 key pair and its public key",
            Self::OtherKey => "the certificate belongs to another key",
            Self::NoAuthority(reason) => reason,
            Self::OtherSuffix => "the authority is for names of another suffix",
            Self::NoRandom => "the system gave no random bytes",
        })
    }
}

impl core::error::Error for CertificateError {}

struct Signer {
    pair: EcdsaKeyPair,
    random: SystemRandom,
}

impl Signer {
    fn new(pkcs8: &[u8]) -> Result<Self, CertificateError> {
        let random = SystemRandom::new();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, pkcs8, &random)
            .map_err(|_| CertificateError::NoKeyPair)?;
        Ok(Self { pair, random })
    }

    fn point(&self) -> &[u8] {
        self.pair.public_key().as_ref()
    }

    fn certificate(&self, plan: &Plan<'_>) -> Result<Vec<u8>, CertificateError> {
        let mut serial = [0; 16];
        self.random.fill(&mut serial).map_err(|_| CertificateError::NoRandom)?;
        // Positive, and of this length.
        serial[0] = serial[0] & 0x3f | 0x40;
        let algorithm = signature_algorithm();
        let validity = der(SEQUENCE, &[&time(plan.from), &time(plan.until)]);
        let body = der(
            SEQUENCE,
            &[
                &der(context(0, true), &[&der(INTEGER, &[&[2]])]),
                &der(INTEGER, &[&serial]),
                &algorithm,
                plan.issuer,
                &validity,
                plan.subject,
                &public_key(plan.point),
                &der(context(3, true), &[&der(SEQUENCE, &[&plan.extensions.concat()])]),
            ],
        );
        let signature = self.pair.sign(&self.random, &body).map_err(|_| CertificateError::NoRandom)?;
        Ok(der(SEQUENCE, &[&body, &algorithm, &der(BIT_STRING, &[&[0], signature.as_ref()])]))
    }
}

struct Plan<'a> {
    issuer: &'a [u8],
    subject: &'a [u8],
    /// The subject's public key, uncompressed.
    point: &'a [u8],
    from: u64,
    until: u64,
    extensions: Vec<Vec<u8>>,
}

/// The certificate of a machine's authority, DER: for names of one suffix alone, with no authority below it.
///
/// # Errors
/// [`CertificateError`].
pub fn authority(pkcs8: &[u8], suffix: &str, unix: u64) -> Result<Vec<u8>, CertificateError> {
    let signer = Signer::new(pkcs8)?;
    let name = authority_name(signer.point());
    signer.certificate(&Plan {
        issuer: &name,
        subject: &name,
        point: signer.point(),
        from: unix.saturating_sub(BACKDATED),
        until: unix + AUTHORITY_DAYS * DAY,
        extensions: authority_extensions(signer.point(), suffix.as_bytes()),
    })
}

/// With digits of the key: two machines of one user have authorities of different names.
fn authority_name(point: &[u8]) -> Vec<u8> {
    let [a, b, c, d, ..] = key_id(point);
    common_name(&format!("Chronym names on this machine ({:08x})", u32::from_be_bytes([a, b, c, d])))
}

fn authority_extensions(point: &[u8], suffix: &[u8]) -> Vec<Vec<u8>> {
    vec![
        extension(BASIC_CONSTRAINTS, true, &der(SEQUENCE, &[&der(BOOLEAN, &[&[0xff]]), &der(INTEGER, &[&[0]])])),
        // keyCertSign.
        extension(KEY_USAGE, true, &der(BIT_STRING, &[&[2, 0x04]])),
        extended_key_usage(),
        extension(NAME_CONSTRAINTS, true, &name_constraints(suffix)),
        subject_key_id(point),
    ]
}

/// The suffix of a certificate that [`authority`] made, now or in an earlier version: signed by its own key, of its
/// name, for one suffix alone, and without a word more. Whoever puts it into a store asks here first.
///
/// # Errors
/// [`CertificateError::NoAuthority`].
pub fn authority_suffix(certificate: &[u8]) -> Result<String, CertificateError> {
    let refuse = |reason| Err(CertificateError::NoAuthority(reason));
    let Some(parts) = Parts::of(certificate) else { return refuse("the certificate cannot be read") };
    let Some((_, point)) =
        algorithm_and_key(parts.public_key).filter(|(_, point)| parts.public_key == public_key(point))
    else {
        return refuse("the key of the certificate is not a P-256 key");
    };
    let name = authority_name(point);
    if parts.subject != name || parts.issuer != name {
        return refuse("the subject of the certificate is not that of this machine's authority");
    }
    let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, point);
    if parts.algorithms.iter().any(|algorithm| *algorithm != signature_algorithm())
        || key.verify(parts.body, parts.signature).is_err()
    {
        return refuse("the certificate is not signed by its own key");
    }
    let suffix = parts.extensions.iter().find_map(|extension| permitted_suffix(extension));
    let Some(suffix) = suffix else { return refuse("the certificate is not bound to one suffix") };
    let mut expected = authority_extensions(point, suffix);
    let mut extensions = parts.extensions;
    expected.sort_unstable();
    extensions.sort_unstable();
    if extensions != expected {
        return refuse("the certificate has other extensions than the authority of a machine");
    }
    match std::str::from_utf8(suffix) {
        Ok(suffix) if !suffix.is_empty() => Ok(suffix.to_owned()),
        _ => refuse("the certificate is not bound to one suffix"),
    }
}

/// The first name that an extension permits, if it has name constraints. Whether it permits more, or less, is not looked
/// at.
fn permitted_suffix(extension: &[u8]) -> Option<&[u8]> {
    let mut values = Values::within(extension, SEQUENCE)?;
    if values.next(OID)? != der(OID, &[&[0x55, 0x1d, NAME_CONSTRAINTS]]) {
        return None;
    }
    values.next(BOOLEAN);
    let constraints = contents(values.next(OCTET_STRING)?)?;
    let permitted = Values::within(constraints, SEQUENCE)?.next(context(0, true))?;
    let subtree = Values::within(permitted, context(0, true))?.next(SEQUENCE)?;
    contents(Values::within(subtree, SEQUENCE)?.next(DNS_NAME)?)
}

/// RFC 5280, 4.2.1.10. A constraint binds the kind of name that it has alone, so addresses are excluded by themselves.
fn name_constraints(suffix: &[u8]) -> Vec<u8> {
    let subtree = |kind: u8, base: &[u8]| der(SEQUENCE, &[&der(kind, &[base])]);
    let permitted = der(context(0, true), &[&subtree(DNS_NAME, suffix)]);
    let excluded = der(context(1, true), &[&subtree(IP_ADDRESS, &[0; 8]), &subtree(IP_ADDRESS, &[0; 32])]);
    der(SEQUENCE, &[&permitted, &excluded])
}

/// A certificate that a server signs itself, DER, for these names.
///
/// # Errors
/// [`CertificateError`].
pub fn self_signed(pkcs8: &[u8], names: &[&str], unix: u64) -> Result<Vec<u8>, CertificateError> {
    let signer = Signer::new(pkcs8)?;
    // A common name has at most 64 characters; names of servers are in the extension (RFC 5280, 4.2.1.6).
    let name = common_name(names.first().filter(|name| name.len() <= 64).copied().unwrap_or("Chronym"));
    signer.certificate(&Plan {
        issuer: &name,
        subject: &name,
        point: signer.point(),
        from: unix.saturating_sub(BACKDATED),
        until: unix + AUTHORITY_DAYS * DAY,
        extensions: end_entity(names, signer.point()),
    })
}

/// The authority of this machine, with its key.
pub struct Authority {
    signer: Signer,
    certificate: CertificateDer<'static>,
    name: Vec<u8>,
}

impl fmt::Debug for Authority {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Authority")
    }
}

impl Authority {
    /// Takes a certificate that [`authority`] made for names of a suffix, and its key.
    ///
    /// # Errors
    /// [`CertificateError`].
    pub fn new(pkcs8: &[u8], certificate: Vec<u8>, suffix: &str) -> Result<Self, CertificateError> {
        let signer = Signer::new(pkcs8)?;
        if authority_suffix(&certificate)? != suffix {
            return Err(CertificateError::OtherSuffix);
        }
        let name = authority_name(signer.point());
        if Parts::of(&certificate).is_none_or(|parts| parts.public_key != public_key(signer.point())) {
            return Err(CertificateError::OtherKey);
        }
        Ok(Self { signer, certificate: certificate.into(), name })
    }

    /// Its own certificate.
    #[must_use]
    pub fn certificate(&self) -> CertificateDer<'static> {
        self.certificate.clone()
    }

    /// A certificate for one name and the public key of `pkcs8`, for a day.
    ///
    /// # Errors
    /// [`CertificateError`].
    pub fn leaf(&self, pkcs8: &[u8], name: &str, unix: u64) -> Result<CertificateDer<'static>, CertificateError> {
        let subject = Signer::new(pkcs8)?;
        let mut extensions = end_entity(&[name], subject.point());
        let issuer_id = der(context(0, false), &[&key_id(self.signer.point())]);
        extensions.push(extension(AUTHORITY_KEY_ID, false, &der(SEQUENCE, &[&issuer_id])));
        let leaf = self.signer.certificate(&Plan {
            issuer: &self.name,
            subject: &common_name("Chronym, on this machine"),
            point: subject.point(),
            from: unix.saturating_sub(BACKDATED),
            until: unix + LEAF_DAYS * DAY,
            extensions,
        })?;
        Ok(leaf.into())
    }
}

/// Of a server for these names.
fn end_entity(names: &[&str], point: &[u8]) -> Vec<Vec<u8>> {
    let alternatives: Vec<u8> = names.iter().flat_map(|name| der(DNS_NAME, &[name.as_bytes()])).collect();
    vec![
        extension(BASIC_CONSTRAINTS, true, &der(SEQUENCE, &[])),
        // digitalSignature.
        extension(KEY_USAGE, true, &der(BIT_STRING, &[&[7, 0x80]])),
        extended_key_usage(),
        extension(SUBJECT_ALT_NAME, false, &der(SEQUENCE, &[&alternatives])),
        subject_key_id(point),
    ]
}

fn extended_key_usage() -> Vec<u8> {
    extension(EXTENDED_KEY_USAGE, false, &der(SEQUENCE, &[&der(OID, &[SERVER_AUTH])]))
}

fn subject_key_id(point: &[u8]) -> Vec<u8> {
    extension(SUBJECT_KEY_ID, false, &der(OCTET_STRING, &[&key_id(point)]))
}

/// RFC 7093, 2: the leftmost 160 bits of SHA-256.
fn key_id(point: &[u8]) -> [u8; 20] {
    let hash = digest(&SHA256, point);
    let mut id = [0; 20];
    id.copy_from_slice(&hash.as_ref()[..20]);
    id
}

fn signature_algorithm() -> Vec<u8> {
    der(SEQUENCE, &[&der(OID, &[ECDSA_WITH_SHA256])])
}

fn public_key(point: &[u8]) -> Vec<u8> {
    let algorithm = der(SEQUENCE, &[&der(OID, &[EC_PUBLIC_KEY]), &der(OID, &[PRIME256V1])]);
    der(SEQUENCE, &[&algorithm, &der(BIT_STRING, &[&[0], point])])
}

fn common_name(text: &str) -> Vec<u8> {
    let pair = der(SEQUENCE, &[&der(OID, &[COMMON_NAME]), &der(UTF8_STRING, &[text.as_bytes()])]);
    der(SEQUENCE, &[&der(SET, &[&pair])])
}

fn extension(id: u8, is_critical: bool, value: &[u8]) -> Vec<u8> {
    let critical = if is_critical { der(BOOLEAN, &[&[0xff]]) } else { Vec::new() };
    der(SEQUENCE, &[&der(OID, &[&[0x55, 0x1d, id]]), &critical, &der(OCTET_STRING, &[value])])
}

/// A value with its tag and length.
fn der(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let bytes = length.to_be_bytes();
    let bytes = &bytes[bytes.iter().position(|&byte| byte != 0).unwrap_or(bytes.len() - 1)..];
    let mut out = Vec::with_capacity(length + bytes.len() + 2);
    out.push(tag);
    if length >= 0x80 {
        out.push(0x80 | bytes.len().to_le_bytes()[0]);
    }
    out.extend_from_slice(bytes);
    for part in parts {
        out.extend_from_slice(part);
    }
    out
}

/// RFC 5280, 4.1.2.5: two digits of the year before 2050, four from then on.
fn time(unix: u64) -> Vec<u8> {
    let (days, seconds) = (unix / DAY, unix % DAY);
    let (year, month, day) = date(days);
    let rest = format!("{month:02}{day:02}{:02}{:02}{:02}Z", seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if year < 2050 {
        der(UTC_TIME, &[format!("{:02}{rest}", year % 100).as_bytes()])
    } else {
        der(GENERALIZED_TIME, &[format!("{year:04}{rest}").as_bytes()])
    }
}

/// Year, month and day of the Gregorian calendar, from days since 1970-01-01.
fn date(days: u64) -> (u64, u64, u64) {
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let (mut year, mut left) = (1970, days);
    loop {
        let length = if is_leap(year) { 366 } else { 365 };
        if left < length {
            break;
        }
        left -= length;
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if left < length {
            break;
        }
        left -= length;
        month += 1;
    }
    (year, month, left + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (unix, text) in [
            (0, "700101000000Z"),
            (951_782_400, "000229000000Z"),
            (1_709_251_199, "240229235959Z"),
            (2_524_607_999, "491231235959Z"),
            (2_524_608_000, "20500101000000Z"),
            (4_107_542_400, "21000301000000Z"),
        ] {
            assert_eq!(&time(unix)[2..], text.as_bytes());
        }
    }

    #[test]
    fn lengths_have_the_shortest_form() {
        assert_eq!(der(SEQUENCE, &[]), [0x30, 0]);
        assert_eq!(der(SEQUENCE, &[&[0; 127]])[..2], [0x30, 127]);
        assert_eq!(der(SEQUENCE, &[&[0; 128]])[..3], [0x30, 0x81, 128]);
        assert_eq!(der(SEQUENCE, &[&[0; 256]])[..4], [0x30, 0x82, 1, 0]);
    }
}
