//! Every piece in every lane against num-bigint. Each test passes where the processor lacks the instructions, as
//! nothing uses them there.

use super::lanes::{LANES, load, split, store};
use super::lanes::{LIMB_BITS, square};
use super::{miller_rabin, sieve};
use crate::backend::Backend;
use crate::prime::limbs::join;
use crate::prime::small_primes;
use crate::prime::tests::{big, is_strong_probable_prime, moduli, odd, strong_pseudoprimes, structured_words};
use crate::uint::{Uint, word};
use num_bigint::BigUint;
use num_traits::One;

fn check_squares<const N: usize, const L: usize, const COLUMNS: usize>(bits: usize) {
    let radix = BigUint::one() << (52 * L);
    let moduli = moduli::<N>(bits);
    for round in 0..moduli.len() {
        let m: [Uint<N>; LANES] = core::array::from_fn(|lane| moduli[(round + lane) % moduli.len()]);
        // up to the largest that is allowed, 3 m - 1, in N limbs where that fits
        let a: [Uint<N>; LANES] = core::array::from_fn(|lane| match (round + 3 * lane) % 5 {
            0 => m[lane].sub(&Uint::ONE),
            1 => Uint::ZERO,
            2 => moduli[(round + 2 * lane + 1) % moduli.len()],
            3 if bits + 2 <= 64 * N => m[lane].carrying_add(&m[lane]).0.carrying_add(&m[lane]).0.sub(&Uint::ONE),
            _ => m[lane].shr(1),
        });
        let doubling: [u64; LANES] = core::array::from_fn(|lane| ((round >> 1) + lane) as u64 & 1);
        // SAFETY: the caller has an `Ifma`.
        let limbs = unsafe { square_lanes::<N, L, COLUMNS>(&a, &m, doubling) };
        for lane in 0..LANES {
            let (above, low) = join::<N>(limbs.iter().map(|limb| limb[lane]), LIMB_BITS);
            let result = (BigUint::from(above) << (64 * N)) + big(&low);
            assert!(result < big(&m[lane]) * 3_u32, "round {round}, lane {lane}");
            let expected = (big(&a[lane]).pow(2) << doubling[lane]) % big(&m[lane]);
            assert_eq!(result * &radix % big(&m[lane]), expected, "round {round}, lane {lane}");
        }
    }
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn square_lanes<const N: usize, const L: usize, const COLUMNS: usize>(
    a: &[Uint<N>; LANES],
    m: &[Uint<N>; LANES],
    doubling: [u64; LANES],
) -> [[u64; LANES]; L] {
    let mut lanes = split::<N, L>(a);
    let negated_inverse = load(m.map(|m| word::inverse(m.0[0]).wrapping_neg()));
    square::<L, COLUMNS>(&mut lanes, &split(m), negated_inverse, load(doubling));
    lanes.map(|limb| store(limb))
}

#[test]
fn squares_agree_with_num_bigint_and_stay_below_three_moduli() {
    if Backend::available()[0].ifma().is_some() {
        for bits in [64, 72, 512, 1000, 1016, 1024] {
            check_squares::<16, 20, 40>(bits);
        }
        for bits in [64, 200, 264, 304] {
            check_squares::<5, 6, 12>(bits);
        }
    }
}

fn check_passed<const N: usize, const L: usize, const COLUMNS: usize>(numbers: &[Uint<N>], bits: usize) {
    let expected: Vec<bool> = numbers.iter().map(|n| is_strong_probable_prime(&big(n))).collect();
    assert!(expected.contains(&true) && expected.contains(&false), "{bits} bits: both outcomes are wanted");
    // every number in every lane
    for first in 0..numbers.len() {
        let at = |lane: usize| (first + lane) % numbers.len();
        let batch: [Uint<N>; LANES] = core::array::from_fn(|lane| numbers[at(lane)]);
        // SAFETY: the caller has an `Ifma`.
        let passed = unsafe { miller_rabin::passed::<N, L, COLUMNS>(&batch, bits) };
        for lane in 0..LANES {
            assert_eq!(passed >> lane & 1 == 1, expected[at(lane)], "{:x?}, lane {lane}", batch[lane]);
        }
    }
}

#[test]
fn the_strong_test_agrees_with_its_definition_in_every_lane() {
    if Backend::available()[0].ifma().is_none() {
        return;
    }
    // primes, strong pseudoprimes and others of 64 bits; 2^63 + 29 is prime
    let mut numbers: Vec<Uint<5>> = moduli(64);
    numbers.extend(strong_pseudoprimes(2).into_iter().map(Uint::from_word));
    numbers.extend([u64::MAX - 58, u64::MAX - 82, (1 << 63) + 29].map(Uint::from_word));
    numbers.retain(|n| n.bit_length() == 64);
    check_passed::<5, 6, 12>(&numbers, 64);
    // two Mersenne primes among odd numbers; 2^(bits - 1) + 1 is one of those, for which n - 1 has bits - 1 trailing
    // zeros
    let mersenne = |exponent: usize| Uint::<16>::ONE.shl(exponent).sub(&Uint::ONE);
    for (bits, prime) in [(521, mersenne(521)), (607, mersenne(607))] {
        let mut numbers: Vec<Uint<16>> = moduli(bits).into_iter().take(9).collect();
        numbers.push(prime);
        check_passed::<16, 20, 40>(&numbers, bits);
    }
}

#[test]
fn every_prime_of_the_table_is_found_in_every_lane() {
    if Backend::available()[0].ifma().is_none() {
        return;
    }
    let stages = sieve::stages(1024);
    let primes = small_primes::below(1 << 15).into_iter().filter(|&p| p > 200).collect::<Vec<_>>();
    let in_stages = stages.map(|groups| 3 * groups.len());
    assert!(in_stages[0] > 100 && (primes.len() - in_stages[0] - in_stages[1]) < 3);
    let mut random = structured_words();
    for (index, &prime) in primes[..in_stages[0] + in_stages[1]].iter().enumerate() {
        let (group, lane) = (index / 3, index % LANES);
        let group =
            if index < in_stages[0] { &stages[0][group..=group] } else { &stages[1][group - stages[0].len()..][..1] };
        let mut batch: [Uint<16>; LANES] = core::array::from_fn(|_| odd(&mut random, 1024));
        batch[lane] = batch[lane].sub(&Uint::from_word(batch[lane].rem_word(prime)));
        let in_group = &primes[index - index % 3..][..3];
        let expected = (0..LANES)
            .filter(|&lane| in_group.iter().any(|&prime| batch[lane].rem_word(prime) == 0))
            .fold(0, |bits, lane| bits | 1 << lane);
        assert!(expected >> lane & 1 == 1);
        // SAFETY: checked above.
        assert_eq!(unsafe { sieve::divisible::<16, 20>(&batch, group) }, expected, "{prime}");
    }
}
