//! Euclid's algorithm with Lehmer's acceleration, followed on one cofactor.

use crate::sizes::HALF_LIMBS;
use crate::uint::{Uint, word};

type Half = Uint<HALF_LIMBS>;

/// Two successive remainders `x0 > x1` of Euclid's algorithm on (m, r), with cofactors: `x_i = s_i y_i r mod m`, where
/// the signs `s_i` differ. `x0 y1 + x1 y0 = m`, so neither cofactor passes m.
pub(crate) struct Euclid {
    pub(crate) x: [Half; 2],
    pub(crate) y: [Half; 2],
    /// Whether `s_1` is -1 (and `s_0` is +1).
    pub(crate) second_negative: bool,
}

impl Euclid {
    /// For `r < m`.
    pub(crate) fn new(m: &Half, r: &Half) -> Self {
        debug_assert!(r < m);
        Self { x: [*m, *r], y: [Uint::ZERO, Uint::ONE], second_negative: false }
    }

    /// Goes on until the second remainder has at most `bits` bits; with 0, until it is zero and the first is the gcd.
    pub(crate) fn run(mut self, bits: usize) -> Self {
        while self.x[1].bit_length() > bits {
            match lehmer_steps(&self.x[0], &self.x[1], bits) {
                Some(matrix) => self.apply(&matrix),
                None => self.divide(),
            }
        }
        self
    }

    /// The gcd, and `u` in `0..m` with `u r = gcd mod m`.
    pub(crate) fn gcd(m: &Half, r: &Half) -> (Half, Half) {
        let Self { x: [gcd, _], y: [cofactor, _], second_negative } = Self::new(m, r).run(0);
        // s_0 is the other sign than s_1, and the cofactor is at most m / gcd
        let negative = !second_negative && !cofactor.is_zero();
        (gcd, if negative { m.sub(&cofactor) } else { cofactor })
    }

    /// One plain step.
    fn divide(&mut self) {
        let (quotient, remainder) = self.x[0].div_rem(&self.x[1]);
        // y0 + q y1 = the next cofactor, which is at most m
        self.y = [self.y[1], self.y[0].add(&quotient.mul(&self.y[1]))];
        self.x = [self.x[1], remainder];
        self.second_negative = !self.second_negative;
    }

    fn apply(&mut self, m: &Matrix) {
        let [x0, x1] = &self.x;
        let [y0, y1] = &self.y;
        let y = [sum(m.a, y0, m.b, y1), sum(m.c, y0, m.d, y1)];
        self.x = if m.odd {
            [difference(m.b, x1, m.a, x0), difference(m.c, x0, m.d, x1)]
        } else {
            [difference(m.a, x0, m.b, x1), difference(m.d, x1, m.c, x0)]
        };
        self.y = y;
        self.second_negative ^= m.odd;
    }
}

/// What a run of steps does to the cofactors: `y0 <- a y0 + b y1`, `y1 <- c y0 + d y1`. On the remainders b and c count
/// negative, or for an odd number of steps a and d.
struct Matrix {
    a: u64,
    b: u64,
    c: u64,
    d: u64,
    odd: bool,
}

/// Steps that follow from the leading 64 bits alone, or `None` if not even the first does.
///
/// Jebelean's condition, slightly stronger by taking the larger cofactor in both its parts. A step from the truncated
/// remainders is right under two bounds. The new one is at least the new cofactor d, and falls short of the previous
/// one by at least the sum of both. So `d <= x1 < 2^64 / d_before`, and no product here exceeds a word.
fn lehmer_steps(x0: &Half, x1: &Half, bits: usize) -> Option<Matrix> {
    let length = x0.bit_length();
    let shift = length.saturating_sub(64);
    let (mut r0, mut r1) = (leading(x0, shift), leading(x1, shift));
    // Below this the second remainder is short enough.
    let limit = if bits > shift { 1_u64.checked_shl((bits - shift) as u32).unwrap_or(u64::MAX) } else { 0 };
    let mut m = Matrix { a: 1, b: 0, c: 0, d: 1, odd: false };
    let mut any = false;
    while r1 > limit {
        let quotient = r0 / r1;
        let remainder = r0 - quotient * r1;
        let Some(d) = quotient.checked_mul(m.d).and_then(|product| product.checked_add(m.b)) else {
            break;
        };
        if remainder < d || r1 - remainder < d.saturating_add(m.d) {
            break;
        }
        (m.a, m.c) = (m.c, m.a + quotient * m.c);
        (m.b, m.d) = (m.d, d);
        (r0, r1) = (r1, remainder);
        m.odd = !m.odd;
        any = true;
    }
    any.then_some(m)
}

/// The 64 bits from `shift` on.
fn leading(x: &Half, shift: usize) -> u64 {
    let (limb, bits) = (shift / 64, shift % 64);
    let low = x.0[limb] >> bits;
    if bits > 0 && limb + 1 < HALF_LIMBS { low | x.0[limb + 1] << (64 - bits) } else { low }
}

/// `f x + g y`, which fits.
fn sum(f: u64, x: &Half, g: u64, y: &Half) -> Half {
    let mut result = [0; HALF_LIMBS];
    let (mut first, mut second) = (0, 0);
    for i in 0..HALF_LIMBS {
        let (low, high) = word::carrying_mul_add(f, x.0[i], first, 0);
        first = high;
        (result[i], second) = word::carrying_mul_add(g, y.0[i], second, low);
    }
    debug_assert!(first == 0 && second == 0, "cofactors stay below the modulus");
    Uint(result)
}

/// `f x - g y`, which is not negative and fits.
fn difference(f: u64, x: &Half, g: u64, y: &Half) -> Half {
    let mut result = [0; HALF_LIMBS];
    let (mut first, mut second, mut borrow) = (0, 0, false);
    for i in 0..HALF_LIMBS {
        let (minuend, high) = word::carrying_mul_add(f, x.0[i], first, 0);
        first = high;
        let (subtrahend, high) = word::carrying_mul_add(g, y.0[i], second, 0);
        second = high;
        (result[i], borrow) = word::borrowing_sub(minuend, subtrahend, borrow);
    }
    debug_assert!(first == second + u64::from(borrow), "remainders are not negative");
    Uint(result)
}
