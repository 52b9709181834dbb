//! Sets of records with one owner and type.

use crate::rdata;

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
    rdata::to_canonical(rtype, &mut canonical);
    canonical
}
