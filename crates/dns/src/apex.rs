//! The top level: its name, its key and where a name is in relation to it.

use crate::codes::rtype;
use crate::key::SigningKey;
use crate::rrset::RrSet;
use crate::{key, name};
use core::fmt;
use std::sync::{Mutex, PoisonError};

/// The server's name: it answers on this machine.
const NAME_SERVER: &[u8] = b"\x09localhost\x00";
/// There is no mailbox (RFC 2606, 2).
const RESPONSIBLE: &[u8] = b"\x06nobody\x07invalid\x00";
/// Times of the SOA record, in seconds; there are no secondaries.
const REFRESH: u32 = 3600;
const RETRY: u32 = 600;
const EXPIRE: u32 = 86_400;
/// Seconds for which clients keep negative answers.
pub(crate) const NEGATIVE_TTL: u32 = 60;
/// TTL of the zone's own records, in seconds.
const TTL: u32 = 3600;
/// Seconds for which the signature of the SOA record is used: of its two days, an answer may be kept for one.
const SOA_SIGNATURE_AGE: u32 = 43_200;

/// A zone that cannot be served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApexError {
    /// The zone's name is not a domain name.
    NoName(String),
}

impl fmt::Display for ApexError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::NoName(tld) = self;
        write!(out, "the zone '{tld}' is not a domain name; give labels of 1 to 63 letters, digits and hyphens")
    }
}

impl core::error::Error for ApexError {}

/// Where a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position<'q> {
    /// Outside of the zone.
    Outside,
    /// The zone's own name.
    Apex,
    /// At or below this registered name, in wire form: the label left of the zone's name, and the zone's name.
    Below(&'q [u8]),
}

/// The zone that is served, with its own records.
#[derive(Debug)]
pub struct Apex {
    name: Vec<u8>,
    key: SigningKey,
    sets: [RrSet; 3],
    /// The signature of the SOA record, which every signed denial carries, and when it was made.
    soa_signature: Mutex<Option<(u32, Vec<u8>)>>,
}

impl Apex {
    /// `tld` is text like `chronym`; `serial` goes into the SOA record.
    ///
    /// # Errors
    /// [`ApexError`].
    pub fn new(tld: &str, key: SigningKey, serial: u32) -> Result<Self, ApexError> {
        let name = name::from_text(tld).ok_or_else(|| ApexError::NoName(tld.to_owned()))?;
        let mut soa = [NAME_SERVER, RESPONSIBLE].concat();
        for number in [serial, REFRESH, RETRY, EXPIRE, NEGATIVE_TTL] {
            soa.extend_from_slice(&number.to_be_bytes());
        }
        let sets = [
            RrSet::new(rtype::NS, TTL, vec![NAME_SERVER.to_vec()]),
            RrSet::new(rtype::SOA, NEGATIVE_TTL, vec![soa]),
            RrSet::new(rtype::DNSKEY, TTL, vec![key.dnskey_rdata().to_vec()]),
        ];
        Ok(Self { name, key, sets, soa_signature: Mutex::new(None) })
    }

    /// Where a name in lower-case wire form is.
    #[must_use]
    pub fn registered_name<'q>(&self, qname: &'q [u8]) -> Position<'q> {
        if !name::is_within(qname, &self.name) {
            return Position::Outside;
        }
        let registered = name::ancestors(qname).find(|suffix| name::parent(suffix) == Some(&self.name));
        registered.map_or(Position::Apex, Position::Below)
    }

    /// The zone's name in wire form.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// The zone's key.
    #[must_use]
    pub fn key(&self) -> &SigningKey {
        &self.key
    }

    /// The zone's own records, in order of types.
    pub(crate) fn sets(&self) -> &[RrSet] {
        &self.sets
    }

    /// The SOA record. Its TTL is that of negative answers (RFC 2308, 3; RFC 9077).
    pub(crate) fn soa(&self) -> &RrSet {
        &self.sets[1]
    }

    /// The data of the RRSIG record over the SOA record, made every twelve hours.
    pub(crate) fn soa_rrsig(&self, now_unix: u32, scratch: &mut Vec<u8>) -> Vec<u8> {
        let mut kept = self.soa_signature.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            // A clock that went back wraps to a large age.
            Some((made, data)) if now_unix.wrapping_sub(*made) < SOA_SIGNATURE_AGE => data.clone(),
            _ => {
                let data = key::rrsig(&self.key, &self.name, &self.name, self.soa(), now_unix, scratch).to_vec();
                *kept = Some((now_unix, data.clone()));
                data
            }
        }
    }
}
