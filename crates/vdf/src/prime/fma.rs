//! The search for a prime with fused multiply-adds of doubles (AVX2): four candidates at once, one a lane.

#![allow(clippy::cast_sign_loss, reason = "limbs are not negative")]

mod miller_rabin;
mod square;

use super::batches::batched;
use super::trial;
use crate::backend::Fma;
use crate::uint::Uint;

/// Numbers at once.
const LANES: usize = 4;

/// The candidates that no small prime divides and that pass the strong test to base 2, in order. They have exactly `bits` bits, at
/// least 64 and at most 1024, and must not end, since they are taken four at a time.
pub(super) fn strong_probable_primes<const N: usize>(
    _processor_has: Fma,
    candidates: impl Iterator<Item = Uint<N>>,
    bits: usize,
) -> impl Iterator<Item = Uint<N>> {
    let candidates = candidates.filter(|n| !trial::has_divisor(n));
    // SAFETY: an `Fma` exists where the processor has AVX2 and FMA.
    batched(candidates, move |numbers| unsafe { miller_rabin::passed(numbers, bits) })
}

#[cfg(test)]
mod tests;
