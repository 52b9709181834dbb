//! Stamps: a nonce that makes SHA-256(prefix ‖ nonce) begin with a number of zero bits (docs/protocol/wire.md, 5).

use core::sync::atomic::{AtomicU32, Ordering};
use sha2::{Digest, Sha256};

/// Hashes between two looks at the stop word: about a millisecond.
const POLL_INTERVAL: u64 = 4096;

/// How a slice of the search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// This nonce meets the requirement.
    Found(u64),
    /// None of the nonces tried does; go on with the one given.
    Continue(u64),
    /// The stop word was set.
    Stopped,
}

/// Whether `nonce` (hashed as 8 bytes, big-endian) gives at least `bits` leading zero bits.
#[must_use]
pub fn is_valid(prefix: &[u8], nonce: u64, bits: u32) -> bool {
    let mut hasher = Sha256::new();
    hasher.update(prefix);
    meets(hasher, nonce, bits)
}

/// Tries `attempts` nonces from `start` on, wrapping at 2^64, until one is found or `stop` is not zero.
#[must_use]
pub fn search(prefix: &[u8], bits: u32, start: u64, attempts: u64, stop: &AtomicU32) -> Outcome {
    // Whole blocks of the prefix are compressed once, not once a nonce.
    let mut hasher = Sha256::new();
    hasher.update(prefix);
    for offset in 0..attempts {
        if offset % POLL_INTERVAL == 0 && stop.load(Ordering::Relaxed) != 0 {
            return Outcome::Stopped;
        }
        let nonce = start.wrapping_add(offset);
        if meets(hasher.clone(), nonce, bits) {
            return Outcome::Found(nonce);
        }
    }
    Outcome::Continue(start.wrapping_add(attempts))
}

fn meets(mut hasher: Sha256, nonce: u64, bits: u32) -> bool {
    hasher.update(nonce.to_be_bytes());
    leading_zeros(&hasher.finalize()) >= bits
}

fn leading_zeros(bytes: &[u8]) -> u32 {
    let mut zeros = 0;
    for byte in bytes {
        zeros += byte.leading_zeros();
        if *byte != 0 {
            break;
        }
    }
    zeros
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_leading_zero_bits_across_bytes() {
        assert_eq!(leading_zeros(&[0x80]), 0);
        assert_eq!(leading_zeros(&[0, 0, 0x1f, 0]), 19);
        assert_eq!(leading_zeros(&[0; 32]), 256);
    }

    #[test]
    fn finds_the_first_nonce_whatever_the_slices() {
        let stop = AtomicU32::new(0);
        let Outcome::Found(whole) = search(b"prefix", 12, 0, u64::MAX, &stop) else {
            panic!("a 12-bit stamp is found");
        };
        assert!(is_valid(b"prefix", whole, 12));
        assert!((0..whole).all(|nonce| !is_valid(b"prefix", nonce, 12)));

        let mut start = 0;
        let sliced = loop {
            match search(b"prefix", 12, start, 7, &stop) {
                Outcome::Found(nonce) => break nonce,
                Outcome::Continue(next) => start = next,
                Outcome::Stopped => panic!("nobody set the stop word"),
            }
        };
        assert_eq!(sliced, whole);
    }

    #[test]
    fn a_set_stop_word_ends_a_search_that_would_not_end() {
        assert_eq!(search(b"", 256, 0, u64::MAX, &AtomicU32::new(1)), Outcome::Stopped);
    }

    #[test]
    fn nonces_wrap_at_the_end_of_their_range() {
        assert_eq!(search(b"", 256, u64::MAX, 2, &AtomicU32::new(0)), Outcome::Continue(1));
    }

    #[test]
    fn zero_bits_are_met_by_any_nonce() {
        assert!(is_valid(b"", 0, 0));
    }
}
