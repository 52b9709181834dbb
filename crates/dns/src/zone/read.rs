//! Records in wire form, checked and sorted.

use crate::codes::{CLASS_IN, rtype};
use crate::{name, rdata};
use core::fmt;
use std::collections::BTreeMap;

/// Longer lists of records are refused, in bytes: a profile allows 10,000 records at most, of 64 KiB in all as JSON.
const MAX_BYTES: usize = 4 << 20;
/// More records are refused.
const MAX_RECORDS: usize = 10_000;
/// Larger values mean zero (RFC 2181, 8).
const MAX_TTL: u32 = 0x7fff_ffff;

/// Records that cannot be served.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ZoneError {
    /// The registered name is none.
    NoName,
    /// More than 4 MiB, more than 10,000 records, or more than 65,536 owners with the nodes above them.
    TooLarge,
    /// The record with this number, from 0, is cut short or its owner is no name.
    Malformed(usize),
    /// The record's owner is not at or below the registered name.
    OutOfZone(usize),
    /// The record's class is not IN.
    WrongClass(usize),
    /// The registry has no records of this type, or the server makes them itself.
    WrongType {
        /// The record's number, from 0.
        record: usize,
        /// Its type.
        rtype: u16,
    },
    /// The record's data does not have the form of its type.
    WrongData {
        /// The record's number, from 0.
        record: usize,
        /// Its type.
        rtype: u16,
    },
    /// An owner has a CNAME record and other records, or two CNAME records (RFC 2181, 10.1).
    CnameAndOther(usize),
}

impl fmt::Display for ZoneError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoName => out.write_str("the registered name is no name in wire form"),
            Self::TooLarge => out.write_str("a zone has at most 10,000 records, 4 MiB of them, and 65,536 owners"),
            Self::Malformed(record) => write!(out, "record {record} is cut short, or its owner is no name"),
            Self::OutOfZone(record) => write!(out, "the owner of record {record} is not below the registered name"),
            Self::WrongClass(record) => write!(out, "the class of record {record} is not IN"),
            Self::WrongType { record, rtype } => write!(out, "record {record} has type {rtype}, which no zone holds"),
            Self::WrongData { record, rtype } => write!(out, "the data of record {record} is not of type {rtype}"),
            Self::CnameAndOther(record) => write!(out, "the owner of record {record} has a CNAME and another record"),
        }
    }
}

impl core::error::Error for ZoneError {}

/// Records of one owner and type.
#[derive(Default)]
pub(super) struct Gathered {
    /// The lowest of the records' (RFC 2181, 5.2).
    pub(super) ttl: u32,
    pub(super) data: Vec<Vec<u8>>,
}

/// Records by owner and type.
pub(super) type Owners = BTreeMap<Vec<u8>, BTreeMap<u16, Gathered>>;

pub(super) fn read(name: &[u8], records: &[u8]) -> Result<Owners, ZoneError> {
    if name::length(name) != Some(name.len()) {
        return Err(ZoneError::NoName);
    }
    if records.len() > MAX_BYTES {
        return Err(ZoneError::TooLarge);
    }
    let mut owners = Owners::new();
    let mut rest = records;
    let mut number = 0;
    while !rest.is_empty() {
        if number == MAX_RECORDS {
            return Err(ZoneError::TooLarge);
        }
        let record = Record::split(&mut rest).ok_or(ZoneError::Malformed(number))?;
        add(&mut owners, name, number, &record)?;
        number += 1;
    }
    Ok(owners)
}

struct Record<'a> {
    owner: &'a [u8],
    rtype: u16,
    class: u16,
    ttl: u32,
    data: &'a [u8],
}

impl<'a> Record<'a> {
    fn split(rest: &mut &'a [u8]) -> Option<Self> {
        let (owner, after) = rest.split_at(name::length(rest)?);
        let (fixed, after) = after.split_first_chunk::<10>()?;
        let word = |at: usize| u16::from_be_bytes([fixed[at], fixed[at + 1]]);
        let (data, after) = after.split_at_checked(word(8).into())?;
        let ttl = u32::from_be_bytes([fixed[4], fixed[5], fixed[6], fixed[7]]);
        *rest = after;
        Some(Self { owner, rtype: word(0), class: word(2), ttl, data })
    }
}

fn add(owners: &mut Owners, name: &[u8], number: usize, record: &Record<'_>) -> Result<(), ZoneError> {
    let Record { owner, rtype, class, ttl, data } = *record;
    let mut owner = owner.to_vec();
    name::lower(&mut owner);
    if !name::is_within(&owner, &name.to_ascii_lowercase()) {
        return Err(ZoneError::OutOfZone(number));
    }
    if class != CLASS_IN {
        return Err(ZoneError::WrongClass(number));
    }
    if !rdata::is_served(rtype) {
        return Err(ZoneError::WrongType { record: number, rtype });
    }
    if !rdata::is_valid(rtype, data) {
        return Err(ZoneError::WrongData { record: number, rtype });
    }
    let ttl = if ttl > MAX_TTL { 0 } else { ttl };
    let sets = owners.entry(owner).or_default();
    let set = sets.entry(rtype).or_insert_with(|| Gathered { ttl, data: Vec::new() });
    set.ttl = set.ttl.min(ttl);
    set.data.push(data.to_vec());
    let cname = sets.get(&rtype::CNAME);
    if cname.is_some_and(|cname| sets.len() > 1 || cname.data.iter().any(|target| *target != cname.data[0])) {
        return Err(ZoneError::CnameAndOther(number));
    }
    Ok(())
}
