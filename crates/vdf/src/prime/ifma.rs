//! The search for a prime with AVX-512 IFMA: eight candidates at once, one a lane.

mod lanes;
mod lucas;
mod miller_rabin;
mod sieve;

use super::batches::batched;
use super::trial;
use crate::backend::Ifma;
use crate::uint::Uint;
pub(super) use lucas::{MAX_Q, RADIX_BITS, lucas_v};

/// The candidates that no small prime divides and that pass the strong test to base 2, in order. They have exactly
/// `bits` bits, at least 64, and are `L` limbs of 52 bits; `COLUMNS` is 2 L. They must not end, since they are taken
/// eight at a time.
pub(super) fn strong_probable_primes<const N: usize, const L: usize, const COLUMNS: usize>(
    _processor_has: Ifma,
    candidates: impl Iterator<Item = Uint<N>>,
    bits: usize,
) -> impl Iterator<Item = Uint<N>> {
    let candidates = candidates.filter(|n| !trial::has_first_divisor(n));
    let [first, second] = sieve::stages(bits);
    // SAFETY, here and below: an `Ifma` exists where the processor has AVX-512 F and IFMA.
    let candidates = batched(candidates, move |numbers| unsafe { !sieve::divisible::<N, L>(numbers, first) });
    let candidates = batched(candidates, move |numbers| unsafe { !sieve::divisible::<N, L>(numbers, second) });
    batched(candidates, move |numbers| unsafe { miller_rabin::passed::<N, L, COLUMNS>(numbers, bits) })
}

#[cfg(test)]
mod tests;
