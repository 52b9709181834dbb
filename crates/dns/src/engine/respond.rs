//! The engine: a packet in, a reply out, now or later.

use super::asker::{Asker, Handled, Later, Now, Outside, Question, Reason};
use super::counters::{Outcome, Stats, Use};
use super::names::Due;
use super::names::{Entry, Names};
use super::outgoing::{Outgoing, Terms};
use super::packed::{Key, Packed, PackedCache};
use super::view::View;
use super::waiting::{Entered, Waiter, Waiting};
use crate::answer::answer;
use crate::apex::{Apex, Position};
use crate::codes::{CLASS_IN, ede, rcode};
use crate::query::Query;
use std::collections::HashSet;
use std::fmt::Write;
use std::sync::{Arc, RwLock};

/// Answers made of stale knowledge are made again after this time, so that new knowledge is told soon.
const STALE_ANSWER_MS: u64 = 1_000;

/// What an engine is made of.
pub struct EngineOptions {
    /// The zone served.
    pub apex: Apex,
    /// Asks the control plane.
    pub question: Question,
    /// Answers queries outside of the zone; without it they are refused.
    pub outside: Option<Box<dyn Outside>>,
    /// Whether strangers may ask: turns all limits on.
    pub is_public: bool,
    /// Bytes of knowledge and packed answers, half each.
    pub cache_bytes: usize,
    /// Random: of cookies, and of the tables of the limits.
    pub secrets: [[u8; 16]; 3],
}

/// Answers queries from what it knows.
pub struct Engine {
    pub(super) apex: Apex,
    pub(super) names: Names,
    pub(super) packed: PackedCache,
    pub(super) waiting: Waiting,
    /// Names of the user of this machine: as many as there are.
    pub(super) own: RwLock<HashSet<Box<[u8]>>>,
    pub(super) outgoing: Outgoing,
    question: Question,
}

/// Queries that no longer wait, for [`Engine::serve`].
#[must_use]
pub struct Settled {
    pub(super) waiters: Vec<Waiter>,
    pub(super) given: Option<Arc<Entry>>,
}

impl Settled {
    /// Whether nobody waited.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiters.is_empty()
    }
}

/// One query on its way through the engine.
pub(super) struct Case<'a> {
    pub(super) packet: &'a [u8],
    pub(super) query: &'a Query,
    pub(super) asker: &'a Asker,
    pub(super) terms: &'a Terms,
    pub(super) now: Now,
    /// When the query came in.
    pub(super) since_ms: u64,
    /// Names that its chain was followed over before: 0 for a client's own.
    pub(super) hops: u8,
}

impl Engine {
    /// An engine that knows nothing.
    #[must_use]
    pub fn new(options: EngineOptions) -> Self {
        Self {
            apex: options.apex,
            names: Names::new(options.cache_bytes / 2),
            packed: PackedCache::new(options.cache_bytes / 2),
            waiting: Waiting::default(),
            own: RwLock::default(),
            outgoing: Outgoing::new(options.outside, options.is_public, options.secrets),
            question: options.question,
        }
    }

    /// The zone served.
    #[must_use]
    pub fn apex(&self) -> &Apex {
        &self.apex
    }

