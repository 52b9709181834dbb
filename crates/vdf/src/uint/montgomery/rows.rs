//! The inner loop of long products: a multiple of one number is added to another.

#[cfg(target_arch = "x86_64")]
use super::adx;
use crate::backend::Backend;
use crate::uint::word;

/// A way to compute rows.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    #[cfg(target_arch = "x86_64")]
    adx: Option<crate::backend::Adx>,
}

impl Rows {
    pub(super) fn new(backend: Backend) -> Self {
        _ = backend;
        Self {
            #[cfg(target_arch = "x86_64")]
            adx: backend.adx(),
        }
    }

    /// Whether rows of this length are so fast that the shorter ones of a squaring, which spare half of them, gain
    /// nothing.
    #[inline(always)]
    pub(super) fn prefers(self, length: usize) -> bool {
        #[cfg(target_arch = "x86_64")]
        if self.adx.is_some() {
            return length == adx::LIMBS;
        }
        _ = length;
        false
    }

    /// Adds `factor` times `limbs` to `sum`, which has as many; returns the limb carried out.
    #[inline(always)]
    pub(super) fn add_multiple(self, sum: &mut [u64], limbs: &[u64], factor: u64) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if let Some(carry) = self.adx.and_then(|adx| adx.add_multiple(sum, limbs, factor)) {
            return carry;
        }
        let mut carry = 0;
        // Written out by fours: LLVM then keeps the carry in registers, a third faster here.
        let ((sums, sums_rest), (fours, rest)) = (sum.as_chunks_mut::<4>(), limbs.as_chunks::<4>());
        for (sums, fours) in sums.iter_mut().zip(fours) {
            (sums[0], carry) = word::carrying_mul_add(fours[0], factor, sums[0], carry);
            (sums[1], carry) = word::carrying_mul_add(fours[1], factor, sums[1], carry);
            (sums[2], carry) = word::carrying_mul_add(fours[2], factor, sums[2], carry);
            (sums[3], carry) = word::carrying_mul_add(fours[3], factor, sums[3], carry);
        }
        for (sum, &limb) in sums_rest.iter_mut().zip(rest) {
            (*sum, carry) = word::carrying_mul_add(limb, factor, *sum, carry);
        }
        carry
    }
}
