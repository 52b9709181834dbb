//! Integer square roots.

use super::Uint;

impl<const N: usize> Uint<N> {
    /// `floor(sqrt(self))`, by Newton's iteration from above.
    pub(crate) fn isqrt(&self) -> Self {
        if self.is_zero() {
            return Self::ZERO;
        }
        // 2^ceil(bits / 2) >= sqrt(self): the iteration falls until it reaches the floor. It fits, since bits >= 1 and
        // ceil(bits / 2) < 64 N for every width.
        let mut root = Self::ONE.shl(self.bit_length().div_ceil(2));
        loop {
            // root <= 2^(32 N) and self / root <= 2 root, so the sum fits for N >= 1. The exception is a one-limb word
            // near its top, where root = 2^32 and the quotient is below 2^32.
            let next = root.add(&self.div_rem(&root).0).shr(1);
            if next >= root {
                return root;
            }
            root = next;
        }
    }
}
