//! What one network may ask of a public resolver.

use siphasher::sip::SipHasher13;
use std::hash::Hasher;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

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

// Rates by key in a table of fixed size: the generic cell rate algorithm (ITU-T I.371), a word a bucket.

/// Keys share buckets by a secret hash: an attacker cannot choose whose bucket to fill. 512 KiB.
const BUCKETS: usize = 1 << 16;

/// Limits the rate of each key.
pub struct Buckets {
    /// When the bucket would be empty, in microseconds ("theoretical arrival time").
    empty_at_us: Box<[AtomicU64]>,
    secret: [u8; 16],
    interval_us: u64,
    burst_us: u64,
}

impl Buckets {
    /// `rate` a second on average, `burst` at once.
    pub fn new(rate: u32, burst: u32, secret: [u8; 16]) -> Self {
        let interval_us = 1_000_000 / u64::from(rate.max(1));
        Self {
            empty_at_us: (0..BUCKETS).map(|_| AtomicU64::new(0)).collect(),
            secret,
            interval_us,
            burst_us: interval_us * u64::from(burst.max(1)),
        }
    }

    /// Whether the key may have one more now; if so it is counted.
    pub fn admit(&self, key: &[u8], now_ms: u64) -> bool {
        let mut hasher = SipHasher13::new_with_key(&self.secret);
        hasher.write(key);
        let time_us = now_ms.saturating_mul(1_000);
        let index = usize::try_from(hasher.finish() % BUCKETS as u64).unwrap_or(0);
        self.empty_at_us[index]
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |empty_at| {
                let next = empty_at.max(time_us) + self.interval_us;
                (next - time_us <= self.burst_us).then_some(next)
            })
            .is_ok()
    }
}

// The network of an address, as limits count.

/// The first bytes of an address: those of its network, the rest 0. IPv4 networks and IPv6 ones never are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Network {
    bytes: [u8; 8],
    length: usize,
}

impl Network {
    /// The /24 of an IPv4 address, or the first `v6_bytes` bytes (at most 8) of an IPv6 address.
    #[must_use]
    pub fn of(address: IpAddr, v6_bytes: usize) -> Self {
        let mut bytes = [0; 8];
        let length = match address.to_canonical() {
            IpAddr::V4(address) => {
                bytes[..3].copy_from_slice(&address.octets()[..3]);
                3
            }
            IpAddr::V6(address) => {
                bytes[..v6_bytes].copy_from_slice(&address.octets()[..v6_bytes]);
                v6_bytes
            }
        };
        Self { bytes, length }
    }

    /// Its bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::{Buckets, Limits, Network, Verdict};
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

    #[test]
    fn admits_a_burst_then_the_rate() {
        let buckets = Buckets::new(10, 5, [7; 16]);
        let admitted = |now_ms: u64, tries: usize| (0..tries).filter(|_| buckets.admit(b"a", now_ms)).count();
        assert_eq!(admitted(1_000, 20), 5);
        assert_eq!(admitted(1_100, 20), 1);
        assert_eq!(admitted(2_000, 20), 5);
    }

    #[test]
    fn keeps_keys_apart() {
        let buckets = Buckets::new(1, 1, [7; 16]);
        assert!(buckets.admit(b"a", 0));
        assert!(!buckets.admit(b"a", 0));
        assert!(buckets.admit(b"b", 0));
    }

    #[test]
    fn neighbours_share_a_network() {
        let network = |text: &str| Network::of(text.parse().unwrap(), 7);
        assert_eq!(network("192.0.2.1"), network("192.0.2.254"));
        assert_ne!(network("192.0.2.1"), network("192.0.3.1"));
        assert_eq!(network("::ffff:192.0.2.1"), network("192.0.2.9"));
        assert_eq!(network("2001:db8:0:100::1"), network("2001:db8:0:1ff::1"));
        assert_ne!(network("2001:db8:0:100::1"), network("2001:db8:0:200::1"));
    }
}
