//! How a proof is made: the width of the exponent's digits and the number of passes.

/// Widest digits considered: 2^15 buckets of 272 bytes are 9 MB.
pub(crate) const MAX_DIGIT_BITS: u32 = 16;

/// The shape of proving, fixed before the first squaring since it says which intermediate forms are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Plan {
    /// k: bits of a digit.
    pub(crate) digit_bits: u32,
    /// Digits that share one stored form.
    pub(crate) passes: u64,
}

impl Plan {
    /// The cheapest shape for `squarings` with at most about `max_forms` stored forms.
    pub(crate) fn choose(squarings: u64, max_forms: u64) -> Self {
        let max_forms = max_forms.max(1);
        (1..=MAX_DIGIT_BITS)
            .map(|digit_bits| Self {
                digit_bits,
                passes: (squarings / u64::from(digit_bits)).div_ceil(max_forms).max(1),
            })
            .min_by_key(|plan| plan.cost(squarings))
            .expect("the range is not empty")
    }

    /// Compositions that a proof of this shape takes.
    fn cost(&self, squarings: u64) -> u64 {
        let combining = self.passes.saturating_mul(u64::from(self.digit_bits) + 2 * u64::from(self.buckets()));
        (squarings / u64::from(self.digit_bits)).saturating_add(combining)
    }

    /// Buckets for the digits' absolute values, 1 to 2^(k - 1).
    pub(crate) fn buckets(&self) -> u32 {
        1 << (self.digit_bits - 1)
    }

    /// Squarings between stored forms.
    pub(crate) fn stride(&self) -> u64 {
        // at most about 2^64 / max_forms for a chosen plan; a restored one is checked
        u64::from(self.digit_bits) * self.passes
    }
}
