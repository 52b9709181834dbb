//! Addition and subtraction.

use super::{Uint, word};

impl<const N: usize> Uint<N> {
    /// The sum modulo `2^(64 N)` and the carry out.
    #[inline]
    pub(crate) fn carrying_add(&self, other: &Self) -> (Self, bool) {
        let mut sum = [0; N];
        let mut carry = false;
        for i in 0..N {
            (sum[i], carry) = word::carrying_add(self.0[i], other.0[i], carry);
        }
        (Self(sum), carry)
    }

    /// The difference modulo `2^(64 N)` and the borrow out.
    #[inline]
    pub(crate) fn borrowing_sub(&self, other: &Self) -> (Self, bool) {
        let mut difference = [0; N];
        let mut borrow = false;
        for i in 0..N {
            (difference[i], borrow) = word::borrowing_sub(self.0[i], other.0[i], borrow);
        }
        (Self(difference), borrow)
    }

    /// The sum; the caller knows that it fits.
    #[inline]
    pub(crate) fn add(&self, other: &Self) -> Self {
        let (sum, carry) = self.carrying_add(other);
        debug_assert!(!carry, "sum does not fit");
        sum
    }

    /// The difference; the caller knows that `self >= other`.
    #[inline]
    pub(crate) fn sub(&self, other: &Self) -> Self {
        let (difference, borrow) = self.borrowing_sub(other);
        debug_assert!(!borrow, "difference is negative");
        difference
    }
}
