//! An element of the class group: its reduced form, and the forms that are known without computing.

use crate::discriminant::Discriminant;
use crate::sizes::{D_LIMBS, HALF_LIMBS};
use crate::uint::Uint;

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

    /// The class's inverse.
    #[must_use]
    pub fn inverse(&self) -> Self {
        // (a, -b, c) is not reduced where b = a or a = c: those classes are their own inverses
        let own_inverse = self.a == self.b || self.a.resize() == self.c;
        Self { b_negative: !self.b_negative && !own_inverse, ..*self }
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
