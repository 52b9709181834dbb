//! Rates by key in a table of fixed size: the generic cell rate algorithm (ITU-T I.371), a word a bucket.

use siphasher::sip::SipHasher13;
use std::hash::Hasher;
use std::sync::atomic::{AtomicU64, Ordering};

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

#[cfg(test)]
mod tests {
    use super::Buckets;

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
}
