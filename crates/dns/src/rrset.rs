//! Sets of records with one owner and type.

use crate::codes::rtype;
use crate::name;
use domain::base::ParsedName;
use domain::base::iana::Rtype;
use domain::base::rdata::ParseRecordData;
use domain::dep::octseq::Parser;
use domain::rdata::ZoneRecordData;

/// A set of records, without its owner.
#[derive(Clone, Debug)]
pub(crate) struct RrSet {
    pub(crate) rtype: u16,
    /// In seconds, whole.
    pub(crate) ttl: u32,
    /// Each record's data after its length in two bytes, in canonical order (RFC 4034, 6.3).
    data: Box<[u8]>,
}

impl RrSet {
    /// Sorts, and drops duplicates (RFC 2181, 5). Data is at most 65,535 bytes each.
    pub(crate) fn new(rtype: u16, ttl: u32, records: Vec<Vec<u8>>) -> Self {
        let mut keyed: Vec<(Vec<u8>, Vec<u8>)> =
            records.into_iter().map(|data| (canonical(rtype, &data), data)).collect();
        keyed.sort_unstable();
        keyed.dedup_by(|left, right| left.0 == right.0);
        let mut data = Vec::with_capacity(keyed.iter().map(|(_, data)| data.len() + 2).sum());
        for (_, record) in keyed {
            data.extend_from_slice(&u16::try_from(record.len()).expect("a record's data").to_be_bytes());
            data.extend_from_slice(&record);
        }
        Self { rtype, ttl, data: data.into() }
    }

    /// The data of each record.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = &*self.data;
        core::iter::from_fn(move || {
            let (length, after) = rest.split_first_chunk()?;
            let (data, after) = after.split_at(u16::from_be_bytes(*length).into());
            rest = after;
            Some(data)
        })
    }

    /// Bytes of all data.
    pub(crate) fn bytes(&self) -> usize {
        self.data.len()
    }
}

fn canonical(rtype: u16, data: &[u8]) -> Vec<u8> {
    let mut canonical = data.to_vec();
    to_canonical(rtype, &mut canonical);
    canonical
}

// Names within the data of records, and whether data is what its type says.

/// URI is priority, weight and one byte of target at least (RFC 7553, 4.5). `domain` has no type for it.
const MIN_URI_BYTES: usize = 5;

type Data<'a> = ZoneRecordData<&'a [u8], ParsedName<&'a [u8]>>;

/// Where the name begins that ends the data, and that is lower-cased for signatures (RFC 4034, 6.2; RFC 6840, 5.1).
pub(crate) fn closing_name(record_type: u16) -> Option<usize> {
    match record_type {
        rtype::NS | rtype::CNAME | rtype::PTR => Some(0),
        rtype::MX => Some(2),
        rtype::SRV => Some(6),
        _ => None,
    }
}

/// Where the name begins that may be compressed: in types of RFC 1035 alone (RFC 3597, 4).
pub(crate) fn compressible_name(record_type: u16) -> Option<usize> {
    closing_name(record_type).filter(|_| record_type != rtype::SRV)
}

/// Lower-cases the names that the canonical form has in lower case.
pub(crate) fn to_canonical(record_type: u16, rdata: &mut [u8]) {
    if let Some(at) = closing_name(record_type) {
        name::lower(&mut rdata[at..]);
    }
}

/// Whether a zone may hold records of a type: the registry's.
pub(crate) fn is_served(record_type: u16) -> bool {
    use rtype::{A, AAAA, CAA, CNAME, DS, HTTPS, MX, NS, PTR, SRV, SSHFP, SVCB, TLSA, TXT, URI};
    [A, AAAA, CAA, CNAME, DS, HTTPS, MX, NS, PTR, SRV, SSHFP, SVCB, TLSA, TXT, URI].contains(&record_type)
}

/// Whether the data has the form of its type, with names whole and not compressed.
pub(crate) fn is_valid(record_type: u16, rdata: &[u8]) -> bool {
    match record_type {
        rtype::URI => return rdata.len() >= MIN_URI_BYTES,
        // One string at least (RFC 1035, 3.3.14), which `domain` does not ask for.
        rtype::TXT if rdata.is_empty() => return false,
        _ => {}
    }
    if let Some(at) = closing_name(record_type) {
        return rdata.get(at..).and_then(name::length).is_some_and(|length| at + length == rdata.len());
    }
    let target_is_whole = !matches!(record_type, rtype::SVCB | rtype::HTTPS)
        || rdata.get(2..).is_some_and(|target| name::length(target).is_some());
    let mut parser = Parser::from_ref(rdata);
    let parsed: Result<Option<Data<'_>>, _> = Data::parse_rdata(Rtype::from_int(record_type), &mut parser);
    target_is_whole && matches!(parsed, Ok(Some(_))) && parser.remaining() == 0
}
