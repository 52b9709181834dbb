//! Compact denial of existence (RFC 9824): NSEC records made for the name asked for.

use crate::codes::rtype;
use crate::name;
use crate::rrset::RrSet;

/// The NSEC record at `owner` that lists types, which must be in order, and nothing up to the next possible name.
pub(crate) fn nsec(owner: &[u8], types: impl Iterator<Item = u16>, ttl: u32) -> RrSet {
    let mut data = successor(owner);
    push_types(types, &mut data);
    RrSet::new(rtype::NSEC, ttl, vec![data])
}

/// The next name in canonical order: `\000.` before it (RFC 4470, 4). Where that is too long, the last byte that can
/// grow does (RFC 4471, 3.1.2); labels without one go.
fn successor(owner: &[u8]) -> Vec<u8> {
    if owner.len() + 2 <= name::MAX_BYTES {
        return [b"\x01\x00", owner].concat();
    }
    let mut next = owner.to_vec();
    while let Some(&length) = next.first().filter(|&&length| length > 0) {
        let mut end = 1 + usize::from(length);
        let rest = next.split_off(end);
        while end > 1 && next[end - 1] == 0xff {
            next.pop();
            end -= 1;
        }
        if end > 1 {
            // Upper case sorts as lower case, so the byte after @ is the one after Z.
            next[end - 1] = if next[end - 1] == b'@' { b'[' } else { next[end - 1] + 1 };
            next[0] = u8::try_from(end - 1).expect("a label is at most 63 bytes");
            next.extend_from_slice(&rest);
            return next;
        }
        next = rest;
    }
    next
}

/// Windows of 256 types with a bitmap each (RFC 4034, 4.1.2).
fn push_types(types: impl Iterator<Item = u16>, out: &mut Vec<u8>) {
    let mut window = None;
    let mut length_at = 0;
    for rtype in types {
        let [high, low] = rtype.to_be_bytes();
        if window != Some(high) {
            window = Some(high);
            out.extend_from_slice(&[high, 0]);
            length_at = out.len() - 1;
        }
        let bytes = low / 8 + 1;
        out.resize(length_at + 1 + usize::from(bytes), 0);
        out[length_at] = bytes;
        out[length_at + usize::from(bytes)] |= 0x80 >> (low % 8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_listed_in_windows() {
        let mut out = Vec::new();
        push_types([1, 15, 46, 47, 256].into_iter(), &mut out);
        // RFC 4034, 4.3 has A, MX, RRSIG and NSEC as 0006 40010000 0003; URI opens the second window.
        assert_eq!(out, [0, 6, 0x40, 0x01, 0, 0, 0, 0x03, 1, 1, 0x80]);
    }

    #[test]
    fn the_next_name_has_a_zero_label_before_it() {
        assert_eq!(successor(b"\x01a\x00"), b"\x01\x00\x01a\x00");
    }

    #[test]
    fn the_next_name_of_one_that_is_too_long_grows_in_its_first_label() {
        let long = |first: &[u8]| {
            let mut name = vec![u8::try_from(first.len()).unwrap()];
            name.extend_from_slice(first);
            while name.len() < 250 {
                name.extend_from_slice(b"\x01x");
            }
            let room = 254 - name.len();
            name.push(u8::try_from(room - 1).unwrap());
            name.resize(name.len() + room - 1, b'y');
            name.push(0);
            assert_eq!(name.len(), 255);
            name
        };
        assert_eq!(successor(&long(b"a@"))[..3], *b"\x02a[");
        assert_eq!(successor(&long(b"a\xff"))[..4], *b"\x01b\x01x");
        assert_eq!(successor(&long(b"\xff"))[..4], *b"\x01y\x01x");
    }
}
