//! How a reply leaves: what fits the client's transport, and what an unproved source may get.

use super::asker::{Asker, Handled, Now, Outside, Transport};
use super::counters::{Counters, Outcome};
use super::limits::{Limits, Verdict};
use crate::codes::{ede, rcode};
use crate::finish::{Envelope, add_cookie, finish, refuse};
use crate::message::{Answer, ExtendedError};
use crate::query::Query;
use crate::{cookie, query};
use std::sync::Arc;

/// RFC 8467: responses are padded to multiples of this many bytes.
const PADDING_BLOCK: usize = 468;

/// The largest message over anything but datagrams, in bytes.
const STREAM_BYTES: usize = 65_535;

/// Bytes of the server's part of a cookie. An unproved source that sends as many gets a new one, as when its own is too
/// old; others learn theirs over TCP, since it would make the reply longer than the query.
const SERVER_COOKIE_BYTES: usize = 16;

/// The TC bit of the third byte.
const TC: u8 = 0x02;

/// Makes replies.
pub struct Outgoing {
    pub counters: Counters,
    pub outside: Option<Box<dyn Outside>>,
    limits: Option<Limits>,
    secret: [u8; 16],
}

/// What a reply to one query must keep to.
#[derive(Clone)]
pub struct Terms {
    envelope: Envelope,
    /// The client may have forged its address: it gets at most the query's bytes.
    is_unproved: bool,
    /// The reply is a part of another one, and is not counted.
    is_inner: bool,
}

impl Terms {
    /// The largest reply, in bytes.
    pub fn limit(&self) -> usize {
        self.envelope.limit
    }

    /// The client may have forged its address.
    pub fn is_unproved(&self) -> bool {
        self.is_unproved
    }

    /// The same for a reply that is a part of another one.
    pub fn inner(self) -> Self {
        Self { is_inner: true, ..self }
    }
}

impl Outgoing {
    /// `is_public` turns the limits on. The secrets are of cookies and of the limits' tables.
    pub fn new(outside: Option<Box<dyn Outside>>, is_public: bool, secrets: [[u8; 16]; 3]) -> Self {
        let [secret, queries, responses] = secrets;
        let limits = is_public.then(|| Limits::new([queries, responses]));
        Self { counters: Counters::default(), outside, limits, secret }
    }

    /// Reads a packet and counts it. Its bad ones get their reply here.
    pub fn parse(&self, packet: &[u8], asker: &Asker, now: Now, out: &mut Vec<u8>) -> Result<Query, Handled> {
        let rejected = match query::parse(packet) {
            Ok(query) => return Ok(query),
            Err(rejected) => rejected,
        };
        let query::Rejected::Reply(mut reply, cookie) = rejected else {
            self.counters.answer(Outcome::Dropped);
            return Err(Handled::Dropped);
        };
        // Their replies are never longer than the packet, so an unproved source may get them.
        let limits = self.limits.as_ref().filter(|_| asker.transport == Transport::Udp);
        if limits.is_some_and(|limits| limits.response(asker.client, now.ms) != Verdict::Send) {
            self.counters.answer(Outcome::Limited);
            return Err(Handled::Dropped);
        }
        let cookie = cookie.filter(|cookie| limits.is_none() || cookie.server().len() >= SERVER_COOKIE_BYTES);
        if let Some(cookie) = cookie {
            add_cookie(&mut reply, &cookie::make(&self.secret, &cookie, asker.client, now.unix));
        }
        match reply[3] & 0x0f {
            // The upper bits of BADVERS are in its OPT record.
            0 => self.counters.answer(Outcome::BadVers),
            _ => self.counters.message(&reply),
        }
        out.extend_from_slice(&reply);
        Err(Handled::Reply)
    }

