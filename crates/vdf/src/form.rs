//! Reduced binary quadratic forms `a x^2 + b x y + c y^2` of one discriminant: the elements of its class group.

mod codec;
mod fast;
mod norm_two;
pub(crate) mod nucomp;
mod partial_xgcd;
mod reduce;

use crate::discriminant::{D_LIMBS, Discriminant};
use crate::uint::Uint;

pub use codec::FORM_BYTES;
pub(crate) use codec::is_plausible;
pub(crate) use reduce::{WideForm, reduce};

/// Limbs of `a` and `b`: a reduced form has `|b| <= a <= sqrt(|D| / 3)`, which is below 2^512 for 1024 bits.
pub(crate) const HALF_LIMBS: usize = D_LIMBS / 2;

/// A reduced form: `-a < b <= a <= c`, and `b >= 0` if `a = c`. Forms are equal exactly when their classes are.
///
/// It does not know its discriminant: operations take the one it was made with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Form {
    pub(crate) a: Uint<HALF_LIMBS>,
    /// |b|, odd since D is
    pub(crate) b: Uint<HALF_LIMBS>,
    pub(crate) b_negative: bool,
    /// `(b^2 - D) / (4 a) <= (|D| + 1) / 4` for a reduced form
    pub(crate) c: Uint<D_LIMBS>,
}

impl Form {
    /// The neutral element, (1, 1, (1 - D) / 4).
    #[must_use]
    pub fn identity(discriminant: &Discriminant) -> Self {
        Self::with_leading(1, discriminant)
    }

    /// The element that evaluations usually begin with, (2, 1, (1 - D) / 8).
    #[must_use]
    pub fn generator(discriminant: &Discriminant) -> Self {
        // reduced, since |D| >= 2^7 + 7 makes c >= 16
        Self::with_leading(2, discriminant)
    }

    /// (a, 1, (1 - D) / 4a) for a = 1 or 2; |D| = 7 mod 8 makes the division exact.
    fn with_leading(a: u64, discriminant: &Discriminant) -> Self {
        // (1 + |D|) / 4a: |D| + 1 could carry out of the top limb, (|D| >> 3) + 1 = (|D| + 1) / 8 can't
        let eighth = discriminant.magnitude.shr(3).add(&Uint::ONE);
        let c = if a == 1 { eighth.shl(1) } else { eighth };
        Self { a: Uint::from_word(a), b: Uint::ONE, b_negative: false, c }
    }

    /// The form's class times itself.
    #[must_use]
    pub fn square(&self, discriminant: &Discriminant) -> Self {
        self.square_times(1, discriminant)
    }

    /// The class squared `count` times: its power to 2^count.
    #[must_use]
    pub fn square_times(&self, count: u64, discriminant: &Discriminant) -> Self {
        let (mut form, mut left) = self.square_fast(count, discriminant);
        while left > 0 {
            (form, left) = nucomp::square(&form, discriminant.bits()).square_fast(left - 1, discriminant);
        }
        form
    }

    /// The product of two classes.
    #[must_use]
    pub fn compose(&self, other: &Self, discriminant: &Discriminant) -> Self {
        self.compose_fast(other, discriminant).unwrap_or_else(|| nucomp::compose(self, other, discriminant.bits()))
    }

    /// The class's inverse.
    #[must_use]
    pub fn inverse(&self) -> Self {
        // (a, -b, c) is not reduced where b = a or a = c: those classes are their own inverses
        let own_inverse = self.a == self.b || self.a.resize() == self.c;
        Self { b_negative: !self.b_negative && !own_inverse, ..*self }
    }

    /// The class to a power, given big-endian.
    #[must_use]
    pub fn pow(&self, exponent: &[u8], discriminant: &Discriminant) -> Self {
        let mut power = Self::identity(discriminant);
        let mut started = false;
        for byte in exponent {
            for bit in (0..8).rev() {
                if started {
                    power = power.square(discriminant);
                }
                if byte >> bit & 1 == 1 {
                    power = if started { power.compose(self, discriminant) } else { *self };
                    started = true;
                }
            }
        }
        power
    }

    /// The reduced form with this `a` and `b`, or `None` if there is none of this discriminant.
    pub(crate) fn from_ab(
        a: &Uint<HALF_LIMBS>,
        b: &Uint<HALF_LIMBS>,
        b_negative: bool,
        discriminant: &Discriminant,
    ) -> Option<Self> {
        if a.is_zero() || b > a || (b == a && b_negative) {
            return None;
        }
        // b^2 + |D| < 2^1024 + 2^1024: one limb more than D has
        let square: Uint<{ D_LIMBS + 1 }> = b.mul(b);
        let sum = square.add(&discriminant.magnitude.resize());
        // b odd makes b^2 + |D| = 1 + 7 modulo 8
        if sum.0[0] & 3 != 0 {
            return None;
        }
        let c = sum.shr(2).checked_div_exact::<HALF_LIMBS, D_LIMBS>(a)?;
        let reduced = a.resize() < c || (a.resize() == c && !b_negative);
        reduced.then_some(Self { a: *a, b: *b, b_negative, c })
    }
}

#[cfg(test)]
mod tests;
