//! Division with remainder: Knuth's algorithm D (The Art of Computer Programming, volume 2, 4.3.1).

use super::{Uint, word};

impl<const N: usize> Uint<N> {
    /// Quotient and remainder. Panics if `divisor` is zero.
    pub(crate) fn div_rem<const M: usize>(&self, divisor: &Uint<M>) -> (Self, Uint<M>) {
        let (length, n) = (self.limb_count(), divisor.limb_count());
        assert!(n > 0, "division by zero");
        if length < n {
            return (Self::ZERO, self.resize());
        }
        if n == 1 {
            let (quotient, remainder) = self.div_rem_word(divisor.0[0]);
            return (quotient, Uint::from_word(remainder));
        }
        // Normalised: the divisor's top bit is set, so that an estimated digit is at most 2 too large.
        let shift = divisor.0[n - 1].leading_zeros() as usize;
        let divisor = divisor.shl(shift);
        // `high` is the dividend's limb above the window; the window's remainder is below the divisor.
        let mut high = if shift == 0 { 0 } else { self.0[length - 1] >> (64 - shift) };
        let mut window = self.shl(shift).0;
        if length < N {
            window[length] = 0;
        }
        let mut quotient = [0; N];
        for j in (0..=length - n).rev() {
            let digit = divide_step(high, &mut window[j..j + n], &divisor.0[..n]);
            quotient[j] = digit;
            high = core::mem::take(&mut window[j + n - 1]);
            if j == 0 {
                window[n - 1] = high;
            }
        }
        (Self(quotient), Uint(window).resize::<M>().shr(shift))
    }

    /// The remainder alone.
    pub(crate) fn rem<const M: usize>(&self, divisor: &Uint<M>) -> Uint<M> {
        self.div_rem(divisor).1
    }

    /// Quotient and remainder by a word. Panics if it is zero.
    pub(crate) fn div_rem_word(&self, divisor: u64) -> (Self, u64) {
        let mut quotient = [0; N];
        let mut remainder = 0;
        for i in (0..N).rev() {
            let dividend = u128::from(remainder) << 64 | u128::from(self.0[i]);
            // remainder < divisor, so the digit fits a word
            quotient[i] = (dividend / u128::from(divisor)) as u64;
            remainder = (dividend % u128::from(divisor)) as u64;
        }
        (Self(quotient), remainder)
    }

    /// The remainder by a word. Panics if it is zero.
    pub(crate) fn rem_word(&self, divisor: u64) -> u64 {
        let wide = u128::from(divisor);
        self.0.iter().rev().fold(0, |remainder, &limb| ((u128::from(remainder) << 64 | u128::from(limb)) % wide) as u64)
    }
}

/// One digit: subtracts `digit * divisor` from (high, window), which is below `2^64 divisor`, leaving a remainder below
/// the divisor.
fn divide_step(high: u64, window: &mut [u64], divisor: &[u64]) -> u64 {
    let n = divisor.len();
    let top = u128::from(divisor[n - 1]);
    let dividend = u128::from(high) << 64 | u128::from(window[n - 1]);
    let (mut digit, mut rest) = if u128::from(high) >= top {
        let digit = u128::from(u64::MAX);
        (digit, dividend - digit * top)
    } else {
        (dividend / top, dividend % top)
    };
    while rest >> 64 == 0 && digit * u128::from(divisor[n - 2]) > (rest << 64 | u128::from(window[n - 2])) {
        digit -= 1;
        rest += top;
    }
    let mut digit = digit as u64;
    let (mut carry, mut borrow) = (0, false);
    for i in 0..n {
        let (low, next) = word::carrying_mul_add(digit, divisor[i], carry, 0);
        carry = next;
        (window[i], borrow) = word::borrowing_sub(window[i], low, borrow);
    }
    if word::borrowing_sub(high, carry, borrow).1 {
        // one too large still: add the divisor back; the carry out cancels the borrow
        digit -= 1;
        let mut carry = false;
        for i in 0..n {
            (window[i], carry) = word::carrying_add(window[i], divisor[i], carry);
        }
        debug_assert!(carry, "estimate more than one too large");
    }
    digit
}

// Division that leaves no remainder, from the lowest limb up (Jebelean): no quotient digit is estimated.

impl<const N: usize> Uint<N> {
    /// `self / divisor` in `R` limbs, or `None` if a remainder is left or the quotient is longer. Panics if `divisor`
    /// is zero.
    pub(crate) fn checked_div_exact<const M: usize, const R: usize>(&self, divisor: &Uint<M>) -> Option<Uint<R>> {
        assert!(!divisor.is_zero(), "division by zero");
        let twos = divisor.trailing_zeros();
        if twos > self.trailing_zeros() {
            return None;
        }
        let (mut rest, divisor) = (self.shr(twos).0, divisor.shr(twos));
        let (length, n) = (Uint(rest).limb_count(), divisor.limb_count());
        // zero has no limbs, and a divisor longer than the dividend divides only zero
        let digits = (length + 1).saturating_sub(n);
        if digits > R {
            // the highest digit may still be zero, when the divisor's top limb is the greater one
            return self.checked_div_exact::<M, N>(&divisor.shl(twos))?.try_resize();
        }
        let inverse = word::inverse(divisor.0[0]);
        let mut quotient = [0; R];
        for i in 0..digits {
            // the digit that makes limb i of the rest zero
            let digit = rest[i].wrapping_mul(inverse);
            quotient[i] = digit;
            let (mut carry, mut borrow) = (0, false);
            for j in 0..n {
                let (low, high) = word::carrying_mul_add(digit, divisor.0[j], carry, 0);
                carry = high;
                (rest[i + j], borrow) = word::borrowing_sub(rest[i + j], low, borrow);
            }
            for limb in &mut rest[i + n..length] {
                (*limb, borrow) = word::borrowing_sub(*limb, core::mem::take(&mut carry), borrow);
                if !borrow {
                    break;
                }
            }
            if borrow || carry != 0 {
                // the multiple is greater than what is left
                return None;
            }
        }
        rest[..length].iter().all(|&limb| limb == 0).then_some(Uint(quotient))
    }
}

// Integer square roots.

impl<const N: usize> Uint<N> {
    /// `floor(sqrt(self))`, by Newton's iteration from above.
    pub(crate) fn isqrt(&self) -> Self {
        if self.is_zero() {
            return Self::ZERO;
        }
        // 2^ceil(bits / 2) >= sqrt(self): the iteration falls until it reaches the floor. It fits, since bits >= 1 and
        // ceil(bits / 2) < 64 N for every width.
        let mut root = Self::ONE.shl(self.bit_length().div_ceil(2));
        loop {
            // root <= 2^(32 N) and self / root <= 2 root, so the sum fits for N >= 1. The exception is a one-limb word
            // near its top, where root = 2^32 and the quotient is below 2^32.
            let next = root.add(&self.div_rem(&root).0).shr(1);
            if next >= root {
                return root;
            }
            root = next;
        }
    }
}
