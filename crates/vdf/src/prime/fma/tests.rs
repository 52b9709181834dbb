//! Squares and tests in every lane against num-bigint. Each test passes where the processor lacks the instructions, as nothing uses them
//! there.

use super::LANES;
use super::miller_rabin::{load, moduli as lanes_of, passed, split, store};
use super::square::{LIMB_BITS, LIMBS, square, to_double};
use crate::backend::Backend;
use crate::prime::limbs::join;
use crate::prime::tests::{big, is_strong_probable_prime, moduli, strong_pseudoprimes};
use crate::uint::Uint;
use num_bigint::BigUint;
use num_traits::One;

/// Wide enough for four times a modulus.
type Wide = Uint<17>;

#[target_feature(enable = "avx2,fma")]
fn square_lanes(a: &[Wide; LANES], m: &[Wide; LANES], doubling: [u64; LANES]) -> [[f64; LANES]; LIMBS] {
    let mut lanes = split(a).map(|words| to_double(words));
    square(&mut lanes, &lanes_of(m), load(doubling));
    lanes.map(|limb| store(limb))
}

#[test]
fn squares_agree_with_num_bigint_and_stay_below_four_moduli() {
    if Backend::available()[0].fma().is_none() {
        return;
    }
    let radix = BigUint::one() << (LIMB_BITS * LIMBS);
    for bits in [64, 72, 512, 1000, 1016, 1024] {
        let moduli = moduli::<17>(bits);
        for round in 0..2 * moduli.len() {
            let m: [Wide; LANES] = core::array::from_fn(|lane| moduli[(round + lane) % moduli.len()]);
            let a: [Wide; LANES] = core::array::from_fn(|lane| match (round + 3 * lane) % 5 {
                0 => m[lane].sub(&Uint::ONE),
                1 => Uint::ZERO,
                2 => moduli[(round + 2 * lane + 1) % moduli.len()],
                // the largest that is allowed
                3 => m[lane].shl(2).sub(&Uint::ONE),
                _ => m[lane].shr(1),
            });
            let doubling: [u64; LANES] = core::array::from_fn(|lane| ((round >> 1) + lane) as u64 & 1);
            // SAFETY: checked above.
            let limbs = unsafe { square_lanes(&a, &m, doubling) };
            for lane in 0..LANES {
                let limb = |limb: &[f64; LANES]| {
                    assert!(limb[lane] >= 0.0 && limb[lane].fract() == 0.0 && limb[lane] < (1_u64 << LIMB_BITS) as f64);
                    limb[lane] as u64
                };
                let (above, low) = join::<17>(limbs.iter().map(limb), LIMB_BITS);
                assert!(above == 0 && big(&low) < big(&m[lane]) * 4_u32, "round {round}, lane {lane}");
                let expected = (big(&a[lane]).pow(2) << doubling[lane]) % big(&m[lane]);
                assert_eq!(big(&low) * &radix % big(&m[lane]), expected, "round {round}, lane {lane}");
            }
        }
    }
}

#[test]
fn the_strong_test_agrees_with_its_definition_in_every_lane() {
    if Backend::available()[0].fma().is_none() {
        return;
    }
    let mersenne = |exponent: usize| Uint::<16>::ONE.shl(exponent).sub(&Uint::ONE);
    // 2^64 - 59 and 2^63 + 29 are prime
    let primes = [u64::MAX - 58, (1 << 63) + 29].into_iter().chain(strong_pseudoprimes(2)).map(Uint::from_word);
    for (bits, more) in [(64, primes.collect()), (521, vec![mersenne(521)]), (607, vec![mersenne(607)])] {
        let numbers: Vec<Uint<16>> = moduli(bits).into_iter().take(9).chain(more).collect();
        let expected: Vec<bool> = numbers.iter().map(|n| is_strong_probable_prime(&big(n))).collect();
        assert!(expected.contains(&true) && expected.contains(&false), "{bits} bits: both outcomes are wanted");
        for first in 0..numbers.len() {
            let at = |lane: usize| (first + lane) % numbers.len();
            // SAFETY: checked above.
            let passed = unsafe { passed(&core::array::from_fn(|lane| numbers[at(lane)]), bits) };
            for lane in 0..LANES {
                assert_eq!(passed >> lane & 1 == 1, expected[at(lane)], "{:x?}, lane {lane}", numbers[at(lane)]);
            }
        }
    }
}
