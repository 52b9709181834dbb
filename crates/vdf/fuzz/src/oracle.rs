//! Forms as a textbook has them, on num-bigint (Cohen, A Course in Computational Algebraic Number Theory, section 5.4).

use chronym_vdf::Form;
use chronym_vdf::fuzzing::Coefficients;
use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{Signed, Zero};

/// A form of any size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BigForm {
    pub a: BigInt,
    pub b: BigInt,
    pub c: BigInt,
}

impl From<&Form> for BigForm {
    fn from(form: &Form) -> Self {
        let Coefficients { a, b, b_negative, c } = Coefficients::from(form);
        let positive = |bytes: &[u8]| BigInt::from_bytes_le(Sign::Plus, bytes);
        let b = positive(&b);
        Self { a: positive(&a), b: if b_negative { -b } else { b }, c: positive(&c) }
    }
}

impl From<&BigForm> for Form {
    fn from(form: &BigForm) -> Self {
        let bytes = |value: &BigInt| value.magnitude().to_bytes_le();
        let coefficients =
            Coefficients { a: bytes(&form.a), b: bytes(&form.b), b_negative: form.b.is_negative(), c: bytes(&form.c) };
        Self::from(&coefficients)
    }
}

impl BigForm {
    pub fn discriminant(&self) -> BigInt {
        &self.b * &self.b - ((&self.a * &self.c) << 2)
    }

    pub fn is_reduced(&self) -> bool {
        let (a, b, c) = (&self.a, &self.b, &self.c);
        -a < *b && b <= a && a <= c && (a != c || !b.is_negative())
    }

    pub fn reduce(&self) -> Self {
        let discriminant = self.discriminant();
        let mut form = self.clone();
        loop {
            // b in (-a, a]
            let b = form.b.mod_floor(&(&form.a << 1));
            form.b = if b > form.a { b - (&form.a << 1) } else { b };
            form.c = (&form.b * &form.b - &discriminant) / (&form.a << 2);
            if form.is_reduced() {
                return form;
            }
            (form.a, form.b, form.c) = (form.c, -form.b, form.a);
        }
    }

    /// Algorithm 5.4.7.
    pub fn compose(&self, other: &Self) -> Self {
        let half_sum: BigInt = (&self.b + &other.b) >> 1;
        let first = self.a.extended_gcd(&other.a);
        let second = half_sum.extended_gcd(&first.gcd);
        let divisor = second.gcd.abs();
        let (x, y) = if second.gcd.is_negative() { (-second.x, -second.y) } else { (second.x, second.y) };
        let (v1, v2) = (&self.a / &divisor, &other.a / &divisor);
        let half_difference: BigInt = (&self.b - &other.b) >> 1;
        let r = (y * first.y * half_difference - x * &other.c).mod_floor(&v1);
        let b: BigInt = &other.b + ((&v2 * r) << 1);
        let a = v1 * v2;
        let (c, remainder) = (&b * &b - self.discriminant()).div_rem(&(&a << 2));
        assert!(remainder.is_zero());
        Self { a, b, c }.reduce()
    }
}
