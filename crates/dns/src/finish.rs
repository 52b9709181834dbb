//! Replies: a kept answer made to fit one query, and replies without records.

use crate::codes::{HEADER_BYTES, flag, option};
use crate::header::{OPT_BYTES, header, push_opt_header};
use crate::message::{Answer, ExtendedError, Rest, age};
use crate::query::Query;

/// Bytes of an option's code and length.
const OPTION_BYTES: usize = 4;
/// The longest text of an extended error that is sent, in bytes.
const MAX_TEXT_BYTES: usize = 200;

/// What a reply depends on besides its answer.
#[derive(Clone, Debug)]
pub struct Envelope {
    /// The largest message, in bytes: [`Query::udp_limit`] or 65,535. 0 asks for a reply cut short, which sends the
    /// client to TCP.
    pub limit: usize,
    /// The whole cookie option, of the client and the server. Sent when the client sent one.
    pub cookie: Option<[u8; 24]>,
    /// Pad to a multiple of this many bytes (RFC 8467: 468), when the client pads. For encrypted transports.
    pub padding_block: Option<usize>,
    /// The idle time of a TCP connection in units of 100 ms, told when the client asks for it (RFC 7828).
    pub keepalive: Option<u16>,
    /// Recursion available: this server forwards. Not said of an answer that is not whole.
    pub ra: bool,
}

/// Appends to `out` the reply to `query`, which [`crate::parse`] read from `packet`.
///
/// `aged` is the time in seconds since `answer` was composed: TTLs are lower by that, and never below 0. A reply above
/// the limit is cut short: TC and no records. Allocates for the growth of `out` only.
pub fn finish(query: &Query, packet: &[u8], answer: &Answer, aged: u32, envelope: &Envelope, out: &mut Vec<u8>) {
    let start = out.len();
    let mut opt = OptPlan::new(query, envelope, &answer.ede, 0);
    // A reply is not cut short for the text of an extended error.
    if answer.message.len() + opt.bytes() > envelope.limit {
        opt.has_texts = false;
    }
    let fits = answer.message.len() + opt.bytes() <= envelope.limit;
    let end = if fits { answer.message.len() } else { query.question.end };
    out.extend_from_slice(&answer.message[..end]);
    let message = &mut out[start..];
    message[query.question.clone()].copy_from_slice(&packet[query.question.clone()]);
    patch_header(query, envelope, message);
    if fits {
        if answer.rest != Rest::Nothing {
            message[3] &= !flag::RA;
        }
        if answer.secure && (query.ad || query.dnssec_ok()) {
            message[3] |= flag::AD;
        }
        age(message, &answer.ttls, aged);
    } else {
        message[2] |= flag::TC;
        message[6..HEADER_BYTES].fill(0);
    }
    opt.append(start, out);
}

/// Appends to `out` a reply without records to `query`, which [`crate::parse`] read from `packet`.
///
/// `rcode` may be above 15: without EDNS the low four bits are sent.
pub fn refuse(
    query: &Query,
    packet: &[u8],
    rcode: u16,
    ede: Option<&ExtendedError>,
    envelope: &Envelope,
    out: &mut Vec<u8>,
) {
    let start = out.len();
    out.extend_from_slice(&header(packet, &query.question, rcode));
    out.extend_from_slice(&packet[query.question.clone()]);
    patch_header(query, envelope, &mut out[start..]);
    let mut opt = OptPlan::new(query, envelope, ede.map_or(&[], core::slice::from_ref), rcode);
    if out.len() - start + opt.bytes() > envelope.limit {
        opt.has_texts = false;
    }
    opt.append(start, out);
}

/// Answers the cookie of a client whose packet was rejected. `reply` ends with an OPT record without options.
pub fn add_cookie(reply: &mut Vec<u8>, cookie: &[u8; 24]) {
    reply.truncate(reply.len() - 2);
    reply.extend_from_slice(&[0, 28]);
    push_option(reply, option::COOKIE, cookie);
}

fn patch_header(query: &Query, envelope: &Envelope, message: &mut [u8]) {
    message[..2].copy_from_slice(&query.id.to_be_bytes());
    message[2] |= if query.rd { flag::RD } else { 0 };
    message[3] |= if query.cd { flag::CD } else { 0 } | if envelope.ra { flag::RA } else { 0 };
}

