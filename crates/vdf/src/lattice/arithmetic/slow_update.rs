//! The update for what the fast one leaves out: an entry of 0 or `2^T`, or v of equal signs. Once in some ten thousand
//! batches.

use super::rows::{ROW_LIMBS, Row, Rows};
use super::word::{borrowing_sub, carrying_add, carrying_mul};

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
    let (scaled_a, scaled_b) = (scale(a, f)?, scale(b, g)?);
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

fn scale(row: &Row, factor: u64) -> Option<Row> {
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
