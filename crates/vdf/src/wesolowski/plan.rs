//! How a proof is made: the width of the exponent's digits and the number of passes.

use crate::form::Form;

/// Widest digits considered: `2^17` buckets are 34 MB.
pub(crate) const MAX_DIGIT_BITS: u32 = 18;

/// A bucket's place in memory.
const BUCKET_BYTES: u64 = size_of::<Option<Form>>() as u64;

/// The shape of proving, fixed before the first squaring since it says which intermediate forms are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Plan {
    /// k: bits of a digit.
    pub(crate) digit_bits: u32,
    /// Digits that share one stored form.
    pub(crate) passes: u64,
}

impl Plan {
    /// The cheapest shape for `squarings` whose [`Self::memory`] is at most `memory_bytes`, or if none is that small
    /// the smallest one.
    pub(crate) fn choose(squarings: u64, form_bytes: u64, memory_bytes: u64) -> Self {
        (1..=MAX_DIGIT_BITS)
            .map(|digit_bits| {
                let one_pass = Self { digit_bits, passes: 1 };
                // stored once beside the buckets, or twice before there are any; one form is what rounding can add
                let beside_buckets = memory_bytes.saturating_sub(one_pass.bucket_bytes()) / form_bytes;
                let max_forms = beside_buckets.min(memory_bytes / (2 * form_bytes)).saturating_sub(1).max(1);
                Self { passes: (squarings / u64::from(digit_bits)).div_ceil(max_forms).max(1), ..one_pass }
            })
            .min_by_key(|plan| (plan.memory(squarings, form_bytes).max(memory_bytes), plan.operations(squarings)))
            .expect("the range is not empty")
    }

    /// The most that proving `squarings` holds at once, in bytes: the forms and the buckets. After a resume it is the
    /// forms twice, as read and as kept.
    pub(crate) fn memory(self, squarings: u64, form_bytes: u64) -> u64 {
        let forms = self.forms(squarings).saturating_mul(form_bytes);
        forms.saturating_add(forms.max(self.bucket_bytes()))
    }

    /// Group operations that a proof of this shape takes.
    pub(crate) fn operations(self, squarings: u64) -> u64 {
        let combining = self.passes.saturating_mul(u64::from(self.digit_bits) + 2 * u64::from(self.buckets()));
        (squarings / u64::from(self.digit_bits)).saturating_add(combining)
    }

    /// Forms stored for `squarings`.
    pub(crate) fn forms(self, squarings: u64) -> u64 {
        squarings.div_ceil(self.stride())
    }

    /// Buckets for the digits' absolute values, 1 to 2^(k - 1).
    pub(crate) fn buckets(self) -> u32 {
        1 << (self.digit_bits - 1)
    }

    fn bucket_bytes(self) -> u64 {
        u64::from(self.buckets()) * BUCKET_BYTES
    }

    /// Squarings between stored forms.
    pub(crate) fn stride(self) -> u64 {
        // at most about 2^64 / max_forms for a chosen plan; a restored one is checked
        u64::from(self.digit_bits) * self.passes
    }
}

#[cfg(test)]
mod tests {
    use super::Plan;

    const FORM_BYTES: u64 = 128;

    #[test]
    fn thirty_days_are_proved_within_a_quarter_of_a_gibibyte() {
        // 30 days at 385,000 squarings a second
        let squarings = 30 * 86_400 * 385_000;
        let plan = Plan::choose(squarings, FORM_BYTES, 256 << 20);
        assert!(plan.memory(squarings, FORM_BYTES) <= 256 << 20);
        // and within 1.1 of what digits of 16 bits alone would take
        assert!(plan.operations(squarings) < squarings / 16 * 11 / 10, "{plan:?}");
    }

    #[test]
    fn plans_keep_to_the_memory_wherever_there_are_a_few_kilobytes() {
        for memory in [4 << 10, 64 << 10, 1 << 20, 16 << 20, 256 << 20] {
            for exponent in 0..50 {
                let squarings = 3_u64.pow(exponent.min(40)) / 2;
                let plan = Plan::choose(squarings, FORM_BYTES, memory);
                assert!(plan.memory(squarings, FORM_BYTES) <= memory, "{squarings} {memory} {plan:?}");
            }
        }
    }

    #[test]
    fn more_memory_never_costs_operations() {
        for exponent in 0..40 {
            let squarings = 3_u64.pow(exponent) / 2;
            let operations = |memory| Plan::choose(squarings, FORM_BYTES, memory).operations(squarings);
            let with: Vec<_> = (12..30).map(|bits| operations(1 << bits)).collect();
            assert!(with.is_sorted_by(|less, more| less >= more), "{squarings}: {with:?}");
        }
    }
}
