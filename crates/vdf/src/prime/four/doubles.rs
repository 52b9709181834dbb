//! Montgomery squaring of four numbers at once, one a lane of AVX2, with products of 47 bits in doubles.
//!
//! A number is `L` limbs of 47 bits and a sign, least significant first; limb `j` of all four is one vector. A fused
//! multiplication adds a product to a sum that is rounded to multiples of 2^47. A second one finds what the rounding
//! left, exactly. So a product takes four instructions. Integers take two, but for 28 bits.
//!
//! What is reduced by is a multiple of the modulus n, `m = 2^47 M - 1`, as in `lanes.rs`.

use super::avx2;
use super::blocks::{ROWS, Vector, add_square, reduce};
use super::sizes::LANES;
use crate::prime::limbs::{join, limb};
use crate::uint::Uint;
use core::arch::x86_64::{
    __m256d, _mm256_add_epi64, _mm256_add_pd, _mm256_castpd_si256, _mm256_castsi256_pd, _mm256_fmadd_pd, _mm256_mul_pd,
    _mm256_set1_pd, _mm256_setzero_pd, _mm256_slli_epi64, _mm256_sub_pd,
};

/// Bits of a limb, whose magnitude is at most 2^46, and 2^6 more where it has taken a carry.
pub(super) const LIMB_BITS: usize = 47;

type Limb = __m256d;

/// `1.5 2^99`: what is near is a multiple of 2^47.
const ROUNDER: f64 = power_of_two(98) + power_of_two(99);
/// 2^-47
const SCALE: f64 = power_of_two(-47);

const fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits((1023 + exponent).cast_unsigned() << 52)
}

/// A sum of products: `high - ROUNDER + low`, but that `low` also has `-ROUNDER 2^-47`, for the `high` of the column
/// before, which adds its 2^47th part.
///
/// A column gathers at most L products of a square, where doubled ones count twice, and L - 1 of multiples of M, each
/// below 2^92 (1 + 2^-38). With L <= 23 that is less than 2^98, so that `high` is from 2^99 to 2^100. A rounding leaves
/// at most 2^46: 34 of them, half of those of a square as doubled ones count once, are below 2^51.1. With the 2^47th
/// part of the column before, below 2^50.6, and a carry, that is less than 2^52: all sums are exact, also doubled.
#[derive(Clone, Copy)]
struct Column {
    high: __m256d,
    low: __m256d,
}

enum Doubles {}

// SAFETY of all: only code that has AVX2 and FMA calls them.
impl Vector for Doubles {
    type Limb = Limb;
    type Column = Column;
    type Carry = __m256d;

    #[inline(always)]
    fn zero_limb() -> Limb {
        unsafe { _mm256_setzero_pd() }
    }

    #[inline(always)]
    fn no_carry() -> __m256d {
        Self::zero_limb()
    }

    #[inline(always)]
    fn add_product(sum: Column, a: Limb, b: Limb) -> Column {
        unsafe {
            let high = _mm256_fmadd_pd(a, b, sum.high);
            let rest = _mm256_fmadd_pd(a, b, _mm256_sub_pd(sum.high, high));
            Column { high, low: _mm256_add_pd(sum.low, rest) }
        }
    }

    #[inline(always)]
    fn add(column: Column, carry: __m256d) -> Column {
        Column { low: unsafe { _mm256_add_pd(column.low, carry) }, ..column }
    }

    #[inline(always)]
    fn double(limb: Limb) -> Limb {
        unsafe { _mm256_add_pd(limb, limb) }
    }

    /// The column has what the one before adds to it.
    #[inline(always)]
    fn reduced(column: Column) -> (Limb, __m256d) {
        unsafe {
            let (limb, multiple) = rounded(column.low);
            let scale = _mm256_set1_pd(SCALE);
            (limb, _mm256_fmadd_pd(multiple, scale, _mm256_mul_pd(column.high, scale)))
        }
    }
}

/// The nearest multiple of 2^47, last, and what is beside it.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn rounded(value: __m256d) -> (Limb, __m256d) {
    let rounder = _mm256_set1_pd(ROUNDER);
    let multiple = _mm256_sub_pd(_mm256_add_pd(value, rounder), rounder);
    (_mm256_sub_pd(value, multiple), multiple)
}

