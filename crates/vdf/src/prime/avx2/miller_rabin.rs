//! The strong probable-prime test to base 2, of four numbers at once.

use super::lanes::{LANES, LIMB_BITS, load, reducer, split, square, store};
use crate::prime::limbs::join;
use crate::prime::miller_rabin::StrongTests;
use crate::uint::Uint;
use core::arch::x86_64::{_mm_cvtsi64_si128, _mm256_and_si256, _mm256_set1_epi64x, _mm256_srl_epi64};

/// A bit a lane: whether its number passes. All are odd, of exactly `bits` bits.
#[target_feature(enable = "avx2")]
pub(super) fn passed<const N: usize, const L: usize, const COLUMNS: usize, const REST: usize>(
    numbers: &[Uint<N>; LANES],
    bits: usize,
) -> u8 {
    debug_assert!(numbers.iter().all(|n| n.is_odd() && n.bit_length() == bits) && bits > 1);
    debug_assert!(bits + LIMB_BITS + 5 <= LIMB_BITS * L, "m < 2^28 n < 2^(28 L) / 32");
    let mut tests = StrongTests::new(numbers, LIMB_BITS * L);
    let m = split::<N, L>(&numbers.map(|n| reducer(&n)));
    let low_bit = _mm256_set1_epi64x(1);
    let mut power = split::<N, L>(tests.ones());
    // n - 1 has the bits of n but the lowest
    let word = |bit: usize| load(numbers.map(|n| n.0[bit / 64]));
    let mut exponents = word(bits - 1);
    for bit in (1..bits).rev() {
        if bit % 64 == 63 {
            exponents = word(bit);
        }
        let doubling = _mm256_and_si256(_mm256_srl_epi64(exponents, _mm_cvtsi64_si128((bit % 64) as i64)), low_bit);
        square::<L, COLUMNS, REST>(&mut power, &m, doubling);
        if tests.looks_at(bit) {
            let limbs = power.map(|limb| store(limb));
            tests.look(bit, |lane| join(limbs.iter().map(|limb| limb[lane]), LIMB_BITS));
        }
    }
    tests.passed()
}
