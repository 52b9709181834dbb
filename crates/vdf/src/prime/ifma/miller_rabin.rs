//! The strong probable-prime test to base 2, of eight numbers at once.

use super::lanes::{LANES, join, load, split, store, word};
use super::square::{LIMB_BITS, square};
use crate::uint::{Uint, word as words};
use core::arch::x86_64::{_mm_cvtsi64_si128, _mm512_and_si512, _mm512_set1_epi64, _mm512_srl_epi64};

/// A bit a lane: whether its number passes. All are odd, of exactly `bits` bits.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn passed<const N: usize, const L: usize, const COLUMNS: usize>(
    numbers: &[Uint<N>; LANES],
    bits: usize,
) -> u8 {
    debug_assert!(numbers.iter().all(|n| n.is_odd() && n.bit_length() == bits) && bits > 1);
    debug_assert!(bits + 5 <= LIMB_BITS * L, "n < 2^(52 L) / 32");
    let ones = numbers.map(|n| one::<N, L>(&n));
    // n - 1 is n but for its lowest bit, and that many times even
    let twos = numbers.map(|n| n.sub(&Uint::ONE).trailing_zeros());
    let most_twos = twos.into_iter().max().unwrap_or(0);

    let m = split::<N, L>(numbers);
    let negated_inverse = load(numbers.map(|n| words::inverse(n.0[0]).wrapping_neg()));
    let low_bit = _mm512_set1_epi64(1);
    let mut power = split::<N, L>(&ones);
    let mut passed = 0;
    let mut exponents = word(numbers, (bits - 1) / 64);
    for bit in (1..bits).rev() {
        if bit % 64 == 63 {
            exponents = word(numbers, bit / 64);
        }
        let shift = _mm_cvtsi64_si128((bit % 64) as i64);
        square::<L, COLUMNS>(
            &mut power,
            &m,
            negated_inverse,
            _mm512_and_si512(_mm512_srl_epi64(exponents, shift), low_bit),
        );
        // power is 2^((n - 1) / 2^bit), in Montgomery form
        if bit <= most_twos {
            let limbs = power.map(|limb| store(limb));
            for lane in 0..LANES {
                if bit <= twos[lane] {
                    let power = reduce(join(&limbs, lane), &numbers[lane]);
                    let is_one = power == ones[lane] && bit == twos[lane];
                    let is_minus_one = power == numbers[lane].sub(&ones[lane]);
                    passed |= u8::from(is_one || is_minus_one) << lane;
                }
            }
        }
    }
    passed
}

/// `2^(52 L) mod n`: one, in Montgomery form.
fn one<const N: usize, const L: usize>(n: &Uint<N>) -> Uint<N> {
    let start = (LIMB_BITS * L).min(64 * N - 1);
    let mut power = Uint::<N>::ONE.shl(start).rem(n);
    for _ in start..LIMB_BITS * L {
        let (double, carry) = power.carrying_add(&power);
        let (reduced, borrow) = double.borrowing_sub(n);
        power = if borrow && !carry { double } else { reduced };
    }
    power
}

/// (above, low) modulo n, for a number below 3 n.
fn reduce<const N: usize>((mut above, mut low): (u64, Uint<N>), n: &Uint<N>) -> Uint<N> {
    let mut subtracted = 0;
    loop {
        let (difference, borrow) = low.borrowing_sub(n);
        if borrow && above == 0 {
            return low;
        }
        subtracted += 1;
        debug_assert!(subtracted <= 2, "squares stay below 3 n");
        above -= u64::from(borrow);
        low = difference;
    }
}
