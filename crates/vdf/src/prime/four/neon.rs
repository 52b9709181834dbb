//! Four lanes, in vectors of NEON: limbs of 32 bits in one, columns of 64 bits in two.

// SAFETY of this file: all aarch64 targets with a standard library have NEON, and the intrinsics only compute.

use super::sizes::{LANES, LIMB_BITS};
use core::arch::aarch64::{
    uint32x4_t, uint64x2_t, vaddq_u32, vaddq_u64, vaddvq_u32, vandq_u32, vcleq_u32, vdupq_n_s32, vdupq_n_u32,
    vdupq_n_u64, vget_low_u32, vgetq_lane_u32, vmovl_high_u32, vmovl_u32, vmull_high_n_u32, vmull_n_u32, vmulq_n_u32,
    vorrq_u32, vreinterpretq_s64_u64, vreinterpretq_u32_u64, vsetq_lane_u32, vshlq_u32, vshlq_u64, vshrq_n_u64,
    vsubq_u32, vuzp1q_u32, vuzp2q_u32,
};
use core::arch::asm;

pub(super) type Limb = uint32x4_t;

/// The first two lanes, and the others.
#[derive(Clone, Copy)]
pub(super) struct Column(uint64x2_t, uint64x2_t);

/// The low 32 bits of each word.
#[inline(always)]
pub(super) fn load(words: [u64; LANES]) -> Limb {
    let [a, b, c, d] = words.map(|word| word as u32);
    unsafe {
        let limb = vsetq_lane_u32::<1>(b, vdupq_n_u32(a));
        vsetq_lane_u32::<3>(d, vsetq_lane_u32::<2>(c, limb))
    }
}

#[inline(always)]
pub(super) fn store(limb: Limb) -> [u64; LANES] {
    unsafe {
        [vgetq_lane_u32::<0>(limb), vgetq_lane_u32::<1>(limb), vgetq_lane_u32::<2>(limb), vgetq_lane_u32::<3>(limb)]
    }
    .map(u64::from)
}

#[inline(always)]
pub(super) fn zero_limb() -> Limb {
    unsafe { vdupq_n_u32(0) }
}

#[inline(always)]
pub(super) fn zero() -> Column {
    unsafe { Column(vdupq_n_u64(0), vdupq_n_u64(0)) }
}

/// `sum + a b`.
///
/// In assembler, since the compiler moves the high halves into vectors of their own, and adds some products by another
/// instruction: a third more of them.
#[inline(always)]
pub(super) fn add_product(mut sum: Column, a: Limb, b: Limb) -> Column {
    unsafe {
        asm!(
            "umlal {first:v}.2d, {a:v}.2s, {b:v}.2s",
            "umlal2 {others:v}.2d, {a:v}.4s, {b:v}.4s",
            first = inout(vreg) sum.0,
            others = inout(vreg) sum.1,
            a = in(vreg) a,
            b = in(vreg) b,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    sum
}

#[inline(always)]
pub(super) fn add(a: Column, b: Column) -> Column {
    unsafe { Column(vaddq_u64(a.0, b.0), vaddq_u64(a.1, b.1)) }
}

/// Twice a limb.
#[inline(always)]
pub(super) fn double(limb: Limb) -> Limb {
    unsafe { vaddq_u32(limb, limb) }
}

/// A column's limb, and what it carries to the next.
#[inline(always)]
pub(super) fn reduced(column: Column) -> (Limb, Column) {
    const BITS: i32 = LIMB_BITS as i32;
    unsafe {
        let low = low_words(column);
        let carry = Column(vshrq_n_u64::<BITS>(column.0), vshrq_n_u64::<BITS>(column.1));
        (vandq_u32(low, vdupq_n_u32((1 << LIMB_BITS) - 1)), carry)
    }
}

/// Each lane by its own number of bits.
#[inline(always)]
pub(super) fn shift_left(column: Column, bits: Limb) -> Column {
    unsafe {
        let (first, others) = (vmovl_u32(vget_low_u32(bits)), vmovl_high_u32(bits));
        Column(vshlq_u64(column.0, vreinterpretq_s64_u64(first)), vshlq_u64(column.1, vreinterpretq_s64_u64(others)))
    }
}

/// Bit `index` of each word.
#[inline(always)]
pub(super) fn bit(words: Limb, index: usize) -> Limb {
    // negative counts shift right
    unsafe { vandq_u32(vshlq_u32(words, vdupq_n_s32(-(index as i32))), vdupq_n_u32(1)) }
}

#[inline(always)]
fn low_words(column: Column) -> Limb {
    unsafe { vuzp1q_u32(vreinterpretq_u32_u64(column.0), vreinterpretq_u32_u64(column.1)) }
}

#[inline(always)]
fn high_words(column: Column) -> Limb {
    unsafe { vuzp2q_u32(vreinterpretq_u32_u64(column.0), vreinterpretq_u32_u64(column.1)) }
}

// For the sieve.

/// `sum + a factor`, with one factor for all lanes.
#[inline(always)]
pub(super) fn add_multiple(sum: Column, a: Limb, factor: u32) -> Column {
    add_product(sum, a, unsafe { vdupq_n_u32(factor) })
}

/// All ones in a lane whose sum one of two primes divides. They come with their product below 2^31 and its inverse
/// modulo 2^32, and each as its inverse and the largest quotient by it; a sum is below 2^63.
#[inline(always)]
pub(super) fn divides([both, inverse]: [u32; 2], primes: [[u32; 2]; 2], sum: Column) -> Limb {
    unsafe {
        // A multiple of the product with the same low word. So the difference is 2^32 times that of the high words,
        // which is above minus the product and below 2^31: with the product it is from 1 to 2^32 - 1.
        let factor = vmulq_n_u32(low_words(sum), inverse);
        let multiple = Column(vmull_n_u32(vget_low_u32(factor), both), vmull_high_n_u32(factor, both));
        let residue = vaddq_u32(vsubq_u32(high_words(sum), high_words(multiple)), vdupq_n_u32(both));
        let [first, second] =
            primes.map(|[inverse, largest]| vcleq_u32(vmulq_n_u32(residue, inverse), vdupq_n_u32(largest)));
        vorrq_u32(first, second)
    }
}

#[inline(always)]
pub(super) fn or(a: Limb, b: Limb) -> Limb {
    unsafe { vorrq_u32(a, b) }
}

/// A bit a lane: whether it is all ones, and not all zeros.
#[inline(always)]
pub(super) fn bits(lanes: Limb) -> u8 {
    unsafe { vaddvq_u32(vandq_u32(lanes, load([1, 2, 4, 8]))) as u8 }
}
