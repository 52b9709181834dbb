//! Answers that deny: no such type, or no such name (RFC 2308; RFC 9824).

use super::response::{Part, Response};
use crate::apex::NEGATIVE_TTL;
use crate::codes::{rcode, rtype};
use crate::denial;
use crate::message::Section;
use crate::rrset::RrSet;

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
