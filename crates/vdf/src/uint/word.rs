//! Arithmetic of single 64-bit words, named as crypto-bigint names it.

/// `a + b + carry`: the low word and the carry out.
#[inline(always)]
pub(crate) const fn carrying_add(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(carry as u64);
    (sum, first | second)
}

/// `a - b - borrow`: the low word and the borrow out.
#[inline(always)]
pub(crate) const fn borrowing_sub(a: u64, b: u64, borrow: bool) -> (u64, bool) {
    let (difference, first) = a.overflowing_sub(b);
    let (difference, second) = difference.overflowing_sub(borrow as u64);
    (difference, first | second)
}

/// `a b + c + d`: low and high word. (2^64 - 1)^2 + 2 (2^64 - 1) = 2^128 - 1, so nothing is lost.
#[inline(always)]
pub(crate) const fn carrying_mul_add(a: u64, b: u64, c: u64, d: u64) -> (u64, u64) {
    let total = a as u128 * b as u128 + c as u128 + d as u128;
    (total as u64, (total >> 64) as u64)
}

/// The inverse of an odd word modulo 2^64.
///
/// `3 a XOR 2` is right to 5 bits (Montgomery's trick); each Newton step doubles that: 10, 20, 40, 80.
#[inline(always)]
pub(crate) const fn inverse(a: u64) -> u64 {
    debug_assert!(a & 1 == 1, "only odd words have an inverse");
    let mut x = a.wrapping_mul(3) ^ 2;
    let mut round = 0;
    while round < 4 {
        x = x.wrapping_mul(2u64.wrapping_sub(a.wrapping_mul(x)));
        round += 1;
    }
    x
}
