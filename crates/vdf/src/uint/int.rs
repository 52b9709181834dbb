//! Signed integers: a sign beside a [`Uint`]. Used where clarity matters more than speed.

use crate::uint::Uint;

/// A signed integer; zero is never negative.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Int<const N: usize> {
    pub(crate) negative: bool,
    pub(crate) magnitude: Uint<N>,
}

impl<const N: usize> Int<N> {
    pub(crate) const ZERO: Self = Self { negative: false, magnitude: Uint::ZERO };
    pub(crate) const ONE: Self = Self { negative: false, magnitude: Uint::ONE };

    pub(crate) fn new(negative: bool, magnitude: Uint<N>) -> Self {
        Self { negative: negative && !magnitude.is_zero(), magnitude }
    }

    /// From a magnitude of another width that fits.
    pub(crate) fn from_uint<const M: usize>(negative: bool, magnitude: &Uint<M>) -> Self {
        Self::new(negative, magnitude.resize())
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.magnitude.is_zero()
    }

    pub(crate) fn neg(&self) -> Self {
        Self::new(!self.negative, self.magnitude)
    }

    pub(crate) fn add(&self, other: &Self) -> Self {
        if self.negative == other.negative {
            return Self::new(self.negative, self.magnitude.add(&other.magnitude));
        }
        let (difference, borrow) = self.magnitude.borrowing_sub(&other.magnitude);
        if borrow {
            Self::new(other.negative, other.magnitude.sub(&self.magnitude))
        } else {
            Self::new(self.negative, difference)
        }
    }

    pub(crate) fn sub(&self, other: &Self) -> Self {
        self.add(&other.neg())
    }

    pub(crate) fn mul(&self, other: &Self) -> Self {
        Self::new(self.negative != other.negative, self.magnitude.mul(&other.magnitude))
    }

    /// `self 2^bits`.
    pub(crate) fn shl(&self, bits: usize) -> Self {
        Self::new(self.negative, self.magnitude.shl(bits))
    }

    /// Half of an even number.
    pub(crate) fn half(&self) -> Self {
        debug_assert!(!self.magnitude.is_odd(), "not even");
        Self::new(self.negative, self.magnitude.shr(1))
    }

    /// Quotient rounded down and the remainder in `0..divisor`, for a positive divisor.
    pub(crate) fn div_rem_floor(&self, divisor: &Uint<N>) -> (Self, Uint<N>) {
        let (quotient, remainder) = self.magnitude.div_rem(divisor);
        if self.negative && !remainder.is_zero() {
            (Self::new(true, quotient.add(&Uint::ONE)), divisor.sub(&remainder))
        } else {
            (Self::new(self.negative, quotient), remainder)
        }
    }

    /// The quotient of a division that the caller knows to leave no remainder.
    pub(crate) fn div_exact<const M: usize>(&self, divisor: &Uint<M>) -> Self {
        let quotient = self.magnitude.checked_div_exact(divisor).expect("divisible");
        Self::new(self.negative, quotient)
    }
}

/// `(g, u, v)` with `u a + v b = g = gcd(a, b)`, by Euclid's algorithm; `|u| <= max(b, 1)`, `|v| <= max(a, 1)`.
pub(crate) fn extended_gcd<const N: usize>(a: &Uint<N>, b: &Uint<N>) -> (Uint<N>, Int<N>, Int<N>) {
    let (mut r0, mut r1) = (*a, *b);
    let (mut u0, mut u1) = (Int::ONE, Int::ZERO);
    let (mut v0, mut v1) = (Int::ZERO, Int::ONE);
    while !r1.is_zero() {
        let (quotient, remainder) = r0.div_rem(&r1);
        let quotient = Int::new(false, quotient);
        (r0, r1) = (r1, remainder);
        (u0, u1) = (u1, u0.sub(&quotient.mul(&u1)));
        (v0, v1) = (v1, v0.sub(&quotient.mul(&v1)));
    }
    (r0, u0, v0)
}

/// The inverse of `a` modulo `m`, in `0..m`, if there is one; `m > 0`.
#[cfg(test)]
pub(crate) fn inverse_mod<const N: usize>(a: &Uint<N>, m: &Uint<N>) -> Option<Uint<N>> {
    let (gcd, u, _) = extended_gcd(&a.rem(m), m);
    (gcd == Uint::ONE).then(|| u.div_rem_floor(m).1)
}
