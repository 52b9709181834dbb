//! Forms as the kernel has them.

use crate::lattice::arithmetic::rows::MAX_LIMBS;
use crate::lattice::arithmetic::word::borrowing_sub;

/// Limbs of a coefficient.
pub(crate) const FORM_LIMBS: usize = 9;

/// A reduced form `(a, b, c)` of the context's discriminant, least significant limb first, c below `2^576`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FastForm {
    pub(crate) a: [u64; FORM_LIMBS],
    /// |b|.
    pub(crate) b: [u64; FORM_LIMBS],
    pub(crate) b_negative: bool,
    pub(crate) c: [u64; FORM_LIMBS],
}

impl FastForm {
    /// Whether b is odd and a and c are below `2^560`.
    #[inline(always)]
    pub(in crate::lattice) fn is_in_range(&self) -> bool {
        debug_assert!(!is_less(&self.a, &self.b) && !is_less(&self.c, &self.a), "|b| <= a <= c");
        (self.a[FORM_LIMBS - 1] | self.c[FORM_LIMBS - 1]) >> 48 == 0 && self.b[0] & 1 == 1
    }
}

/// `x < y`.
#[inline(always)]
pub(in crate::lattice) fn is_less(x: &[u64; FORM_LIMBS], y: &[u64; FORM_LIMBS]) -> bool {
    let mut borrow = false;
    for limb in 0..FORM_LIMBS {
        (_, borrow) = borrowing_sub(x[limb], y[limb], borrow);
    }
    borrow
}

const _: () = assert!(FORM_LIMBS == MAX_LIMBS);
