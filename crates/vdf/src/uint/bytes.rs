//! Conversion from and to bytes.

use super::Uint;

impl<const N: usize> Uint<N> {
    /// From at most `8 N` little-endian bytes.
    pub(crate) fn from_le_bytes(bytes: &[u8]) -> Self {
        debug_assert!(bytes.len() <= 8 * N, "value does not fit");
        let mut limbs = [0; N];
        for (limb, chunk) in limbs.iter_mut().zip(bytes.chunks(8)) {
            *limb = chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        }
        Self(limbs)
    }

    /// From at most `8 N` big-endian bytes.
    pub(crate) fn from_be_bytes(bytes: &[u8]) -> Self {
        debug_assert!(bytes.len() <= 8 * N, "value does not fit");
        let mut limbs = [0; N];
        for (limb, chunk) in limbs.iter_mut().zip(bytes.rchunks(8)) {
            *limb = chunk.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
        }
        Self(limbs)
    }

    /// Writes the value little-endian into all of `out`; the caller knows that it fits.
    pub(crate) fn write_le(&self, out: &mut [u8]) {
        debug_assert!(self.bit_length() <= 8 * out.len(), "value does not fit");
        for (i, byte) in out.iter_mut().enumerate() {
            *byte = self.0.get(i / 8).map_or(0, |limb| (limb >> (8 * (i % 8))) as u8);
        }
    }

    /// Writes the value big-endian into all of `out`; the caller knows that it fits.
    pub(crate) fn write_be(&self, out: &mut [u8]) {
        self.write_le(out);
        out.reverse();
    }
}
