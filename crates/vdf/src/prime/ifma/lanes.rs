//! Eight numbers side by side: into lanes and back.

use super::square::LIMB_BITS;
use crate::uint::Uint;
use core::arch::x86_64::{__m512i as Lanes, _mm512_loadu_epi64, _mm512_storeu_epi64};

/// Numbers at once.
pub(super) const LANES: usize = 8;

const LIMB_MASK: u64 = (1 << LIMB_BITS) - 1;

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
    for (j, limb) in limbs.iter_mut().enumerate() {
        *limb = load(core::array::from_fn(|lane| limb_52(&numbers[lane], j)));
    }
    limbs
}

/// The 52 bits of `n` from `52 j` on.
fn limb_52<const N: usize>(n: &Uint<N>, j: usize) -> u64 {
    let (word, shift) = (LIMB_BITS * j / 64, LIMB_BITS * j % 64);
    let at = |index: usize| n.0.get(index).copied().unwrap_or(0);
    // two shifts, since one by 64 is none
    (at(word) >> shift | at(word + 1) << 1 << (63 - shift)) & LIMB_MASK
}

/// The number of one lane, modulo 2^(64 N), and what lies above.
pub(super) fn join<const N: usize, const L: usize>(limbs: &[[u64; LANES]; L], lane: usize) -> (u64, Uint<N>) {
    let mut words = [0; N];
    let mut above = 0;
    for (j, limb) in limbs.iter().enumerate() {
        let limb = limb[lane] & LIMB_MASK;
        let (word, shift) = (LIMB_BITS * j / 64, LIMB_BITS * j % 64);
        for (index, part) in [(word, limb << shift), (word + 1, limb >> 1 >> (63 - shift))] {
            match words.get_mut(index) {
                Some(word) => *word |= part,
                None => above |= part,
            }
        }
    }
    (above, Uint(words))
}
