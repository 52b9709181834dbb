//! Composition: `f1 f2` is f2 restricted to the lattice of all (x, y) with `a2 x + ((B - b2) / 2) y = 0 mod A`, divided
//! by A, where (A, B, C) is a form of f1's class with A odd and prime to a2.

use super::arithmetic::coordinate::limbs_to_f64;
use super::arithmetic::coordinate::{LIMBS, add_product, exact_quotients};
use super::arithmetic::modulus::{MAX_HALVINGS, Modulus};
use super::candidate::{Candidate, polar};
use super::context::Kernel;
use super::forms::is_less;
use super::forms::{OTHERS, OddForm, add, odd_form, other_odd_form, subtract};
use super::gauss::{Plane, Reduced, fits, reduce};
use super::gcds::{Basis, reduce_partially};
use super::gcds::{Inverse, invert};
use super::{FORM_LIMBS, FastForm, LatticeContext};

/// The reduced product of two reduced forms; None when a form is out of range, no choice of A below is prime to the
/// other a, or a check failed.
#[inline(always)]
pub(super) fn compose<K: Kernel>(kernel: K, context: &LatticeContext, x: &FastForm, y: &FastForm) -> Option<FastForm> {
    if !x.is_in_range() || !y.is_in_range() {
        return None;
    }
    let attempt = |odd: &OddForm, second: &FastForm| {
        // One pair in eight has a common divisor, nearly always a small one: known before the inverse is begun.
        let prime = !have_small_common_divisor(&odd.a, &second.a);
        prime.then(|| kernel.compose_odd(context, odd, second)).flatten()
    };
    let other = |index| attempt(&other_odd_form(x, index), y).or_else(|| attempt(&other_odd_form(y, index), x));
    attempt(&odd_form(x), y).or_else(|| attempt(&odd_form(y), x)).or_else(|| (0..OTHERS).find_map(other))
}

/// Primes searched for in both coefficients. Each costs less than the inverses begun in vain for it: half a composition
/// for one pair in `p^2 / 4` or none, depending on the discriminant.
const SMALL_PRIMES: [u64; 8] = [3, 5, 7, 11, 13, 17, 19, 23];

/// Their product, below `2^27`.
pub(super) const SMALL_PRIMES_PRODUCT: u64 = 111_546_435;

/// `2^(32 i)` modulo [`SMALL_PRIMES_PRODUCT`].
const WEIGHTS: [u64; 2 * FORM_LIMBS] = {
    let mut weights = [1; 2 * FORM_LIMBS];
    let mut i = 1;
    while i < weights.len() {
        weights[i] = (weights[i - 1] << 32) % SMALL_PRIMES_PRODUCT;
        i += 1;
    }
    weights
};

/// Whether a small prime divides both.
#[inline(always)]
fn have_small_common_divisor(x: &[u64; FORM_LIMBS], y: &[u64; FORM_LIMBS]) -> bool {
    let (x, y) = (small_residue(x), small_residue(y));
    SMALL_PRIMES.iter().any(|prime| x % prime == 0 && y % prime == 0)
}

/// The residue modulo [`SMALL_PRIMES_PRODUCT`].
#[inline(always)]
pub(super) fn small_residue(limbs: &[u64; FORM_LIMBS]) -> u64 {
    let mut sum = 0;
    for (i, limb) in limbs.iter().enumerate() {
        // 18 products below 2^59 in all: below 2^64
        sum += (limb & 0xffff_ffff) * WEIGHTS[2 * i] + (limb >> 32) * WEIGHTS[2 * i + 1];
    }
    sum % SMALL_PRIMES_PRODUCT
}

/// The product of the classes of (A, B, C) and f2; None when A and a2 have a common divisor.
#[inline(always)]
pub(super) fn compose_odd<K: Kernel>(
    kernel: K,
    context: &LatticeContext,
    odd: &OddForm,
    second: &FastForm,
) -> Option<FastForm> {
    let modulus = Modulus::new(&odd.a)?;
    let (odd_part, twos) = odd_part(&second.a)?;
    let Inverse { magnitude, negative, shift } = invert(kernel, &modulus, &odd_part)?;
    let half_difference = half_sum((&odd.b, odd.b_negative), (&second.b, !second.b_negative));
    // K = -m a2^-1 2^t = -+ m v 2^(t - T) mod A, m = (B - b2) / 2: minus when v and m have the same sign.
    let bits = LatticeContext::shift_for_composition(modulus.bits(), &second.a, &second.c);
    let halvings = (shift + twos).checked_sub(bits).filter(|&halvings| halvings <= MAX_HALVINGS)?;
    let k = modulus.scaled_product(&half_difference.0, &magnitude, halvings);
    let basis = reduce_partially(kernel, &modulus, &k, negative == half_difference.1, bits)?;
    let (a2, b2) = (limbs_to_f64(&second.a), limbs_to_f64(&second.b));
    // The form on (x, y) is f2(x, -y) / A.
    let beta = if second.b_negative { b2 } else { -b2 } / (2.0 * a2);
    let reduced = reduce(basis, Plane { beta, eta: context.sqrt_discriminant / (2.0 * a2) })?;
    new_form(context, odd, second, &modulus, half_difference, &reduced)
}

