//! Hashing to a prime: the discriminant from a seed, and the Fiat-Shamir prime from a proof's ends.

mod counter;

use crate::backend::Backend;
use crate::prime::{MIN_BITS, first_prime, is_prime};
use crate::sizes::FORM_BYTES;
use crate::uint::Uint;
use counter::Counter;

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
    hash_prime(Backend::in_use_or_portable(), [*x, *y].as_flattened(), B_BITS, &[0, B_BITS - 1])
}

/// The Fiat-Shamir prime B of a segment from `x` to `y`, big-endian, as proofs carry it.
#[must_use]
pub fn get_b(x: &[u8; FORM_BYTES], y: &[u8; FORM_BYTES]) -> [u8; B_BYTES] {
    let mut bytes = [0; B_BYTES];
    challenge(x, y).write_be(&mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::hash_prime;
    use crate::backend::Backend;

    /// Of every size that a Fiat-Shamir prime could have, from several seeds, and of some longer ones.
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

    #[test]
    fn the_counter_wraps() {
        let portable = *Backend::available().last().unwrap();
        let derive = |seed: [u8; 4]| hash_prime::<4>(portable, &seed, 256, &[0, 255]);
        // the same sequence but for its first candidate, of counter 0, which isn't prime
        assert_eq!(derive([255; 4]), derive([0; 4]));
    }
}
