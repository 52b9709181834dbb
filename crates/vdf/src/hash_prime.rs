//! Hashing to a prime: the discriminant from a seed, and the Fiat-Shamir prime from a proof's ends.

use crate::backend::Backend;
use crate::prime::{MIN_BITS, first_prime, for_search, is_prime};
use crate::sizes::FORM_BYTES;
use crate::uint::Uint;
use sha2::digest::Output;
use sha2::{Digest, Sha256};

/// Bits of the Fiat-Shamir prime (chiavdf).
pub(crate) const B_BITS: usize = 264;

/// Bytes of the Fiat-Shamir prime in a proof.
pub const B_BYTES: usize = B_BITS / 8;

/// Limbs that hold the Fiat-Shamir prime.
pub(crate) const B_LIMBS: usize = B_BITS.div_ceil(64);

/// chiavdf's trial division takes its own primes for composites. The five products that it tries on one-limb numbers
/// reach this prime, so smaller primes are never found: of 8 bits only 239 remains.
const LARGEST_MISSED: u64 = 233;

/// The first prime of `size` bits that a seed leads to.
///
/// The seed is a big-endian counter of fixed width, which wraps. A candidate concatenates SHA-256 of the counter,
/// incremented before each hash and never set back. It is cut to `size / 8` bytes and read big-endian. Then the bits of
/// `set_bits` are set.
pub(crate) fn hash_prime<const N: usize>(backend: Backend, seed: &[u8], size: usize, set_bits: &[usize]) -> Uint<N> {
    debug_assert!(size.is_multiple_of(8) && size <= 64 * N);
    let mut counter = Counter::new(seed);
    let mut candidate = [[0; 8]; N];
    let set_bits = set_bits.iter().fold(Uint::<N>::ZERO, |mut mask, bit| {
        mask.0[bit / 64] |= 1 << (bit % 64);
        mask
    });
    let mut candidates = core::iter::repeat_with(move || {
        let bytes = &mut candidate.as_flattened_mut()[..size / 8];
        for chunk in bytes.chunks_mut(32) {
            chunk.copy_from_slice(&counter.next_hash()[..chunk.len()]);
        }
        let mut candidate = Uint::<N>::from_be_bytes(bytes);
        for (limb, mask) in candidate.0.iter_mut().zip(set_bits.0) {
            *limb |= mask;
        }
        candidate
    });
    if size >= MIN_BITS {
        return first_prime(backend, candidates, size);
    }
    candidates
        .find(|candidate| *candidate > Uint::from_word(LARGEST_MISSED) && is_prime(candidate, backend))
        .expect("candidates have no end")
}

/// The Fiat-Shamir prime B of a segment, 264 bits, from the encodings of its first and last form.
pub(crate) fn challenge(x: &[u8; FORM_BYTES], y: &[u8; FORM_BYTES]) -> Uint<B_LIMBS> {
    let backend = for_search(Backend::in_use_or_portable());
    hash_prime(backend, [*x, *y].as_flattened(), B_BITS, &[0, B_BITS - 1])
}

/// The Fiat-Shamir prime B of a segment from `x` to `y`, big-endian, as proofs carry it.
#[must_use]
pub fn get_b(x: &[u8; FORM_BYTES], y: &[u8; FORM_BYTES]) -> [u8; B_BYTES] {
    let mut bytes = [0; B_BYTES];
    challenge(x, y).write_be(&mut bytes);
    bytes
}

// The hashes of a counter.

/// Bytes of a block of SHA-256.
const BLOCK_BYTES: usize = 64;

/// A big-endian counter of fixed width that wraps.
struct Counter {
    bytes: Vec<u8>,
    /// Bytes in whole blocks before the last: they change once in 2^8 steps or, as here, never.
    fixed: usize,
    /// The state after those.
    prefix: Sha256,
}

impl Counter {
    fn new(start: &[u8]) -> Self {
        let fixed = start.len().saturating_sub(1) / BLOCK_BYTES * BLOCK_BYTES;
        Self { bytes: start.to_vec(), fixed, prefix: Sha256::new_with_prefix(&start[..fixed]) }
    }

    /// Adds one, and hashes the counter with SHA-256.
    fn next_hash(&mut self) -> Output<Sha256> {
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
    use super::{Counter, hash_prime};
    use crate::backend::Backend;
    use num_bigint::BigUint;
    use sha2::{Digest, Sha256};

    /// Sizes are all that a Fiat-Shamir prime could have, from several seeds, and some longer ones.
    #[test]
    fn all_backends_find_the_same_primes() {
        for size in (8..=304).step_by(8).chain((376..=1024).step_by(72)) {
            let seeds = if size <= 304 { 0..4_u8 } else { 0..1 };
            for seed in seeds.map(|seed| [seed; 32]) {
                let derive = |backend| hash_prime::<16>(backend, &seed, size, &[0, 1, 2, size - 1]);
                let challenge = |backend| hash_prime::<5>(backend, &seed, size, &[0, size - 1]);
                let expected = derive(Backend::available()[0]);
                assert_eq!((expected.bit_length(), expected.0[0] & 7), (size, 7));
                for backend in Backend::available() {
                    assert_eq!(derive(backend), expected, "{backend:?}, {size} bits");
                    if size <= 304 {
                        assert_eq!(challenge(backend), challenge(Backend::available()[0]), "{backend:?}, {size} bits");
                    }
                }
            }
        }
    }

    /// SHA-256 of each hundred of chiavdf's discriminants; see `__test__/vectors/README.md`.
    fn digests_by_chiavdf() -> Vec<String> {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../__test__/vectors/chiavdf-discriminants.json");
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    }

    fn digest(backend: Backend, hundred: usize) -> String {
        let mut hasher = Sha256::new();
        for index in 100 * hundred..100 * (hundred + 1) {
            let mut seed = [0; 32];
            seed[..4].copy_from_slice(&u32::try_from(index).unwrap().to_be_bytes());
            let mut magnitude = [0; 128];
            hash_prime::<16>(backend, &seed, 1024, &[0, 1, 2, 1023]).write_be(&mut magnitude);
            hasher.update(magnitude);
        }
        format!("{:x}", hasher.finalize())
    }

    #[test]
    fn a_hundred_discriminants_are_chiavdfs() {
        assert_eq!(digest(Backend::available()[0], 0), digests_by_chiavdf()[0]);
    }

    #[test]
    #[ignore = "long: minutes"]
    fn ten_thousand_discriminants_of_every_backend_are_chiavdfs() {
        let digests = digests_by_chiavdf();
        assert_eq!(digests.len(), 100);
        std::thread::scope(|scope| {
            for backend in Backend::available() {
                let digests = &digests;
                scope.spawn(move || {
                    for (hundred, expected) in digests.iter().enumerate() {
                        assert_eq!(&digest(backend, hundred), expected, "{backend:?}, hundred {hundred}");
                    }
                });
            }
        });
    }

    #[test]
    fn the_counter_wraps() {
        let portable = *Backend::available().last().unwrap();
        let derive = |seed: [u8; 4]| hash_prime::<4>(portable, &seed, 256, &[0, 255]);
        // the same sequence but for its first candidate, of counter 0, which isn't prime
        assert_eq!(derive([255; 4]), derive([0; 4]));
    }

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
