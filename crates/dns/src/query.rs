//! Queries from packets.

use crate::codes::{CLASS_IN, HEADER_BYTES, PLAIN_UDP_BYTES, UDP_BYTES, flag, rcode};
use crate::header::{SeenOpt, bare};
use crate::name;
use core::ops::Range;
use domain::base::Message;
use domain::base::iana::{Opcode, OptionCode, Rtype};
use domain::base::opt::{Opt, OptRecord, UnknownOptData};
use domain::base::rdata::UnknownRecordData;
use domain::base::record::ParsedRecord;
use domain::base::wire::ParseError;

/// A query that may be answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The client's number of the query.
    pub id: u16,
    /// Recursion desired; copied into the reply.
    pub rd: bool,
    /// Checking disabled; copied into the reply.
    pub cd: bool,
    /// The client asks for the AD bit (RFC 6840, 5.7).
    pub ad: bool,
    /// The name asked for, in lower-case wire form. Empty when the query asks for a cookie alone.
    pub name: Vec<u8>,
    /// The type asked for.
    pub qtype: u16,
    /// The class asked for.
    pub qclass: u16,
    /// Where the question is in the packet: name, type and class. Empty when the query asks for a cookie alone.
    pub question: Range<usize>,
    /// What the client's OPT record says.
    pub edns: Option<Edns>,
}

impl Query {
    /// Whether the client wants DNSSEC records.
    #[must_use]
    pub fn dnssec_ok(&self) -> bool {
        self.edns.as_ref().is_some_and(|edns| edns.dnssec_ok)
    }

    /// Whether the query has no question and asks for a server cookie (RFC 7873, 5.4). [`crate::answer`] takes it too.
    #[must_use]
    pub fn is_cookie_only(&self) -> bool {
        self.question.is_empty()
    }

    /// The largest reply over UDP, in bytes: 512 without EDNS, else what the client takes, from 512 to 1,232.
    #[must_use]
    pub fn udp_limit(&self) -> usize {
        let limit = self.edns.as_ref().map_or(PLAIN_UDP_BYTES, |edns| edns.payload_size);
        usize::from(limit.clamp(PLAIN_UDP_BYTES, UDP_BYTES))
    }
}

/// The client's OPT record (RFC 6891).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edns {
    /// The largest UDP message that the client takes, in bytes.
    pub payload_size: u16,
    /// The client wants DNSSEC records.
    pub dnssec_ok: bool,
    /// The client's cookie.
    pub cookie: Option<Cookie>,
    /// The client pads its messages (RFC 7830).
    pub padding: bool,
    /// The client takes keepalive times (RFC 7828).
    pub keepalive: bool,
}

/// A cookie option: 8 bytes of the client, then none or 8 to 32 of a server (RFC 7873, 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cookie {
    bytes: [u8; Self::MAX_BYTES],
    length: usize,
}

impl Cookie {
    const CLIENT_BYTES: usize = 8;
    const MAX_BYTES: usize = 40;

    /// Takes the option's data; `None` when its length is wrong.
    #[must_use]
    pub fn new(data: &[u8]) -> Option<Self> {
        if !matches!(data.len(), Self::CLIENT_BYTES | 16..=Self::MAX_BYTES) {
            return None;
        }
        let mut bytes = [0; Self::MAX_BYTES];
        bytes[..data.len()].copy_from_slice(data);
        Some(Self { bytes, length: data.len() })
    }

    /// The option's data.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// The client's part.
    #[must_use]
    pub fn client(&self) -> &[u8] {
        &self.bytes[..Self::CLIENT_BYTES]
    }

    /// The server's part; empty on a client's first query.
    #[must_use]
    pub fn server(&self) -> &[u8] {
        &self.bytes[Self::CLIENT_BYTES..self.length]
    }
}

/// A packet that gets no answer from the zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// No reply: not even a header, or a response.
    Drop,
    /// The whole reply: FORMERR, NOTIMP or BADVERS, with the question and an OPT record if the packet has them. Never
    /// longer than the packet. With the client's cookie, if it has one: [`crate::finish::add_cookie`] answers it.
    Reply(Vec<u8>, Option<Cookie>),
}

