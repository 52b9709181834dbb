//! Squaring (Cohen, algorithm 5.4.7 with both forms the same).

use super::wide::{LIMBS, Wide};
use crate::form::{Form, WideForm, reduce};
use crate::uint::Uint;
use crate::uint::int::{Int, inverse_mod};

/// The square of a form's class.
///
/// gcd(a, b) = 1: a common prime factor would divide D = -p, so it would be p, but `|b| <= a < p`.
pub(crate) fn square(form: &Form) -> Form {
    let WideForm { a, b, c } = WideForm::<LIMBS>::from(form);
    let residue = b.div_rem_floor(&a.magnitude).1;
    // for a = 1 there is nothing to invert, and k = 0 modulo 1
    let inverse = inverse_mod(&residue, &a.magnitude).unwrap_or(Uint::<LIMBS>::ZERO);
    // b k = -c modulo a
    let k: Wide = Int::new(false, c.neg().mul(&Int::new(false, inverse)).div_rem_floor(&a.magnitude).1);
    reduce(&WideForm {
        a: a.mul(&a),
        b: b.add(&a.mul(&k).shl(1)),
        // ((b + 2ak)^2 - D) / 4a^2 = k^2 + (bk + c) / a
        c: k.mul(&k).add(&b.mul(&k).add(&c).div_exact(&a.magnitude)),
    })
}
