//! Division that leaves no remainder, from the lowest limb up (Jebelean): no quotient digit is estimated.

use super::{Uint, word};

impl<const N: usize> Uint<N> {
    /// `self / divisor` in `R` limbs, or `None` if a remainder is left or the quotient is longer. Panics if `divisor`
    /// is zero.
    pub(crate) fn checked_div_exact<const M: usize, const R: usize>(&self, divisor: &Uint<M>) -> Option<Uint<R>> {
        assert!(!divisor.is_zero(), "division by zero");
        let twos = divisor.trailing_zeros();
        if twos > self.trailing_zeros() {
            return None;
        }
        let (mut rest, divisor) = (self.shr(twos).0, divisor.shr(twos));
        let (length, n) = (Uint(rest).limb_count(), divisor.limb_count());
        // zero has no limbs, and a divisor longer than the dividend divides only zero
        let digits = (length + 1).saturating_sub(n);
        if digits > R {
            // the highest digit may still be zero, when the divisor's top limb is the greater one
            return self.checked_div_exact::<M, N>(&divisor.shl(twos))?.try_resize();
        }
        let inverse = word::inverse(divisor.0[0]);
        let mut quotient = [0; R];
        for i in 0..digits {
            // the digit that makes limb i of the rest zero
            let digit = rest[i].wrapping_mul(inverse);
            quotient[i] = digit;
            let (mut carry, mut borrow) = (0, false);
            for j in 0..n {
                let (low, high) = word::carrying_mul_add(digit, divisor.0[j], carry, 0);
                carry = high;
                (rest[i + j], borrow) = word::borrowing_sub(rest[i + j], low, borrow);
            }
            for limb in &mut rest[i + n..length] {
                (*limb, borrow) = word::borrowing_sub(*limb, core::mem::take(&mut carry), borrow);
                if !borrow {
                    break;
                }
            }
            if borrow || carry != 0 {
                // the multiple is greater than what is left
                return None;
            }
        }
        rest[..length].iter().all(|&limb| limb == 0).then_some(Uint(quotient))
    }
}
