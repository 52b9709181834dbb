//! Binary steps on machine words: the innermost loop.
//!
//! One step takes two odd numbers `(x1, x2)` to `(|x1 - x2| / 2^s, min(x1, x2))`, where `s` is the number of trailing
//! zeros of the difference. The low words, exact, decide `s`; the high words, approximate, decide which
//! number is the smaller. A run of steps with `T` shift bits in all is a matrix:
//!
//! ```text
//! x1' = +-(f1 x1 - g1 x2) / 2^T        x2' = -+(f2 x1 - g2 x2) / 2^T        f1 g2 - f2 g1 = +-2^T
//! ```
//!
//! with f and g non-negative, since a step only ever adds rows of opposite sign. Only the column f is followed here: `f
//! x1 - g x2 = 0 mod 2^T` and `0 <= g <= 2^T` give g.
//!
//! *Bound.* `f_i + g_i <= 2^T`: it holds for the unit matrix (T = 0), and a step makes of the sums `(p, q)` the sums
//! `(p + q, 2^s p)` or `(p + q, 2^s q)`, each at most `2^s max(p, q)` when `2 <= 2^s`.
//!
//! *Exactness.* After T shift bits the low words are right in their lowest `64 - T` bits, so a shift is right when the
//! T that includes it is at most 63: a wrong number of trailing zeros would need a first one-bit above them.

use super::word::inverse;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::backend::Native;
use core::hint::select_unpredictable;
use state::State;
pub(in crate::lattice) use state::{Column, Words};

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod ordered;
mod state;

/// The largest T a batch may use: entries are at most `2^62`, so that `f1 g2 - f2 g1 = +-2^T` shows its sign modulo
/// `2^64`.
///
/// The feature `stress` lowers it, so that the shorter runs and the single steps are taken often.
pub(in crate::lattice) const MAX_SHIFT: u32 = if cfg!(feature = "stress") { 36 } else { 62 };

/// The longest of the runs of 28, 24 and 20 steps whose shift fits a batch. When none does, the column of 20 steps,
/// whose shift is above [`MAX_SHIFT`].
///
/// A step takes two shift bits on average: 28 of them make 56 +- 7.5. The counts were chosen by measurement.
#[inline(always)]
pub(in crate::lattice) fn longest_run(words: Words, steps: Steps) -> Column {
    let mut after_20 = State::new(words);
    for _ in 0..5 {
        after_20 = steps.four(after_20);
    }
    let after_24 = steps.four(after_20);
    let after_28 = steps.four(after_24);
    let choose = |longer: Column, shorter: Column| {
        let fits = longer.shift <= MAX_SHIFT;
        Column {
            f: [
                select_unpredictable(fits, longer.f[0], shorter.f[0]),
                select_unpredictable(fits, longer.f[1], shorter.f[1]),
            ],
            shift: select_unpredictable(fits, longer.shift, shorter.shift),
        }
    };
    choose(after_28.column(), choose(after_24.column(), after_20.column()))
}

/// A run of 12 steps, for the 4% of squarings that meet twenty steps of more than [`MAX_SHIFT`] bits.
#[cold]
#[inline(never)]
pub(in crate::lattice) fn short_run(words: Words) -> Column {
    (0..12).fold(State::new(words), |state, _| state.step()).column()
}

/// A run of exactly `bits` shift bits, `1 <= bits <= 62`: the last shift may be cut short, which leaves `x1` even.
#[inline(always)]
pub(in crate::lattice) fn exact_run(words: Words, bits: u32) -> Column {
    debug_assert!((1..=62).contains(&bits));
    let mut state = State::new(words);
    let mut left = bits;
    while state.zeros < left {
        left -= state.zeros;
        state = state.step();
    }
    // The pending difference has at least `left` trailing zeros: a last step that shifts by `left` alone.
    state.zeros = left;
    Column { f: state.step().f, shift: bits }
}

/// The run that ends in equal numbers, from two odd words that are the whole of `x1` and `x2`.
///
/// All comparisons are exact here, and `x1 = g2 x1' + g1 x2'`, `x2 = f2 x1' + f1 x2'` (the inverse matrix) bounds the
/// entries: each is at most its word.
#[inline(always)]
pub(in crate::lattice) fn run_to_the_end(x: [u64; 2]) -> (Column, u64) {
    let [mut first, mut second] = x;
    let (mut first_f, mut second_f) = (1u64, 0u64);
    let mut shift = 0;
    let mut difference = first.wrapping_sub(second);
    while difference != 0 {
        let zeros = difference.trailing_zeros();
        let first_is_smaller = first < second;
        let magnitude = select_unpredictable(first_is_smaller, second.wrapping_sub(first), difference);
        second = select_unpredictable(first_is_smaller, first, second);
        let sum = first_f.wrapping_add(second_f);
        second_f = select_unpredictable(first_is_smaller, first_f, second_f) << zeros;
        first_f = sum;
        first = magnitude >> zeros;
        shift += zeros;
        difference = first.wrapping_sub(second);
    }
    (Column { f: [first_f, second_f], shift }, second)
}

/// `x1 / x2` modulo `2^64` from the low words, both odd: times f it is g.
#[inline(always)]
pub(in crate::lattice) fn ratio(low: [u64; 2]) -> u64 {
    low[0].wrapping_mul(inverse(low[1]))
}

// Four steps at a time, as compiled or in an order of their own.

/// How steps are made. The result is the same.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::lattice) enum Steps {
    /// As the compiler orders them.
    Compiled,
    /// In `ordered`'s order.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    Ordered(Native),
}

impl Steps {
    /// Four steps.
    #[inline(always)]
    fn four(self, state: State) -> State {
        match self {
            Self::Compiled => state.step().step().step().step(),
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            Self::Ordered(token) => ordered::four(state, token),
        }
    }
}

#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests;
