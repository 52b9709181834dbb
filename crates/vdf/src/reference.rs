//! The group's operations as a textbook has them: slow, plain, and the oracle for the fast ones.
//!
//! Henri Cohen, A Course in Computational Algebraic Number Theory, section 5.4.

use crate::form::{Form, WideForm, reduce};
use crate::sizes::D_LIMBS;
use crate::uint::Uint;
use crate::uint::int::{Int, extended_gcd, inverse_mod};

// Composition (Cohen, algorithm 5.4.7).

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

// Squaring (Cohen, algorithm 5.4.7 with both forms the same).

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

// Integers wide enough for every step before reduction.

/// Limbs of every number here. Before reduction a product has `a <= a1 a2 < 2^1024`, `|b| < 2^1026` and
/// `c < (2^2052 + 2^1024) / 4a`; the largest number formed is `b^2`.
const LIMBS: usize = 2 * D_LIMBS + 2;
type Wide = Int<LIMBS>;
