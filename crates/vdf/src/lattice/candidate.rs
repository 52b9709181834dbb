//! The new form on the reduced basis, and the checks it must pass.

use super::forms::is_less;
use crate::lattice::arithmetic::coordinate::{LIMBS, Product, add, limbs_to_f64};
use crate::lattice::{FORM_LIMBS, FastForm, LatticeContext};

/// Relative difference allowed between the exact a' and the one in doubles, whose rounding is far below it. A vector
/// off the lattice is wrong by a factor near `2^60`.
const NORM_TOLERANCE: f64 = 0.01;

/// The coefficients of a form on a basis, not checked yet.
pub(in crate::lattice) struct Candidate {
    pub(in crate::lattice) a: Product,
    pub(in crate::lattice) b: Product,
    pub(in crate::lattice) c: Product,
}

impl Candidate {
    /// The form, if it is reduced with `|b| < a < c`, has the discriminant modulo `2^64` and `a` within 1% of
    /// `expected_a`.
    ///
    /// On the edge of reducedness (`|b| = a` or `a = c`) the sign of b matters: the caller's general path takes care of
    /// it.
    #[inline(always)]
    pub(in crate::lattice) fn check(
        &self,
        context: &LatticeContext,
        expected_a: f64,
        turn_b: bool,
    ) -> Option<FastForm> {
        let (b, b_negative) = magnitude(&self.b);
        let form = FastForm {
            a: form_limbs(&self.a)?,
            b: form_limbs(&b)?,
            b_negative: b_negative ^ turn_b,
            c: form_limbs(&self.c)?,
        };
        let near = (limbs_to_f64(&form.a) - expected_a).abs() < NORM_TOLERANCE * expected_a;
        // b^2 - 4ac = D modulo 2^64.
        let discriminant = form.b[0].wrapping_mul(form.b[0]).wrapping_sub(form.a[0].wrapping_mul(form.c[0]) << 2);
        let same_discriminant = discriminant == context.discriminant_low.wrapping_neg();
        (near && same_discriminant && is_less(&form.b, &form.a) && is_less(&form.a, &form.c)).then_some(form)
    }
}

/// `2 half_polar + b`, or `- b` when `subtract`: b' from one half of the polar form, whose other half differs by B.
#[inline(always)]
pub(in crate::lattice) fn polar(half_polar: &Product, b: &[u64; FORM_LIMBS], subtract: bool) -> Product {
    let mut b_extended = [0; 2 * LIMBS];
    b_extended[..FORM_LIMBS].copy_from_slice(b);
    add(&add(half_polar, half_polar, false), &b_extended, subtract)
}

#[inline(always)]
fn magnitude(value: &Product) -> (Product, bool) {
    let negative = value[2 * LIMBS - 1] >> 63 != 0;
    (add(&[0; 2 * LIMBS], value, negative), negative)
}

/// None for a value that is negative or too large.
#[inline(always)]
fn form_limbs(value: &Product) -> Option<[u64; FORM_LIMBS]> {
    let mut limbs = [0; FORM_LIMBS];
    limbs.copy_from_slice(&value[..FORM_LIMBS]);
    (value[FORM_LIMBS] == 0).then_some(limbs)
}

const _: () = assert!(FORM_LIMBS + 1 == 2 * LIMBS);
