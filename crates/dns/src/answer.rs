//! Answers: what the zone says to a query.

use crate::apex::{Apex, Position};
use crate::codes::{CLASS_IN, ede, rcode, rtype};
use crate::knowledge::{Knowledge, Known, Look, Trust};
use crate::message::{Answer, ExtendedError, Rest, Section};
use crate::query::Query;
use crate::zone::{Place, Zone};
use node::{Cut, absent, ds, no_data, node, referral};
use response::{Clock, Part, Response};
use std::sync::Arc;

mod node;
mod response;

/// Answers a query. `now_unix` is the time in seconds, for signatures.
///
/// A name outside of the zone gets REFUSED, and one of which nothing is known SERVFAIL: ask
/// [`Apex::registered_name`] first to forward or to find out. Targets of CNAME records are followed only where
/// knowledge is at hand.
#[must_use]
pub fn answer(query: &Query, apex: &Apex, look: &dyn Look, now_unix: u32) -> Answer {
    let walk = Walk::new(query, apex, look, now_unix);
    if query.is_cookie_only() {
        return walk.refuse(rcode::NOERROR, None);
    }
    match query.qtype {
        _ if query.qclass != CLASS_IN => walk.refuse(rcode::REFUSED, None),
        // RFC 9824, 3.5 for the mark of absent names.
        rtype::OPT | rtype::NXNAME => walk.refuse(rcode::FORMERR, Some(ede::INVALID_QUERY_TYPE)),
        _ if apex.registered_name(&query.name) == Position::Outside => {
            walk.refuse(rcode::REFUSED, Some(ede::NOT_AUTHORITATIVE))
        }
        rtype::AXFR | rtype::IXFR => walk.refuse(rcode::REFUSED, None),
        _ => walk.run(),
    }
}

// From the name asked for, along CNAME records, to records or a denial.

/// CNAME records in one answer.
const MAX_LINKS: usize = 8;
/// Extended errors in one answer.
const MAX_ERRORS: usize = 2;

/// An answer in the making.
struct Walk<'a> {
    query: &'a Query,
    apex: &'a Apex,
    look: &'a dyn Look,
    response: Response<'a>,
    rcode: u16,
    authoritative: bool,
    secure: bool,
    known: bool,
    ede: Vec<ExtendedError>,
    depends_on: Vec<Vec<u8>>,
    rest: Rest,
}

impl<'a> Walk<'a> {
    fn new(query: &'a Query, apex: &'a Apex, look: &'a dyn Look, now_unix: u32) -> Self {
        Self {
            query,
            apex,
            look,
            response: Response::new(query, apex, now_unix),
            rcode: rcode::NOERROR,
            authoritative: true,
            secure: true,
            known: true,
            ede: Vec::new(),
            depends_on: Vec::new(),
            rest: Rest::Nothing,
        }
    }

    /// Follows the name, and CNAME records from it.
    fn run(mut self) -> Answer {
        let mut target = self.step(&self.query.name);
        let mut followed = Vec::new();
        while let Some(next) = target {
            if next == self.query.name || followed.contains(&next) {
                break;
            }
            if followed.len() + 1 == MAX_LINKS || self.apex.registered_name(&next) == Position::Outside {
                self.rest = Rest::At(next);
                break;
            }
            target = self.step(&next);
            followed.push(next);
        }
        if self.response.message().overflows() {
            self.fail(ede::OTHER, &Arc::from("the answer does not fit into a DNS message"));
        }
        self.finish()
    }

    /// A reply without records. RCODE and extended error are kept with the answer.
    fn refuse(mut self, rcode: u16, error: Option<u16>) -> Answer {
        self.rcode = rcode;
        self.authoritative = false;
        self.secure = false;
        self.ede.extend(error.map(|code| ExtendedError { code, text: "".into() }));
        self.finish()
    }

    fn finish(self) -> Answer {
        let (message, ttls, lifetime) = self.response.finish(self.authoritative, self.rcode);
        let lifetime = if self.known { lifetime } else { 0 };
        let Self { secure, ede, depends_on, rest, .. } = self;
        Answer { message, ttls, secure, ede, lifetime, depends_on, rest }
    }

    /// SERVFAIL without records: a chain that breaks does not answer clients that do not follow it themselves.
    fn fail(&mut self, code: u16, text: &Arc<str>) {
        self.response.clear();
        self.rcode = rcode::SERVFAIL;
        self.authoritative = false;
        self.secure = false;
        self.rest = Rest::Nothing;
        self.ede.insert(0, ExtendedError { code, text: text.clone() });
        self.ede.truncate(MAX_ERRORS);
    }

