//! Addition and subtraction.

use super::{Uint, word};

impl<const N: usize> Uint<N> {
    /// The sum modulo `2^(64 N)` and the carry out.
    #[inline]
    pub(crate) fn carrying_add(&self, other: &Self) -> (Self, bool) {
        let mut sum = [0; N];
        let mut carry = false;
        for i in 0..N {
            (sum[i], carry) = word::carrying_add(self.0[i], other.0[i], carry);
        }
        (Self(sum), carry)
    }

    /// The difference modulo `2^(64 N)` and the borrow out.
    #[inline]
    pub(crate) fn borrowing_sub(&self, other: &Self) -> (Self, bool) {
        let mut difference = [0; N];
        let mut borrow = false;
        for i in 0..N {
            (difference[i], borrow) = word::borrowing_sub(self.0[i], other.0[i], borrow);
        }
        (Self(difference), borrow)
    }

    /// The sum; the caller knows that it fits.
    #[inline]
    pub(crate) fn add(&self, other: &Self) -> Self {
        let (sum, carry) = self.carrying_add(other);
        debug_assert!(!carry, "sum does not fit");
        sum
    }

    /// The difference; the caller knows that `self >= other`.
    #[inline]
    pub(crate) fn sub(&self, other: &Self) -> Self {
        let (difference, borrow) = self.borrowing_sub(other);
        debug_assert!(!borrow, "difference is negative");
        difference
    }
}

// Multiplication, schoolbook: at most 36 limbs occur, and mostly 8 or 16.

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

// Shifts by any number of bits.

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

// Conversion from and to bytes.

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
