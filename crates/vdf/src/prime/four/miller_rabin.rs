//! The strong probable-prime test to base 2, of four numbers at once.

#[cfg(target_arch = "x86_64")]
use super::avx2 as vector;
use super::lanes::{reducer, split, square};
#[cfg(target_arch = "aarch64")]
use super::neon as vector;
use super::sizes::{LANES, LIMB_BITS};
use crate::prime::limbs::{join, limb};
use crate::prime::strong_tests::StrongTests;
use crate::uint::Uint;
use vector::{bit, load, store};

/// A bit a lane: whether its number passes. All are odd, of exactly `bits` bits.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
pub(super) fn passed<const N: usize, const L: usize, const COLUMNS: usize, const REST: usize>(
    numbers: &[Uint<N>; LANES],
    bits: usize,
) -> u8 {
    debug_assert!(numbers.iter().all(|n| n.is_odd() && n.bit_length() == bits) && bits > 1);
    debug_assert!(bits + LIMB_BITS + 5 <= LIMB_BITS * L, "m < 2^28 n < 2^(28 L) / 32");
    let mut tests = StrongTests::new(numbers, LIMB_BITS * L);
    let m = split::<N, L>(&numbers.map(|n| reducer(&n)));
    let mut power = split::<N, L>(tests.ones());
    // n - 1 has the bits of n but the lowest
    let word = |index: usize| load(numbers.map(|n| limb(&n, index / 32, 32)));
    let mut exponents = word(bits - 1);
    for index in (1..bits).rev() {
        if index % 32 == 31 {
            exponents = word(index);
        }
        let doubling = bit(exponents, index % 32);
        square::<L, COLUMNS, REST>(&mut power, &m, doubling);
        if tests.looks_at(index) {
            let limbs = power.map(|limb| store(limb));
            tests.look(index, |lane| join(limbs.iter().map(|limb| limb[lane]), LIMB_BITS));
        }
    }
    tests.passed()
}
