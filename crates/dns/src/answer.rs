//! Answers: what the zone says to a query.

mod denial;
mod node;
mod referral;
mod response;
mod walk;

use crate::apex::{Apex, Position};
use crate::codes::{CLASS_IN, ede, rcode, rtype};
use crate::knowledge::Look;
use crate::packed::Answer;
use crate::query::Query;
use walk::Walk;

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
