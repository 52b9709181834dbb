//! The strong probable-prime test to base 2, of eight numbers at once.

use super::lanes::{LANES, load, split, store, word};
use super::lanes::{LIMB_BITS, square};
use crate::prime::limbs::join;
use crate::prime::strong_tests::StrongTests;
use crate::uint::{Uint, word as words};
use core::arch::x86_64::{_mm_cvtsi64_si128, _mm512_and_si512, _mm512_set1_epi64, _mm512_srl_epi64};

/// A bit a lane: whether its number passes. All are odd, of exactly `bits` bits.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn passed<const N: usize, const L: usize, const COLUMNS: usize>(
    numbers: &[Uint<N>; LANES],
    bits: usize,
) -> u8 {
    debug_assert!(numbers.iter().all(|n| n.is_odd() && n.bit_length() == bits) && bits > 1);
    debug_assert!(bits + 5 <= LIMB_BITS * L, "n < 2^(52 L) / 32");
    let mut tests = StrongTests::new(numbers, LIMB_BITS * L);
    let m = split::<N, L>(numbers);
    let negated_inverse = load(numbers.map(|n| words::inverse(n.0[0]).wrapping_neg()));
    let low_bit = _mm512_set1_epi64(1);
    let mut power = split::<N, L>(tests.ones());
    // n - 1 has the bits of n but the lowest
    let mut exponents = word(numbers, (bits - 1) / 64);
    for bit in (1..bits).rev() {
        if bit % 64 == 63 {
            exponents = word(numbers, bit / 64);
        }
        let doubling = _mm512_and_si512(_mm512_srl_epi64(exponents, _mm_cvtsi64_si128((bit % 64) as i64)), low_bit);
        square::<L, COLUMNS>(&mut power, &m, negated_inverse, doubling);
        if tests.looks_at(bit) {
            let limbs = power.map(|limb| store(limb));
            tests.look(bit, |lane| join(limbs.iter().map(|limb| limb[lane]), LIMB_BITS));
        }
    }
    tests.passed()
}
