//! Headers of replies, and the fixed part of the OPT record.

use crate::codes::{HEADER_BYTES, UDP_BYTES, flag};
use core::ops::Range;

/// Bytes of an OPT record without options.
pub(crate) const OPT_BYTES: usize = 11;

/// An OPT record in a packet that may be malformed.
pub(crate) struct SeenOpt<'a> {
    pub(crate) dnssec_ok: bool,
    /// Its data.
    pub(crate) options: &'a [u8],
}

/// A reply to a packet that is not a complete query. It has an OPT record if the packet has one (RFC 6891, 6.1.1), with
/// the same DO bit (RFC 3225, 3). `rcode` above 15 needs one.
pub(crate) fn bare(packet: &[u8], question: &Range<usize>, opt: Option<&SeenOpt<'_>>, rcode: u16) -> Vec<u8> {
    debug_assert!(rcode <= 15 || opt.is_some(), "the upper bits of a code are in the OPT record");
    let mut reply = header(packet, question, rcode).to_vec();
    reply.extend_from_slice(&packet[question.clone()]);
    if let Some(opt) = opt {
        reply[11] = 1;
        push_opt_header(&mut reply, rcode, opt.dnssec_ok, 0);
    }
    reply
}

/// The header of a reply with the question at `question` of the packet, and without records.
pub(crate) fn header(packet: &[u8], question: &Range<usize>, rcode: u16) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..2].copy_from_slice(&packet[..2]);
    // The opcode and RD are the query's.
    header[2] = flag::QR | packet[2] & 0x79;
    header[3] = packet[3] & flag::CD | low_bits(rcode);
    header[5] = u8::from(!question.is_empty());
    header
}

fn low_bits(rcode: u16) -> u8 {
    rcode.to_be_bytes()[1] & 0x0f
}

/// Appends an OPT record with `length` bytes of options to come.
pub(crate) fn push_opt_header(out: &mut Vec<u8>, rcode: u16, dnssec_ok: bool, length: u16) {
    out.extend_from_slice(&[0, 0, 41]);
    out.extend_from_slice(&UDP_BYTES.to_be_bytes());
    out.extend_from_slice(&[rcode.to_be_bytes()[0] << 4 | rcode.to_be_bytes()[1] >> 4, 0]);
    out.extend_from_slice(&[if dnssec_ok { 0x80 } else { 0 }, 0]);
    out.extend_from_slice(&length.to_be_bytes());
}
