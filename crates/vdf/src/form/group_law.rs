//! Squares, products and powers: by the fast kernel, and by NUDUPL and NUCOMP where it declines.

use super::{Form, nucomp};
use crate::discriminant::Discriminant;
use crate::lattice::{FORM_LIMBS, FastForm, LatticeContext};
use crate::sizes::{D_LIMBS, HALF_LIMBS};
use crate::uint::Uint;

impl Form {
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
}

// The way to the fast kernel, [`crate::lattice`], and back.

impl Form {
    /// The form as the kernel has it, or `None` if c is too large for it.
    #[inline]
    fn to_fast(self) -> Option<FastForm> {
        let (low, high) = self.c.0.split_at(FORM_LIMBS);
        let mut fast =
            FastForm { a: [0; FORM_LIMBS], b: [0; FORM_LIMBS], b_negative: self.b_negative, c: [0; FORM_LIMBS] };
        fast.a[..HALF_LIMBS].copy_from_slice(&self.a.0);
        fast.b[..HALF_LIMBS].copy_from_slice(&self.b.0);
        fast.c.copy_from_slice(low);
        high.iter().all(|&limb| limb == 0).then_some(fast)
    }

    #[inline]
    fn from_fast(fast: &FastForm) -> Self {
        // reduced: |b| <= a <= sqrt(|D| / 3) < 2^512
        debug_assert!(fast.a[HALF_LIMBS..].iter().chain(&fast.b[HALF_LIMBS..]).all(|&limb| limb == 0));
        let (mut a, mut b, mut c) = ([0; HALF_LIMBS], [0; HALF_LIMBS], [0; D_LIMBS]);
        a.copy_from_slice(&fast.a[..HALF_LIMBS]);
        b.copy_from_slice(&fast.b[..HALF_LIMBS]);
        c[..FORM_LIMBS].copy_from_slice(&fast.c);
        Self { a: Uint(a), b: Uint(b), b_negative: fast.b_negative, c: Uint(c) }
    }

    /// The form squared up to `count` times by the fast kernel, as far as it applies, and how often it remains to be
    /// squared. One conversion for many squarings: it takes a twentieth of one.
    pub(crate) fn square_fast(&self, count: u64, discriminant: &Discriminant) -> (Self, u64) {
        let (Some(context), Some(mut form)) = (discriminant.lattice.as_ref(), self.to_fast()) else {
            return (*self, count);
        };
        let mut left = count;
        while left > 0 {
            let Some(square) = context.square(&form) else { break };
            form = square;
            left -= 1;
        }
        (Self::from_fast(&form), left)
    }

    /// The product by the fast kernel; `None` where it doesn't apply, or found its result wrong.
    #[inline]
    pub(crate) fn compose_fast(&self, other: &Self, discriminant: &Discriminant) -> Option<Self> {
        let context: &LatticeContext = discriminant.lattice.as_ref()?;
        context.compose(&self.to_fast()?, &other.to_fast()?).map(|product| Self::from_fast(&product))
    }
}
