//! The odd coefficient A as a modulus: `C v / 2^r mod A` from below by Montgomery's reduction, then from above by
//! Knuth's division.

use super::rows::MAX_LIMBS;
use super::word::{add_assign, scale, sub_assign};
use super::word::{borrowing_sub, carrying_add, inverse, widening_mul};

/// Limbs of a product of two numbers of [`MAX_LIMBS`], and room for what Montgomery's reduction adds: `m A < 2^r A`, r
/// at most [`MAX_HALVINGS`].
const PRODUCT_LIMBS: usize = 2 * MAX_LIMBS + 3;

/// The most halvings [`Modulus::scaled_product`] makes.
///
/// `m A < 2^(640 + 560) = 2^1200` stays below [`PRODUCT_LIMBS`] limbs.
pub(in crate::lattice) const MAX_HALVINGS: u32 = 640;

/// An odd modulus of 8 or 9 limbs, below `2^560`.
#[derive(Clone)]
pub(in crate::lattice) struct Modulus {
    pub(in crate::lattice) value: [u64; MAX_LIMBS],
    /// 8 or 9.
    limbs: usize,
    /// The inverse of the value modulo `2^64`.
    pub(in crate::lattice) inverse: u64,
    /// The value shifted to have its highest bit set; `leading_zeros` is the shift.
    normalized: [u64; MAX_LIMBS],
    leading_zeros: u32,
    /// `floor((2^192 - 1) / (highest two limbs)) - 2^64` of the normalized value: Möller and Granlund, "Improved
    /// division by invariant integers", 2011.
    reciprocal: u64,
}

impl Modulus {
    /// None unless `2^448 <= value < 2^560`.
    #[inline(always)]
    pub(in crate::lattice) fn new(value: &[u64; MAX_LIMBS]) -> Option<Self> {
        debug_assert!(value[0] & 1 == 1);
        if value[7] | value[8] == 0 || value[8] >> 48 != 0 {
            return None;
        }
        let limbs = if value[8] == 0 { 8 } else { 9 };
        let leading_zeros = value[limbs - 1].leading_zeros();
        let normalized = shift_left(value, leading_zeros);
        let reciprocal = reciprocal(normalized[limbs - 1], normalized[limbs - 2]);
        Some(Self { value: *value, limbs, inverse: inverse(value[0]), normalized, leading_zeros, reciprocal })
    }

    /// The bit length of the modulus.
    #[inline(always)]
    pub(in crate::lattice) fn bits(&self) -> u32 {
        (if self.limbs == 8 { 512 } else { 576 }) - self.leading_zeros
    }

    /// `x y / 2^halvings` modulo the modulus, in `[0, modulus)`, for `halvings <= MAX_HALVINGS`.
    #[inline(always)]
    pub(in crate::lattice) fn scaled_product(
        &self,
        x: &[u64; MAX_LIMBS],
        y: &[u64; MAX_LIMBS],
        halvings: u32,
    ) -> [u64; MAX_LIMBS] {
        debug_assert!(halvings <= MAX_HALVINGS);
        if self.limbs == 8 {
            self.scaled_product_of::<8>(x, y, halvings)
        } else {
            self.scaled_product_of::<9>(x, y, halvings)
        }
    }

    #[inline(always)]
    fn scaled_product_of<const N: usize>(
        &self,
        x: &[u64; MAX_LIMBS],
        y: &[u64; MAX_LIMBS],
        halvings: u32,
    ) -> [u64; MAX_LIMBS] {
        let mut product = multiply(x, y);
        self.clear_from_below::<N>(&mut product, halvings);
        self.reduce_from_above::<N>(&product, halvings)
    }

    /// Adds a multiple of the modulus that makes the lowest `halvings` bits zero.
    #[inline(always)]
    fn clear_from_below<const N: usize>(&self, product: &mut [u64; PRODUCT_LIMBS], halvings: u32) {
        let negative_inverse = self.inverse.wrapping_neg();
        let (whole, rest) = ((halvings / 64) as usize, halvings % 64);
        let mut carry_above = false;
        for low in 0..=whole {
            let bits = if low < whole { u64::MAX } else { !(u64::MAX << rest) };
            let digit = product[low].wrapping_mul(negative_inverse) & bits;
            let (multiple, top) = scale::<N>(&self.value, digit);
            let window = &mut product[low..=low + N];
            let carry = add_assign(window, &multiple);
            // top <= 2^64 - 2: a product of words has no room for more.
            (window[N], carry_above) = carrying_add(window[N], top + u64::from(carry), carry_above);
        }
        for limb in &mut product[whole + N + 1..] {
            if !carry_above {
                break;
            }
            (*limb, carry_above) = carrying_add(*limb, 0, carry_above);
        }
        debug_assert!(!carry_above, "x y + m A < 2^1152 + 2^1200");
    }

