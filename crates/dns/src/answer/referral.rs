//! Answers at and below delegations.

use super::denial::{no_data, nsec};
use super::response::{Part, Response};
use crate::codes::rtype;
use crate::message::Section;
use crate::name;
use crate::rrset::RrSet;
use crate::zone::Zone;

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
