//! One batch: a run of binary steps on the words, and its matrix applied to the rows.

use core::hint::{black_box, select_unpredictable};

use super::rows::{MAX_LIMBS, Rows};
use super::steps::{Column, MAX_SHIFT, Steps, exact_run, longest_run, ratio, short_run};
use super::update::{AnyMatrix, slow_update};
use super::update::{Matrix, update};

/// The shift of an exact single step: entries stay words.
const MAX_BITS: u32 = 62;

/// Reduces the rows by as many shift bits as the words allow: 53 on average, at most 62. Returns their number, at least
/// 1.
///
/// x2 is odd before and after. So is x1, unless a difference had more than 62 trailing zeros: the next batch continues
/// with those. None when a row exceeds its limbs.
#[inline(always)]
pub(in crate::lattice) fn batch(rows: &mut Rows, steps: Steps) -> Option<u32> {
    let (words, full) = rows.words();
    if words.low[0] & 1 == 0 {
        return halve(rows, MAX_BITS);
    }
    // Taken first: its multiplications run beside the steps. The compiler moves them behind the steps otherwise, where
    // everything waits for them: 5% of a squaring.
    let ratio = black_box(ratio(words.low));
    let mut column = longest_run(words, steps);
    if column.shift > MAX_SHIFT {
        column = short_run(words);
        if column.shift > MAX_SHIFT {
            return single_step(rows);
        }
    }
    apply(rows, column, ratio, full)?;
    Some(column.shift)
}

/// Reduces the rows by exactly `bits` shift bits, 1 to 62; x1 may become even.
#[inline(always)]
pub(in crate::lattice) fn last_batch(rows: &mut Rows, mut bits: u32) -> Option<()> {
    let (words, full) = rows.words();
    if words.low[0] & 1 == 0 {
        bits -= halve(rows, bits)?;
        return if bits == 0 { Some(()) } else { last_batch_of_odd(rows, bits) };
    }
    let ratio = black_box(ratio(words.low));
    apply(rows, exact_run(words, bits), ratio, full)
}

#[cold]
#[inline(never)]
fn last_batch_of_odd(rows: &mut Rows, bits: u32) -> Option<()> {
    rows.trim(2);
    let (words, full) = rows.words();
    apply(rows, exact_run(words, bits), ratio(words.low), full)
}

#[inline(always)]
fn apply(rows: &mut Rows, column: Column, ratio: u64, full: bool) -> Option<()> {
    let Column { f, shift } = column;
    debug_assert!((1..=62).contains(&shift) && f[0] >= 1 && f[0] <= 1 << shift && f[1] <= 1 << shift);
    // g = f x1/x2 mod 2^T. g <= 2^T - f: below 2^T unless f = 0, where it is 2^T.
    let low_bits = (1 << shift) - 1;
    let g = [f[0].wrapping_mul(ratio) & low_bits, f[1].wrapping_mul(ratio) & low_bits];
    // Row 1 is a difference, so f1 and g1 are at least 1; row 2 may still be x1 or x2 alone.
    debug_assert!(g[0] > 0);
    if f[1] == 0 || g[1] == 0 || rows.v_negative[0] == rows.v_negative[1] || rows.v_limbs > MAX_LIMBS {
        let g = [g[0], if f[1] == 0 { 1 << shift } else { g[1] }];
        return slow_update(rows, &AnyMatrix { f, g, shift });
    }
    // +-2^T with T <= 62: its sign modulo 2^64 is its sign. Positive: row 1 is f1 x1 - g1 x2 and row 2 is g2 x2 - f2
    // x1, both as they are.
    let determinant = f[0].wrapping_mul(g[1]).wrapping_sub(f[1].wrapping_mul(g[0]));
    debug_assert!(determinant == 1 << shift || determinant == (1u64 << shift).wrapping_neg());
    // Without a branch: the order is a coin toss.
    let turned = determinant >> 63 != 0;
    let order = |[first, second]: [u64; 2]| {
        [select_unpredictable(turned, second, first), select_unpredictable(turned, first, second)]
    };
    let matrix = Matrix { f: order(f), g: order(g), shift };
    update(rows, &matrix, full)
}

/// One step on the whole rows, for x whose difference has more trailing zeros than a batch takes in twelve steps.
#[cold]
#[inline(never)]
fn single_step(rows: &mut Rows) -> Option<u32> {
    rows.clear_unused();
    let [x1, x2] = rows.x();
    let shift = x1[0].wrapping_sub(x2[0]).trailing_zeros().min(MAX_BITS);
    let first_is_smaller = x1.iter().rev().lt(x2.iter().rev());
    // (x1 - x2, x1 2^s) or (x1 - x2, x2 2^s), over 2^s.
    let (f, g) = if first_is_smaller { ([1, 1 << shift], [1, 0]) } else { ([1, 0], [1, 1 << shift]) };
    slow_update(rows, &AnyMatrix { f, g, shift })?;
    Some(shift)
}

/// Takes up to `most` trailing zeros from an even x1: (x1, x2 2^s) over 2^s.
#[cold]
#[inline(never)]
fn halve(rows: &mut Rows, most: u32) -> Option<u32> {
    let shift = rows.x()[0][0].trailing_zeros().min(most);
    slow_update(rows, &AnyMatrix { f: [1, 0], g: [0, 1 << shift], shift })?;
    Some(shift)
}
