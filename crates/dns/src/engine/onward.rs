//! Answers that lead out of the zone, or further than one answer goes, with all that follows (RFC 1034, 4.3.2): a
//! client that asks for recursion, and is told of it, does not look further by itself.

use super::asker::{Asker, Handled, Later, Now, Outside};
use super::outgoing::Terms;
use super::respond::{Case, Engine};
use crate::apex::Position;
use crate::chain::{Part, Reply, join, no_records, query_for};
use crate::codes::{ede, rcode};
use crate::message::{Answer, ExtendedError, Rest};
use crate::query::{Query, parse};
use std::sync::Arc;

/// Names that one chain is followed over, each with all that a server says of it. BIND and unbound give up after 11
/// aliases.
const MAX_HOPS: u8 = 8;

const NO_TARGET: (u16, &str) = (ede::OTHER, "the target of an alias cannot be resolved");
const NO_END: (u16, &str) = (ede::OTHER, "aliases lead on and on");
const NO_ROOM: (u16, &str) = (ede::NOT_READY, "too many queries are being forwarded; ask again soon");

/// A query with the aliases that were found so far.
struct Chain {
    packet: Box<[u8]>,
    query: Query,
    asker: Asker,
    terms: Terms,
    since_ms: u64,
    hops: u8,
    /// A message without OPT record, as [`Answer::message`].
    found: Vec<u8>,
    errors: Vec<ExtendedError>,
}

impl Chain {
    fn new(case: &Case<'_>, found: Vec<u8>, errors: &[ExtendedError]) -> Self {
        let Case { packet, query, asker, terms, since_ms, hops, .. } = *case;
        Self {
            packet: packet.into(),
            query: query.clone(),
            asker: *asker,
            terms: terms.clone(),
            since_ms,
            hops,
            found,
            errors: errors.to_vec(),
        }
    }
}

impl Engine {
    /// Sends an answer that was composed `aged` seconds ago. Where it leads on, and the client wants recursion, the rest
    /// of the chain is found first.
    pub(super) fn deliver(
        self: &Arc<Self>,
        case: &Case<'_>,
        answer: &Answer,
        aged: u32,
        out: &mut Vec<u8>,
        later: &mut dyn FnMut() -> Later,
    ) -> Handled {
        let Case { query, packet, terms, now, .. } = *case;
        match &answer.rest {
            // The reply to an unproved source would be too long: it asks again over a stream.
            Rest::At(next) if query.rd && self.outgoing.outside.is_some() && !terms.is_unproved() => {
                let chain = Chain::new(case, answer.aged(aged), &answer.ede);
                self.follow(chain, next, now, out, later)
            }
            _ => self.outgoing.send(query, packet, answer, aged, terms, out),
        }
    }

    /// Passes on what an upstream says of a name outside of the zone, unless its aliases lead into the zone, of which an
    /// upstream knows nothing.
    pub(super) fn relay(self: &Arc<Self>, case: &Case<'_>, outside: &dyn Outside, later: Later) {
        let engine = Arc::clone(self);
        let chain = Chain::new(case, no_records(case.query), &[]);
        let relayed = Box::new(move |bytes: &[u8]| {
            let Chain { query, .. } = &chain;
            let reply = Reply::read(bytes).filter(|reply| query.rd && !reply.is_cut());
            if reply.is_some_and(|reply| engine.is_within(&reply.end(&query.name, query.qtype))) {
                let asked = query.name.clone();
                engine.append_later(chain, &asked, bytes, later);
            } else {
                later(bytes);
            }
        });
        outside.forward(case.packet, case.asker.transport, case.terms.limit(), relayed);
    }

    fn is_within(&self, name: &[u8]) -> bool {
        self.apex.registered_name(name) != Position::Outside
    }

