//! The records of a registered name.

mod read;

use crate::codes::rtype;
use crate::name;
use crate::rrset::RrSet;
use read::read;
use std::collections::HashMap;

pub use read::ZoneError;

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
        Ok(Self { owners, name, size })
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