/// The OPT record of a reply, measured before it is written.
struct OptPlan<'a> {
    /// Whether there is one: the client sent one.
    present: bool,
    dnssec_ok: bool,
    rcode: u16,
    cookie: Option<&'a [u8; 24]>,
    keepalive: Option<u16>,
    padding_block: Option<usize>,
    limit: usize,
    errors: &'a [ExtendedError],
    has_texts: bool,
}

impl<'a> OptPlan<'a> {
    fn new(query: &Query, envelope: &'a Envelope, errors: &'a [ExtendedError], rcode: u16) -> Self {
        let edns = query.edns.as_ref();
        Self {
            present: edns.is_some(),
            dnssec_ok: query.dnssec_ok(),
            rcode,
            cookie: envelope.cookie.as_ref().filter(|_| edns.is_some_and(|edns| edns.cookie.is_some())),
            keepalive: envelope.keepalive.filter(|_| edns.is_some_and(|edns| edns.keepalive)),
            padding_block: envelope.padding_block.filter(|_| edns.is_some_and(|edns| edns.padding)),
            limit: envelope.limit,
            errors,
            has_texts: true,
        }
    }

    fn text<'e>(&self, error: &'e ExtendedError) -> &'e str {
        let longest = if self.has_texts { error.text.len().min(MAX_TEXT_BYTES) } else { 0 };
        // A character is at most four bytes, so one of the last four places is between two.
        (0..=longest).rev().find_map(|end| error.text.get(..end)).unwrap_or_default()
    }

    /// The record's bytes without padding.
    fn bytes(&self) -> usize {
        if !self.present {
            return 0;
        }
        let errors: usize = self.errors.iter().map(|error| OPTION_BYTES + 2 + self.text(error).len()).sum();
        OPT_BYTES
            + self.cookie.map_or(0, |cookie| OPTION_BYTES + cookie.len())
            + self.keepalive.map_or(0, |_| OPTION_BYTES + 2)
            + errors
    }

    /// Bytes of padding for a message of `unpadded` bytes, the option's code and length included; `None` without room.
    fn padding(&self, unpadded: usize) -> Option<usize> {
        let block = self.padding_block.filter(|&block| block > 0)?;
        unpadded.next_multiple_of(block).min(self.limit).checked_sub(unpadded)
    }

    /// Appends the record to the message that begins at `start`, and counts it there.
    fn append(&self, start: usize, out: &mut Vec<u8>) {
        if !self.present {
            return;
        }
        let padding = self.padding(out.len() - start + self.bytes() + OPTION_BYTES);
        let options = self.bytes() - OPT_BYTES + padding.map_or(0, |bytes| OPTION_BYTES + bytes);
        // At most two extended errors, a cookie, a time, and padding up to 64 KiB less the message before it.
        let options = u16::try_from(options).expect("options of a message fit into it");
        let additional = u16::from_be_bytes([out[start + 10], out[start + 11]]) + 1;
        out[start + 10..start + HEADER_BYTES].copy_from_slice(&additional.to_be_bytes());
        push_opt_header(out, self.rcode, self.dnssec_ok, options);
        if let Some(cookie) = self.cookie {
            push_option(out, option::COOKIE, cookie);
        }
        if let Some(keepalive) = self.keepalive {
            push_option(out, option::KEEPALIVE, &keepalive.to_be_bytes());
        }
        for error in self.errors {
            let text = self.text(error);
            push_option_header(out, option::EXTENDED_ERROR, 2 + text.len());
            out.extend_from_slice(&error.code.to_be_bytes());
            out.extend_from_slice(text.as_bytes());
        }
        if let Some(bytes) = padding {
            push_option_header(out, option::PADDING, bytes);
            out.resize(out.len() + bytes, 0);
        }
    }
}

fn push_option_header(out: &mut Vec<u8>, code: u16, length: usize) {
    out.extend_from_slice(&code.to_be_bytes());
    out.extend_from_slice(&u16::try_from(length).expect("an option's length").to_be_bytes());
}

fn push_option(out: &mut Vec<u8>, code: u16, data: &[u8]) {
    push_option_header(out, code, data.len());
    out.extend_from_slice(data);
}
