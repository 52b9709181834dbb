//! The strong probable-prime test to base 2, of four numbers at once.

#[cfg(target_arch = "x86_64")]
use super::avx2 as vector;
#[cfg(target_arch = "x86_64")]
use super::doubles;
use super::lanes;
#[cfg(target_arch = "aarch64")]
use super::neon as vector;
use super::sizes::{LANES, LIMB_BITS};
use crate::prime::limbs::{join, limb};
use crate::prime::strong_tests::StrongTests;
use crate::uint::{Uint, word};
use vector::{Limb, bit, load, store};

/// How four numbers of `N` words are squared.
pub(crate) trait Arithmetic<const N: usize> {
    type Number;
    const LIMB_BITS: usize;
    /// Bits of R.
    const RADIX_BITS: usize;

    fn split(numbers: &[Uint<N>; LANES]) -> Self::Number;
    /// Replaces `a` by `a^2 2^doubling / R` modulo `2^LIMB_BITS M - 1`, where M is `reducer`.
    fn square(a: &mut Self::Number, reducer: &Self::Number, doubling: Limb);
    /// A lane's number, modulo the same: what lies above 2^(64 N), and the rest.
    fn value(a: &Self::Number, reducer: &Self::Number, lane: usize) -> (u64, Uint<N>);
}

/// `L` limbs of 28 bits, as integers. `COLUMNS` is 2 L, `REST` what blocks of four rows leave of L, from 3 on.
pub(crate) struct Integers<const L: usize, const COLUMNS: usize, const REST: usize>;

#[cfg_attr(target_arch = "aarch64", allow(unused_unsafe, reason = "all of them have NEON"))]
// SAFETY of all: only `passed` calls them.
impl<const N: usize, const L: usize, const COLUMNS: usize, const REST: usize> Arithmetic<N>
    for Integers<L, COLUMNS, REST>
{
    type Number = [Limb; L];
    const LIMB_BITS: usize = LIMB_BITS;
    const RADIX_BITS: usize = LIMB_BITS * L;

    #[inline(always)]
    fn split(numbers: &[Uint<N>; LANES]) -> [Limb; L] {
        unsafe { lanes::split(numbers) }
    }

    #[inline(always)]
    fn square(a: &mut [Limb; L], reducer: &[Limb; L], doubling: Limb) {
        unsafe { lanes::square::<L, COLUMNS, REST>(a, reducer, doubling) }
    }

    fn value(a: &[Limb; L], _reducer: &[Limb; L], lane: usize) -> (u64, Uint<N>) {
        join(a.iter().map(|&limb| unsafe { store(limb) }[lane]), LIMB_BITS)
    }
}

/// `L` limbs of 47 bits, as doubles, where there is FMA. `COLUMNS` and `REST` as for [`Integers`].
#[cfg(target_arch = "x86_64")]
pub(crate) struct Doubles<const L: usize, const COLUMNS: usize, const REST: usize>;

#[cfg(target_arch = "x86_64")]
// SAFETY of all: only `passed` calls them.
impl<const N: usize, const L: usize, const COLUMNS: usize, const REST: usize> Arithmetic<N>
    for Doubles<L, COLUMNS, REST>
{
    type Number = [core::arch::x86_64::__m256d; L];
    const LIMB_BITS: usize = doubles::LIMB_BITS;
    const RADIX_BITS: usize = doubles::LIMB_BITS * L;

    #[inline(always)]
    fn split(numbers: &[Uint<N>; LANES]) -> Self::Number {
        unsafe { doubles::split(numbers) }
    }

    #[inline(always)]
    fn square(a: &mut Self::Number, reducer: &Self::Number, doubling: Limb) {
        unsafe { doubles::square::<L, COLUMNS, REST>(a, reducer, doubling) }
    }

    fn value(a: &Self::Number, reducer: &Self::Number, lane: usize) -> (u64, Uint<N>) {
        doubles::value(a, reducer, lane)
    }
}

/// M of an odd number n, at most n, such that `2^limb_bits M - 1` is a multiple `k n`, for limbs of less than 64 bits.
///
/// `k n` ends with as many ones, so adding one to it adds one to what lies above them.
pub(super) fn reducer<const N: usize>(n: &Uint<N>, limb_bits: usize) -> Uint<N> {
    let k = word::inverse(n.0[0]).wrapping_neg() & ((1 << limb_bits) - 1);
    let (low, high) = n.mul_word(k);
    let mut shifted = low.shr(limb_bits);
    shifted.0[N - 1] |= high << (64 - limb_bits);
    shifted.add(&Uint::ONE)
}

/// A bit a lane: whether its number passes. All are odd, of exactly `bits` bits.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
pub(super) fn passed<const N: usize, A: Arithmetic<N>>(numbers: &[Uint<N>; LANES], bits: usize) -> u8 {
    debug_assert!(numbers.iter().all(|n| n.is_odd() && n.bit_length() == bits) && bits > 1);
    debug_assert!(bits + A::LIMB_BITS + 5 <= A::RADIX_BITS, "m < 2^LIMB_BITS n < R / 32");
    let mut tests = StrongTests::new(numbers, A::RADIX_BITS);
    let m = A::split(&numbers.map(|n| reducer(&n, A::LIMB_BITS)));
    let mut power = A::split(tests.ones());
    // n - 1 has the bits of n but the lowest
    let word = |index: usize| load(numbers.map(|n| limb(&n, index / 32, 32)));
    let mut exponents = word(bits - 1);
    for index in (1..bits).rev() {
        if index % 32 == 31 {
            exponents = word(index);
        }
        A::square(&mut power, &m, bit(exponents, index % 32));
        if tests.looks_at(index) {
            tests.look(index, |lane| A::value(&power, &m, lane));
        }
    }
    tests.passed()
}
