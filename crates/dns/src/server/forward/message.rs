//! What goes to an upstream, and what of its reply reaches the client.

use crate::codes::{HEADER_BYTES, UDP_BYTES};
use crate::query::Query;

/// Bits of the third byte: response, opcode, truncated, recursion desired.
const QR: u8 = 0x80;
const OPCODE: u8 = 0x78;
const TC: u8 = 0x02;
const RD: u8 = 0x01;
/// Bits of the fourth byte: authentic data, checking disabled.
const AD: u8 = 0x20;
const CD: u8 = 0x10;

/// An OPT record up to its flags: root, type 41, our size, no extended code, version 0.
const OPT: [u8; 7] = [0, 0, 41, UDP_BYTES.to_be_bytes()[0], UDP_BYTES.to_be_bytes()[1], 0, 0];

/// The same question with an ID of ours. Options stay behind: they are between the client and this server (RFC 6891,
/// 6.2.6), and an upstream's cookie would take the place of ours.
pub fn request(packet: &[u8], query: &Query, id: u16) -> Vec<u8> {
    let mut request = Vec::with_capacity(HEADER_BYTES + query.question.len() + 11);
    request.extend_from_slice(&id.to_be_bytes());
    request.extend_from_slice(&[packet[2] & RD, packet[3] & (AD | CD), 0, 1, 0, 0, 0, 0]);
    request.extend_from_slice(&[0, u8::from(query.edns.is_some())]);
    request.extend_from_slice(&packet[query.question.clone()]);
    if query.edns.is_some() {
        request.extend_from_slice(&OPT);
        request.extend_from_slice(&[u8::from(query.dnssec_ok()) << 7, 0, 0, 0]);
    }
    request
}

/// Whether that is a reply to the request: same ID, same question, letter by letter (0x20).
pub fn is_reply(request: &[u8], question_bytes: usize, reply: &[u8]) -> bool {
    let end = HEADER_BYTES + question_bytes;
    reply.len() >= end
        && reply[..2] == request[..2]
        && reply[2] & (QR | OPCODE) == QR
        && reply[4..6] == [0, 1]
        && reply[HEADER_BYTES..end] == request[HEADER_BYTES..end]
}

/// The reply as the client gets it. AD is the upstream's word, which this server does not check: it is cleared. A reply
/// above the limit becomes its question with TC.
pub fn relayed(mut reply: Vec<u8>, question_bytes: usize, id: u16, limit: usize) -> Vec<u8> {
    reply[..2].copy_from_slice(&id.to_be_bytes());
    reply[3] &= !AD;
    if reply.len() > limit {
        reply.truncate(HEADER_BYTES + question_bytes);
        reply[2] |= TC;
        reply[6..HEADER_BYTES].fill(0);
    }
    reply
}