    /// Asks for the next name: this engine for one of the zone, an upstream for others.
    fn follow(
        self: &Arc<Self>,
        mut chain: Chain,
        next: &[u8],
        now: Now,
        out: &mut Vec<u8>,
        later: &mut dyn FnMut() -> Later,
    ) -> Handled {
        if chain.hops == MAX_HOPS {
            return self.give_up(&chain, NO_END, out);
        }
        chain.hops += 1;
        if !self.is_within(next) {
            return self.follow_outside(chain, next, out, later);
        }
        let Chain { asker, since_ms, hops, .. } = chain;
        let packet = query_for(&chain.query, next);
        let Ok(query) = parse(&packet) else { return self.give_up(&chain, NO_TARGET, out) };
        let terms = self.outgoing.terms(&query, &packet, &asker, now).inner();
        let case = Case { packet: &packet, query: &query, asker: &asker, terms: &terms, now, since_ms, hops };
        let mut chain = Some(chain);
        let mut take = || self.resumption(chain.take(), next, later);
        let mut reply = Vec::new();
        let handled = self.respond(&case, None, &mut reply, &mut take);
        match (handled, chain) {
            (Handled::Reply, Some(chain)) => self.append(chain, next, &reply, now, out, later),
            _ => handled,
        }
    }

    fn follow_outside(
        self: &Arc<Self>,
        chain: Chain,
        next: &[u8],
        out: &mut Vec<u8>,
        later: &mut dyn FnMut() -> Later,
    ) -> Handled {
        let Some(outside) = self.outgoing.outside.as_deref().filter(|outside| outside.has_room()) else {
            return self.give_up(&chain, NO_ROOM, out);
        };
        let (packet, transport) = (query_for(&chain.query, next), chain.asker.transport);
        outside.forward(&packet, transport, usize::from(u16::MAX), self.resumption(Some(chain), next, later));
        Handled::Later
    }

    /// Goes on with a chain when the reply to its query for `asked` comes.
    fn resumption(self: &Arc<Self>, chain: Option<Chain>, asked: &[u8], later: &mut dyn FnMut() -> Later) -> Later {
        let Some(chain) = chain else { return Box::new(|_| ()) };
        let (engine, asked, later) = (Arc::clone(self), asked.to_vec(), later());
        Box::new(move |reply| engine.append_later(chain, &asked, reply, later))
    }

    fn append_later(self: &Arc<Self>, chain: Chain, asked: &[u8], reply: &[u8], later: Later) {
        let Some(now) = self.outgoing.outside.as_ref().map(|outside| outside.now()) else { return };
        let (mut out, mut later) = (Vec::new(), Some(later));
        let mut take = || later.take().unwrap_or_else(|| Box::new(|_| ()));
        let handled = self.append(chain, asked, reply, now, &mut out, &mut take);
        if let (Handled::Reply, Some(later)) = (handled, later) {
            later(&out);
        }
    }

    /// Appends what `reply` says of the name `asked`. Where that leads back into the zone, the chain goes on.
    fn append(
        self: &Arc<Self>,
        mut chain: Chain,
        asked: &[u8],
        reply: &[u8],
        now: Now,
        out: &mut Vec<u8>,
        later: &mut dyn FnMut() -> Later,
    ) -> Handled {
        let Some(reply) = Reply::read(reply) else { return self.give_up(&chain, NO_TARGET, out) };
        if reply.is_cut() {
            return self.outgoing.send_cut(&chain.query, &chain.packet, &chain.terms, out);
        }
        if !matches!(reply.rcode(), rcode::NOERROR | rcode::NXDOMAIN) {
            let error = reply.error();
            let error = error.as_ref().map_or(NO_TARGET, |error| (error.code, &*error.text));
            return self.give_up(&chain, error, out);
        }
        let end = reply.end(asked, chain.query.qtype);
        let leads_in = !self.is_within(asked) && self.is_within(&end);
        let part = if leads_in { Part::Aliases } else { Part::Whole };
        let Some(found) = join(&chain.found, &reply, part) else { return self.give_up(&chain, NO_TARGET, out) };
        if leads_in {
            chain.found = found;
            return self.follow(chain, &end, now, out, later);
        }
        let Chain { query, packet, terms, errors, .. } = chain;
        let answer = Answer {
            message: found,
            ttls: Vec::new(),
            secure: false,
            ede: errors,
            lifetime: 0,
            depends_on: Vec::new(),
            rest: if reply.is_recursive() { Rest::Nothing } else { Rest::Elsewhere },
        };
        self.outgoing.send(&query, &packet, &answer, 0, &terms, out)
    }

    /// SERVFAIL without records: a chain that breaks does not answer clients that do not follow it themselves.
    fn give_up(&self, chain: &Chain, error: (u16, &str), out: &mut Vec<u8>) -> Handled {
        self.outgoing.refuse(&chain.query, &chain.packet, rcode::SERVFAIL, error, &chain.terms, out)
    }
}