    /// `product / 2^halvings mod modulus`, by division digit by digit, both scaled by the normalizing shift.
    #[inline(always)]
    fn reduce_from_above<const N: usize>(&self, product: &[u64; PRODUCT_LIMBS], halvings: u32) -> [u64; MAX_LIMBS] {
        // product 2^leading_zeros / 2^halvings: the bits that are shifted out are zero.
        let (whole, rest) = ((halvings / 64) as usize, halvings % 64);
        let mut rest_limbs = [0; PRODUCT_LIMBS + 2];
        for (limb, out) in rest_limbs[..PRODUCT_LIMBS + 1 - whole].iter_mut().enumerate() {
            let at = |index: usize| product.get(index).copied().unwrap_or(0);
            let (here, above) = (at(whole + limb), at(whole + limb + 1));
            let below = if limb == 0 { 0 } else { at(whole + limb - 1) };
            *out = if self.leading_zeros >= rest {
                let shift = self.leading_zeros - rest;
                (here << shift) | ((below >> 1) >> (63 - shift))
            } else {
                let shift = rest - self.leading_zeros;
                (here >> shift) | (above << (64 - shift))
            };
        }
        let mut top = PRODUCT_LIMBS + 1 - whole;
        while top > N && rest_limbs[top - 1] == 0 {
            top -= 1;
        }
        // Invariant: the limbs from `position + 1` to `position + N` are below the modulus, and those above are zero.
        for position in (0..=top.saturating_sub(N)).rev() {
            self.divide_step::<N>(&mut rest_limbs[position..]);
        }
        let mut remainder = [0; MAX_LIMBS];
        for limb in 0..N {
            let above = if limb + 1 < N { rest_limbs[limb + 1] } else { 0 };
            remainder[limb] = (rest_limbs[limb] >> self.leading_zeros) | ((above << 1) << (63 - self.leading_zeros));
        }
        remainder
    }

    /// Reduces the lowest N + 1 limbs below the normalized modulus by one multiple of it (Knuth, TAOCP 2, 4.3.1,
    /// algorithm D; the digit is right or one too large).
    #[inline(always)]
    fn divide_step<const N: usize>(&self, limbs: &mut [u64]) {
        let limbs = &mut limbs[..=N];
        let digit = quotient_digit(
            [limbs[N], limbs[N - 1], limbs[N - 2]],
            self.normalized[N - 1],
            self.normalized[N - 2],
            self.reciprocal,
        );
        let (multiple, top) = scale::<N>(&self.normalized, digit);
        let borrow = sub_assign(limbs, &multiple);
        let borrow = {
            let borrow_above;
            (limbs[N], borrow_above) = borrowing_sub(limbs[N], top, borrow);
            borrow_above
        };
        if borrow {
            let normalized: &[u64; N] = self.normalized.first_chunk().expect("N is 8 or 9");
            let carry = add_assign(limbs, normalized);
            limbs[N] = limbs[N].wrapping_add(u64::from(carry));
        }
        debug_assert!(limbs[N] == 0);
    }
}

/// `value << shift`, for a shift below 64 that loses nothing.
#[inline(always)]
fn shift_left(value: &[u64; MAX_LIMBS], shift: u32) -> [u64; MAX_LIMBS] {
    let mut shifted = [value[0] << shift; MAX_LIMBS];
    for limb in 1..MAX_LIMBS {
        shifted[limb] = super::word::shifted_high(value[limb], value[limb - 1], shift);
    }
    shifted
}

/// Schoolbook product.
#[inline(always)]
fn multiply(x: &[u64; MAX_LIMBS], y: &[u64; MAX_LIMBS]) -> [u64; PRODUCT_LIMBS] {
    let mut product = [0; PRODUCT_LIMBS];
    for (low, &digit) in y.iter().enumerate() {
        let (row, top) = scale::<MAX_LIMBS>(x, digit);
        let carry = add_assign(&mut product[low..], &row);
        product[low + MAX_LIMBS] = top + u64::from(carry);
    }
    product
}

/// `floor((2^192 - 1) / (high, low)) - 2^64` for a high word with its top bit set (Möller and Granlund, algorithm 6).
#[inline(always)]
fn reciprocal(high: u64, low: u64) -> u64 {
    debug_assert!(high >> 63 == 1);
    // The reciprocal of one word: below 2^64, since high >= 2^63.
    let mut estimate = (((u128::from(!high) << 64) | u128::from(u64::MAX)) / u128::from(high)) as u64;
    let (mut p, overflow) = high.wrapping_mul(estimate).overflowing_add(low);
    if overflow {
        estimate = estimate.wrapping_sub(1);
        if p >= high {
            estimate = estimate.wrapping_sub(1);
            p = p.wrapping_sub(high);
        }
        p = p.wrapping_sub(high);
    }
    let (product_low, product_high) = widening_mul(estimate, low);
    let (p, overflow) = p.overflowing_add(product_high);
    if overflow {
        estimate = estimate.wrapping_sub(1);
        if p > high || (p == high && product_low >= low) {
            estimate = estimate.wrapping_sub(1);
        }
    }
    estimate
}

/// `min(floor((u2, u1, u0) / (high, low)), 2^64 - 1)`, for `(u2, u1) <= (high, low)` (Möller and Granlund, algorithm
/// 4).
#[inline(always)]
fn quotient_digit([u2, u1, u0]: [u64; 3], high: u64, low: u64, reciprocal: u64) -> u64 {
    if u2 >= high && (u2 > high || u1 >= low) {
        return u64::MAX;
    }
    let divisor = (u128::from(high) << 64) | u128::from(low);
    let product = u128::from(u2) * u128::from(reciprocal) + ((u128::from(u2) << 64) | u128::from(u1));
    let (quotient_low, quotient) = (product as u64, (product >> 64) as u64);
    let partial = u1.wrapping_sub(quotient.wrapping_mul(high));
    let mut remainder = ((u128::from(partial) << 64) | u128::from(u0))
        .wrapping_sub(divisor)
        .wrapping_sub(u128::from(low) * u128::from(quotient));
    let mut quotient = quotient.wrapping_add(1);
    if (remainder >> 64) as u64 >= quotient_low {
        quotient = quotient.wrapping_sub(1);
        remainder = remainder.wrapping_add(divisor);
    }
    if remainder >= divisor { quotient.wrapping_add(1) } else { quotient }
}
