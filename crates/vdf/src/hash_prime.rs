//! Hashing to a prime: the discriminant from a seed, and the Fiat-Shamir prime from a proof's ends.

use crate::form::FORM_BYTES;
use crate::prime::is_prime;
use crate::uint::Uint;
use sha2::{Digest, Sha256};

/// Bits of the Fiat-Shamir prime (chiavdf).
pub(crate) const B_BITS: usize = 264;

/// Bytes of the Fiat-Shamir prime in a proof.
pub const B_BYTES: usize = B_BITS / 8;

/// Limbs that hold the Fiat-Shamir prime.
pub(crate) const B_LIMBS: usize = B_BITS.div_ceil(64);

/// chiavdf's trial division takes its own primes for composites. The five products that it tries on one-limb numbers reach this prime,
/// so smaller primes are never found: of 8 bits only 239 remains.
const LARGEST_MISSED: u64 = 233;

/// The first prime of `size` bits that a seed leads to.
///
/// The seed is a big-endian counter of fixed width, which wraps. A candidate is the concatenation of SHA-256 of the counter,
/// incremented before each hash and never set back, cut to `size / 8` bytes and read big-endian; then the bits of `set_bits` are set.
pub(crate) fn hash_prime<const N: usize>(seed: &[u8], size: usize, set_bits: &[usize]) -> Uint<N> {
    debug_assert!(size.is_multiple_of(8) && size <= 64 * N);
    let mut counter = seed.to_vec();
    let mut candidate = [[0; 8]; N];
    let set_bits = set_bits.iter().fold(Uint::<N>::ZERO, |mut mask, bit| {
        mask.0[bit / 64] |= 1 << (bit % 64);
        mask
    });
    loop {
        let bytes = &mut candidate.as_flattened_mut()[..size / 8];
        for chunk in bytes.chunks_mut(32) {
            increment(&mut counter);
            chunk.copy_from_slice(&Sha256::digest(&counter)[..chunk.len()]);
        }
        let mut candidate = Uint::<N>::from_be_bytes(bytes);
        for (limb, mask) in candidate.0.iter_mut().zip(set_bits.0) {
            *limb |= mask;
        }
        if candidate > Uint::from_word(LARGEST_MISSED) && is_prime(&candidate) {
            return candidate;
        }
    }
}

fn increment(counter: &mut [u8]) {
    for byte in counter.iter_mut().rev() {
        *byte = byte.wrapping_add(1);
        if *byte != 0 {
            break;
        }
    }
}

/// The Fiat-Shamir prime B of a segment, 264 bits, from the encodings of its first and last form.
pub(crate) fn challenge(x: &[u8; FORM_BYTES], y: &[u8; FORM_BYTES]) -> Uint<B_LIMBS> {
    hash_prime([*x, *y].as_flattened(), B_BITS, &[0, B_BITS - 1])
}

/// The Fiat-Shamir prime B of a segment from `x` to `y`, big-endian, as proofs carry it.
#[must_use]
pub fn get_b(x: &[u8; FORM_BYTES], y: &[u8; FORM_BYTES]) -> [u8; B_BYTES] {
    let mut bytes = [0; B_BYTES];
    challenge(x, y).write_be(&mut bytes);
    bytes
}
