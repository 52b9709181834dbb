//! Answers from the records of one name.

use super::response::{Part, Response};
use crate::apex::NEGATIVE_TTL;
use crate::codes::{rcode, rtype};
use crate::message::Section;
use crate::rrset::RrSet;
use crate::zone::Zone;
use crate::{denial, name};

/// Appends the set asked for, a CNAME record, or a denial. Returns the target of a CNAME record to follow.
pub(super) fn node(
    response: &mut Response<'_>,
    name: &[u8],
    qtype: u16,
    sets: &[RrSet],
    part: Part<'_>,
) -> Option<Vec<u8>> {
    let types = || -> Vec<u16> { sets.iter().map(|set| set.rtype).collect() };
    let find = |rtype: u16| sets.iter().find(|set| set.rtype == rtype);
    match qtype {
        rtype::NSEC if part.is_secure => response.set(Section::Answer, name, &nsec(name, &types()), part.denying()),
        rtype::RRSIG if part.is_secure => match sets.first() {
            Some(first) => response.signature(Section::Answer, name, first, part.clock),
            None => response.signature(Section::Answer, name, &nsec(name, &[]), part.clock),
        },
        _ => {
            // One set is enough for ANY (RFC 8482, 4.1).
            let wanted = if qtype == rtype::ANY { sets.first() } else { find(qtype) };
            if let Some(set) = wanted {
                response.set(Section::Answer, name, set, part);
            } else if let Some(alias) = find(rtype::CNAME) {
                response.set(Section::Answer, name, alias, part);
                return alias.iter().next().map(<[u8]>::to_ascii_lowercase);
            } else {
                no_data(response, name, &types(), part.denying());
            }
        }
    }
    None
}

// Answers that deny: no such type, or no such name (RFC 2308; RFC 9824).

/// The NSEC record of a name that has `types`, which are in order, besides those that denial itself needs.
pub(super) fn nsec(owner: &[u8], types: &[u16]) -> RrSet {
    let (low, high) = types.split_at(types.partition_point(|&other| other < rtype::RRSIG));
    let types = low.iter().chain(&[rtype::RRSIG, rtype::NSEC]).chain(high);
    denial::nsec(owner, types.copied(), NEGATIVE_TTL)
}

/// The name has `types`, and not the one asked for.
pub(super) fn no_data(response: &mut Response<'_>, name: &[u8], types: &[u16], part: Part<'_>) {
    response.soa(part);
    if response.signs(part) {
        response.set(Section::Authority, name, &nsec(name, types), part);
    }
}

/// The name is absent. Returns the response code: a signed denial is one of data, with a type that tells that the name
/// is none, since validators take it so (RFC 9824, 3.1).
pub(super) fn absent(response: &mut Response<'_>, name: &[u8], qtype: u16, part: Part<'_>) -> u16 {
    if !response.signs(part) {
        response.soa(part);
        return rcode::NXDOMAIN;
    }
    let types = &[rtype::NXNAME];
    if qtype == rtype::NSEC {
        // The denial itself is what is asked for.
        response.set(Section::Answer, name, &nsec(name, types), part);
    } else {
        no_data(response, name, types, part);
    }
    rcode::NOERROR
}

// Answers at and below delegations.

/// A delegation: its owner, the sets there, and the part of the zone that it is in.
pub(super) struct Cut<'a> {
    pub(super) zone: &'a Zone,
    pub(super) owner: &'a [u8],
    pub(super) sets: &'a [RrSet],
    pub(super) part: Part<'a>,
    /// Whether its DS records count: not those at a name that itself looks like an insecure delegation.
    pub(super) has_ds: bool,
}

impl Cut<'_> {
    fn ds(&self) -> Option<&RrSet> {
        self.sets.iter().find(|set| set.rtype == rtype::DS && self.has_ds)
    }
}

/// The DS records at a delegation, which are this side's (RFC 4035, 3.1.4.1).
pub(super) fn ds(response: &mut Response<'_>, cut: &Cut<'_>) {
    match cut.ds() {
        Some(ds) => response.set(Section::Answer, cut.owner, ds, cut.part),
        None => no_data(response, cut.owner, &[rtype::NS], cut.part.denying()),
    }
}

/// NS records, DS records or their denial, and addresses (RFC 1034, 4.3.2; RFC 4035, 3.1.4; RFC 9471).
pub(super) fn referral(response: &mut Response<'_>, cut: &Cut<'_>) {
    let Cut { zone, owner, sets, part, .. } = *cut;
    let Some(ns) = sets.iter().find(|set| set.rtype == rtype::NS) else { return };
    response.unsigned_set(Section::Authority, owner, ns, part);
    match cut.ds() {
        // Only for clients that ask for DNSSEC, as its other records (RFC 4035, 3.1).
        Some(ds) if response.wants_dnssec() => response.set(Section::Authority, owner, ds, part),
        None if response.signs(part) => {
            response.set(Section::Authority, owner, &nsec(owner, &[rtype::NS]), part.denying());
        }
        _ => {}
    }
    for target in ns.iter().map(<[u8]>::to_ascii_lowercase).filter(|target| name::is_within(target, zone.name())) {
        for glue in zone.sets(&target).iter().filter(|set| matches!(set.rtype, rtype::A | rtype::AAAA)) {
            response.unsigned_set(Section::Additional, &target, glue, part);
        }
    }
}
