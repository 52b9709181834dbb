//! The exponent `floor(2^n / B)` in signed digits of k bits, without ever forming it.

use super::pow::power_of_two_mod;
use crate::hash_prime::B_LIMBS;
use crate::uint::Uint;
use crate::uint::montgomery::Montgomery;

/// `2^64`.
const WORD: f64 = 18_446_744_073_709_551_616.0;

/// A quotient in doubles is trusted unless it is this near to a whole number.
///
/// The numerator's bits below its top two limbs, of five, are worth less than `2^(192 - 263 + 19)` in the quotient,
/// which is below `2^19`. Rounding makes at most four errors of `2^-53` relative to that. Together below `2^-31`.
const DOUBT: f64 = 1e-9;

/// Digits `i = pass, pass + stride, ...` of `floor(2^n / B) = sum of d_i 2^(k i)`, with `|d_i| <= 2^(k - 1)`.
///
/// Booth's recoding: `d_i` comes from the k bits of block i and the one bit below them, which are
/// `floor(2^(k+1) r / B)` for `r = 2^(n - k (i+1)) mod B`. B has 264 bits and k at most 18, so the blocks that reach
/// above bit n - 263 are zero and no carry leaves the top.
pub(super) struct Digits {
    prime: Uint<B_LIMBS>,
    field: Montgomery<B_LIMBS>,
    squarings: u64,
    bits: u32,
    stride: u64,
    pass: u64,
    /// `2^(k stride) mod B`, in Montgomery form
    step: Uint<B_LIMBS>,
    /// `2^(k + 1 + 192) / B`: makes the quotient of a remainder's top two limbs
    scale: f64,
}

impl Digits {
    pub(super) fn new(prime: &Uint<B_LIMBS>, squarings: u64, bits: u32, stride: u64, pass: u64) -> Self {
        debug_assert!((1..=super::MAX_DIGIT_BITS).contains(&bits) && pass < stride);
        let field = Montgomery::new(prime);
        let step = field.pow_of_two(&Uint::from_word(u64::from(bits) * stride));
        let scale = f64::from(1 << (bits + 1)) / top(prime);
        Self { prime: *prime, field, squarings, bits, stride, pass, step, scale }
    }

    /// How many there are: as many as blocks `pass + stride index` below `floor(n / k)`.
    pub(super) fn count(&self) -> u64 {
        let blocks = self.squarings / u64::from(self.bits);
        blocks.saturating_sub(self.pass).div_ceil(self.stride)
    }

    /// Writes the digits with indices `end - 1`, `end - 2` and so on, as many as `out` holds; at most `end`, which is
    /// at most `count()`.
    pub(super) fn fill(&self, end: u64, out: &mut [i32]) {
        debug_assert!(out.len() as u64 <= end && end <= self.count());
        if out.is_empty() {
            return;
        }
        // the block's index is below floor(n / k), so k (i + 1) <= n
        let exponent = self.squarings - u64::from(self.bits) * (self.pass + self.stride * (end - 1) + 1);
        let mut remainder = power_of_two_mod(exponent, &self.prime);
        // below block 0 is the fraction that the floor drops
        let lowest = if self.pass == 0 && out.len() as u64 == end { out.len() - 1 } else { usize::MAX };
        for (position, digit) in out.iter_mut().enumerate() {
            let window = self.window(&remainder) & if position == lowest { !1 } else { !0 };
            *digit = ((window + 1) >> 1) - ((window >> self.bits) << self.bits);
            remainder = self.field.mul(&remainder, &self.step);
        }
    }

    /// `floor(2^(k+1) r / B)`, below `2^(k+1)`.
    fn window(&self, remainder: &Uint<B_LIMBS>) -> i32 {
        let estimate = top(remainder) * self.scale;
        let window = (estimate - DOUBT) as i32;
        if window == (estimate + DOUBT) as i32 && estimate >= DOUBT {
            return window;
        }
        // 2^(k+1) r < 2^(264 + 19), which fits 5 limbs
        remainder.shl(self.bits as usize + 1).div_rem(&self.prime).0.0[0] as i32
    }
}

/// The two highest limbs, less than `2^72` of them: the value in units of `2^192`, but for what is below one unit and
/// rounding.
fn top(value: &Uint<B_LIMBS>) -> f64 {
    value.0[B_LIMBS - 1] as f64 * WORD + value.0[B_LIMBS - 2] as f64
}

const _: () = assert!(B_LIMBS == 5);

#[cfg(test)]
mod tests {
    use super::Digits;
    use crate::uint::Uint;

    /// An odd number of 264 bits; nothing here needs it to be prime.
    fn modulus(seed: u64) -> Uint<5> {
        let word = |i: u64| (seed + i).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17) ^ seed << 40;
        Uint([word(1) | 1, word(2), word(3), word(4), 0x80 | word(5) >> 57])
    }

    /// `floor(2^n / b)` in 20 limbs.
    fn quotient(n: usize, b: &Uint<5>) -> Uint<20> {
        Uint::<20>::ONE.shl(n).div_rem(b).0
    }

    #[test]
    fn digits_of_all_passes_add_up_to_the_quotient() {
        for (n, bits, stride) in
            [(1000, 1, 1), (1100, 5, 3), (1203, 16, 1), (1203, 16, 7), (900, 13, 2), (264, 4, 1), (3, 2, 1)]
        {
            let b = modulus(n);
            let (mut positive, mut negative) = (Uint::<20>::ZERO, Uint::<20>::ZERO);
            for pass in 0..stride {
                let digits = Digits::new(&b, n, bits, stride, pass);
                let mut values = vec![0; digits.count() as usize];
                digits.fill(digits.count(), &mut values);
                for (index, digit) in values.iter().rev().enumerate() {
                    assert!(digit.unsigned_abs() <= 1 << (bits - 1));
                    let block = (pass + stride * index as u64) as usize;
                    let value = Uint::from_word(u64::from(digit.unsigned_abs())).shl(bits as usize * block);
                    let side = if *digit < 0 { &mut negative } else { &mut positive };
                    *side = side.add(&value);
                }
            }
            assert_eq!(positive.sub(&negative), quotient(n as usize, &b), "{n} {bits} {stride}");
        }
    }

    #[test]
    fn pieces_make_the_same_digits() {
        let digits = Digits::new(&modulus(3), 100_000, 11, 2, 0);
        let mut whole = vec![0; digits.count() as usize];
        digits.fill(digits.count(), &mut whole);
        for piece in [1, 7, 1000] {
            let mut pieces = whole.clone();
            pieces.fill(0);
            let mut end = digits.count();
            for out in pieces.chunks_mut(piece) {
                digits.fill(end, out);
                end -= out.len() as u64;
            }
            assert_eq!(pieces, whole);
        }
    }

    #[test]
    fn windows_beside_a_whole_quotient_are_exact() {
        // remainders next to multiples of B / 2^(k+1), where doubles can't tell
        let b = modulus(9);
        let digits = Digits::new(&b, 1000, 16, 1, 0);
        for quotient in [0_u64, 1, 2, 77, 40_000, 131_070, 131_071] {
            // the least remainder whose window is `quotient`
            let (multiple, _) = b.mul_word(quotient);
            let (floor, rest) = (multiple.shr(17), multiple.sub(&multiple.shr(17).shl(17)));
            let least = if rest.is_zero() { floor } else { floor.add(&Uint::ONE) };
            assert_eq!(digits.window(&least), quotient as i32);
            if quotient > 0 {
                assert_eq!(digits.window(&least.sub(&Uint::ONE)), quotient as i32 - 1);
            }
        }
    }
}
