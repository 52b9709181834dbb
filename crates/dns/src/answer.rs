//! Answers: what the zone says to a query.

use crate::apex::Apex;
use crate::codes::{ede, flag, rcode};
use crate::knowledge::Look;
use crate::query::Query;
use std::sync::Arc;

/// An extended error (RFC 8914).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtendedError {
    /// Its code.
    pub code: u16,
    /// Its text; the first 200 bytes are sent.
    pub text: Arc<str>,
}

/// An answer that [`crate::finish`] makes replies from, to each query with the same name, type, class and DO bit.
#[derive(Clone, Debug)]
pub struct Answer {
    /// A message without OPT record: ID 0; AD, RD, CD and RA clear; the question in lower case.
    pub message: Vec<u8>,
    /// Where TTLs are that count down.
    pub ttls: Vec<u16>,
    /// All of it is signed by the zone: AD may be set.
    pub secure: bool,
    /// What is to be known besides the records; at most two.
    pub ede: Vec<ExtendedError>,
    /// Seconds for which it may be finished again: signatures end. 0: only for this query.
    pub lifetime: u32,
    /// Registered names whose knowledge it rests on, in wire form. It must be dropped when one changes, comes, goes or
    /// turns stale.
    pub depends_on: Vec<Vec<u8>>,
}

/// Answers a query. `now_unix` is the time in seconds, for signatures.
///
/// A name outside of the zone gets REFUSED, and one of which nothing is known SERVFAIL: ask
/// [`Apex::registered_name`] first to forward or to find out. Targets of CNAME records are followed only where
/// knowledge is at hand.
#[must_use]
pub fn answer(query: &Query, apex: &Apex, look: &dyn Look, now_unix: u32) -> Answer {
    let _ = (apex, look, now_unix);
    let mut message = vec![0, 0, flag::QR, rcode::SERVFAIL.to_be_bytes()[1], 0, 0, 0, 0, 0, 0, 0, 0];
    if !query.is_cookie_only() {
        message[5] = 1;
        message.extend_from_slice(&query.name);
        message.extend_from_slice(&query.qtype.to_be_bytes());
        message.extend_from_slice(&query.qclass.to_be_bytes());
    }
    let ede = vec![ExtendedError { code: ede::NOT_READY, text: "".into() }];
    Answer { message, ttls: Vec::new(), secure: false, ede, lifetime: 0, depends_on: Vec::new() }
}
