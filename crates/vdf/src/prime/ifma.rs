//! The search for a prime with AVX-512 IFMA: eight candidates at once, one a lane.

mod lanes;
mod miller_rabin;
mod sieve;
mod square;

use crate::backend::Ifma;
use crate::uint::Uint;
use lanes::LANES;

/// The candidates that no small prime divides and that pass the strong test to base 2, in order. They have exactly `bits` bits, at
/// least 64, and are `L` limbs of 52 bits; `COLUMNS` is 2 L. They must not end, since they are taken eight at a time.
pub(super) fn strong_probable_primes<const N: usize, const L: usize, const COLUMNS: usize>(
    _processor_has: Ifma,
    candidates: impl Iterator<Item = Uint<N>>,
    bits: usize,
) -> impl Iterator<Item = Uint<N>> {
    let [first, second] = sieve::stages(bits);
    // SAFETY, here and below: an `Ifma` exists where the processor has AVX-512 F and IFMA.
    let candidates = batched(candidates, move |numbers| unsafe { !sieve::divisible::<N, L>(numbers, first) });
    let candidates = batched(candidates, move |numbers| unsafe { !sieve::divisible::<N, L>(numbers, second) });
    batched(candidates, move |numbers| unsafe { miller_rabin::passed::<N, L, COLUMNS>(numbers, bits) })
}

/// Those whose bit `test` sets, in order. Bit i stands for number i.
fn batched<const N: usize>(
    mut numbers: impl Iterator<Item = Uint<N>>,
    test: impl Fn(&[Uint<N>; LANES]) -> u8,
) -> impl Iterator<Item = Uint<N>> {
    let mut batch = [Uint::ZERO; LANES];
    let mut passed = 0_u8;
    core::iter::from_fn(move || {
        while passed == 0 {
            for number in &mut batch {
                *number = numbers.next()?;
            }
            passed = test(&batch);
        }
        let lane = passed.trailing_zeros() as usize;
        passed &= passed - 1;
        Some(batch[lane])
    })
}

#[cfg(test)]
mod tests;
