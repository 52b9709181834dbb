//! Limbs of other lengths than 64 bits.

use crate::uint::Uint;

/// The `bits` bits of `n` from `bits index` on, for less than 64.
pub(super) fn limb<const N: usize>(n: &Uint<N>, index: usize, bits: usize) -> u64 {
    let (word, shift) = (bits * index / 64, bits * index % 64);
    let at = |index: usize| n.0.get(index).copied().unwrap_or(0);
    // two shifts, since one by 64 is none
    (at(word) >> shift | at(word + 1) << 1 << (63 - shift)) & mask(bits)
}

/// The number that limbs of `bits` bits make, modulo 2^(64 N), and what lies above. Higher bits of a limb are ignored.
pub(super) fn join<const N: usize>(limbs: impl Iterator<Item = u64>, bits: usize) -> (u64, Uint<N>) {
    let mut words = [0; N];
    let mut above = 0;
    for (j, limb) in limbs.enumerate() {
        let limb = limb & mask(bits);
        let (word, shift) = (bits * j / 64, bits * j % 64);
        for (index, part) in [(word, limb << shift), (word + 1, limb >> 1 >> (63 - shift))] {
            match words.get_mut(index) {
                Some(word) => *word |= part,
                None => above |= part,
            }
        }
    }
    (above, Uint(words))
}

const fn mask(bits: usize) -> u64 {
    (1 << bits) - 1
}
