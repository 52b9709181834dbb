//! Four lanes of 64 bits, in one vector of AVX2. A limb has a lane as wide as its column.

use super::sizes::{LANES, LIMB_BITS};
use core::arch::asm;
use core::arch::x86_64::{
    __m256i, _mm_cvtsi64_si128, _mm256_add_epi64, _mm256_and_si256, _mm256_extract_epi64, _mm256_set_epi64x,
    _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_sllv_epi64, _mm256_srl_epi64, _mm256_srli_epi64,
};

pub(super) type Limb = __m256i;
pub(super) type Column = __m256i;

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn load(words: [u64; LANES]) -> Limb {
    let [a, b, c, d] = words.map(|word| word as i64);
    _mm256_set_epi64x(d, c, b, a)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn store(limb: Limb) -> [u64; LANES] {
    [
        _mm256_extract_epi64::<0>(limb),
        _mm256_extract_epi64::<1>(limb),
        _mm256_extract_epi64::<2>(limb),
        _mm256_extract_epi64::<3>(limb),
    ]
    .map(i64::cast_unsigned)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn zero_limb() -> Limb {
    _mm256_setzero_si256()
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn zero() -> Column {
    _mm256_setzero_si256()
}

/// The product of the low 32 bits of a and b.
///
/// In assembler, since the compiler takes the intrinsic for a product of 64 bits with both operands cut, forgets one of
/// the cuts where it believes it knows better, and then multiplies twice.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn product(a: Limb, b: Limb) -> Column {
    let product: Column;
    // SAFETY: one instruction of AVX2, on registers alone.
    unsafe {
        asm!(
            "vpmuludq {product}, {a}, {b}",
            product = lateout(ymm_reg) product,
            a = in(ymm_reg) a,
            b = in(ymm_reg) b,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    product
}

/// `sum + a b`, of the low 32 bits of a and b.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn add_product(sum: Column, a: Limb, b: Limb) -> Column {
    _mm256_add_epi64(sum, product(a, b))
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn add(a: Column, b: Column) -> Column {
    _mm256_add_epi64(a, b)
}

/// Twice a limb.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn double(limb: Limb) -> Limb {
    _mm256_add_epi64(limb, limb)
}

/// A column's limb, and what it carries to the next.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn reduced(column: Column) -> (Limb, Column) {
    let mask = _mm256_set1_epi64x((1 << LIMB_BITS) - 1);
    (_mm256_and_si256(column, mask), _mm256_srli_epi64::<{ LIMB_BITS as i32 }>(column))
}

/// Each lane by its own number of bits.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn shift_left(column: Column, bits: Limb) -> Column {
    _mm256_sllv_epi64(column, bits)
}

/// Bit `index` of each word, which has 32.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn bit(words: Limb, index: usize) -> Limb {
    _mm256_and_si256(_mm256_srl_epi64(words, _mm_cvtsi64_si128(index as i64)), _mm256_set1_epi64x(1))
}
