//! What one network may ask of a public resolver.

use super::buckets::Buckets;
use super::network::Network;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU32, Ordering};

/// Queries a second of one network, over all transports, and how many at once.
const QUERIES: (u32, u32) = (1_000, 2_000);

/// Datagrams a second to one unproved network, and how many at once. Knot's manual suggests 50 as the instant limit.
const RESPONSES: (u32, u32) = (50, 250);

/// Networks are a /24 or a /56, what one subscriber has at most.
const V6_BYTES: usize = 7;

/// One of as many limited responses goes out truncated, so that a real client comes back over TCP ("slip").
const SLIP: u32 = 2;

/// What the limits say of a response to an unproved source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Send it.
    Send,
    /// Send the question with TC.
    Truncate,
    /// Send nothing.
    Drop,
}

/// The tables of a public resolver: 1 MiB, whatever comes.
pub struct Limits {
    queries: Buckets,
    responses: Buckets,
    limited: AtomicU32,
}

impl Limits {
    /// With secrets for the two tables.
    pub fn new(secrets: [[u8; 16]; 2]) -> Self {
        let [queries, responses] = secrets;
        Self {
            queries: Buckets::new(QUERIES.0, QUERIES.1, queries),
            responses: Buckets::new(RESPONSES.0, RESPONSES.1, responses),
            limited: AtomicU32::new(0),
        }
    }

    /// Whether the client's network may ask now.
    pub fn admits(&self, client: IpAddr, now_ms: u64) -> bool {
        self.queries.admit(Network::of(client, V6_BYTES).as_bytes(), now_ms)
    }

    /// What to do with a datagram to an unproved client.
    pub fn response(&self, client: IpAddr, now_ms: u64) -> Verdict {
        if self.responses.admit(Network::of(client, V6_BYTES).as_bytes(), now_ms) {
            return Verdict::Send;
        }
        let limited = self.limited.fetch_add(1, Ordering::Relaxed);
        if limited.is_multiple_of(SLIP) { Verdict::Truncate } else { Verdict::Drop }
    }
}

#[cfg(test)]
mod tests {
    use super::{Limits, Verdict};
    use std::net::IpAddr;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn every_second_limited_response_is_truncated() {
        let limits = Limits::new([[1; 16], [2; 16]]);
        let client = ip("192.0.2.1");
        assert!((0..250).all(|_| limits.response(client, 0) == Verdict::Send));
        let verdicts: Vec<_> = (0..4).map(|_| limits.response(client, 0)).collect();
        assert_eq!(verdicts, [Verdict::Truncate, Verdict::Drop, Verdict::Truncate, Verdict::Drop]);
        assert_eq!(limits.response(ip("192.0.3.1"), 0), Verdict::Send);
        assert_eq!(limits.response(client, 1_000), Verdict::Send);
    }

    #[test]
    fn queries_of_a_network_are_limited() {
        let limits = Limits::new([[1; 16], [2; 16]]);
        assert_eq!((0..3_000).filter(|_| limits.admits(ip("2001:db8::1"), 0)).count(), 2_000);
    }
}
