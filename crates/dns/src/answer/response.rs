//! The records of an answer, with signatures where they are wanted.

use crate::apex::Apex;
use crate::codes::rtype;
use crate::key;
use crate::message::{Message, Section, Ttl};
use crate::query::Query;
use crate::rrset::RrSet;

/// The TTL of stale records, in seconds (RFC 8767, 4).
const STALE_TTL: u32 = 30;

/// How TTLs come out.
#[derive(Clone, Copy, Debug)]
pub(super) enum Clock {
    /// Whole: the server knows the records by itself.
    Still,
    /// Lower by the age of what is known, in seconds.
    Aged(u32),
    /// 30 s: what is known is past its time.
    Stale,
}

impl Clock {
    fn ttl(self, whole: u32) -> Ttl {
        match self {
            Self::Still => Ttl { seconds: whole, counts_down: false },
            Self::Aged(age) => Ttl { seconds: whole.saturating_sub(age), counts_down: true },
            Self::Stale => Ttl { seconds: STALE_TTL, counts_down: false },
        }
    }
}

/// A part of the zone: where its SOA record is, and how its records come out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    /// The owner of the SOA record in negative answers.
    pub(super) soa: &'a [u8],
    pub(super) clock: Clock,
    /// The zone's key signs it.
    pub(super) is_secure: bool,
}

impl Part<'_> {
    /// For denials made of a zone's records: they are made now, so that the zone's age is not theirs.
    pub(super) fn denying(self) -> Self {
        let clock = if matches!(self.clock, Clock::Aged(_)) { Clock::Still } else { self.clock };
        Self { clock, ..self }
    }
}

/// The records of an answer.
pub(super) struct Response<'a> {
    apex: &'a Apex,
    now_unix: u32,
    message: Message,
    scratch: Vec<u8>,
    dnssec_ok: bool,
    has_signatures: bool,
}

impl<'a> Response<'a> {
    pub(super) fn new(query: &Query, apex: &'a Apex, now_unix: u32) -> Self {
        Self {
            apex,
            now_unix,
            message: Message::new(query),
            scratch: Vec::new(),
            dnssec_ok: query.dnssec_ok(),
            has_signatures: false,
        }
    }

    /// Whether a part's signatures and denials are wanted.
    pub(super) fn signs(&self, part: Part<'_>) -> bool {
        part.is_secure && self.dnssec_ok
    }

    /// Whether the client asks for the records of DNSSEC.
    pub(super) fn wants_dnssec(&self) -> bool {
        self.dnssec_ok
    }

    /// The message so far.
    pub(super) fn message(&self) -> &Message {
        &self.message
    }

    /// Takes all records out.
    pub(super) fn clear(&mut self) {
        self.message.clear();
        self.has_signatures = false;
    }

    /// Appends a set, and its signature.
    pub(super) fn set(&mut self, section: Section, owner: &[u8], set: &RrSet, part: Part<'_>) {
        let ttl = part.clock.ttl(set.ttl);
        for data in set.iter() {
            self.message.push(section, owner, set.rtype, ttl, data);
        }
        if self.signs(part) {
            self.signature(section, owner, set, part.clock);
        }
    }

    /// Appends a set without its signature: the zone below a delegation vouches for it, or nobody.
    pub(super) fn unsigned_set(&mut self, section: Section, owner: &[u8], set: &RrSet, part: Part<'_>) {
        self.set(section, owner, set, Part { is_secure: false, ..part });
    }

    /// Appends the signature of a set.
    pub(super) fn signature(&mut self, section: Section, owner: &[u8], set: &RrSet, clock: Clock) {
        if self.message.overflows() {
            return;
        }
        let Self { apex, now_unix, message, scratch, .. } = self;
        let data = key::rrsig(apex.key(), apex.name(), owner, set, *now_unix, scratch);
        message.push(section, owner, rtype::RRSIG, clock.ttl(set.ttl), data);
        self.has_signatures = true;
    }

    /// Appends the SOA record of a negative answer.
    pub(super) fn soa(&mut self, part: Part<'_>) {
        let soa = self.apex.soa();
        self.unsigned_set(Section::Authority, part.soa, soa, part);
        if self.signs(part) {
            let data = self.apex.soa_rrsig(self.now_unix, &mut self.scratch);
            self.message.push(Section::Authority, part.soa, rtype::RRSIG, part.clock.ttl(soa.ttl), &data);
            self.has_signatures = true;
        }
    }

    /// The message, the places of its TTLs, and the seconds for which it may be kept.
    pub(super) fn finish(self, authoritative: bool, rcode: u16) -> (Vec<u8>, Vec<u16>, u32) {
        let lifetime = if self.has_signatures { key::SIGNED_LIFETIME } else { u32::MAX };
        let (message, ttls) = self.message.finish(authoritative, rcode);
        (message, ttls, lifetime)
    }
}