/// `a' = p1 x1 - q1 y1`, `c' = p2 x2 - q2 y2`, `b' = 2 (p1 x2 - q1 y2) +- B` with `p = (a2 x + m y) / A`,
/// `q = (s x - c2 y) / A`, `m = (B - b2) / 2`, `s = (B + b2) / 2`.
///
/// The polar form is `p1 x2 + p2 x1 - q1 y2 - q2 y1`, and
/// `p2 x1 - p1 x2 - q2 y1 + q1 y2 = (m + s) (x1 y2 - x2 y1) / A = +-B`.
///
/// `p x - q y = f2(x, -y) / A`, since `m - s = -b2`. q is whole: `a2 (s x - c2 y) = -(s m + a2 c2) y = -A C y mod A`,
/// and a2 is prime to A.
#[inline(always)]
fn new_form(
    context: &LatticeContext,
    odd: &OddForm,
    second: &FastForm,
    modulus: &Modulus,
    half_difference: Signed,
    reduced: &Reduced,
) -> Option<FastForm> {
    let Reduced { basis: Basis { x, y }, short_norm, extent } = reduced;
    // |m|, |s| <= (A + a2) / 2 and c2 = a2 (beta^2 + eta^2), so with r = a2 / A: |p| <= r |x| + (1 + r) / 2 |y|, |q| <=
    // (1 + r) / 2 |x| + r (|y| / 4 + eta |W|).
    let weight = limbs_to_f64(&second.a) / limbs_to_f64(&odd.a);
    if !fits(*extent) || !fits(extent * (1.0 + 2.0 * weight)) {
        return None;
    }
    let half_sum = half_sum((&odd.b, odd.b_negative), (&second.b, second.b_negative));
    let (m, s) = ((&half_difference.0[..], half_difference.1), (&half_sum.0[..], half_sum.1));
    let p = exact_quotients((&second.a, false), x, m, y, &odd.a, modulus.inverse);
    let q = exact_quotients(s, x, (&second.c, true), y, &odd.a, modulus.inverse);
    // x1 y2 - x2 y1 = +-A, so known by its lowest word: A is odd.
    let determinant = x[0][0].wrapping_mul(y[1][0]).wrapping_sub(x[1][0].wrapping_mul(y[0][0]));
    let turned = determinant == odd.a[0].wrapping_neg();
    if !turned && determinant != odd.a[0] {
        return None;
    }
    let zero = [0; 2 * LIMBS];
    // Coordinates, p and q are below 2^317: a sum of two products is below 2^635, twice that and B below 2^637.
    let half_polar = add_product(&add_product(&zero, &p[0], &x[1], false), &q[0], &y[1], true);
    let candidate = Candidate {
        a: add_product(&add_product(&zero, &p[0], &x[0], false), &q[0], &y[0], true),
        b: polar(&half_polar, &odd.b, odd.b_negative ^ turned),
        c: add_product(&add_product(&zero, &p[1], &x[1], false), &q[1], &y[1], true),
    };
    // (x, -y) turns the plane once more.
    candidate.check(context, short_norm * weight, !turned)
}

/// A magnitude, and whether it is negative.
type Signed = ([u64; FORM_LIMBS], bool);

/// Half the sum of two odd numbers.
#[inline(always)]
fn half_sum((x, x_negative): (&[u64; FORM_LIMBS], bool), (y, y_negative): (&[u64; FORM_LIMBS], bool)) -> Signed {
    let (sum, negative) = if x_negative == y_negative {
        (add(x, y), x_negative)
    } else if is_less(x, y) {
        (subtract(y, x), y_negative)
    } else {
        (subtract(x, y), x_negative)
    };
    (shift_right(&sum, 1), negative)
}

/// The odd number and the power of two that make a; None for more than 63 twos.
#[inline(always)]
fn odd_part(a: &[u64; FORM_LIMBS]) -> Option<([u64; FORM_LIMBS], u32)> {
    let twos = a[0].trailing_zeros();
    (twos < 64).then(|| (shift_right(a, twos), twos))
}

/// `value >> shift`, for a shift below 64.
#[inline(always)]
fn shift_right(value: &[u64; FORM_LIMBS], shift: u32) -> [u64; FORM_LIMBS] {
    debug_assert!(shift < 64);
    let mut shifted = [0; FORM_LIMBS];
    for limb in 0..FORM_LIMBS {
        let above = if limb + 1 < FORM_LIMBS { value[limb + 1] } else { 0 };
        shifted[limb] = (value[limb] >> shift) | ((above << 1) << (63 - shift));
    }
    shifted
}