    /// The counts now.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let bytes = self.names.bytes() + self.packed.bytes();
        self.outgoing.counters.stats(self.names.len(), bytes, self.waiting.len())
    }

    /// Handles a packet: the reply goes into `out`, which is cleared before, or to what `later` gives.
    pub fn handle(
        self: &Arc<Self>,
        packet: &[u8],
        asker: &Asker,
        now: Now,
        out: &mut Vec<u8>,
        later: &mut dyn FnMut() -> Later,
    ) -> Handled {
        out.clear();
        self.outgoing.counters.query(asker.transport);
        let query = match self.outgoing.parse(packet, asker, now, out) {
            Ok(query) => query,
            Err(handled) => return handled,
        };
        let terms = self.outgoing.terms(&query, packet, asker, now);
        if let Some(handled) = self.outgoing.limited(&query, packet, asker, now, &terms, out) {
            return handled;
        }
        let case = Case { packet, query: &query, asker, terms: &terms, now, since_ms: now.ms, hops: 0 };
        self.respond(&case, None, out, later)
    }

    /// Answers queries that waited. Those that now wait for another name do so for the rest of their time.
    pub fn serve(self: &Arc<Self>, settled: Settled, now: Now) {
        let mut out = Vec::new();
        for waiter in settled.waiters {
            let Waiter { packet, asker, since_ms, hops, later } = waiter;
            let Ok(query) = crate::query::parse(&packet) else { continue };
            out.clear();
            let terms = self.waited(&query, &packet, &asker, hops, now);
            let case = Case { packet: &packet, query: &query, asker: &asker, terms: &terms, now, since_ms, hops };
            let mut later = Some(later);
            let mut take = || later.take().unwrap_or_else(|| Box::new(|_| ()));
            let handled = self.respond(&case, settled.given.as_ref(), &mut out, &mut take);
            if let (Handled::Reply, Some(later)) = (handled, later) {
                later(&out);
            }
        }
    }

    /// Answers queries whose time is over: SERVFAIL.
    pub fn expire(&self, now: Now) {
        let mut out = Vec::new();
        for Waiter { packet, asker, hops, later, .. } in self.waiting.expired(now) {
            let Ok(query) = crate::query::parse(&packet) else { continue };
            out.clear();
            let terms = self.waited(&query, &packet, &asker, hops, now);
            let error = (ede::NO_REACHABLE_AUTHORITY, "the registry did not answer in time");
            if self.outgoing.refuse(&query, &packet, rcode::SERVFAIL, error, &terms, &mut out) == Handled::Reply {
                later(&out);
            }
        }
    }

    pub(super) fn respond(
        self: &Arc<Self>,
        case: &Case<'_>,
        given: Option<&Arc<Entry>>,
        out: &mut Vec<u8>,
        later: &mut dyn FnMut() -> Later,
    ) -> Handled {
        let Case { query, now, .. } = *case;
        if case.query.is_cookie_only() || query.qclass != CLASS_IN {
            let composed = answer(query, &self.apex, &View::new(&self.names, now, None), now.unix);
            return self.outgoing.send(query, case.packet, &composed, 0, case.terms, out);
        }
        let key = Key::new(query);
        if let Some(packed) = self.packed.get(&key, now) {
            self.outgoing.counters.cache(Use::Packed);
            self.use_packed(&packed, now);
            return self.deliver(case, &packed.answer, packed.aged(now), out, later);
        }
        if matches!(self.apex.registered_name(&query.name), Position::Outside) {
            return self.outside(case, out, later);
        }
        self.compose(case, given, &key, out, later)
    }

    fn compose(
        self: &Arc<Self>,
        case: &Case<'_>,
        given: Option<&Arc<Entry>>,
        key: &Key,
        out: &mut Vec<u8>,
        later: &mut dyn FnMut() -> Later,
    ) -> Handled {
        let Case { query, now, .. } = *case;
        let mut given = given.cloned();
        let packed = loop {
            let view = View::new(&self.names, now, given.as_ref());
            let composed = answer(query, &self.apex, &view, now.unix);
            let used = view.used();
            let Some(missing) = used.missing else {
                let until_ms = now.ms.saturating_add(u64::from(composed.lifetime) * 1_000).min(used.until_ms);
                let until_ms = if used.stale { until_ms.min(now.ms + STALE_ANSWER_MS) } else { until_ms };
                break Packed { answer: composed, marks: used.marks, made_ms: now.ms, until_ms, stale: used.stale };
            };
            match self.wait(&missing, case, later) {
                Ok(Some(handled)) => return handled,
                // The name was learned in the meantime.
                Err(known) => given = Some(known),
                Ok(None) if used.marks.is_empty() => {
                    let error = (ede::NOT_READY, "too many names are being looked up; ask again soon");
                    return self.outgoing.refuse(query, case.packet, rcode::SERVFAIL, error, case.terms, out);
                }
                // The name asked for is known, the target of its CNAME is not: the client may ask for that itself.
                Ok(None) => return self.deliver(case, &composed, 0, out, later),
            }
        };
        self.outgoing.counters.cache(Use::Composed);
        self.use_packed(&packed, now);
        let handled = self.deliver(case, &packed.answer, 0, out, later);
        if packed.until_ms > now.ms {
            self.packed.set(key, Arc::new(packed));
        }
        handled
    }

    /// Counts a use of knowledge, and asks for what should be asked for again.
    fn use_packed(&self, packed: &Packed, now: Now) {
        self.outgoing.counters.cache(if packed.stale { Use::Stale } else { Use::Hit });
        for mark in &packed.marks {
            let due = mark.use_at(now);
            if due == Due::Nothing {
                continue;
            }
            if due == Due::Prefetch {
                self.outgoing.counters.cache(Use::Prefetch);
            }
            (self.question)(&text(mark.name()), Reason::Refresh);
        }
    }

    /// Lets a query wait for a name. `None`: there is no room, or nobody to ask.
    fn wait(
        &self,
        name: &[u8],
        case: &Case<'_>,
        later: &mut dyn FnMut() -> Later,
    ) -> Result<Option<Handled>, Arc<Entry>> {
        let waiter = || Waiter {
            packet: case.packet.into(),
            asker: *case.asker,
            since_ms: case.since_ms,
            hops: case.hops,
            later: later(),
        };
        let entered = self.waiting.enter(name, || self.names.get(name, case.now), waiter)?;
        self.outgoing.counters.cache(Use::Miss);
        if entered == Entered::First && !(self.question)(&text(name), Reason::Miss) {
            // Others may have joined meanwhile; they get the same answer.
            self.overloaded(name, case.now);
            return Ok(Some(Handled::Later));
        }
        Ok((entered != Entered::Full).then_some(Handled::Later))
    }

    /// The control plane's queue is full: nobody would ever answer those that wait.
    fn overloaded(&self, name: &[u8], now: Now) {
        let mut out = Vec::new();
        for Waiter { packet, asker, hops, later, .. } in self.waiting.take(name) {
            let Ok(query) = crate::query::parse(&packet) else { continue };
            out.clear();
            let terms = self.waited(&query, &packet, &asker, hops, now);
            let error = (ede::NOT_READY, "too many names are being looked up; ask again soon");
            if self.outgoing.refuse(&query, &packet, rcode::SERVFAIL, error, &terms, &mut out) == Handled::Reply {
                later(&out);
            }
        }
    }

    /// The terms of a query that waited.
    fn waited(&self, query: &Query, packet: &[u8], asker: &Asker, hops: u8, now: Now) -> Terms {
        let terms = self.outgoing.terms(query, packet, asker, now);
        if hops > 0 { terms.inner() } else { terms }
    }

    fn outside(self: &Arc<Self>, case: &Case<'_>, out: &mut Vec<u8>, later: &mut dyn FnMut() -> Later) -> Handled {
        let Case { query, packet, .. } = *case;
        let Some(outside) = &self.outgoing.outside else {
            let view = View::new(&self.names, case.now, None);
            let composed = answer(query, &self.apex, &view, case.now.unix);
            return self.outgoing.send(query, packet, &composed, 0, case.terms, out);
        };
        if !outside.has_room() {
            let error = (ede::NOT_READY, "too many queries are being forwarded; ask again soon");
            return self.outgoing.refuse(query, packet, rcode::SERVFAIL, error, case.terms, out);
        }
        self.relay(case, outside.as_ref(), later());
        self.outgoing.counters.answer(Outcome::Forwarded);
        Handled::Later
    }
}

/// A registered name as text. Its labels hold letters, digits and hyphens only (see [`View`]).
pub(super) fn text(name: &[u8]) -> String {
    let mut text = String::with_capacity(name.len());
    let mut rest = name;
    while let Some((&length, after)) = rest.split_first()
        && length > 0
    {
        let (label, after) = after.split_at(usize::from(length).min(after.len()));
        let dot = if text.is_empty() { "" } else { "." };
        let _ = write!(text, "{dot}{}", String::from_utf8_lossy(label));
        rest = after;
    }
    text
}
