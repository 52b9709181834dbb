//! What holds for the reply to any packet.

use super::fixture::{NOW, Registry};
use chronym_dns::{Envelope, Query, Rejected, answer, cookie, finish, parse};
use domain::base::Message;

/// What became of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    Dropped,
    /// By the parser, with its code.
    Rejected(u8),
    /// By the zone, with its code.
    Answered(u8),
    Truncated,
}

/// Answers a packet as a server would, first over UDP and then over TLS, and checks both replies.
///
/// # Panics
/// When a reply is wrong.
pub fn exercise(registry: &Registry, packet: &[u8], out: &mut Vec<u8>) -> Outcome {
    let query = match parse(packet) {
        Err(Rejected::Drop) => return Outcome::Dropped,
        Err(Rejected::Reply(reply, _)) => {
            assert!(reply.len() <= packet.len(), "a rejection amplifies");
            walk(&reply);
            return Outcome::Rejected(reply[3] & 0x0f);
        }
        Ok(query) => query,
    };
    let client = [192, 0, 2, 1].into();
    let cookies = query.edns.as_ref().and_then(|edns| edns.cookie);
    let cookie = cookies.map(|cookie| cookie::make(&[1; 16], &cookie, client, NOW));
    let answer = answer(&query, &registry.apex, registry, NOW);
    let mut reply = |envelope: &Envelope, aged: u32| {
        out.clear();
        finish(&query, packet, &answer, aged, envelope, out);
        checked(&query, packet, out, envelope.limit)
    };
    let udp = Envelope { limit: query.udp_limit(), cookie, padding_block: None, keepalive: None, ra: true };
    let truncated = reply(&udp, 7);
    let tls = Envelope { limit: 65_535, padding_block: Some(468), keepalive: Some(100), ..udp };
    assert!(!reply(&tls, u32::MAX), "TLS takes any reply");
    if truncated { Outcome::Truncated } else { Outcome::Answered(answer.message[3] & 0x0f) }
}

/// Whether the reply is cut short.
fn checked(query: &Query, packet: &[u8], reply: &[u8], limit: usize) -> bool {
    assert_eq!(reply[..2], packet[..2], "the number");
    assert_eq!(reply[query.question.clone()], packet[query.question.clone()], "the question");
    assert!(reply.len() <= limit, "{} bytes of {limit}", reply.len());
    walk(reply);
    reply[2] & 0x02 != 0
}

/// Reads each record, to the end.
fn walk(reply: &[u8]) {
    let message = Message::from_slice(reply).expect("a message");
    let mut section = message.answer().expect("an answer section");
    loop {
        for record in section.by_ref() {
            record.expect("a record");
        }
        let end = section.pos();
        match section.next_section().expect("a section") {
            Some(next) => section = next,
            None => return assert_eq!(end, reply.len(), "bytes after the last record"),
        }
    }
}
