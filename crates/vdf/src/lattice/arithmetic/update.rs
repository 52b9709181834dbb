//! Applying a batch's matrix to the rows: `4 N` multiplications for x and for v, in one pass each.

use super::rows::{MAX_LIMBS, ROW_LIMBS, Row, Rows, negate};
use super::word::{borrowing_sub, carrying_add, carrying_mul, scale};

/// A matrix with shift `1 <= T <= 62`, ordered so that `f1 g2 - f2 g1 = +2^T`, all entries at least 1: so all are below
/// `2^T`, since `f_i + g_i <= 2^T`.
#[derive(Clone, Copy)]
pub(in crate::lattice) struct Matrix {
    pub(in crate::lattice) f: [u64; 2],
    pub(in crate::lattice) g: [u64; 2],
    pub(in crate::lattice) shift: u32,
}

/// `(f x - g y) / 2^64` over N limbs, in two's complement; entries are scaled by `2^(64 - T)`, so the division is exact
/// and drops a limb. Returns the top limb.
///
/// *Bound.* `0 <= x, y < 2^(64N - 1)`: so `|f x - g y| < 2^64 max(x, y)` and the quotient lies within `+-2^(64N - 1)`.
#[inline(always)]
fn difference<const N: usize>(f: u64, x: &Row, g: u64, y: &Row, new: &mut Row) -> u64 {
    let ((scaled_x, top_x), (scaled_y, top_y)) = (scale::<N>(x, f), scale::<N>(y, g));
    debug_assert!(scaled_x[0] == scaled_y[0], "a matrix that is not divisible by its shift");
    let mut borrow = false;
    for limb in 1..N {
        (new[limb - 1], borrow) = borrowing_sub(scaled_x[limb], scaled_y[limb], borrow);
    }
    let top = borrowing_sub(top_x, top_y, borrow).0;
    new[N - 1] = top;
    new[N] = 0;
    top
}

/// `f x + g y`, N limbs to N + 1. Returns the top limb.
///
/// *Bound.* `f + g <= 2^62`, so the sum is below `2^(64N + 62)`.
#[inline(always)]
fn sum<const N: usize>(f: u64, x: &Row, g: u64, y: &Row, new: &mut Row) -> u64 {
    let ((scaled_x, top_x), (scaled_y, top_y)) = (scale::<N>(x, f), scale::<N>(y, g));
    let mut carry = false;
    for limb in 0..N {
        (new[limb], carry) = carrying_add(scaled_x[limb], scaled_y[limb], carry);
    }
    let (top, overflow) = carrying_add(top_x, top_y, carry);
    debug_assert!(!overflow);
    new[N] = top;
    top
}

/// x over N limbs: row 1 is `f1 x1 - g1 x2`, row 2 is `g2 x2 - f2 x1`. Returns the top limbs.
#[inline(always)]
fn update_x<const N: usize>(old: &[Row; 2], new: &mut [Row; 2], f: [u64; 2], g: [u64; 2]) -> [u64; 2] {
    let [x1, x2] = old;
    [difference::<N>(f[0], x1, g[0], x2, &mut new[0]), difference::<N>(g[1], x2, f[1], x1, &mut new[1])]
}

/// v over N limbs, whose signs are opposite, so that magnitudes add. Returns whether limb N + 1 is needed.
#[inline(always)]
fn update_v<const N: usize>(old: &[Row; 2], new: &mut [Row; 2], f: [u64; 2], g: [u64; 2]) -> bool {
    let [v1, v2] = old;
    sum::<N>(f[0], v1, g[0], v2, &mut new[0]) | sum::<N>(f[1], v1, g[1], v2, &mut new[1]) != 0
}

/// Applies `matrix` to rows whose v have opposite signs and at most [`MAX_LIMBS`] limbs. `full`: the larger x uses the
/// highest bit of its limbs.
///
/// A wrong comparison (two numbers alike in their 64 highest bits) shows as a negative x; then row and sign of v are
/// turned.
#[inline(always)]
pub(in crate::lattice) fn update(rows: &mut Rows, matrix: &Matrix, full: bool) -> Option<()> {
    let Matrix { f, g, shift } = *matrix;
    debug_assert!((1..=62).contains(&shift));
    debug_assert!((0..2).all(|row| f[row] > 0 && g[row] > 0 && f[row] + g[row] <= 1 << shift));
    debug_assert!(rows.v_negative[0] != rows.v_negative[1]);
    // Entries below 2^T, so scaled below 2^64.
    let scale = 64 - shift;
    let (scaled_f, scaled_g) = ([f[0] << scale, f[1] << scale], [g[0] << scale, g[1] << scale]);
    // A spare bit for the sign. A is below 2^560, so nine limbs are never full.
    let limbs = rows.x_limbs + usize::from(full);
    let (first, second) = rows.buffers.split_at_mut(1);
    let (old, new) = if rows.current == 0 { (&first[0], &mut second[0]) } else { (&second[0], &mut first[0]) };
    let top = match limbs {
        2 => update_x::<2>(&old.x, &mut new.x, scaled_f, scaled_g),
        3 => update_x::<3>(&old.x, &mut new.x, scaled_f, scaled_g),
        4 => update_x::<4>(&old.x, &mut new.x, scaled_f, scaled_g),
        5 => update_x::<5>(&old.x, &mut new.x, scaled_f, scaled_g),
        6 => update_x::<6>(&old.x, &mut new.x, scaled_f, scaled_g),
        7 => update_x::<7>(&old.x, &mut new.x, scaled_f, scaled_g),
        8 => update_x::<8>(&old.x, &mut new.x, scaled_f, scaled_g),
        9 => update_x::<9>(&old.x, &mut new.x, scaled_f, scaled_g),
        _ => return None,
    };
    let grows = match rows.v_limbs {
        1 => update_v::<1>(&old.v, &mut new.v, f, g),
        2 => update_v::<2>(&old.v, &mut new.v, f, g),
        3 => update_v::<3>(&old.v, &mut new.v, f, g),
        4 => update_v::<4>(&old.v, &mut new.v, f, g),
        5 => update_v::<5>(&old.v, &mut new.v, f, g),
        6 => update_v::<6>(&old.v, &mut new.v, f, g),
        7 => update_v::<7>(&old.v, &mut new.v, f, g),
        8 => update_v::<8>(&old.v, &mut new.v, f, g),
        9 => update_v::<9>(&old.v, &mut new.v, f, g),
        _ => return None,
    };
    rows.v_limbs += usize::from(grows);
    rows.x_limbs = limbs;
    rows.current ^= 1;
    if (top[0] | top[1]) >> 63 != 0 {
        turn_negative_rows(rows, top);
    }
    Some(())
}

