//! What the kernel knows of a discriminant.

use super::arithmetic::float::{limbs_to_f64, power_of_two};
use super::arithmetic::word::bit_length;
use super::instructions::Instructions;
use crate::sizes::D_LIMBS;

/// Bit lengths of |D| the context is made for. A must have more than 448 bits: with 928 bits one form in some ten
/// thousand has less.
const DISCRIMINANT_BITS: core::ops::RangeInclusive<u32> = 928..=1024;

/// What the forms of one discriminant share.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct LatticeContext {
    /// |D| modulo `2^64`.
    pub(super) discriminant_low: u64,
    pub(super) discriminant_bits: u32,
    pub(super) sqrt_discriminant: f64,
    pub(super) instructions: Instructions,
}

/// The square root of a number is never NaN.
impl Eq for LatticeContext {}

impl LatticeContext {
    /// The context of the discriminant `-magnitude`; None unless the magnitude is 7 modulo 8 and has 928 to 1024 bits.
    pub(super) fn new(magnitude: &[u64; D_LIMBS], instructions: Instructions) -> Option<Self> {
        let discriminant_bits = bit_length(magnitude);
        if magnitude[0] & 7 != 7 || !DISCRIMINANT_BITS.contains(&discriminant_bits) {
            return None;
        }
        // |D| may be above the largest double, |D| / 2^512 is not: sqrt |D| = 2^256 sqrt(|D| / 2^512).
        let scaled = limbs_to_f64(&magnitude[8..]);
        Some(Self {
            discriminant_low: magnitude[0],
            discriminant_bits,
            sqrt_discriminant: power_of_two(256) * scaled.sqrt(),
            instructions,
        })
    }

    /// The shift bits t after which both coordinates are near the square root of A, by which they are made `2^0.5`
    /// apart: `0.703 (2 log2 A - 1 - log2 |D| / 2)`. A shift bit takes `1 / 0.703` bits from `x1 x2 / (y1 y2)`.
    ///
    /// The constant is measured; another would only cost steps of Gauss's reduction.
    #[inline(always)]
    pub(super) fn shift_for_square(&self, modulus_bits: u32) -> u32 {
        (703 * (4 * modulus_bits).saturating_sub(2 + self.discriminant_bits)) / 2000
    }

    /// The same for the plane of (a2, b2, c2), where x and y are made `(c2 / a2)^0.5` apart.
    #[inline(always)]
    pub(super) fn shift_for_composition(modulus_bits: u32, a: &[u64], c: &[u64]) -> u32 {
        (703 * (2 * modulus_bits + bit_length(a)).saturating_sub(1 + bit_length(c))) / 2000
    }
}
