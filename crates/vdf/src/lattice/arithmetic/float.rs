//! Long integers as doubles.

use super::coordinate::WORD;

/// A number to the precision of a double, but for a few units in the last place: its two highest limbs that are not
/// zero.
#[inline(always)]
pub(in crate::lattice) fn limbs_to_f64(limbs: &[u64]) -> f64 {
    match limbs.iter().rposition(|&limb| limb != 0) {
        None | Some(0) => limbs[0] as f64,
        Some(top) => (limbs[top] as f64 * WORD + limbs[top - 1] as f64) * power_of_two(64 * (top as u32 - 1)),
    }
}

/// `2^exponent`, exactly, for an exponent of a normal double.
pub(in crate::lattice) const fn power_of_two(exponent: u32) -> f64 {
    f64::from_bits((1023 + exponent as u64) << 52)
}
