//! Eight numbers side by side: into lanes and back.

use crate::prime::limbs::limb;
use crate::uint::Uint;
use core::arch::x86_64::{
    __m512i as Lanes, _mm512_add_epi64, _mm512_loadu_epi64, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64,
    _mm512_setzero_si512, _mm512_sllv_epi64, _mm512_srli_epi64, _mm512_storeu_epi64,
};

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

// Montgomery squaring of eight numbers at once, one a lane, with products of 52 bits (AVX-512 IFMA).
//
// A number is `L` limbs of 52 bits, least significant first; limb `j` of all eight is one vector. The instructions
// read the low 52 bits of a lane only, so what a carry has already taken from above them may stay there.

/// Bits of a limb.
pub(super) const LIMB_BITS: usize = 52;

/// Runs `$step::<I, ..>` for each of the listed rows I below the number of limbs. Written out, the columns stay in
/// registers: loops take four times as long.
macro_rules! each_row {
    ($step:ident::<$limbs:ident, $columns:ident> $arguments:tt: $($row:literal)*) => {
        $( if $row < $limbs { $step::<$row, $limbs, $columns> $arguments; } )*
    };
}

/// Replaces `a` by `a^2 2^(doubling - 52 L)` modulo m, below 3 m if `a` is. `doubling` is 0 or 1, `negated_inverse` is
/// `-m^-1` modulo 2^52, `COLUMNS` is 2 L, and `m < 2^(52 L) / 32`.
///
/// With R = 2^(52 L): `(a^2 + R m) / R 2^doubling < (9 m / R + 1) 2 m < 3 m`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn square<const L: usize, const COLUMNS: usize>(
    a: &mut [Lanes; L],
    m: &[Lanes; L],
    negated_inverse: Lanes,
    doubling: Lanes,
) {
    const { assert!(COLUMNS == 2 * L && L <= 20) };
    // A column gathers at most 2 L products of a square, as many of multiples of m, and one carry, each below 2^52.
    // With L <= 20 that is less than 81 2^52 < 2^59, twice of which fits.
    let mut columns = [_mm512_setzero_si512(); COLUMNS];
    each_row!(add_square_row::<L, COLUMNS>(&mut columns, a): 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);
    each_row!(reduce_row::<L, COLUMNS>(&mut columns, m, negated_inverse):
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);
    let mut carry = _mm512_setzero_si512();
    for j in 0..L {
        a[j] = _mm512_add_epi64(_mm512_sllv_epi64(columns[L + j], doubling), carry);
        carry = _mm512_srli_epi64::<52>(a[j]);
    }
}

/// Adds the products of limb I with those above it, which every square has twice, and its own square. Columns 2 I and 2
/// I + 1 are complete then.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn add_square_row<const I: usize, const L: usize, const COLUMNS: usize>(
    columns: &mut [Lanes; COLUMNS],
    a: &[Lanes; L],
) {
    for j in I + 1..L {
        columns[I + j] = _mm512_madd52lo_epu64(columns[I + j], a[I], a[j]);
        columns[I + j + 1] = _mm512_madd52hi_epu64(columns[I + j + 1], a[I], a[j]);
    }
    let (low, high) = (columns[2 * I], columns[2 * I + 1]);
    columns[2 * I] = _mm512_madd52lo_epu64(_mm512_add_epi64(low, low), a[I], a[I]);
    columns[2 * I + 1] = _mm512_madd52hi_epu64(_mm512_add_epi64(high, high), a[I], a[I]);
}

/// Adds the multiple of m that makes column I zero, but for what it carries into the next.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn reduce_row<const I: usize, const L: usize, const COLUMNS: usize>(
    columns: &mut [Lanes; COLUMNS],
    m: &[Lanes; L],
    negated_inverse: Lanes,
) {
    let factor = _mm512_madd52lo_epu64(_mm512_setzero_si512(), columns[I], negated_inverse);
    let carry = _mm512_srli_epi64::<52>(_mm512_madd52lo_epu64(columns[I], factor, m[0]));
    for j in 1..L {
        columns[I + j] = _mm512_madd52hi_epu64(columns[I + j], factor, m[j - 1]);
        columns[I + j] = _mm512_madd52lo_epu64(columns[I + j], factor, m[j]);
        if j == 1 {
            // the next row's factor waits for this column: the carry comes last, when both products are there
            columns[I + 1] = _mm512_add_epi64(columns[I + 1], carry);
        }
    }
    columns[I + L] = _mm512_madd52hi_epu64(columns[I + L], factor, m[L - 1]);
}

pub(super) use each_row;
