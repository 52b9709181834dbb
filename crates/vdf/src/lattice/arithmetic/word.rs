//! Arithmetic on single 64-bit words: what every loop over limbs is made of.

/// `a + b + carry`, and the carry out.
#[inline(always)]
pub(in crate::lattice) const fn carrying_add(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let (sum, overflow) = a.overflowing_add(b);
    let (sum, overflow_again) = sum.overflowing_add(carry as u64);
    (sum, overflow | overflow_again)
}

/// `a - b - borrow`, and the borrow out.
#[inline(always)]
pub(in crate::lattice) const fn borrowing_sub(a: u64, b: u64, borrow: bool) -> (u64, bool) {
    let (difference, underflow) = a.overflowing_sub(b);
    let (difference, underflow_again) = difference.overflowing_sub(borrow as u64);
    (difference, underflow | underflow_again)
}

/// `a * b` as (low, high).
#[inline(always)]
pub(in crate::lattice) const fn widening_mul(a: u64, b: u64) -> (u64, u64) {
    carrying_mul_add(a, b, 0, 0)
}

/// `a * b + carry` as (low, high): at most `(2^64 - 1)^2 + 2^64 - 1 < 2^128`.
#[inline(always)]
pub(in crate::lattice) const fn carrying_mul(a: u64, b: u64, carry: u64) -> (u64, u64) {
    carrying_mul_add(a, b, 0, carry)
}

/// `a * b + add + carry` as (low, high): at most `(2^64 - 1)^2 + 2 (2^64 - 1) = 2^128 - 1`.
#[inline(always)]
pub(in crate::lattice) const fn carrying_mul_add(a: u64, b: u64, add: u64, carry: u64) -> (u64, u64) {
    let wide = (a as u128) * (b as u128) + (add as u128) + (carry as u128);
    (wide as u64, (wide >> 64) as u64)
}

/// The inverse of an odd word modulo `2^64`, by Newton's iteration.
///
/// `3 a XOR 2` is right in 5 bits (Montgomery's start); every round doubles them: 5, 10, 20, 40, 80.
#[inline(always)]
pub(in crate::lattice) const fn inverse(odd: u64) -> u64 {
    debug_assert!(odd & 1 == 1);
    let mut estimate = odd.wrapping_mul(3) ^ 2;
    let mut round = 0;
    while round < 4 {
        estimate = estimate.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(estimate)));
        round += 1;
    }
    estimate
}

/// All ones when `condition` holds, else zero.
#[inline(always)]
pub(in crate::lattice) const fn mask(condition: bool) -> u64 {
    (condition as u64).wrapping_neg()
}

/// The upper word of `(high, low) << shift`, for `shift < 64`.
#[inline(always)]
pub(in crate::lattice) const fn shifted_high(high: u64, low: u64, shift: u32) -> u64 {
    debug_assert!(shift < 64);
    // Two shifts, since a shift by 64 (shift = 0) is not defined: low >> 1 >> 63 is 0.
    (high << shift) | ((low >> 1) >> (63 - shift))
}

/// The bits of a number, 0 for 0.
#[inline(always)]
pub(in crate::lattice) fn bit_length(limbs: &[u64]) -> u32 {
    limbs.iter().rposition(|&limb| limb != 0).map_or(0, |top| (top as u32 + 1) * 64 - limbs[top].leading_zeros())
}

// Carry chains over a number of limbs that the compiler knows.
//
// A product by one word adds the high words to the next low words in one chain, and another chain adds the product to
// its place. Multiplications that keep the flags need two additions a limb instead of four.

/// `factor limbs` over the lowest N limbs, and the limb above.
#[inline(always)]
pub(in crate::lattice) fn scale<const N: usize>(limbs: &[u64], factor: u64) -> ([u64; N], u64) {
    let limbs = &limbs[..N];
    let mut product = [0; N];
    let (mut high_below, mut carry) = (0, false);
    for limb in 0..N {
        let (low, high) = widening_mul(limbs[limb], factor);
        (product[limb], carry) = carrying_add(low, high_below, carry);
        high_below = high;
    }
    // factor limbs < 2^(64 (N + 1))
    (product, high_below.wrapping_add(u64::from(carry)))
}

/// `sum += term` over the lowest N limbs; the carry out.
#[inline(always)]
pub(in crate::lattice) fn add_assign<const N: usize>(sum: &mut [u64], term: &[u64; N]) -> bool {
    let sum = &mut sum[..N];
    let mut carry = false;
    for limb in 0..N {
        (sum[limb], carry) = carrying_add(sum[limb], term[limb], carry);
    }
    carry
}

/// `difference -= term` over the lowest N limbs; the borrow out.
#[inline(always)]
pub(in crate::lattice) fn sub_assign<const N: usize>(difference: &mut [u64], term: &[u64; N]) -> bool {
    let difference = &mut difference[..N];
    let mut borrow = false;
    for limb in 0..N {
        (difference[limb], borrow) = borrowing_sub(difference[limb], term[limb], borrow);
    }
    borrow
}
