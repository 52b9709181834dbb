//! Montgomery squaring of four numbers at once, one a lane, in doubles.
//!
//! A number is `LIMBS` limbs of 51 bits, least significant first, each an integral double; limb `j` of all four stands in one vector. A
//! product of two limbs has 102 bits. A fused multiply-add to a large constant leaves its rounded upper half, a second one, which
//! takes that away, its lower half, both exactly and in the low bits of the doubles' words: those are added as integers, and the
//! constants' words subtracted all at once (N. Emmart, F. Zheng, C. Weems: "Faster Modular Exponentiation Using Double Precision
//! Floating Point Arithmetic on the GPU", ARITH 2018; there with rounding toward zero, here to nearest, hence with signs).

use core::arch::x86_64::{
    __m256d as Doubles, __m256i as Words, _mm256_add_epi64, _mm256_and_si256, _mm256_castpd_si256, _mm256_castsi256_pd,
    _mm256_fmadd_pd, _mm256_or_si256, _mm256_set1_epi64x, _mm256_set1_pd, _mm256_sllv_epi64, _mm256_srli_epi64,
    _mm256_sub_pd,
};

/// Bits of a limb.
pub(super) const LIMB_BITS: usize = 51;

/// 1071 bits: a discriminant, and 47 bits of slack.
pub(super) const LIMBS: usize = 21;

const COLUMNS: usize = 2 * LIMBS;

/// 1.5 2^103: around it doubles are multiples of 2^51. The low 51 bits of its word are zero.
const HIGH: f64 = 1.5 * (1_u128 << 103) as f64;

/// 1.5 2^52: around it doubles are integers. The low 51 bits of its word are zero.
const LOW: f64 = 1.5 * (1_u64 << 52) as f64;

/// Every column has this added, and 2^(58 - 51) subtracted for the column below it, so that it is positive and shifts bring the right
/// carries.
const BIAS: u64 = 1 << 58;

/// Minus the constants of the products of two different limbs, before they are doubled.
static BEFORE_DOUBLING: [u64; COLUMNS] = offsets(false);

/// Minus the constants of the other products, and the bias.
static AFTER_DOUBLING: [u64; COLUMNS] = offsets(true);

const fn offsets(after_doubling: bool) -> [u64; COLUMNS] {
    let mut offsets = [0_u64; COLUMNS];
    let mut i = 0;
    while i < LIMBS {
        let mut j = 0;
        while j < LIMBS {
            // squares of limbs and the multiples of m; or the products of a row of the square
            let products = if after_doubling { 1 + (i == j) as u64 } else { (j > i) as u64 };
            offsets[i + j] = offsets[i + j].wrapping_sub(products.wrapping_mul(LOW.to_bits()));
            offsets[i + j + 1] = offsets[i + j + 1].wrapping_sub(products.wrapping_mul(HIGH.to_bits()));
            j += 1;
        }
        i += 1;
    }
    let mut column = 0;
    while after_doubling && column < COLUMNS {
        let below = if column == 0 { 0 } else { BIAS >> LIMB_BITS };
        offsets[column] = offsets[column].wrapping_add(BIAS - below);
        column += 1;
    }
    offsets
}

/// Runs `$step::<I>` for each of the listed rows I. Written out, the columns stay in registers: loops take a fifth more.
macro_rules! each_row {
    ($step:ident $arguments:tt: $($row:literal)*) => {
        $( $step::<$row> $arguments; )*
    };
}

/// Moduli, as doubles and as words.
pub(super) struct Moduli {
    pub(super) doubles: [Doubles; LIMBS],
    pub(super) words: [Words; LIMBS],
    /// `-m^-1` modulo 2^51
    pub(super) negated_inverse: Doubles,
}

