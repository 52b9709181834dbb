//! Squaring.

use super::basis::Restricted;
use super::euclid::Euclid;
use crate::discriminant::D_LIMBS;
use crate::form::{Form, HALF_LIMBS};
use crate::int::Int;
use crate::uint::Uint;

/// The square of a form's class: the form itself, restricted to `b x + c y = 0 mod a` and divided by a.
///
/// gcd(a, b) = 1: a common prime factor would divide D = -p, so it would be p, but `|b| <= a < p`.
pub(crate) fn square(form: &Form, d_bits: usize) -> Form {
    // |b| < a but for the identity
    let Form { a, b, b_negative, c } = form;
    if *a == Uint::ONE {
        return *form;
    }
    let inverse = Euclid::new(a, b).run(0);
    debug_assert!(inverse.x[0] == Uint::ONE);
    // |b|^-1 = s_0 y_0, and s_0 is + when s_1 is -
    let inverse_negative = !inverse.second_negative;
    let magnitude = c.mul::<HALF_LIMBS, { D_LIMBS + HALF_LIMBS }>(&inverse.y[0]).rem(a);
    // r = -c b^-1
    let negative = b_negative == &inverse_negative;
    let r = if negative && !magnitude.is_zero() { a.sub(&magnitude) } else { magnitude };
    Restricted { v1: a, v2: a, b: &Int::new(*b_negative, *b), c: &c.resize(), r: &r }.reduce(d_bits)
}
