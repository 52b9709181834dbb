//! The rest of a chain of aliases: replies of other servers, and how their records follow ours.

use crate::codes::{flag, option, rtype};
use crate::header::{OPT_BYTES, push_opt_header};
use crate::message::{ExtendedError, Message as Ours};
use crate::query::Query;
use domain::base::message_builder::{MessageBuilder, PushError};
use domain::base::name::{ParsedName, ToName};
use domain::base::opt::UnknownOptData;
use domain::base::wire::ParseError;
use domain::base::{Message, RecordSection, StaticCompressor};
use domain::rdata::{AllRecordData, Cname};

/// The query for `name` in place of the one asked for: type, RD, CD and DO are the client's.
pub(crate) fn query_for(query: &Query, name: &[u8]) -> Vec<u8> {
    let mut packet = vec![0; 12];
    packet[2] = if query.rd { flag::RD } else { 0 };
    packet[3] = if query.cd { flag::CD } else { 0 };
    packet[5] = 1;
    packet.extend_from_slice(name);
    packet.extend_from_slice(&query.qtype.to_be_bytes());
    packet.extend_from_slice(&query.qclass.to_be_bytes());
    if query.edns.is_some() {
        packet[11] = 1;
        packet.reserve_exact(OPT_BYTES);
        push_opt_header(&mut packet, 0, query.dnssec_ok(), 0);
    }
    packet
}

/// A message with the question alone.
pub(crate) fn no_records(query: &Query) -> Vec<u8> {
    Ours::new(query).finish(false, 0).0
}

/// A reply to one query of a chain. It comes from outside: nothing in it is taken for granted.
pub(crate) struct Reply<'a>(&'a Message<[u8]>);

impl<'a> Reply<'a> {
    /// `None` for bytes that are no message.
    pub(crate) fn read(bytes: &'a [u8]) -> Option<Self> {
        Message::from_slice(bytes).ok().map(Self)
    }

    /// The code, with its upper bits.
    pub(crate) fn rcode(&self) -> u16 {
        self.0.opt_rcode().to_int()
    }

    /// Cut short: ask over a stream.
    pub(crate) fn is_cut(&self) -> bool {
        self.0.header().tc()
    }

    /// Its server says that it looked further than its own zones.
    pub(crate) fn is_recursive(&self) -> bool {
        self.0.header().ra()
    }

    /// The first extended error, if there is one.
    pub(crate) fn error(&self) -> Option<ExtendedError> {
        let opt = self.0.opt()?;
        let errors = opt.opt().iter::<UnknownOptData<_>>().filter_map(Result::ok);
        let error = errors.into_iter().find(|other| other.code().to_int() == option::EXTENDED_ERROR)?;
        let data: &[u8] = error.data();
        let (&code, text) = data.split_first_chunk::<2>()?;
        Some(ExtendedError { code: u16::from_be_bytes(code), text: String::from_utf8_lossy(text).into() })
    }

    /// The name, in lower-case wire form, that CNAME records lead to from `start`.
    pub(crate) fn end(&self, start: &[u8], qtype: u16) -> Vec<u8> {
        let links: Vec<_> = if matches!(qtype, rtype::CNAME | rtype::ANY) { Vec::new() } else { self.links() };
        let mut end = start;
        // A circle ends too: no chain is longer than its records.
        for _ in 0..links.len() {
            let Some((_, target)) = links.iter().find(|(owner, _)| owner == end) else { break };
            end = target;
        }
        end.to_vec()
    }

    fn links(&self) -> Vec<(Vec<u8>, Vec<u8>)> {
        let Ok(records) = self.0.answer().map(RecordSection::limit_to_in::<Cname<ParsedName<&[u8]>>>) else {
            return Vec::new();
        };
        let lower = |name: &ParsedName<&[u8]>| name.to_vec().as_slice().to_ascii_lowercase();
        records.filter_map(Result::ok).map(|record| (lower(record.owner()), lower(record.data().cname()))).collect()
    }
}

/// The part of a reply that follows the records before it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Its aliases: they lead on, so what it says of their end is not the last word.
    Aliases,
    /// All its records, and its code.
    Whole,
}

/// Appends a reply to a message without OPT record. `None` for a reply that is malformed, or too long for a message.
pub(crate) fn join(before: &[u8], reply: &Reply<'_>, part: Part) -> Option<Vec<u8>> {
    let before = Message::from_slice(before).ok()?;
    let mut joined = MessageBuilder::from_target(StaticCompressor::new(Vec::new())).ok()?;
    *joined.header_mut() = before.header();
    let mut joined = joined.question();
    for question in before.question() {
        joined.push(question.ok()?).ok()?;
    }
    let mut joined = joined.answer();
    copy(before.answer().ok()?, |record| joined.push(record)).ok()?;
    let mut sections = reply.0.answer().ok()?;
    copy(sections.by_ref(), |record| joined.push(record)).ok()?;
    if part == Part::Aliases {
        return Some(joined.finish().into_target());
    }
    joined.header_mut().set_rcode(reply.0.header().rcode());
    let mut joined = joined.authority();
    let mut sections = sections.next_section().ok()??;
    copy(sections.by_ref(), |record| joined.push(record)).ok()?;
    let mut joined = joined.additional();
    copy(sections.next_section().ok()??, |record| joined.push(record)).ok()?;
    Some(joined.finish().into_target())
}

type Parsed<'a> = domain::base::Record<ParsedName<&'a [u8]>, AllRecordData<&'a [u8], ParsedName<&'a [u8]>>>;

/// Names within data are written again: compressed ones point into the message that they come from.
fn copy<'a>(
    section: impl Iterator<Item = Result<domain::base::ParsedRecord<'a, [u8]>, ParseError>>,
    mut push: impl FnMut(Parsed<'a>) -> Result<(), PushError>,
) -> Result<(), ()> {
    for record in section {
        let record = record.map_err(|_| ())?;
        // Between two neighbours: the reply gets one of its own.
        if record.rtype().to_int() != rtype::OPT {
            push(record.into_any_record().map_err(|_| ())?).map_err(|_| ())?;
        }
    }
    Ok(())
}