/// Replaces `a` by `a^2 2^doubling / R` modulo m, R = 2^1071, below 4 m if `a` is. `doubling` is 0 or 1, and m < 2^1024 is odd.
///
/// With factors of both signs the multiple q of m that is added has |q| < 0.51 R; with one m more, a^2 < 16 m^2 and m / R < 2^-47 the
/// result is above 0.49 m and below 1.52 m, doubled 3.04 m.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn square(a: &mut [Doubles; LIMBS], m: &Moduli, doubling: Words) {
    // A limb is below 2^51, a factor at most 2^50 in size. So a column's 21 upper halves of the square are below 2^51, all its other
    // halves at most 2^50 in size: its sum stays between -63 2^50 > -2^56 and 105 2^50 < 2^57, with bias and carry positive and below
    // 2^59, twice of which fits.
    let mut columns = BEFORE_DOUBLING.map(|offset| _mm256_set1_epi64x(offset as i64));
    each_row!(add_square_row(&mut columns, a): 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20);
    for (column, offset) in columns.iter_mut().zip(AFTER_DOUBLING) {
        *column = _mm256_add_epi64(*column, _mm256_set1_epi64x(offset as i64));
    }
    each_row!(reduce_row(&mut columns, m): 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20);
    // what the last column has of the bias lies above its 51 bits
    let mut carry = _mm256_set1_epi64x(0);
    for j in 0..LIMBS {
        let column = _mm256_sllv_epi64(_mm256_add_epi64(columns[LIMBS + j], m.words[j]), doubling);
        let column = _mm256_add_epi64(column, carry);
        carry = _mm256_srli_epi64::<{ LIMB_BITS as i32 }>(column);
        a[j] = to_double(column);
    }
}

/// The lower and the upper half of `a b`, of at most 102 bits, as words around those of `LOW` and `HIGH`.
///
/// `high = HIGH + 2^51 h` with |a b - 2^51 h| <= 2^50; then `HIGH + LOW - high = LOW - 2^51 h` is exact, being a multiple of 2^51 of at
/// most 53 bits, and so is the sum with a b, an integer within 2^50 of `LOW`.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn product(a: Doubles, b: Doubles) -> (Words, Words) {
    let high = _mm256_fmadd_pd(a, b, _mm256_set1_pd(HIGH));
    let low = _mm256_fmadd_pd(a, b, _mm256_sub_pd(_mm256_set1_pd(HIGH + LOW), high));
    (_mm256_castpd_si256(low), _mm256_castpd_si256(high))
}

/// The low 51 bits of a word as a double: they are put below the exponent of 2^52.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn to_double(words: Words) -> Doubles {
    let power = _mm256_set1_epi64x(((1_u64 << 52) as f64).to_bits() as i64);
    let low_bits = _mm256_and_si256(words, _mm256_set1_epi64x((1 << LIMB_BITS) - 1));
    _mm256_sub_pd(_mm256_castsi256_pd(_mm256_or_si256(low_bits, power)), _mm256_castsi256_pd(power))
}

/// Adds the products of limb I with those above it, which every square has twice, and its own square; columns 2 I and 2 I + 1 are
/// complete then.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn add_square_row<const I: usize>(columns: &mut [Words; COLUMNS], a: &[Doubles; LIMBS]) {
    for j in I + 1..LIMBS {
        let (low, high) = product(a[I], a[j]);
        columns[I + j] = _mm256_add_epi64(columns[I + j], low);
        columns[I + j + 1] = _mm256_add_epi64(columns[I + j + 1], high);
    }
    for (column, half) in [2 * I, 2 * I + 1].into_iter().zip(<[Words; 2]>::from(product(a[I], a[I]))) {
        columns[column] = _mm256_add_epi64(_mm256_add_epi64(columns[column], columns[column]), half);
    }
}

/// Adds the multiple of m that makes column I zero, but for what it carries into the next.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn reduce_row<const I: usize>(columns: &mut [Words; COLUMNS], m: &Moduli) {
    // the factor is the lower half of a product, with its sign: at most 2^50 in size
    let column = to_double(columns[I]);
    let high = _mm256_fmadd_pd(column, m.negated_inverse, _mm256_set1_pd(HIGH));
    let factor = _mm256_fmadd_pd(column, m.negated_inverse, _mm256_sub_pd(_mm256_set1_pd(HIGH), high));
    let (low, high) = product(factor, m.doubles[0]);
    let carry = _mm256_srli_epi64::<{ LIMB_BITS as i32 }>(_mm256_add_epi64(columns[I], low));
    columns[I + 1] = _mm256_add_epi64(columns[I + 1], high);
    for j in 1..LIMBS {
        let (low, high) = product(factor, m.doubles[j]);
        columns[I + j] = _mm256_add_epi64(columns[I + j], low);
        if j == 1 {
            // the next row's factor waits for this column: the carry comes last
            columns[I + 1] = _mm256_add_epi64(columns[I + 1], carry);
        }
        columns[I + j + 1] = _mm256_add_epi64(columns[I + j + 1], high);
    }
}
