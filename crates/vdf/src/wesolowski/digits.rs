//! The exponent `floor(2^n / B)` in signed digits of k bits, without ever forming it.

use super::exponent::power_of_two_mod;
use crate::hash_prime::B_LIMBS;
use crate::montgomery::Montgomery;
use crate::uint::Uint;

/// Digits `i = pass, pass + stride, ...` of `floor(2^n / B) = sum of d_i 2^(k i)`, from the highest down, with `|d_i| <= 2^(k - 1)`.
///
/// Booth's recoding: `d_i` comes from the k bits of block i and the one bit below them, which are `floor(2^(k+1) r / B)` for
/// `r = 2^(n - k (i+1)) mod B`. B has 264 bits and k at most 16, so the blocks that reach above bit n - 263 are zero and no carry leaves
/// the top.
pub(super) struct Digits {
    prime: Uint<B_LIMBS>,
    field: Montgomery<B_LIMBS>,
    bits: u32,
    /// Digits still to come are those with index below `left`; the next one is `left - 1`, whose block is `pass + stride (left - 1)`.
    left: u64,
    lowest_is_block_zero: bool,
    /// `2^(n - k (i+1)) mod B` for the next block i
    remainder: Uint<B_LIMBS>,
    /// `2^(k stride) mod B`, in Montgomery form
    step: Uint<B_LIMBS>,
}

impl Digits {
    pub(super) fn new(prime: &Uint<B_LIMBS>, squarings: u64, bits: u32, stride: u64, pass: u64) -> Self {
        debug_assert!((1..=super::MAX_DIGIT_BITS).contains(&bits) && pass < stride);
        let blocks = squarings / u64::from(bits);
        let left = blocks.saturating_sub(pass).div_ceil(stride);
        let field = Montgomery::new(prime);
        // the block's index is below `blocks`, so k (i + 1) <= n
        let exponent = |left: u64| squarings - u64::from(bits) * (pass + stride * (left - 1) + 1);
        let remainder = if left == 0 { Uint::ZERO } else { power_of_two_mod(exponent(left), prime) };
        let step = field.pow_of_two(&Uint::from_word(u64::from(bits) * stride));
        Self { prime: *prime, field, bits, left, lowest_is_block_zero: pass == 0, remainder, step }
    }

    /// Digits still to come.
    pub(super) fn left(&self) -> u64 {
        self.left
    }
}

impl Iterator for Digits {
    /// Index within the pass, and the digit.
    type Item = (u64, i32);

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        // 2^(k+1) r < 2^(264 + 17), which fits 5 limbs
        let (quotient, _) = self.remainder.shl(self.bits as usize + 1).div_rem(&self.prime);
        let mut window = quotient.0[0] as i32;
        if self.left == 0 && self.lowest_is_block_zero {
            // below block 0 is the fraction that the floor drops
            window &= !1;
        }
        self.remainder = self.field.mul(&self.remainder, &self.step);
        Some((self.left, ((window + 1) >> 1) - ((window >> self.bits) << self.bits)))
    }
}
