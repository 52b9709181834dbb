//! Eight numbers side by side: into lanes and back.

use super::square::LIMB_BITS;
use crate::prime::limbs::limb;
use crate::uint::Uint;
use core::arch::x86_64::{__m512i as Lanes, _mm512_loadu_epi64, _mm512_storeu_epi64};

/// Numbers at once.
pub(super) const LANES: usize = 8;

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load(words: [u64; LANES]) -> Lanes {
    // SAFETY: reads the 64 bytes of `words`.
    unsafe { _mm512_loadu_epi64(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn store(lanes: Lanes) -> [u64; LANES] {
    let mut words = [0; LANES];
    // SAFETY: writes the 64 bytes of `words`.
    unsafe { _mm512_storeu_epi64(words.as_mut_ptr().cast(), lanes) }
    words
}

/// Word `index` of each number.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn word<const N: usize>(numbers: &[Uint<N>; LANES], index: usize) -> Lanes {
    load(core::array::from_fn(|lane| numbers[lane].0[index]))
}

/// The numbers in `L` limbs of 52 bits; what lies beyond `52 L` bits is cut off.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn split<const N: usize, const L: usize>(numbers: &[Uint<N>; LANES]) -> [Lanes; L] {
    let mut limbs = [load([0; LANES]); L];
    for (j, vector) in limbs.iter_mut().enumerate() {
        *vector = load(core::array::from_fn(|lane| limb(&numbers[lane], j, LIMB_BITS)));
    }
    limbs
}
