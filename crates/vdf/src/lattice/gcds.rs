//! The inverse modulo A, up to a power of two: binary steps on `(A; 0)`, `(b; 1)` until both x are 1.

use super::arithmetic::coordinate::{Coordinate, from_magnitude};
use super::arithmetic::modulus::Modulus;
use super::arithmetic::rows::{MAX_LIMBS, Rows};
use super::arithmetic::steps::{ratio, run_to_the_end};
use super::arithmetic::update::combine;
use super::arithmetic::word::{borrowing_sub, carrying_mul, carrying_mul_add};
use super::context::Kernel;

/// More shift bits than any reduction takes: each takes at least one bit from `x1 x2 < 2^1120`, two thirds of a bit
/// where words compare wrongly.
const MAX_TOTAL_SHIFT: u32 = 1600;

/// `v b = +-2^shift modulo A`.
#[derive(Clone)]
pub(super) struct Inverse {
    pub(super) magnitude: [u64; MAX_LIMBS],
    pub(super) negative: bool,
    pub(super) shift: u32,
}

/// The inverse of the odd number `b < 2^560`; None when it has a common divisor with the modulus.
#[inline(always)]
pub(super) fn invert<K: Kernel>(kernel: K, modulus: &Modulus, b: &[u64; MAX_LIMBS]) -> Option<Inverse> {
    let mut rows = Rows::new(&modulus.value, b, false);
    let mut shift = 0;
    loop {
        rows.trim(1);
        if rows.x_limbs == 1 && rows.x()[0][0] & 1 == 1 {
            break;
        }
        shift += kernel.batch(&mut rows)?;
        // Equal x leave zero, which would be halved forever: a common divisor.
        if shift > MAX_TOTAL_SHIFT {
            return None;
        }
    }
    finish(&rows, shift)
}

/// The last steps, on x of one word each, and the v that belongs to x = 1.
#[inline(always)]
fn finish(rows: &Rows, shift: u32) -> Option<Inverse> {
    let words = [rows.x()[0][0], rows.x()[1][0]];
    debug_assert!(words[0] & words[1] & 1 == 1);
    let (column, divisor) = run_to_the_end(words);
    if divisor != 1 {
        return None;
    }
    let (f, g) = (column.f, column.f.map(|f| f.wrapping_mul(ratio(words))));
    let shift = shift + column.shift;
    // g <= x1 < 2^64, so modulo 2^min(T, 64) it is known; g = 2^T where f = 0.
    let g = if column.shift >= 64 {
        g
    } else {
        let low_bits = !(u64::MAX << column.shift);
        [g[0] & low_bits, if f[1] == 0 { 1 << column.shift } else { g[1] & low_bits }]
    };
    // Row 2: +-(g2 x2 - f2 x1) / 2^T = 1, the sign that of the determinant.
    let negative_row = u128::from(f[0]) * u128::from(g[1]) < u128::from(f[1]) * u128::from(g[0]);
    let [v1_negative, v2_negative] = rows.v_negative;
    if v1_negative == v2_negative || rows.v_limbs > MAX_LIMBS {
        return finish_with_signs(rows, f[1], g[1], negative_row, shift);
    }
    let magnitude = add_multiples(rows, f[1], g[1])?;
    Some(Inverse { magnitude, negative: v2_negative ^ negative_row, shift })
}

/// `f |v1| + g |v2|`; None when it has more than [`MAX_LIMBS`] limbs, which `x1 |v2| + x2 |v1| = A` and `f <= x2`,
/// `g <= x1` exclude.
#[inline(always)]
fn add_multiples(rows: &Rows, f: u64, g: u64) -> Option<[u64; MAX_LIMBS]> {
    let [v1, v2] = rows.v();
    let mut sum = [0; MAX_LIMBS];
    let (mut f_carry, mut g_carry) = (0, 0);
    for limb in 0..MAX_LIMBS {
        let used = super::arithmetic::word::mask(limb < rows.v_limbs);
        let f_v1;
        (f_v1, f_carry) = carrying_mul(f, v1[limb] & used, f_carry);
        (sum[limb], g_carry) = carrying_mul_add(g, v2[limb] & used, f_v1, g_carry);
    }
    (f_carry | g_carry == 0).then_some(sum)
}

#[cold]
#[inline(never)]
fn finish_with_signs(rows: &Rows, f: u64, g: u64, negative_row: bool, shift: u32) -> Option<Inverse> {
    let mut rows = rows.clone();
    rows.clear_unused();
    let ([v1, v2], [v1_negative, v2_negative]) = (rows.v(), rows.v_negative);
    let (row, negative) = combine(g, (v2, v2_negative), f, (v1, !v1_negative))?;
    let mut magnitude = [0; MAX_LIMBS];
    magnitude.copy_from_slice(&row[..MAX_LIMBS]);
    row[MAX_LIMBS..].iter().all(|&limb| limb == 0).then_some(Inverse {
        magnitude,
        negative: negative ^ negative_row,
        shift,
    })
}

// The partial reduction: binary steps on `(A; 0)`, `(K; +-1)` for exactly t shift bits give two vectors of the
// lattice.

/// Two vectors `(x, y)` with `2^t x = K y mod A`, that is `B x + C y = 0 mod A`, and determinant `+-A`.
#[derive(Clone, Copy)]
pub(super) struct Basis {
    pub(super) x: [Coordinate; 2],
    pub(super) y: [Coordinate; 2],
}

/// The vectors for `K = k`, or `K = -k` when `negative`, after `bits` shift bits. Both are near the square root of A if
/// `bits` is well chosen. None if they are above `2^316`.
#[inline(always)]
pub(super) fn reduce_partially<K: Kernel>(
    kernel: K,
    modulus: &Modulus,
    k: &[u64; MAX_LIMBS],
    negative: bool,
    bits: u32,
) -> Option<Basis> {
    // K = -k: x = k with y = -1. Steps need an odd x: A - k if k is even, with the other sign.
    let even = k[0] & 1 == 0;
    let x2 = if even { complement(modulus, k) } else { *k };
    let mut rows = Rows::new(&modulus.value, &x2, negative ^ even);
    let mut left = bits;
    // A batch takes at most 62 bits.
    while left > 62 {
        rows.trim(2);
        left -= kernel.batch(&mut rows)?;
    }
    if left > 0 {
        rows.trim(2);
        kernel.last_batch(&mut rows, left)?;
    }
    let ([x1, x2], [y1, y2]) = (rows.x(), rows.v());
    let [y1_negative, y2_negative] = rows.v_negative;
    let (x_limbs, y_limbs) = (rows.x_limbs, rows.v_limbs);
    Some(Basis {
        x: [from_magnitude(x1, x_limbs, false)?, from_magnitude(x2, x_limbs, false)?],
        y: [from_magnitude(y1, y_limbs, y1_negative)?, from_magnitude(y2, y_limbs, y2_negative)?],
    })
}

/// `A - k`, for `k < A`.
#[inline(always)]
fn complement(modulus: &Modulus, k: &[u64; MAX_LIMBS]) -> [u64; MAX_LIMBS] {
    let mut difference = [0; MAX_LIMBS];
    let mut borrow = false;
    for limb in 0..MAX_LIMBS {
        (difference[limb], borrow) = borrowing_sub(modulus.value[limb], k[limb], borrow);
    }
    debug_assert!(!borrow);
    difference
}
