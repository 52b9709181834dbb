//! Arithmetic modulo an odd number, in Montgomery form: `a` is kept as `a 2^(64 N) mod m`.

use crate::uint::{Uint, word};

/// An odd modulus and what multiplication modulo it needs.
pub(crate) struct Montgomery<const N: usize> {
    modulus: Uint<N>,
    /// `-m^-1` modulo 2^64.
    negated_inverse: u64,
    /// `2^(64 N) mod m`: one, in Montgomery form.
    one: Uint<N>,
}

impl<const N: usize> Montgomery<N> {
    /// Panics if the modulus is even.
    pub(crate) fn new(modulus: &Uint<N>) -> Self {
        assert!(modulus.is_odd(), "the modulus must be odd");
        // 2^(64 N) - m = 2^(64 N) modulo m, and fits
        let one = Uint::ZERO.borrowing_sub(modulus).0.rem(modulus);
        Self { modulus: *modulus, negated_inverse: word::inverse(modulus.0[0]).wrapping_neg(), one }
    }

    pub(crate) fn one(&self) -> &Uint<N> {
        &self.one
    }

    /// A small signed number in Montgomery form.
    pub(crate) fn small(&self, value: i64) -> Uint<N> {
        let mut sum = Uint::ZERO;
        let magnitude = value.unsigned_abs();
        for bit in (0..64 - magnitude.leading_zeros()).rev() {
            sum = self.add(&sum, &sum);
            if magnitude >> bit & 1 == 1 {
                sum = self.add(&sum, &self.one);
            }
        }
        if value < 0 { self.sub(&Uint::ZERO, &sum) } else { sum }
    }

    pub(crate) fn add(&self, a: &Uint<N>, b: &Uint<N>) -> Uint<N> {
        let (sum, carry) = a.carrying_add(b);
        let (reduced, borrow) = sum.borrowing_sub(&self.modulus);
        if borrow && !carry { sum } else { reduced }
    }

    pub(crate) fn sub(&self, a: &Uint<N>, b: &Uint<N>) -> Uint<N> {
        let (difference, borrow) = a.borrowing_sub(b);
        if borrow { difference.carrying_add(&self.modulus).0 } else { difference }
    }

    /// `a b 2^(-64 N) mod m`, for `a, b < m`. Multiplication and reduction interleaved (CIOS).
    pub(crate) fn mul(&self, a: &Uint<N>, b: &Uint<N>) -> Uint<N> {
        let m = &self.modulus.0;
        let mut t = [0; N];
        // (top, t) < 2 m after every round
        let mut top = false;
        for i in 0..N {
            let (mut carry, mut reduce_carry) = (0, 0);
            let (low, next) = word::carrying_mul_add(a.0[i], b.0[0], t[0], 0);
            carry += next;
            let factor = low.wrapping_mul(self.negated_inverse);
            reduce_carry += word::carrying_mul_add(factor, m[0], low, 0).1;
            for j in 1..N {
                let (low, next) = word::carrying_mul_add(a.0[i], b.0[j], t[j], carry);
                carry = next;
                (t[j - 1], reduce_carry) = word::carrying_mul_add(factor, m[j], low, reduce_carry);
            }
            let (sum, first) = word::carrying_add(carry, reduce_carry, false);
            let (sum, second) = word::carrying_add(sum, u64::from(top), false);
            t[N - 1] = sum;
            top = first | second;
        }
        let t = Uint(t);
        let (reduced, borrow) = t.borrowing_sub(&self.modulus);
        if borrow && !top { t } else { reduced }
    }

    /// The value that a Montgomery form stands for.
    pub(crate) fn leave(&self, a: &Uint<N>) -> Uint<N> {
        self.mul(a, &Uint::ONE)
    }

    /// `2^exponent` in Montgomery form.
    pub(crate) fn pow_of_two(&self, exponent: &Uint<N>) -> Uint<N> {
        let mut power = self.one;
        for bit in (0..exponent.bit_length()).rev() {
            power = self.mul(&power, &power);
            if exponent.bit(bit) {
                power = self.add(&power, &power);
            }
        }
        power
    }
}