/// The numbers in `L` limbs, which have a bit to spare.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn split<const N: usize, const L: usize>(numbers: &[Uint<N>; LANES]) -> [Limb; L] {
    let mut carries = [0; LANES];
    core::array::from_fn(|j| {
        let words = core::array::from_fn(|lane| {
            let sum = limb(&numbers[lane], j, LIMB_BITS) + carries[lane];
            carries[lane] = (sum + (1 << (LIMB_BITS - 1))) >> LIMB_BITS;
            (sum.cast_signed() - (carries[lane] << LIMB_BITS).cast_signed()) as f64
        });
        from_words(words)
    })
}

#[inline]
#[target_feature(enable = "avx2")]
fn from_words(words: [f64; LANES]) -> Limb {
    _mm256_castsi256_pd(avx2::load(words.map(f64::to_bits)))
}

/// Replaces `a` by `a^2 2^(doubling - 47 L)` modulo m, of a magnitude below 2 m if that of `a` is. `doubling` is 0 or 1,
/// `reducer` is M, whose highest limb is zero, and `m < 2^(47 L) / 32`. `COLUMNS` is 2 L.
///
/// With R = 2^(47 L) and a factor q of limbs from -2^46 to 2^46: `|a^2 + q m| / R 2^doubling < (4 m / R + 0.51) 2 m < 2 m`.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn square<const L: usize, const COLUMNS: usize, const REST: usize>(
    a: &mut [Limb; L],
    reducer: &[Limb; L],
    doubling: avx2::Limb,
) {
    const { assert!(COLUMNS == 2 * L && L <= 23 && L % ROWS == REST % ROWS && REST >= 3 && REST < L) };
    // One or two: doublings are added to the exponent. A zero that the compiler does not know keeps it from `memset`.
    let factor = _mm256_castpd_si256(_mm256_set1_pd(1.0));
    let factor = _mm256_castsi256_pd(_mm256_add_epi64(factor, _mm256_slli_epi64::<52>(doubling)));
    let offset = _mm256_set1_pd(ROUNDER * SCALE);
    let zero = Column { high: _mm256_set1_pd(ROUNDER), low: _mm256_sub_pd(_mm256_sub_pd(factor, factor), offset) };
    let mut columns = [zero; COLUMNS];
    columns[0].low = _mm256_setzero_pd();
    add_square::<Doubles, REST>(&mut columns, a);
    let last = reduce::<Doubles, L, COLUMNS, REST>(&mut columns, reducer);
    finish(a, &columns[L..], &last, &reducer[..L - 1], factor);
}

/// Sets `limbs` to the columns with the products of the last rows and M, times `factor`. The highest carries nothing,
/// as the number is far below R. A carry is not handed on further, so that no limb waits for another.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn finish<const L: usize, const REST: usize>(
    limbs: &mut [Limb; L],
    columns: &[Column],
    factors: &[Limb; REST],
    m: &[Limb],
    factor: __m256d,
) {
    let (columns, scale) = (&columns[..L], _mm256_set1_pd(SCALE));
    // of the column before; the first has got it already
    let (mut high, mut multiple) = (_mm256_setzero_pd(), _mm256_setzero_pd());
    for j in 0..L {
        let mut column = columns[j];
        for i in 0..REST {
            if j + REST - 1 - i < m.len() {
                column = Doubles::add_product(column, factors[i], m[j + REST - 1 - i]);
            }
        }
        let value = _mm256_mul_pd(_mm256_fmadd_pd(high, scale, column.low), factor);
        let (limb, above) = rounded(value);
        limbs[j] = _mm256_fmadd_pd(multiple, scale, limb);
        (high, multiple) = (column.high, above);
    }
}

/// A lane's number, modulo m and below 4 m: what lies above 2^(64 N), and the rest.
pub(super) fn value<const N: usize, const L: usize>(a: &[Limb; L], reducer: &[Limb; L], lane: usize) -> (u64, Uint<N>) {
    let word = |limb: Limb| {
        // SAFETY: there is a vector of AVX2.
        let words = unsafe { avx2::store(_mm256_castpd_si256(limb)) };
        f64::from_bits(words[lane]) as i64
    };
    let mut carry = -2;
    let limbs = (0..L).map(|j| {
        // 2 m is 2^48 M - 2
        let sum = word(a[j]) + j.checked_sub(1).map_or(0, |below| 2 * word(reducer[below])) + carry;
        carry = sum >> LIMB_BITS;
        sum.cast_unsigned()
    });
    join(limbs, LIMB_BITS)
}
