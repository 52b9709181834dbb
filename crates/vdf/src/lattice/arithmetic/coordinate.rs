//! Coordinates of lattice vectors: 320-bit integers in two's complement, and their products.

use super::rows::Row;
use super::word::{add_assign, carrying_add, carrying_mul, carrying_mul_add, mask, scale, sub_assign};

/// Limbs of a coordinate. Short vectors have coordinates near `2^256`.
pub(in crate::lattice) const LIMBS: usize = 5;

/// An integer in `[-2^319, 2^319)`, two's complement, least significant limb first.
pub(in crate::lattice) type Coordinate = [u64; LIMBS];

/// A sum of products of coordinates in `[-2^639, 2^639)`, two's complement.
pub(in crate::lattice) type Product = [u64; 2 * LIMBS];

/// `2^64`.
pub(in crate::lattice) const WORD: f64 = 18_446_744_073_709_551_616.0;

/// The coordinate of a magnitude of `limbs` limbs, above which the row is not defined; None unless it is below `2^316`.
#[inline(always)]
pub(in crate::lattice) fn from_magnitude(row: &Row, limbs: usize, negative: bool) -> Option<Coordinate> {
    let mut magnitude = [0; LIMBS];
    for limb in 0..LIMBS {
        magnitude[limb] = row[limb] & mask(limb < limbs);
    }
    // What a coordinate has no room for: the row's limbs beyond its own, and the last one's top four bits.
    let above = row.iter().take(limbs).skip(LIMBS).fold(magnitude[LIMBS - 1] >> 60, |bits, limb| bits | limb);
    (above == 0).then(|| negate_if(&magnitude, negative))
}

/// `-value` where `condition` holds, else `value`.
#[inline(always)]
pub(in crate::lattice) fn negate_if(value: &Coordinate, condition: bool) -> Coordinate {
    let flip = mask(condition);
    let mut result = [0; LIMBS];
    let mut carry = condition;
    for limb in 0..LIMBS {
        (result[limb], carry) = carrying_add(value[limb] ^ flip, 0, carry);
    }
    result
}

/// Magnitude and sign.
#[inline(always)]
fn magnitude(value: &Coordinate) -> (Coordinate, bool) {
    let negative = value[LIMBS - 1] >> 63 != 0;
    (negate_if(value, negative), negative)
}

/// The value as a double, to within `2^129` and a few units in the last place. The limbs below `2^128` are omitted,
/// since coordinates of short vectors are near `2^256`.
#[inline(always)]
pub(in crate::lattice) fn to_f64(value: &Coordinate) -> f64 {
    let negative = value[LIMBS - 1] >> 63 != 0;
    // -value - 1 instead of -value: below the limbs that count.
    let [.., low, middle, high] = value.map(|limb| limb ^ mask(negative));
    let absolute = ((high as f64 * WORD + middle as f64) * WORD + low as f64) * (WORD * WORD);
    if negative { -absolute } else { absolute }
}

/// `p x + q y` modulo `2^320`.
#[inline(always)]
pub(in crate::lattice) fn combine(p: i64, x: &Coordinate, q: i64, y: &Coordinate) -> Coordinate {
    let (x, y) = (negate_if(x, p < 0), negate_if(y, q < 0));
    let (p, q) = (p.unsigned_abs(), q.unsigned_abs());
    let mut result = [0; LIMBS];
    let (mut p_carry, mut q_carry) = (0, 0);
    for limb in 0..LIMBS {
        let p_x;
        (p_x, p_carry) = carrying_mul(p, x[limb], p_carry);
        (result[limb], q_carry) = carrying_mul_add(q, y[limb], p_x, q_carry);
    }
    result
}

/// `factor x` modulo `2^320`, from the lowest limbs of the factor.
#[inline(always)]
fn low_product(factor: &[u64], x: &Coordinate) -> Coordinate {
    let mut result = low_scale::<5>(x, factor[0]);
    add_assign(&mut result[1..], &low_scale::<4>(x, factor[1]));
    add_assign(&mut result[2..], &low_scale::<3>(x, factor[2]));
    add_assign(&mut result[3..], &low_scale::<2>(x, factor[3]));
    add_assign(&mut result[4..], &low_scale::<1>(x, factor[4]));
    result
}

