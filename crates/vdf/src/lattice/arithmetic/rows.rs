//! The two rows `(x1; v1)`, `(x2; v2)` that a partial reduction works on.

use super::steps::Words;
use super::word::{borrowing_sub, shifted_high};

/// Limbs there is room for in a row; x uses at most [`MAX_LIMBS`], v one more, and slow updates the rest for their
/// carries.
pub(in crate::lattice) const ROW_LIMBS: usize = 12;

/// The limbs x and v have at most wherever the fast updates are used: x and |v| are at most A, below `2^560`.
pub(in crate::lattice) const MAX_LIMBS: usize = 9;

/// A magnitude with room to spare.
pub(in crate::lattice) type Row = [u64; ROW_LIMBS];

/// What an update reads or writes.
#[derive(Clone)]
pub(in crate::lattice) struct Buffer {
    pub(in crate::lattice) x: [Row; 2],
    /// Magnitudes.
    pub(in crate::lattice) v: [Row; 2],
}

impl Buffer {
    pub(in crate::lattice) const ZERO: Self = Self { x: [[0; ROW_LIMBS]; 2], v: [[0; ROW_LIMBS]; 2] };
}

/// Two rows with `x_i >= 0` and `x1 v2 - x2 v1 = +-A`, in two buffers: an update reads one and writes the other.
///
/// While v1 and v2 have opposite signs (zero counts as either) `x1 |v2| + x2 |v1| = A`, so `|v_i| <= A / x_other`.
#[derive(Clone)]
pub(in crate::lattice) struct Rows {
    pub(in crate::lattice) buffers: [Buffer; 2],
    /// The buffer that holds the rows.
    pub(in crate::lattice) current: usize,
    /// Limbs of the larger x. The limb above them is zero in both x; those above that are not defined.
    pub(in crate::lattice) x_limbs: usize,
    /// Limbs of the larger |v|. Limbs above are not defined.
    pub(in crate::lattice) v_limbs: usize,
    pub(in crate::lattice) v_negative: [bool; 2],
}

impl Rows {
    const ZERO: Self =
        Self { buffers: [Buffer::ZERO; 2], current: 0, x_limbs: MAX_LIMBS, v_limbs: 1, v_negative: [false; 2] };

    /// The rows `(x1; 0)`, `(x2; 1)`, or `(x2; -1)`: det = `+-x1`.
    #[inline(always)]
    pub(in crate::lattice) fn new(x1: &[u64; MAX_LIMBS], x2: &[u64; MAX_LIMBS], second_negative: bool) -> Self {
        let mut rows = Self { v_negative: [!second_negative, second_negative], ..Self::ZERO };
        rows.buffers[0].x[0][..MAX_LIMBS].copy_from_slice(x1);
        rows.buffers[0].x[1][..MAX_LIMBS].copy_from_slice(x2);
        rows.buffers[0].v[1][0] = 1;
        rows
    }

    #[inline(always)]
    pub(in crate::lattice) fn x(&self) -> &[Row; 2] {
        &self.buffers[self.current].x
    }

    #[inline(always)]
    pub(in crate::lattice) fn v(&self) -> &[Row; 2] {
        &self.buffers[self.current].v
    }

    /// Drops leading limbs that are zero in both x, down to `least` limbs.
    #[inline(always)]
    pub(in crate::lattice) fn trim(&mut self, least: usize) {
        let [x1, x2] = self.x();
        let mut limbs = self.x_limbs.min(ROW_LIMBS);
        while limbs > least && x1[limbs - 1] | x2[limbs - 1] == 0 {
            limbs -= 1;
        }
        self.x_limbs = limbs;
    }

    /// Lowest and normalised highest words of both x, and whether the larger x fills its limbs to the last bit. Needs
    /// two limbs.
    #[inline(always)]
    pub(in crate::lattice) fn words(&self) -> (Words, bool) {
        let [x1, x2] = self.x();
        let top = self.x_limbs.clamp(2, ROW_LIMBS) - 1;
        let shift = (x1[top] | x2[top]).leading_zeros();
        // 64 when two limbs hold two x below 2^64: then nothing is known of their order, which costs steps, not
        // exactness.
        let shift_by = shift & 63;
        let high = [shifted_high(x1[top], x1[top - 1], shift_by), shifted_high(x2[top], x2[top - 1], shift_by)];
        (Words { low: [x1[0], x2[0]], high: blur(high) }, shift == 0)
    }

    /// Makes every undefined limb zero.
    #[inline(always)]
    pub(in crate::lattice) fn clear_unused(&mut self) {
        let (x_limbs, v_limbs) = (self.x_limbs, self.v_limbs);
        let buffer = &mut self.buffers[self.current];
        for row in &mut buffer.x {
            for (index, limb) in row.iter_mut().enumerate() {
                *limb = if index < x_limbs { *limb } else { 0 };
            }
        }
        for row in &mut buffer.v {
            for (index, limb) in row.iter_mut().enumerate() {
                *limb = if index < v_limbs { *limb } else { 0 };
            }
        }
    }
}

/// The approximations as they are; with the feature `stress` their highest 20 bits alone, which provokes wrong
/// comparisons, negative rows and rows that never swap.
#[inline(always)]
const fn blur(high: [u64; 2]) -> [u64; 2] {
    if cfg!(feature = "stress") { [high[0] >> 44 << 44, high[1] >> 44 << 44] } else { high }
}

/// `-row` over the lowest `limbs` limbs, in two's complement.
#[cold]
pub(in crate::lattice) fn negate(row: &mut Row, limbs: usize) {
    let mut borrow = false;
    for limb in row.iter_mut().take(limbs) {
        (*limb, borrow) = borrowing_sub(0, *limb, borrow);
    }
}
