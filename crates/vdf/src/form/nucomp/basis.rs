//! From a lattice's short basis to the reduced form.

use crate::form::euclid::Euclid;
use crate::form::{Form, WideForm, reduce};
use crate::sizes::{D_LIMBS, HALF_LIMBS};
use crate::uint::Uint;
use crate::uint::int::Int;

/// Limbs of v1 times a value of the form on the lattice. The values of the first two vectors are at most v1 v2 < 2^1023
/// and about 2^1024. They fall to about sqrt(|D|), and v1 < 2^512. The terms of a value are at most a few bits longer.
const LIMBS: usize = D_LIMBS + HALF_LIMBS + 2;

/// The form `(v2 x^2 + b x y + c y^2) / v1` on the lattice `x = r y mod v1`.
pub(super) struct Restricted<'a> {
    pub(super) v1: &'a Uint<HALF_LIMBS>,
    pub(super) v2: &'a Uint<HALF_LIMBS>,
    pub(super) b: &'a Int<HALF_LIMBS>,
    pub(super) c: &'a Uint<{ D_LIMBS + HALF_LIMBS }>,
    pub(super) r: &'a Uint<HALF_LIMBS>,
}

impl Restricted<'_> {
    /// Its class's reduced form. `d_bits` is the discriminant's size.
    pub(super) fn reduce(&self, d_bits: usize) -> Form {
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
