//! The state between two steps, and one step in Rust.

use core::hint::select_unpredictable;

/// The words a run of steps begins with.
#[derive(Clone, Copy)]
pub(in crate::lattice) struct Words {
    /// The lowest words of `x1` and `x2`.
    pub(in crate::lattice) low: [u64; 2],
    /// The 64 bits of each from the highest one-bit of the larger downwards.
    pub(in crate::lattice) high: [u64; 2],
}

/// The column f of a run's matrix, and its number of shift bits T.
#[derive(Clone, Copy)]
pub(in crate::lattice) struct Column {
    pub(in crate::lattice) f: [u64; 2],
    pub(in crate::lattice) shift: u32,
}

/// The state between two steps: the difference of the low words is taken already, its shift not yet applied.
#[derive(Clone, Copy)]
#[cfg_attr(test, derive(PartialEq, Debug))]
pub(super) struct State {
    pub(super) low: [u64; 2],
    pub(super) high: [u64; 2],
    pub(super) f: [u64; 2],
    pub(super) difference: u64,
    pub(super) zeros: u32,
    /// Shift bits so far, those of the pending `zeros` included.
    pub(super) shift: u32,
}

impl State {
    #[inline(always)]
    pub(super) fn new(words: Words) -> Self {
        let difference = words.low[0].wrapping_sub(words.low[1]);
        let zeros = difference.trailing_zeros();
        Self { low: words.low, high: words.high, f: [1, 0], difference, zeros, shift: zeros }
    }

    /// Applies the pending step, and takes the next difference.
    ///
    /// Without a branch: which number is the smaller is a coin toss, and a misprediction costs three steps.
    #[inline(always)]
    pub(super) fn step(self) -> Self {
        let (high_difference, first_is_smaller) = self.high[0].overflowing_sub(self.high[1]);
        let low_difference =
            select_unpredictable(first_is_smaller, self.low[1].wrapping_sub(self.low[0]), self.difference);
        let high_difference =
            select_unpredictable(first_is_smaller, self.high[1].wrapping_sub(self.high[0]), high_difference);
        let smaller_low = select_unpredictable(first_is_smaller, self.low[0], self.low[1]);
        let smaller_high = select_unpredictable(first_is_smaller, self.high[0], self.high[1]);
        let smaller_f = select_unpredictable(first_is_smaller, self.f[0], self.f[1]);
        // zeros = 64 (equal low words) shifts by 0: then shift > 63 from here on, and the state is not used.
        let by = self.zeros & 63;
        let low = low_difference >> by;
        let difference = low.wrapping_sub(smaller_low);
        let zeros = difference.trailing_zeros();
        Self {
            low: [low, smaller_low],
            high: [high_difference >> by, smaller_high],
            f: [self.f[0].wrapping_add(self.f[1]), smaller_f << by],
            difference,
            zeros,
            shift: self.shift + zeros,
        }
    }

    #[inline(always)]
    pub(super) fn column(&self) -> Column {
        Column { f: self.f, shift: self.shift - self.zeros }
    }
}
