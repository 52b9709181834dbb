//! The strong probable-prime test to base 2, of four numbers at once.

use super::LANES;
use super::square::{LIMB_BITS, LIMBS, Moduli, square, to_double};
use crate::prime::limbs::{join, limb};
use crate::prime::strong::StrongTests;
use crate::uint::{Uint, word};
use core::arch::x86_64::{
    __m256d as Doubles, __m256i as Words, _mm256_loadu_si256, _mm256_set1_epi64x, _mm256_storeu_pd,
};

/// A bit a lane: whether its number passes. All are odd, of exactly `bits` bits, at most 1024.
#[target_feature(enable = "avx2,fma")]
pub(super) fn passed<const N: usize>(numbers: &[Uint<N>; LANES], bits: usize) -> u8 {
    debug_assert!(numbers.iter().all(|n| n.is_odd() && n.bit_length() == bits) && bits > 1);
    debug_assert!(bits + 47 <= LIMB_BITS * LIMBS);
    let mut tests = StrongTests::new(numbers, LIMB_BITS * LIMBS);
    let m = moduli(numbers);
    let mut power = split(tests.ones()).map(|words| to_double(words));
    // n - 1 has the bits of n but the lowest
    for bit in (1..bits).rev() {
        let doubling = load(numbers.map(|n| u64::from(n.bit(bit))));
        square(&mut power, &m, doubling);
        if tests.looks_at(bit) {
            let limbs = power.map(|limb| store(limb));
            tests.look(bit, |lane| join(limbs.iter().map(|limb| limb[lane] as u64), LIMB_BITS));
        }
    }
    tests.passed()
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn moduli<const N: usize>(numbers: &[Uint<N>; LANES]) -> Moduli {
    let words = split(numbers);
    let negated_inverse = to_double(load(numbers.map(|n| word::inverse(n.0[0]).wrapping_neg())));
    Moduli { doubles: words.map(|words| to_double(words)), words, negated_inverse }
}

/// The numbers in limbs.
#[target_feature(enable = "avx2,fma")]
pub(super) fn split<const N: usize>(numbers: &[Uint<N>; LANES]) -> [Words; LIMBS] {
    let mut limbs = [_mm256_set1_epi64x(0); LIMBS];
    for (j, words) in limbs.iter_mut().enumerate() {
        *words = load(numbers.map(|n| limb(&n, j, LIMB_BITS)));
    }
    limbs
}

#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn load(words: [u64; LANES]) -> Words {
    // SAFETY: reads the 32 bytes of `words`.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn store(doubles: Doubles) -> [f64; LANES] {
    let mut words = [0.0; LANES];
    // SAFETY: writes the 32 bytes of `words`.
    unsafe { _mm256_storeu_pd(words.as_mut_ptr(), doubles) }
    words
}