#[cold]
#[inline(never)]
fn turn_negative_rows(rows: &mut Rows, top: [u64; 2]) {
    let (limbs, current) = (rows.x_limbs, rows.current);
    for (index, top) in top.into_iter().enumerate() {
        if top >> 63 != 0 {
            negate(&mut rows.buffers[current].x[index], limbs);
            rows.v_negative[index] = !rows.v_negative[index];
        }
    }
}

const _: () =
    assert!(MAX_LIMBS + 2 <= ROW_LIMBS, "an update writes one limb above its last, and a slow one carries further");

// The update for what the fast one leaves out: an entry of 0 or `2^T`, or v of equal signs. Once in some ten thousand
// batches.

/// A matrix in any order, its entries magnitudes: `x_i' = |f_i x1 - g_i x2| / 2^T`.
#[derive(Clone, Copy)]
pub(in crate::lattice) struct AnyMatrix {
    pub(in crate::lattice) f: [u64; 2],
    pub(in crate::lattice) g: [u64; 2],
    pub(in crate::lattice) shift: u32,
}

/// Applies `matrix` exactly, with signs. None when a row outgrows its limbs.
#[cold]
#[inline(never)]
pub(in crate::lattice) fn slow_update(rows: &mut Rows, matrix: &AnyMatrix) -> Option<()> {
    rows.clear_unused();
    let [x1, x2] = *rows.x();
    let [v1, v2] = *rows.v();
    let [v1_negative, v2_negative] = rows.v_negative;
    let (mut x, mut v, mut v_negative) = ([x1, x2], [v1, v2], [false; 2]);
    for row in 0..2 {
        let (f, g) = (matrix.f[row], matrix.g[row]);
        let (difference, turned) = combine(f, (&x1, false), g, (&x2, true))?;
        x[row] = shift_right_exactly(&difference, matrix.shift)?;
        let (combined, negative) = combine(f, (&v1, v1_negative), g, (&v2, !v2_negative))?;
        v[row] = combined;
        v_negative[row] = negative ^ turned;
    }
    rows.v_limbs = limbs_of(&v[0]).max(limbs_of(&v[1]));
    rows.v_negative = v_negative;
    // At least the two limbs that the words of a batch are taken from.
    rows.x_limbs = limbs_of(&x[0]).max(limbs_of(&x[1])).max(2);
    let buffer = &mut rows.buffers[rows.current];
    (buffer.x, buffer.v) = (x, v);
    // The limb above the highest must exist.
    (rows.x_limbs < ROW_LIMBS && rows.v_limbs < ROW_LIMBS).then_some(())
}

/// `f a + g b` of signed magnitudes, as a magnitude and whether it is negative; None when it has more than
/// [`ROW_LIMBS`] limbs.
pub(in crate::lattice) fn combine(
    f: u64,
    (a, a_negative): (&Row, bool),
    g: u64,
    (b, b_negative): (&Row, bool),
) -> Option<(Row, bool)> {
    let (scaled_a, scaled_b) = (scale_row(a, f)?, scale_row(b, g)?);
    let mut result = [0; ROW_LIMBS];
    let mut carry = false;
    if a_negative == b_negative {
        for limb in 0..ROW_LIMBS {
            (result[limb], carry) = carrying_add(scaled_a[limb], scaled_b[limb], carry);
        }
        return (!carry).then_some((result, a_negative));
    }
    for limb in 0..ROW_LIMBS {
        (result[limb], carry) = borrowing_sub(scaled_a[limb], scaled_b[limb], carry);
    }
    if !carry {
        return Some((result, a_negative));
    }
    super::rows::negate(&mut result, ROW_LIMBS);
    Some((result, b_negative))
}

fn scale_row(row: &Row, factor: u64) -> Option<Row> {
    let mut result = [0; ROW_LIMBS];
    let mut carry = 0;
    for (scaled, &limb) in result.iter_mut().zip(row) {
        (*scaled, carry) = carrying_mul(factor, limb, carry);
    }
    (carry == 0).then_some(result)
}

/// `row / 2^shift` for `shift < 64`; None unless it is exact.
fn shift_right_exactly(row: &Row, shift: u32) -> Option<Row> {
    debug_assert!(shift < 64);
    let mut result = [0; ROW_LIMBS];
    for limb in 0..ROW_LIMBS {
        let above = row.get(limb + 1).copied().unwrap_or(0);
        result[limb] = (row[limb] >> shift) | ((above << 1) << (63 - shift));
    }
    (row[0] & !(u64::MAX << shift) == 0).then_some(result)
}

/// Limbs in use, at least one.
fn limbs_of(row: &Row) -> usize {
    row.iter().rposition(|&limb| limb != 0).map_or(1, |index| index + 1)
}