/// Reads a packet.
///
/// # Errors
/// [`Rejected`] says how to react to what is not a query, or one that this server does not take.
pub fn parse(packet: &[u8]) -> Result<Query, Rejected> {
    let message = Message::from_slice(packet).map_err(|_| Rejected::Drop)?;
    let header = message.header();
    if header.qr() {
        return Err(Rejected::Drop);
    }
    let query = question(packet);
    let mut opt_seen = None;
    let opt = records(message, &mut opt_seen);
    let repeated = query.as_ref().map_or(0..0, |query| query.question.clone());
    let cookie = opt_seen.as_ref().and_then(|seen: &SeenOpt<'_>| cookie_of(seen.options));
    let reject = |rcode| Rejected::Reply(bare(packet, &repeated, opt_seen.as_ref(), rcode), cookie);
    if header.opcode() != Opcode::QUERY {
        return Err(reject(rcode::NOTIMP));
    }
    let malformed = || reject(rcode::FORMERR);
    let mut query = query.ok_or_else(malformed)?;
    if let Some(opt) = opt.map_err(|_| malformed())? {
        if opt.version() > 0 {
            return Err(reject(rcode::BADVERS));
        }
        query.edns = Some(edns(&opt).ok_or_else(malformed)?);
    }
    let has_cookie = query.edns.as_ref().is_some_and(|edns| edns.cookie.is_some());
    if query.is_cookie_only() && !has_cookie {
        return Err(malformed());
    }
    Ok(query)
}

/// The header and the question, which `domain` would let be compressed: the reply repeats its bytes.
fn question(packet: &[u8]) -> Option<Query> {
    let word = |at: usize| Some(u16::from_be_bytes([*packet.get(at)?, *packet.get(at + 1)?]));
    let mut query = Query {
        id: word(0)?,
        rd: packet[2] & flag::RD != 0,
        cd: packet[3] & flag::CD != 0,
        ad: packet[3] & flag::AD != 0,
        name: Vec::new(),
        qtype: 0,
        qclass: CLASS_IN,
        question: HEADER_BYTES..HEADER_BYTES,
        edns: None,
    };
    match word(4)? {
        0 => {}
        1 => {
            let end = HEADER_BYTES + name::length(&packet[HEADER_BYTES..])?;
            query.name = packet[HEADER_BYTES..end].to_vec();
            name::lower(&mut query.name);
            query.qtype = word(end)?;
            query.qclass = word(end + 2)?;
            query.question = HEADER_BYTES..end + 4;
        }
        _ => return None,
    }
    Some(query)
}

/// The DO bit in the TTL field of an OPT record (RFC 6891, 6.1.3).
const DNSSEC_OK: u32 = 0x8000;

/// Walks all records, to the packet's end, and returns the OPT record. There may be one, in the additional section
/// (RFC 6891, 6.1.1). `seen` tells of the first one, wherever it is and whatever follows: the reply needs one too.
fn records<'a>(
    message: &'a Message<[u8]>,
    seen: &mut Option<SeenOpt<'a>>,
) -> Result<Option<OptRecord<&'a [u8]>>, ParseError> {
    let mut section = message.answer()?;
    let mut opt = None;
    for is_additional in [false, false, true] {
        for record in section.by_ref() {
            let record: ParsedRecord<'_, [u8]> = record?;
            if record.rtype() == Rtype::OPT {
                let dnssec_ok = record.ttl().as_secs() & DNSSEC_OK != 0;
                let options = record.to_record::<UnknownRecordData<&[u8]>>()?.map_or(&[][..], |opt| opt.data().data());
                seen.get_or_insert(SeenOpt { dnssec_ok, options });
                let is_root = record.owner().is_root();
                match record.into_record::<Opt<&[u8]>>()? {
                    Some(parsed) if is_additional && is_root && opt.is_none() => opt = Some(OptRecord::from(parsed)),
                    _ => return Err(ParseError::form_error("misplaced OPT record")),
                }
            }
        }
        if is_additional && section.pos() != message.as_slice().len() {
            return Err(ParseError::form_error("bytes after the last record"));
        }
        match section.next_section()? {
            Some(next) => section = next,
            None => break,
        }
    }
    Ok(opt)
}

/// The first cookie among the options of an OPT record that may be malformed behind it.
fn cookie_of(options: &[u8]) -> Option<Cookie> {
    let opt = Opt::from_slice(options).ok()?;
    let mut known = opt.iter::<UnknownOptData<&[u8]>>().map_while(Result::ok);
    known.find(|option| option.code() == OptionCode::COOKIE).and_then(|option| Cookie::new(option.data()))
}

fn edns(record: &OptRecord<&[u8]>) -> Option<Edns> {
    let mut edns = Edns {
        payload_size: record.udp_payload_size(),
        dnssec_ok: record.dnssec_ok(),
        cookie: None,
        padding: false,
        keepalive: false,
    };
    for option in record.opt().iter::<UnknownOptData<&[u8]>>() {
        let option = option.ok()?;
        match option.code() {
            OptionCode::COOKIE if edns.cookie.is_none() => edns.cookie = Some(Cookie::new(option.data())?),
            OptionCode::PADDING => edns.padding = true,
            OptionCode::TCP_KEEPALIVE => edns.keepalive = true,
            _ => {}
        }
    }
    Some(edns)
}
