//! Signatures of record sets (RFC 4034, 3.1).

use crate::codes::CLASS_IN;
use crate::key::{ALGORITHM, SIGNATURE_BYTES, SigningKey};
use crate::rrset::RrSet;
use crate::{name, rdata};

/// Clocks of validators may be behind by this many seconds.
const BACKDATED: u32 = 3600;
/// Seconds for which a signature holds.
const VALIDITY: u32 = 2 * 86_400;
/// Seconds for which an answer with signatures may be kept, so that a day of validity is left.
pub(crate) const SIGNED_LIFETIME: u32 = 86_400;

/// Where the RRSIG's own signature begins: after the fixed part and the signer's name.
fn prefix_bytes(zone: &[u8]) -> usize {
    18 + zone.len()
}

/// The data of the RRSIG record over a set. `scratch` is overwritten and holds it afterwards.
pub(crate) fn rrsig<'s>(
    key: &SigningKey,
    zone: &[u8],
    owner: &[u8],
    set: &RrSet,
    now_unix: u32,
    scratch: &'s mut Vec<u8>,
) -> &'s [u8] {
    scratch.clear();
    scratch.extend_from_slice(&set.rtype.to_be_bytes());
    scratch.extend_from_slice(&[ALGORITHM, labels(owner)]);
    scratch.extend_from_slice(&set.ttl.to_be_bytes());
    scratch.extend_from_slice(&now_unix.wrapping_add(VALIDITY).to_be_bytes());
    scratch.extend_from_slice(&now_unix.wrapping_sub(BACKDATED).to_be_bytes());
    scratch.extend_from_slice(&key.key_tag().to_be_bytes());
    scratch.extend_from_slice(zone);
    for data in set.iter() {
        scratch.extend_from_slice(owner);
        scratch.extend_from_slice(&set.rtype.to_be_bytes());
        scratch.extend_from_slice(&CLASS_IN.to_be_bytes());
        scratch.extend_from_slice(&set.ttl.to_be_bytes());
        scratch.extend_from_slice(&u16::try_from(data.len()).expect("a record's data").to_be_bytes());
        let start = scratch.len();
        scratch.extend_from_slice(data);
        rdata::to_canonical(set.rtype, &mut scratch[start..]);
    }
    let signature: [u8; SIGNATURE_BYTES] = key.sign(scratch);
    scratch.truncate(prefix_bytes(zone));
    scratch.extend_from_slice(&signature);
    scratch
}

/// The owner's labels without the root, and without the asterisk of a wildcard asked for by its own name.
fn labels(owner: &[u8]) -> u8 {
    let asterisk = usize::from(owner.starts_with(b"\x01*"));
    u8::try_from(name::labels(owner) - asterisk).expect("a name has at most 127 labels")
}
