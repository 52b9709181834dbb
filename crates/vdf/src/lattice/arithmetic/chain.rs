//! Carry chains over a number of limbs that the compiler knows.
//!
//! A product by one word adds the high words to the next low words in one chain, and another chain adds the product to
//! its place. Multiplications that keep the flags need two additions a limb instead of four.

use super::word::{borrowing_sub, carrying_add, widening_mul};

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
