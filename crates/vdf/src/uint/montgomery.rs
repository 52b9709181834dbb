//! Arithmetic modulo an odd number, in Montgomery form: `a` is kept as `a 2^(64 N) mod m`.

#[cfg(target_arch = "x86_64")]
mod adx;
mod rows;

use crate::backend::Backend;
use crate::uint::{Uint, word};
use rows::Rows;

/// Widest modulus, in limbs.
const MAX_LIMBS: usize = 20;

/// Limbs of a product.
const PRODUCT_LIMBS: usize = 2 * MAX_LIMBS;

/// Moduli up to this many limbs are multiplied with interleaved reduction: chosen by measurement, 5 limbs gain a half,
/// 16 lose a third.
const INTERLEAVED: usize = 6;

/// An odd modulus and what multiplication modulo it needs.
pub(crate) struct Montgomery<const N: usize> {
    modulus: Uint<N>,
    /// `-m^-1` modulo 2^64.
    negated_inverse: u64,
    /// `2^(64 N) mod m`: one, in Montgomery form.
    one: Uint<N>,
    rows: Rows,
}

impl<const N: usize> Montgomery<N> {
    /// Panics if the modulus is even.
    pub(crate) fn new(modulus: &Uint<N>) -> Self {
        Self::with_backend(modulus, Backend::in_use_or_portable())
    }

    pub(crate) fn with_backend(modulus: &Uint<N>, backend: Backend) -> Self {
        const { assert!(N <= MAX_LIMBS) };
        assert!(modulus.is_odd(), "the modulus must be odd");
        // 2^(64 N) - m = 2^(64 N) modulo m, and fits
        let one = Uint::ZERO.borrowing_sub(modulus).0.rem(modulus);
        let negated_inverse = word::inverse(modulus.0[0]).wrapping_neg();
        Self { modulus: *modulus, negated_inverse, one, rows: Rows::new(backend) }
    }

    pub(crate) fn one(&self) -> &Uint<N> {
        &self.one
    }

    /// A small signed number in Montgomery form.
    pub(crate) fn small(&self, value: i64) -> Uint<N> {
        self.multiple(&self.one, value)
    }

    /// `factor a`, for a small factor and `a < m`: an addition or two a bit of the factor.
    pub(crate) fn multiple(&self, a: &Uint<N>, factor: i64) -> Uint<N> {
        let magnitude = factor.unsigned_abs();
        let mut sum = if magnitude == 0 { Uint::ZERO } else { *a };
        for bit in (0..magnitude.checked_ilog2().unwrap_or(0)).rev() {
            sum = self.add(&sum, &sum);
            if magnitude >> bit & 1 == 1 {
                sum = self.add(&sum, a);
            }
        }
        if factor < 0 { self.sub(&Uint::ZERO, &sum) } else { sum }
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

    /// `a b 2^(-64 N) mod m`, for `a, b < m`.
    pub(crate) fn mul(&self, a: &Uint<N>, b: &Uint<N>) -> Uint<N> {
        if N <= INTERLEAVED {
            return self.mul_interleaved(a, b);
        }
        let mut product = [0; PRODUCT_LIMBS];
        for i in 0..N {
            product[i + N] = self.rows.add_multiple(&mut product[i..i + N], &b.0, a.0[i]);
        }
        self.reduce(&mut product)
    }

    /// `a^2 2^(-64 N) mod m`, for `a < m`.
    pub(crate) fn square(&self, a: &Uint<N>) -> Uint<N> {
        if N <= INTERLEAVED {
            return self.mul_interleaved(a, a);
        }
        if self.rows.prefers(N) {
            return self.mul(a, a);
        }
        let mut product = [0; PRODUCT_LIMBS];
        // every product of two different limbs once, then doubled, then the squares: half the multiplications
        for i in 0..N {
            let row = &mut product[2 * i + 1..i + N];
            product[i + N] = self.rows.add_multiple(row, &a.0[i + 1..], a.0[i]);
        }
        let (mut shifted_out, mut carry) = (0, false);
        for i in 0..N {
            let (low, high) = word::carrying_mul_add(a.0[i], a.0[i], 0, 0);
            let (first, second) = (product[2 * i], product[2 * i + 1]);
            (product[2 * i], carry) = word::carrying_add(first << 1 | shifted_out, low, carry);
            (product[2 * i + 1], carry) = word::carrying_add(second << 1 | first >> 63, high, carry);
            shifted_out = second >> 63;
        }
        debug_assert!(!carry && shifted_out == 0, "a^2 < 2^(128 N)");
        self.reduce(&mut product)
    }

    /// `a b 2^(-64 N) mod m` with multiplication and reduction interleaved (CIOS), in registers when N is small.
    #[inline(always)]
    fn mul_interleaved(&self, a: &Uint<N>, b: &Uint<N>) -> Uint<N> {
        let m = &self.modulus.0;
        let mut t = [0; N];
        // (top, t) < 2 m after every round
        let mut top = false;
        for i in 0..N {
            let (low, mut carry) = word::carrying_mul_add(a.0[i], b.0[0], t[0], 0);
            let factor = low.wrapping_mul(self.negated_inverse);
            let (_, mut reduce_carry) = word::carrying_mul_add(factor, m[0], low, 0);
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
        self.subtract_once(top, Uint(t))
    }

    /// `product 2^(-64 N) mod m`, for a product below `m^2`: multiples of m make the low limbs zero, one by one.
    #[inline(always)]
    fn reduce(&self, product: &mut [u64; PRODUCT_LIMBS]) -> Uint<N> {
        let mut top = false;
        for i in 0..N {
            let factor = product[i].wrapping_mul(self.negated_inverse);
            let carry = self.rows.add_multiple(&mut product[i..i + N], &self.modulus.0, factor);
            (product[i + N], top) = word::carrying_add(product[i + N], carry, top);
        }
        // (top, the upper half) < 2 m: (m^2 + 2^(64 N) m) / 2^(64 N)
        let mut upper = [0; N];
        upper.copy_from_slice(&product[N..2 * N]);
        self.subtract_once(top, Uint(upper))
    }

    /// `(top, t) mod m`, for a value below 2 m.
    #[inline(always)]
    fn subtract_once(&self, top: bool, t: Uint<N>) -> Uint<N> {
        let (reduced, borrow) = t.borrowing_sub(&self.modulus);
        if borrow && !top { t } else { reduced }
    }

    /// The value of a Montgomery form.
    pub(crate) fn leave(&self, a: &Uint<N>) -> Uint<N> {
        self.mul(a, &Uint::ONE)
    }

    /// `2^exponent` in Montgomery form.
    pub(crate) fn pow_of_two(&self, exponent: &Uint<N>) -> Uint<N> {
        let mut power = self.one;
        for bit in (0..exponent.bit_length()).rev() {
            power = self.square(&power);
            if exponent.bit(bit) {
                power = self.add(&power, &power);
            }
        }
        power
    }
}
