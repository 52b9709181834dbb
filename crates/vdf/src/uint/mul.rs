//! Multiplication, schoolbook: at most 36 limbs occur, and mostly 8 or 16.

use super::{Uint, word};

impl<const N: usize> Uint<N> {
    /// The product in `R` limbs, which must hold every product of these widths' values that the caller passes.
    pub(crate) fn mul<const M: usize, const R: usize>(&self, other: &Uint<M>) -> Uint<R> {
        let (left, right) = (self.limb_count(), other.limb_count());
        let mut product = [0; R];
        for i in 0..left {
            let mut carry = 0;
            for j in 0..right {
                if i + j < R {
                    (product[i + j], carry) = word::carrying_mul_add(self.0[i], other.0[j], product[i + j], carry);
                } else {
                    debug_assert!(self.0[i] == 0 && carry == 0, "product does not fit");
                }
            }
            if i + right < R {
                product[i + right] = carry;
            } else {
                debug_assert!(carry == 0, "product does not fit");
            }
        }
        Uint(product)
    }

    /// The product with a word, modulo `2^(64 N)`, and the word carried out.
    pub(crate) fn mul_word(&self, factor: u64) -> (Self, u64) {
        let mut product = [0; N];
        let mut carry = 0;
        for i in 0..N {
            (product[i], carry) = word::carrying_mul_add(self.0[i], factor, carry, 0);
        }
        (Self(product), carry)
    }
}
