//! The partial reduction: binary steps on `(A; 0)`, `(K; +-1)` for exactly t shift bits give two vectors of the
//! lattice.

use super::arithmetic::coordinate::{Coordinate, from_magnitude};
use super::arithmetic::modulus::Modulus;
use super::arithmetic::rows::{MAX_LIMBS, Rows};
use super::arithmetic::word::borrowing_sub;
use super::kernel::Kernel;

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
