//! Four lanes of 64 bits, in one vector of AVX2. A limb has a lane as wide as its column.

use super::sizes::{LANES, LIMB_BITS};
use core::arch::asm;
use core::arch::x86_64::{
    __m256i, _mm_cvtsi64_si128, _mm256_add_epi64, _mm256_and_si256, _mm256_castsi256_pd, _mm256_cmpgt_epi64,
    _mm256_extract_epi64, _mm256_movemask_pd, _mm256_mul_epu32, _mm256_or_si256, _mm256_set_epi64x, _mm256_set1_epi32,
    _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_sllv_epi64, _mm256_srl_epi64, _mm256_srli_epi64, _mm256_sub_epi64,
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
fn product(a: Limb, b: Limb) -> Column {
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

// For the sieve.

/// `sum + a factor`, with one factor for all lanes.
///
/// The instruction itself, with limbs from memory: neither operand is one that the compiler knows more of.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn add_multiple(sum: Column, a: Limb, factor: u32) -> Column {
    _mm256_add_epi64(sum, _mm256_mul_epu32(a, _mm256_set1_epi32(factor.cast_signed())))
}

/// All ones in a lane whose sum one of two primes divides. They come with their product below 2^31 and its inverse
/// modulo 2^32, and each as its inverse and the largest quotient by it; a sum is below 2^63.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn divides([both, inverse]: [u32; 2], primes: [[u32; 2]; 2], sum: Column) -> Limb {
    let broadcast = |word: u32| _mm256_set1_epi64x(i64::from(word));
    // A multiple of the product with the same low word. So the difference is 2^32 times that of the high words, which
    // is above minus the product and below 2^31: with the product it is from 1 to 2^32.
    let multiple = product(product(sum, broadcast(inverse)), broadcast(both));
    let difference = _mm256_sub_epi64(_mm256_srli_epi64::<32>(sum), _mm256_srli_epi64::<32>(multiple));
    let residue = _mm256_add_epi64(difference, broadcast(both));
    let [first, second] = primes.map(|[inverse, largest]| {
        let quotient = _mm256_and_si256(product(residue, broadcast(inverse)), broadcast(u32::MAX));
        _mm256_cmpgt_epi64(_mm256_set1_epi64x(i64::from(largest) + 1), quotient)
    });
    _mm256_or_si256(first, second)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn or(a: Limb, b: Limb) -> Limb {
    _mm256_or_si256(a, b)
}

/// A bit a lane: whether it is all ones, and not all zeros.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn bits(lanes: Limb) -> u8 {
    _mm256_movemask_pd(_mm256_castsi256_pd(lanes)).cast_unsigned() as u8
}