    fn note(&mut self, code: u16, text: &Arc<str>) {
        let error = ExtendedError { code, text: text.clone() };
        if self.ede.len() < MAX_ERRORS && !self.ede.contains(&error) {
            self.ede.push(error);
        }
    }

    /// Appends what the zone says of one name, and returns the target of a CNAME record to follow.
    fn step(&mut self, name: &[u8]) -> Option<Vec<u8>> {
        match self.apex.registered_name(name) {
            Position::Outside => None,
            Position::Apex => {
                let part = Part { soa: name, clock: Clock::Still, is_secure: true };
                node(&mut self.response, name, self.query.qtype, self.apex.sets(), part)
            }
            Position::Below(registered) => self.below(name, registered),
        }
    }

    fn below(&mut self, name: &[u8], registered: &[u8]) -> Option<Vec<u8>> {
        if !self.depends_on.iter().any(|known| known == registered) {
            self.depends_on.push(registered.to_vec());
        }
        let Some(Known { knowledge, age, stale }) = self.look.look(registered) else {
            self.rest = Rest::Elsewhere;
            if !self.response.message().has(Section::Answer) {
                self.known = false;
                self.fail(ede::NOT_READY, &Arc::from(""));
            }
            return None;
        };
        let clock = if stale { Clock::Stale } else { Clock::Aged(age) };
        let parent = Part { soa: self.apex.name(), clock, is_secure: true };
        if stale && !matches!(knowledge, Knowledge::Failed { .. }) {
            self.note(ede::STALE_ANSWER, &Arc::from(""));
        }
        match knowledge {
            Knowledge::Failed { ede, text } => {
                self.fail(ede, &text);
                None
            }
            Knowledge::Absent => {
                self.rcode = absent(&mut self.response, name, self.query.qtype, parent);
                None
            }
            Knowledge::Zone { zone, trust: Trust::Secure } => self.within(&zone, name, parent, parent),
            Knowledge::Zone { zone, trust: Trust::Insecure { ede_text } } => {
                self.secure = false;
                self.note(ede::OTHER, &ede_text);
                let part = Part { soa: registered, is_secure: false, ..parent };
                self.insecure(&zone, name, part, parent)
            }
        }
    }

    /// A name whose zone looks like one below an insecure delegation.
    fn insecure(&mut self, zone: &Zone, name: &[u8], part: Part<'_>, parent: Part<'_>) -> Option<Vec<u8>> {
        let sets = zone.sets(name);
        let has_cut = || sets.iter().any(|set| set.rtype == rtype::NS);
        match self.query.qtype {
            _ if name != zone.name() => return self.within(zone, name, part, parent),
            // The parent's to deny (RFC 4035, 3.1.4.1).
            rtype::DS => no_data(&mut self.response, name, &[rtype::NS], parent.denying()),
            rtype::SOA if !has_cut() => self.response.set(Section::Answer, name, self.apex.soa(), part),
            // After a denial of ANY here, BIND 9.18 answers SERVFAIL for a name below.
            rtype::ANY if sets.is_empty() => self.response.set(Section::Answer, name, self.apex.soa(), part),
            // No NS record: a resolver that keeps one asks that host for all below the name, and not this server.
            _ => return self.within(zone, name, part, parent),
        }
        None
    }

    /// `parent` is the part of the zone that a delegation at the registered name itself is in.
    fn within(&mut self, zone: &Zone, name: &[u8], part: Part<'_>, parent: Part<'_>) -> Option<Vec<u8>> {
        let qtype = self.query.qtype;
        match zone.find(name) {
            Place::Absent => self.rcode = absent(&mut self.response, name, qtype, part.denying()),
            Place::Node(sets) => return node(&mut self.response, name, qtype, sets, part),
            Place::Cut { owner, sets } => {
                let at_top = owner == zone.name();
                let has_ds = part.is_secure || !at_top;
                let cut = Cut { zone, owner, sets, part: if at_top { parent } else { part }, has_ds };
                if owner == name && qtype == rtype::DS {
                    ds(&mut self.response, &cut);
                } else {
                    // Answers to the records before it are the zone's own (RFC 1035, 4.1.1).
                    self.authoritative = self.response.message().has(Section::Answer);
                    self.secure = false;
                    self.rest = Rest::Elsewhere;
                    referral(&mut self.response, &cut);
                }
            }
        }
        None
    }
}
