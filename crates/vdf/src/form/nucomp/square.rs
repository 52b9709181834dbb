//! Squaring.

use super::basis::Restricted;
use crate::form::Form;
use crate::form::euclid::Euclid;
use crate::sizes::{D_LIMBS, HALF_LIMBS};
use crate::uint::Uint;
use crate::uint::int::Int;

/// The square of a form's class: the form itself, restricted to `b x + c y = 0 mod a` and divided by a.
///
/// gcd(a, b) = 1: a common prime factor would divide D = -p, so it would be p, but `|b| <= a < p`.
pub(crate) fn square(form: &Form, d_bits: usize) -> Form {
    let Form { a, b, b_negative, c } = form;
    if *a == Uint::ONE {
        return *form;
    }
    // |b| < a, since only the identity has b = a
    let (gcd, inverse) = Euclid::gcd(a, b);
    debug_assert!(gcd == Uint::ONE);
    // r = -c b^-1
    let magnitude = c.mul::<HALF_LIMBS, { D_LIMBS + HALF_LIMBS }>(&inverse).rem(a);
    let r = if *b_negative || magnitude.is_zero() { magnitude } else { a.sub(&magnitude) };
    Restricted { v1: a, v2: a, b: &Int::new(*b_negative, *b), c: &c.resize(), r: &r }.reduce(d_bits)
}
