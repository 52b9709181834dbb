//! The hashes of a counter.

use sha2::digest::Output;
use sha2::{Digest, Sha256};

/// Bytes of a block of SHA-256.
const BLOCK_BYTES: usize = 64;

/// A big-endian counter of fixed width that wraps.
pub(super) struct Counter {
    bytes: Vec<u8>,
    /// Bytes in whole blocks before the last: they change once in 2^8 steps or, as here, never.
    fixed: usize,
    /// The state after those.
    prefix: Sha256,
}

impl Counter {
    pub(super) fn new(start: &[u8]) -> Self {
        let fixed = start.len().saturating_sub(1) / BLOCK_BYTES * BLOCK_BYTES;
        Self { bytes: start.to_vec(), fixed, prefix: Sha256::new_with_prefix(&start[..fixed]) }
    }

    /// Adds one, and hashes the counter with SHA-256.
    pub(super) fn next_hash(&mut self) -> Output<Sha256> {
        for byte in self.bytes.iter_mut().rev() {
            *byte = byte.wrapping_add(1);
            if *byte != 0 {
                break;
            }
        }
        let (fixed, rest) = self.bytes.split_at(self.fixed);
        if rest.iter().all(|&byte| byte == 0) {
            self.prefix = Sha256::new_with_prefix(fixed);
        }
        self.prefix.clone().chain_update(rest).finalize()
    }
}

#[cfg(test)]
mod tests {
    use super::Counter;
    use num_bigint::BigUint;
    use sha2::{Digest, Sha256};

    #[test]
    fn hashes_are_those_of_the_whole_counter_also_where_it_carries_and_wraps() {
        for length in [4, 32, 63, 64, 65, 66, 128, 129, 200] {
            for ones in 0..=length {
                // ends with `ones` bytes of all ones, except for the last bits
                let mut start: Vec<u8> = (0..length).map(|i| if i < length - ones { 17 } else { 255 }).collect();
                start[length - 1] = 253;
                let mut counter = Counter::new(&start);
                let mut expected = BigUint::from_bytes_be(&start);
                for step in 0..5 {
                    expected = (expected + 1_u32) % (BigUint::from(1_u32) << (8 * length));
                    let bytes = expected.to_bytes_be();
                    let padded = [vec![0; length - bytes.len()], bytes].concat();
                    assert_eq!(
                        counter.next_hash(),
                        Sha256::digest(padded),
                        "{length} bytes, {ones} of ones, step {step}"
                    );
                }
            }
        }
    }
}