    /// What the reply must keep to.
    pub fn terms(&self, query: &Query, packet: &[u8], asker: &Asker, now: Now) -> Terms {
        let is_datagram = asker.transport == Transport::Udp;
        let cookie = query.edns.as_ref().and_then(|edns| edns.cookie.as_ref());
        let is_unproved = self.limits.is_some()
            && is_datagram
            && !cookie.is_some_and(|cookie| cookie::check(&self.secret, cookie, asker.client, now.unix));
        let limit = match asker.transport {
            Transport::Udp if is_unproved => query.udp_limit().min(packet.len()),
            Transport::Udp => query.udp_limit(),
            _ => STREAM_BYTES,
        };
        let is_encrypted = matches!(asker.transport, Transport::Tls | Transport::Https);
        let envelope = Envelope {
            limit,
            cookie: cookie
                .filter(|cookie| !is_unproved || cookie.server().len() >= SERVER_COOKIE_BYTES)
                .map(|cookie| cookie::make(&self.secret, cookie, asker.client, now.unix)),
            padding_block: is_encrypted.then_some(PADDING_BLOCK),
            keepalive: (asker.keepalive > 0).then_some(asker.keepalive),
            ra: self.outside.is_some(),
        };
        Terms { envelope, is_unproved, is_inner: false }
    }

    /// Counts a query against the limits of its network; `None`: it may be answered. A proved client over its limit is
    /// told so.
    pub fn limited(
        &self,
        query: &Query,
        packet: &[u8],
        asker: &Asker,
        now: Now,
        terms: &Terms,
        out: &mut Vec<u8>,
    ) -> Option<Handled> {
        let limits = self.limits.as_ref()?;
        let admitted = limits.admits(asker.client, now.ms);
        let verdict = match (terms.is_unproved, admitted) {
            (true, true) => limits.response(asker.client, now.ms),
            (true, false) => Verdict::Drop,
            (false, true) => Verdict::Send,
            (false, false) => {
                let error = ExtendedError { code: ede::NOT_READY, text: Arc::from("too many queries of this network") };
                refuse(query, packet, rcode::REFUSED, Some(&error), &terms.envelope, out);
                self.counters.answer(Outcome::Limited);
                return Some(Handled::Reply);
            }
        };
        if verdict == Verdict::Send {
            return None;
        }
        self.counters.answer(Outcome::Limited);
        if verdict == Verdict::Drop {
            return Some(Handled::Dropped);
        }
        cut(query, packet, &terms.envelope, out);
        Some(Handled::Reply)
    }

    /// Sends an answer that was composed `aged` seconds ago.
    pub fn send(
        &self,
        query: &Query,
        packet: &[u8],
        answer: &Answer,
        aged: u32,
        terms: &Terms,
        out: &mut Vec<u8>,
    ) -> Handled {
        finish(query, packet, answer, aged, &terms.envelope, out);
        self.leave(query, packet, terms, out)
    }

    /// Sends a reply without records.
    pub fn refuse(
        &self,
        query: &Query,
        packet: &[u8],
        code: u16,
        error: (u16, &str),
        terms: &Terms,
        out: &mut Vec<u8>,
    ) -> Handled {
        let error = ExtendedError { code: error.0, text: Arc::from(error.1) };
        refuse(query, packet, code, Some(&error), &terms.envelope, out);
        self.leave(query, packet, terms, out)
    }

    /// Sends the question with TC.
    pub fn send_cut(&self, query: &Query, packet: &[u8], terms: &Terms, out: &mut Vec<u8>) -> Handled {
        cut(query, packet, &terms.envelope, out);
        self.leave(query, packet, terms, out)
    }

    /// The last word on every reply: an unproved source gets no byte more than it sent.
    fn leave(&self, query: &Query, packet: &[u8], terms: &Terms, out: &mut Vec<u8>) -> Handled {
        if terms.is_unproved && out.len() > packet.len() {
            cut(query, packet, &terms.envelope, out);
        }
        if !terms.is_inner {
            self.counters.message(out);
        }
        Handled::Reply
    }
}

/// The question with TC, and the OPT record if the query has one: never longer than the query.
fn cut(query: &Query, packet: &[u8], envelope: &Envelope, out: &mut Vec<u8>) {
    out.clear();
    let bare = Envelope { cookie: None, padding_block: None, keepalive: None, ..envelope.clone() };
    refuse(query, packet, rcode::NOERROR, None, &bare, out);
    out[2] |= TC;
}
