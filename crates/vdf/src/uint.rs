//! Unsigned integers of a fixed number of 64-bit limbs, on the stack, least significant limb first.
//!
//! Not constant time: everything this crate handles is public.

mod arithmetic;
mod div;
pub(crate) mod int;
pub(crate) mod montgomery;
pub(crate) mod word;

use core::cmp::Ordering;

/// An unsigned integer below `2^(64 N)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Uint<const N: usize>(pub(crate) [u64; N]);

impl<const N: usize> Uint<N> {
    pub(crate) const ZERO: Self = Self([0; N]);
    pub(crate) const ONE: Self = Self::from_word(1);

    pub(crate) const fn from_word(word: u64) -> Self {
        let mut limbs = [0; N];
        limbs[0] = word;
        Self(limbs)
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.iter().all(|&limb| limb == 0)
    }

    pub(crate) fn is_odd(&self) -> bool {
        self.0[0] & 1 == 1
    }

    /// Limbs up to the highest one that isn't zero; 0 for zero.
    pub(crate) fn limb_count(&self) -> usize {
        self.0.iter().rposition(|&limb| limb != 0).map_or(0, |top| top + 1)
    }

    /// Bits up to the highest one set; 0 for zero.
    pub(crate) fn bit_length(&self) -> usize {
        match self.limb_count() {
            0 => 0,
            count => 64 * count - self.0[count - 1].leading_zeros() as usize,
        }
    }

    pub(crate) fn bit(&self, index: usize) -> bool {
        index < 64 * N && self.0[index / 64] >> (index % 64) & 1 == 1
    }

    /// Zero bits below the lowest one set; `64 N` for zero.
    pub(crate) fn trailing_zeros(&self) -> usize {
        match self.0.iter().position(|&limb| limb != 0) {
            Some(index) => 64 * index + self.0[index].trailing_zeros() as usize,
            None => 64 * N,
        }
    }

    /// The same value in `M` limbs, or `None` if it doesn't fit.
    pub(crate) fn try_resize<const M: usize>(&self) -> Option<Uint<M>> {
        (self.limb_count() <= M).then(|| self.truncate())
    }

    /// The same value in `M` limbs, which the caller knows to suffice.
    pub(crate) fn resize<const M: usize>(&self) -> Uint<M> {
        debug_assert!(self.limb_count() <= M, "value does not fit");
        self.truncate()
    }

    /// The value modulo `2^(64 M)`.
    pub(crate) fn truncate<const M: usize>(&self) -> Uint<M> {
        let mut limbs = [0; M];
        let kept = N.min(M);
        limbs[..kept].copy_from_slice(&self.0[..kept]);
        Uint(limbs)
    }
}

impl<const N: usize> Ord for Uint<N> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.iter().rev().cmp(other.0.iter().rev())
    }
}

impl<const N: usize> PartialOrd for Uint<N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests;
