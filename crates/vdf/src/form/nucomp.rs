//! Squaring and composition for any discriminant: Shanks' NUDUPL and NUCOMP, seen as lattice reduction.
//!
//! The product of (a1, b1, c1) and (a2, b2, c2) is the form `(v2 x^2 + b2 x y + d c2 y^2) / v1` on the lattice of all
//! (x, y) with `x = r y mod v1`. Here d = gcd(a1, a2, (b1 + b2) / 2), v1 = a1 / d, v2 = a2 / d, and r is Cohen's
//! (algorithm 5.4.7). A partial Euclid on (v1, r) gives a short basis of it, on which the form is nearly reduced: no
//! number is ever twice as long. (Jacobson and van der Poorten, Computational Aspects of NUCOMP.)

use crate::form::euclid::Euclid;
use crate::form::{Form, WideForm, reduce};
use crate::sizes::{D_LIMBS, HALF_LIMBS};
use crate::uint::Uint;
use crate::uint::int::{Int, extended_gcd};

/// Limbs of v1 times a value of the form on the lattice. The values of the first two vectors are at most v1 v2 < 2^1023
/// and about 2^1024. They fall to about sqrt(|D|), and v1 < 2^512. The terms of a value are at most a few bits longer.
/// In a composition, r before it is brought below v1: `x2 c2` has at most 8 + 16.
const LIMBS: usize = D_LIMBS + HALF_LIMBS + 2;

/// The form `(v2 x^2 + b x y + c y^2) / v1` on the lattice `x = r y mod v1`.
struct Restricted<'a> {
    v1: &'a Uint<HALF_LIMBS>,
    v2: &'a Uint<HALF_LIMBS>,
    b: &'a Int<HALF_LIMBS>,
    c: &'a Uint<{ D_LIMBS + HALF_LIMBS }>,
    r: &'a Uint<HALF_LIMBS>,
}

impl Restricted<'_> {
    /// Its class's reduced form. `d_bits` is the discriminant's size.
    fn reduce(&self, d_bits: usize) -> Form {
        // v2 x^2 / v1 is about sqrt(|D|) / 2 for x^2 = v1 sqrt(|D|) / 2 v2: the other vector's value then has the same
        // size
        let twice = (self.v1.bit_length() + d_bits / 2).saturating_sub(self.v2.bit_length() + 1);
        let Euclid { x: [x1, x2], y: [y1, y2], second_negative } =
            Euclid::new(self.v1, self.r).run(twice.div_ceil(2).max(1));
        // vectors (x1, -+ y1) and (x2, +- y2) of determinant +- v1; with the signs below it is x1 y2 + x2 y1 = v1 for
        // s_2 = +1
        let wide = |negative, magnitude: &Uint<HALF_LIMBS>| Int::<LIMBS>::from_uint(negative, magnitude);
        let (x1, x2) = (wide(false, &x1), wide(false, &x2));
        let (y1, y2) = (wide(!second_negative, &y1), wide(second_negative, &y2));
        let v2 = wide(false, self.v2);
        let b = Int::<LIMBS>::from_uint(self.b.negative, &self.b.magnitude);
        let c = Int::<LIMBS>::from_uint(false, self.c);
        // Halves of the gradient, doubled here: the form's value at (x, y) is (p x + q y) / v1. Here p = v2 x + b y / 2
        // and q = b x / 2 + c y.
        let gradient =
            |x: &Int<LIMBS>, y: &Int<LIMBS>| (v2.mul(x).shl(1).add(&b.mul(y)), b.mul(x).add(&c.mul(y).shl(1)));
        let (p1, q1) = gradient(&x1, &y1);
        let (p2, q2) = gradient(&x2, &y2);
        let value =
            |p: &Int<LIMBS>, q: &Int<LIMBS>, x: &Int<LIMBS>, y: &Int<LIMBS>| p.mul(x).add(&q.mul(y)).div_exact(self.v1);
        let a = value(&p1, &q1, &x1, &y1).half();
        let middle = value(&p1, &q1, &x2, &y2);
        let c = value(&p2, &q2, &x2, &y2).half();
        // a basis of negative determinant gives the inverse class
        let b = if second_negative { middle.neg() } else { middle };
        let narrow = |value: &Int<LIMBS>| Int::<{ D_LIMBS + 2 }>::from_uint(value.negative, &value.magnitude);
        reduce(&WideForm { a: narrow(&a), b: narrow(&b), c: narrow(&c) })
    }
}

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
