//! Composition (Cohen, algorithm 5.4.7).

use super::wide::LIMBS;
use crate::form::{Form, WideForm, reduce};
use crate::uint::int::{Int, extended_gcd};

/// The product of two forms' classes.
pub(crate) fn compose(first: &Form, second: &Form) -> Form {
    let (first, second) = (WideForm::<LIMBS>::from(first), WideForm::<LIMBS>::from(second));
    let (a1, a2) = (first.a, second.a);
    let half_sum = first.b.add(&second.b).half();
    let half_difference = second.b.sub(&half_sum);
    // d = gcd(a1, a2) = y1 a2 modulo a1
    let (d, y1, _) = extended_gcd(&a2.magnitude, &a1.magnitude);
    // d1 = gcd(d, half_sum) = x2 half_sum - y2 d
    let (residue, sign) = (half_sum.magnitude.rem(&d), half_sum.negative);
    let (d1, x2, y2) = if residue.is_zero() {
        (d, Int::<LIMBS>::ZERO, Int::ONE.neg())
    } else {
        let (d1, x, _) = extended_gcd(&residue, &d);
        let x = if sign { x.neg() } else { x };
        let y = x.mul(&half_sum).sub(&Int::new(false, d1)).div_exact(&d);
        (d1, x, y)
    };
    let (v1, v2) = (a1.div_exact(&d1), a2.div_exact(&d1));
    // r = y1 y2 (b2 - b1) / 2 - x2 c2 modulo v1
    let r = y1.mul(&y2).div_rem_floor(&v1.magnitude).1;
    let r = Int::new(false, r).mul(&half_difference).sub(&x2.mul(&second.c)).div_rem_floor(&v1.magnitude).1;
    let r = Int::new(false, r);
    let b3 = second.b.add(&v2.mul(&r).shl(1));
    let c3 = second.c.mul(&Int::new(false, d1)).add(&r.mul(&second.b.add(&v2.mul(&r)))).div_exact(&v1.magnitude);
    reduce(&WideForm { a: v1.mul(&v2), b: b3, c: c3 })
}
