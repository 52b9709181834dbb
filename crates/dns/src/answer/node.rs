//! Answers from the records of one name.

use super::denial::{no_data, nsec};
use super::response::{Part, Response};
use crate::codes::rtype;
use crate::message::Section;
use crate::rrset::RrSet;

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
