//! The search for a prime with AVX2 or NEON: four candidates at once, one a lane.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod blocks;
#[cfg(target_arch = "x86_64")]
mod doubles;
mod lanes;
mod miller_rabin;
#[cfg(target_arch = "aarch64")]
mod neon;
mod sieve;
mod sizes;

use super::batches::batched;
use super::trial;
use crate::backend::FourLanes;
use crate::uint::Uint;
use miller_rabin::Arithmetic;
#[cfg(target_arch = "x86_64")]
pub(super) use miller_rabin::Doubles;
pub(super) use miller_rabin::Integers;
use sizes::LANES;

/// The candidates that no small prime divides, in order. They have exactly `bits` bits, at least 64, and must not end,
/// since they are taken eight at a time.
pub(super) fn without_small_divisors<const N: usize>(
    _processor_has: FourLanes,
    candidates: impl Iterator<Item = Uint<N>>,
    bits: usize,
) -> impl Iterator<Item = Uint<N>> {
    let candidates = candidates.filter(|n| !trial::has_first_divisor(n));
    let [first, second, third] = sieve::stages_for(bits);
    let candidates = batched(candidates, move |numbers| !divisible(numbers, first));
    let candidates = batched(candidates, move |numbers| !divisible(numbers, second));
    batched(candidates, move |numbers| !divisible(numbers, third))
}

/// A bit a number: whether a prime of the groups divides it.
fn divisible<const N: usize>(numbers: &[Uint<N>; sieve::NUMBERS], groups: &[sieve::Group]) -> u8 {
    #[cfg_attr(target_arch = "aarch64", allow(unused_unsafe, reason = "all of them have NEON"))]
    // SAFETY, here and below: `FourLanes` exist where the processor has AVX2 and FMA, or NEON.
    unsafe {
        sieve::divisible(numbers, groups)
    }
}

/// The candidates that pass the strong test to base 2, in order. They have exactly `bits` bits, and R of the arithmetic
/// has 5 more than these and a limb together. They must not end, since they are taken four at a time.
pub(super) fn strong_probable_primes<const N: usize, A: Arithmetic<N>>(
    has: FourLanes,
    candidates: impl Iterator<Item = Uint<N>>,
    bits: usize,
) -> impl Iterator<Item = Uint<N>> {
    batched(candidates, move |numbers| strong_tests::<N, A>(has, numbers, bits))
}

/// A bit a lane: whether its number passes the strong test to base 2.
pub(super) fn strong_tests<const N: usize, A: Arithmetic<N>>(
    _processor_has: FourLanes,
    numbers: &[Uint<N>; LANES],
    bits: usize,
) -> u8 {
    #[cfg_attr(target_arch = "aarch64", allow(unused_unsafe, reason = "all of them have NEON"))]
    // SAFETY: as above.
    unsafe {
        miller_rabin::passed::<N, A>(numbers, bits)
    }
}

#[cfg(test)]
mod tests;
