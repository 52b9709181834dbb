//! The way to the fast kernel, [`crate::lattice`], and back.

use super::Form;
use crate::discriminant::Discriminant;
use crate::lattice::{FORM_LIMBS, FastForm, LatticeContext};
use crate::sizes::{D_LIMBS, HALF_LIMBS};
use crate::uint::Uint;

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