/// `factor limbs` modulo `2^(64 N)`, over the lowest N limbs.
#[inline(always)]
fn low_scale<const N: usize>(limbs: &[u64], factor: u64) -> [u64; N] {
    scale::<N>(limbs, factor).0
}

/// `(p x + q y) / divisor` modulo `2^320`, for an odd divisor that divides the sum (Jebelean's exact division, from the
/// lowest limb up). Signs of p and q are separate.
#[inline(always)]
fn exact_quotient(
    p: (&[u64], bool),
    x: &Coordinate,
    q: (&[u64], bool),
    y: &Coordinate,
    divisor: &[u64],
    inverse: u64,
) -> Coordinate {
    let (p_x, q_y) = (low_product(p.0, &negate_if(x, p.1)), low_product(q.0, &negate_if(y, q.1)));
    let mut rest = [0; LIMBS];
    let mut carry = false;
    for limb in 0..LIMBS {
        (rest[limb], carry) = carrying_add(p_x[limb], q_y[limb], carry);
    }
    // Each digit clears the lowest limb that is left.
    let digit = |rest: u64| rest.wrapping_mul(inverse);
    let mut quotient = [digit(rest[0]), 0, 0, 0, 0];
    sub_assign(&mut rest, &low_scale::<5>(divisor, quotient[0]));
    quotient[1] = digit(rest[1]);
    sub_assign(&mut rest[1..], &low_scale::<4>(divisor, quotient[1]));
    quotient[2] = digit(rest[2]);
    sub_assign(&mut rest[2..], &low_scale::<3>(divisor, quotient[2]));
    quotient[3] = digit(rest[3]);
    sub_assign(&mut rest[3..], &low_scale::<2>(divisor, quotient[3]));
    quotient[4] = digit(rest[4]);
    quotient
}

/// The quotients of [`exact_quotient`] for two vectors.
#[inline(always)]
pub(in crate::lattice) fn exact_quotients(
    p: (&[u64], bool),
    x: &[Coordinate; 2],
    q: (&[u64], bool),
    y: &[Coordinate; 2],
    divisor: &[u64],
    inverse: u64,
) -> [Coordinate; 2] {
    [exact_quotient(p, &x[0], q, &y[0], divisor, inverse), exact_quotient(p, &x[1], q, &y[1], divisor, inverse)]
}

/// `sum + x y`, or `sum - x y` when `subtract`. Coordinates below `2^318` in magnitude keep four such products in
/// range.
#[inline(always)]
pub(in crate::lattice) fn add_product(sum: &Product, x: &Coordinate, y: &Coordinate, subtract: bool) -> Product {
    let ((x, x_negative), (y, y_negative)) = (magnitude(x), magnitude(y));
    let mut product = [0; 2 * LIMBS];
    for low in 0..LIMBS {
        let (row, top) = scale::<LIMBS>(&x, y[low]);
        let carry = add_assign(&mut product[low..], &row);
        product[low + LIMBS] = top + u64::from(carry);
    }
    add(sum, &product, x_negative ^ y_negative ^ subtract)
}

/// `sum + term`, or `sum - term` when `subtract`.
#[inline(always)]
pub(in crate::lattice) fn add(sum: &Product, term: &Product, subtract: bool) -> Product {
    let flip = mask(subtract);
    let mut result = [0; 2 * LIMBS];
    let mut carry = subtract;
    for limb in 0..2 * LIMBS {
        (result[limb], carry) = carrying_add(sum[limb], term[limb] ^ flip, carry);
    }
    result
}

// Long integers as doubles.

/// A number to the precision of a double, but for a few units in the last place: its two highest limbs that are not
/// zero.
#[inline(always)]
pub(in crate::lattice) fn limbs_to_f64(limbs: &[u64]) -> f64 {
    match limbs.iter().rposition(|&limb| limb != 0) {
        None | Some(0) => limbs[0] as f64,
        Some(top) => (limbs[top] as f64 * WORD + limbs[top - 1] as f64) * power_of_two(64 * (top as u32 - 1)),
    }
}

/// `2^exponent`, exactly, for an exponent of a normal double.
pub(in crate::lattice) const fn power_of_two(exponent: u32) -> f64 {
    f64::from_bits((1023 + exponent as u64) << 52)
}
