//! The records of a registered name.

use crate::codes::{CLASS_IN, rtype};
use crate::rrset::RrSet;
use crate::{name, rrset};
use core::fmt;
use std::collections::{BTreeMap, HashMap};

/// Owners and the empty nodes above them; more are refused.
const MAX_OWNERS: usize = 65_536;
/// What an owner and a set take besides their bytes, about.
const OVERHEAD_BYTES: usize = 48;

/// The records of a registered name, found by owner and type.
#[derive(Clone, Debug)]
pub struct Zone {
    /// Sets in order of types. Empty non-terminals have none (RFC 4592, 2.2.2). The registered name is always there.
    owners: HashMap<Box<[u8]>, Box<[RrSet]>>,
    name: Box<[u8]>,
    size: usize,
    is_own: bool,
}

/// Where a name is in a zone.
#[derive(Debug)]
pub(crate) enum Place<'z, 'q> {
    /// At or below a delegation.
    Cut {
        /// The owner of the NS records.
        owner: &'q [u8],
        /// All its sets.
        sets: &'z [RrSet],
    },
    /// The name is there, or a wildcard is in its place.
    Node(&'z [RrSet]),
    /// Neither.
    Absent,
}

impl Zone {
    /// Reads records in wire form, one after the other: owner, type, class IN, TTL, length, data. Owners are absolute,
    /// at or below `name`; names are not compressed. Equal records count once.
    ///
    /// # Errors
    /// [`ZoneError`] names the first record that cannot be served.
    pub fn from_wire(name: &[u8], records: &[u8]) -> Result<Self, ZoneError> {
        let read = read(name, records)?;
        let name: Box<[u8]> = name.to_ascii_lowercase().into();
        let mut owners: HashMap<Box<[u8]>, Box<[RrSet]>> = HashMap::from([(name.clone(), Box::default())]);
        for (owner, sets) in read {
            // Names between an owner and the registered one exist, without records: NODATA there (RFC 8020).
            for above in name::ancestors(&owner).skip(1).take_while(|above| above.len() > name.len()) {
                if !owners.contains_key(above) {
                    owners.insert(above.into(), Box::default());
                }
            }
            let sets = sets.into_iter().map(|(rtype, set)| RrSet::new(rtype, set.ttl, set.data));
            owners.insert(owner.into(), sets.collect());
            if owners.len() > MAX_OWNERS {
                return Err(ZoneError::TooLarge);
            }
        }
        let size_of_sets = |sets: &[RrSet]| sets.iter().map(|set| set.bytes() + OVERHEAD_BYTES).sum::<usize>();
        let size = owners.iter().map(|(owner, sets)| owner.len() + OVERHEAD_BYTES + size_of_sets(sets)).sum();
        Ok(Self { owners, name, size, is_own: false })
    }

    /// The same, published by the user of this machine or not.
    #[must_use]
    pub fn owned_here(self, is_own: bool) -> Self {
        Self { is_own, ..self }
    }

    /// Whether the user of this machine published it.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.is_own
    }

    /// An estimate of the memory it takes, in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// The registered name, in wire form.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// The sets of an owner; none when it is absent.
    pub(crate) fn sets(&self, owner: &[u8]) -> &[RrSet] {
        self.owners.get(owner).map_or(&[], |sets| sets)
    }

    /// Where `qname`, which is at or below the registered name, is (RFC 1034, 4.3.2; RFC 4592, 3.3.1).
    pub(crate) fn find<'q>(&self, qname: &'q [u8]) -> Place<'_, 'q> {
        let mut starts = [0_u8; name::MAX_BYTES / 2 + 1];
        let mut count = 0;
        for suffix in name::ancestors(qname).take_while(|suffix| suffix.len() > self.name.len()) {
            starts[count] = u8::try_from(qname.len() - suffix.len()).expect("a name is at most 255 bytes");
            count += 1;
        }
        let mut encloser = &qname[qname.len() - self.name.len()..];
        let mut sets = self.sets(encloser);
        let mut below = starts[..count].iter().rev();
        loop {
            if has_cut(sets) {
                return Place::Cut { owner: encloser, sets };
            }
            let Some(&start) = below.next() else { return Place::Node(sets) };
            let next = &qname[start.into()..];
            match self.owners.get(next) {
                Some(found) => (encloser, sets) = (next, found),
                None => return self.wildcard(encloser).map_or(Place::Absent, Place::Node),
            }
        }
    }

    /// The source of synthesis below the closest encloser.
    fn wildcard(&self, encloser: &[u8]) -> Option<&[RrSet]> {
        let mut source = [0; name::MAX_BYTES + 2];
        source[..2].copy_from_slice(b"\x01*");
        source[2..][..encloser.len()].copy_from_slice(encloser);
        self.owners.get(&source[..2 + encloser.len()]).map(|sets| &**sets)
    }
}

fn has_cut(sets: &[RrSet]) -> bool {
    sets.iter().any(|set| set.rtype == rtype::NS)
}

// Records in wire form, checked and sorted.

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
    /// The record with this number, from 0, is cut short or its owner is not a name.
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
            Self::NoName => out.write_str("the registered name is not in wire form"),
            Self::TooLarge => out.write_str("a zone has at most 10,000 records, 4 MiB of them, and 65,536 owners"),
            Self::Malformed(record) => write!(out, "record {record} is cut short, or its owner is not a name"),
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
struct Gathered {
    /// The lowest of the records' (RFC 2181, 5.2).
    ttl: u32,
    data: Vec<Vec<u8>>,
}

/// Records by owner and type.
type Owners = BTreeMap<Vec<u8>, BTreeMap<u16, Gathered>>;

fn read(name: &[u8], records: &[u8]) -> Result<Owners, ZoneError> {
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
    if !rrset::is_served(rtype) {
        return Err(ZoneError::WrongType { record: number, rtype });
    }
    if !rrset::is_valid(rtype, data) {
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
