//! Squaring.

use super::arithmetic::coordinate::limbs_to_f64;
use super::arithmetic::coordinate::{LIMBS, add_product, exact_quotients};
use super::arithmetic::modulus::{MAX_HALVINGS, Modulus};
use super::candidate::{Candidate, polar};
use super::context::Kernel;
use super::forms::{OddForm, odd_form};
use super::gauss::{Plane, Reduced, fits, reduce};
use super::gcds::invert;
use super::gcds::{Basis, reduce_partially};
use super::{FastForm, LatticeContext};

/// The reduced square of a reduced form; None when the form is out of range, or a check failed.
#[inline(always)]
pub(super) fn square<K: Kernel>(kernel: K, context: &LatticeContext, form: &FastForm) -> Option<FastForm> {
    if !form.is_in_range() {
        return None;
    }
    let odd = odd_form(form);
    let modulus = Modulus::new(&odd.a)?;
    let inverse = invert(kernel, &modulus, &odd.b)?;
    // K = -C B^-1 2^t = -+ C v 2^(t - T) mod A: minus when v and B have the same sign.
    let bits = context.shift_for_square(modulus.bits());
    let halvings = inverse.shift.checked_sub(bits).filter(|&halvings| halvings <= MAX_HALVINGS)?;
    let k = modulus.scaled_product(&odd.c, &inverse.magnitude, halvings);
    let basis = reduce_partially(kernel, &modulus, &k, inverse.negative == odd.b_negative, bits)?;
    let (a, b) = (limbs_to_f64(&odd.a), limbs_to_f64(&odd.b));
    let beta = if odd.b_negative { -b } else { b } / (2.0 * a);
    let reduced = reduce(basis, Plane { beta, eta: context.sqrt_discriminant / (2.0 * a) })?;
    new_form(context, &odd, &modulus, &reduced)
}

/// The form `(A x^2 + B x y + C y^2) / A` on a basis of the lattice: `a' = x1^2 + y1 m1`, `c' = x2^2 + y2 m2`, `b' = 2
/// (x1 x2 + y1 m2) +- B`, with `m_i = (B x_i + C y_i) / A`.
///
/// The polar form is `2 x1 x2 + y1 m2 + y2 m1`, and `y2 m1 - y1 m2 = B (x1 y2 - x2 y1) / A = +-B`.
#[inline(always)]
fn new_form(context: &LatticeContext, odd: &OddForm, modulus: &Modulus, reduced: &Reduced) -> Option<FastForm> {
    let Reduced { basis: Basis { x, y }, short_norm, extent } = reduced;
    // m = 2 beta x + (beta^2 + eta^2) y = 2 beta U - beta^2 y + eta W: at most |U| + |y| / 4 + eta |W|.
    if !fits(*extent) {
        return None;
    }
    let (b, c) = ((&odd.b[..], odd.b_negative), (&odd.c[..], false));
    let m = exact_quotients(b, x, c, y, &odd.a, modulus.inverse);
    // x1 y2 - x2 y1 = +-A, so known by its lowest word: A is odd.
    let determinant = x[0][0].wrapping_mul(y[1][0]).wrapping_sub(x[1][0].wrapping_mul(y[0][0]));
    let turned = determinant == odd.a[0].wrapping_neg();
    if !turned && determinant != odd.a[0] {
        return None;
    }
    let zero = [0; 2 * LIMBS];
    // Coordinates and m are below 2^317: a sum of two products is below 2^635, twice that and B below 2^637.
    let half_polar = add_product(&add_product(&zero, &x[0], &x[1], false), &y[0], &m[1], false);
    let candidate = Candidate {
        a: add_product(&add_product(&zero, &x[0], &x[0], false), &y[0], &m[0], false),
        b: polar(&half_polar, &odd.b, odd.b_negative ^ turned),
        c: add_product(&add_product(&zero, &x[1], &x[1], false), &y[1], &m[1], false),
    };
    // A basis of negative determinant is one of positive determinant with a vector turned: b' changes its sign.
    candidate.check(context, *short_norm, turned)
}
