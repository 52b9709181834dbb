//! Shifts by any number of bits.

use super::Uint;

impl<const N: usize> Uint<N> {
    /// `self 2^bits`; bits shifted out at the top are lost.
    pub(crate) fn shl(&self, bits: usize) -> Self {
        let (limbs, bits) = (bits / 64, bits % 64);
        let mut shifted = [0; N];
        for i in limbs..N {
            shifted[i] = self.0[i - limbs] << bits;
            if bits > 0 && i > limbs {
                shifted[i] |= self.0[i - limbs - 1] >> (64 - bits);
            }
        }
        Self(shifted)
    }

    /// `floor(self / 2^bits)`.
    pub(crate) fn shr(&self, bits: usize) -> Self {
        let (limbs, bits) = (bits / 64, bits % 64);
        let mut shifted = [0; N];
        for i in limbs..N {
            shifted[i - limbs] = self.0[i] >> bits;
            if bits > 0 && i + 1 < N {
                shifted[i - limbs] |= self.0[i + 1] << (64 - bits);
            }
        }
        Self(shifted)
    }
}
