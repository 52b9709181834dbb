//! Composition.

use super::basis::Restricted;
use crate::form::Form;
use crate::form::euclid::Euclid;
use crate::sizes::{D_LIMBS, HALF_LIMBS};
use crate::uint::Uint;
use crate::uint::int::{Int, extended_gcd};

/// Limbs for r before it is brought below v1: `x2 c2` has at most 8 + 16.
const LIMBS: usize = D_LIMBS + HALF_LIMBS + 2;
type Wide = Int<LIMBS>;

/// The product of two forms' classes.
pub(crate) fn compose(first: &Form, second: &Form, d_bits: usize) -> Form {
    let (a1, a2) = (&first.a, &second.a);
    if *a1 == Uint::ONE {
        return *second;
    }
    // d = gcd(a1, a2) = y1 a2 modulo a1
    let (d, y1) = Euclid::gcd(a1, &a2.rem(a1));
    let y1: Wide = Int::from_uint(false, &y1);
    let b1: Wide = Int::from_uint(first.b_negative, &first.b);
    let b2: Wide = Int::from_uint(second.b_negative, &second.b);
    let half_difference = b2.sub(&b1).half();
    let (d1, r) = if d == Uint::ONE {
        (d, y1.neg().mul(&half_difference))
    } else {
        let half_sum = b1.add(&b2).half();
        let (d1, x2, y2) = shared_part(&d.resize(), &half_sum);
        let c2 = Int::from_uint(false, &second.c);
        // y1 y2 may have 16 limbs: back below a1 before the next product
        let y = y1.mul(&y2).div_rem_floor(&a1.resize()).1;
        (d1.resize(), Int::new(false, y).mul(&half_difference).sub(&x2.mul(&c2)))
    };
    let (v1, v2) = (a1.div_rem(&d1).0, a2.div_rem(&d1).0);
    let r = r.div_rem_floor(&v1.resize()).1.resize();
    let b = Int::new(second.b_negative, second.b);
    Restricted { v1: &v1, v2: &v2, b: &b, c: &second.c.mul(&d1), r: &r }.reduce(d_bits)
}

/// `(d1, x, y)` with `d1 = gcd(d, s) = x s - y d`.
fn shared_part(d: &Uint<LIMBS>, s: &Wide) -> (Uint<LIMBS>, Wide, Wide) {
    let residue = s.magnitude.rem(d);
    if residue.is_zero() {
        return (*d, Int::ZERO, Int::ONE.neg());
    }
    let (d1, x, _) = extended_gcd(&residue, d);
    let x = if s.negative { x.neg() } else { x };
    let y = x.mul(s).sub(&Int::new(false, d1)).div_exact(d);
    (d1, x, y)
}
