//! Strong tests to base 2 of several numbers side by side: what does not depend on the instructions.

use crate::uint::Uint;

/// The tests of `LANES` odd numbers n, whose powers of 2 are computed modulo n in Montgomery form, as `2^k R mod n`.
pub(super) struct StrongTests<'a, const N: usize, const LANES: usize> {
    numbers: &'a [Uint<N>; LANES],
    /// R mod n: one
    ones: [Uint<N>; LANES],
    /// How often n - 1 is even.
    twos: [usize; LANES],
    /// A bit a lane.
    passed: u8,
}

impl<'a, const N: usize, const LANES: usize> StrongTests<'a, N, LANES> {
    /// For `R = 2^radix_bits`.
    pub(super) fn new(numbers: &'a [Uint<N>; LANES], radix_bits: usize) -> Self {
        let ones = numbers.map(|n| power_of_two(radix_bits, &n));
        Self { numbers, ones, twos: numbers.map(|n| n.sub(&Uint::ONE).trailing_zeros()), passed: 0 }
    }

    pub(super) fn ones(&self) -> &[Uint<N>; LANES] {
        &self.ones
    }

    /// Whether some number's outcome may show at `2^((n - 1) / 2^shift)`.
    pub(super) fn looks_at(&self, shift: usize) -> bool {
        self.twos.iter().any(|&twos| shift <= twos)
    }

    /// Takes note of the powers `2^((n - 1) / 2^shift)`, in Montgomery form, each its part above 2^(64 N) and its part
    /// below. A number passes if its first odd power is one, or any power from there on is minus one; the last shift is
    /// 1.
    pub(super) fn look(&mut self, shift: usize, power: impl Fn(usize) -> (u64, Uint<N>)) {
        for lane in (0..LANES).filter(|&lane| shift <= self.twos[lane]) {
            let (n, one) = (&self.numbers[lane], &self.ones[lane]);
            let power = reduce(power(lane), n);
            let passes = power == n.sub(one) || shift == self.twos[lane] && power == *one;
            self.passed |= u8::from(passes) << lane;
        }
    }

    /// A bit a lane: whether its number has passed.
    pub(super) fn passed(self) -> u8 {
        self.passed
    }
}

/// `2^exponent mod n`.
pub(super) fn power_of_two<const N: usize>(exponent: usize, n: &Uint<N>) -> Uint<N> {
    let start = exponent.min(64 * N - 1);
    let mut power = Uint::<N>::ONE.shl(start).rem(n);
    for _ in start..exponent {
        let (double, carry) = power.carrying_add(&power);
        let (reduced, borrow) = double.borrowing_sub(n);
        power = if borrow && !carry { double } else { reduced };
    }
    power
}

/// (above, low) modulo n.
fn reduce<const N: usize>((above, low): (u64, Uint<N>), n: &Uint<N>) -> Uint<N> {
    let mut wide = low.truncate::<WIDE_LIMBS>();
    wide.0[N] = above;
    wide.rem(n)
}

/// More limbs than any number that is tested.
const WIDE_LIMBS: usize = 20;
