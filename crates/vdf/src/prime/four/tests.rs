//! Every piece in every lane against num-bigint. Each test passes where the processor lacks the instructions, as
//! nothing uses them there.

#[cfg(target_arch = "x86_64")]
use super::avx2::{load, store};
use super::lanes::{split, square};
use super::miller_rabin::reducer;
#[cfg(target_arch = "aarch64")]
use super::neon::{load, store};
use super::sizes::{LANES, LIMB_BITS};
use super::{Arithmetic, Integers, strong_tests};
#[cfg(target_arch = "x86_64")]
use super::{Doubles, doubles};
use crate::backend::{Backend, FourLanes};
use crate::prime::tests::{big, is_strong_probable_prime, moduli, strong_pseudoprimes};
use crate::uint::Uint;
use num_bigint::BigUint;
use num_traits::One;

fn four_lanes() -> Option<FourLanes> {
    Backend::available().into_iter().find_map(Backend::four_lanes)
}

/// `2^limb_bits M - 1`
fn multiple<const N: usize>(n: &Uint<N>, limb_bits: usize) -> BigUint {
    (big(&reducer(n, limb_bits)) << limb_bits) - 1_u32
}

#[test]
fn the_reducer_belongs_to_a_multiple_that_ends_with_ones() {
    fn check<const N: usize>(bits: usize) {
        for (n, limb_bits) in moduli::<N>(bits).into_iter().flat_map(|n| [(n, LIMB_BITS), (n, 47)]) {
            let m = multiple(&n, limb_bits);
            assert_eq!(&m % big(&n), BigUint::ZERO, "{n:x?}");
            assert!((&m >> limb_bits) < big(&n), "{n:x?}");
        }
    }
    for bits in [64, 65, 72, 512, 1000, 1016, 1023, 1024] {
        check::<16>(bits);
    }
    for bits in [64, 200, 264, 272] {
        check::<5>(bits);
    }
}

/// The `28 L` low bits of a number in limbs of one lane.
fn limbs<const L: usize>(a: &BigUint) -> [u64; L] {
    core::array::from_fn(|j| ((a >> (LIMB_BITS * j)) % (1_u64 << LIMB_BITS)).iter_u64_digits().next().unwrap_or(0))
}

fn check_squares<const N: usize, const L: usize, const COLUMNS: usize, const REST: usize>(bits: usize) {
    let radix = BigUint::one() << (LIMB_BITS * L);
    let moduli = moduli::<N>(bits);
    for round in 0..moduli.len() {
        let n: [Uint<N>; LANES] = core::array::from_fn(|lane| moduli[(round + lane) % moduli.len()]);
        let m = n.map(|n| multiple(&n, LIMB_BITS));
        let a: [BigUint; LANES] = core::array::from_fn(|lane| match (round + 3 * lane) % 7 {
            0 => &m[lane] - 1_u32,
            1 => BigUint::ZERO,
            2 => big(&moduli[(round + 2 * lane + 1) % moduli.len()]),
            // the largest that is allowed, and larger ones that make columns as full as they get
            3 => &m[lane] * 3_u32 - 1_u32,
            4 => (&radix >> 2) - 1_u32,
            5 => BigUint::one(),
            _ => &m[lane] >> 1,
        });
        let doubling: [u64; LANES] = core::array::from_fn(|lane| ((round >> 1) + lane) as u64 & 1);
        #[cfg_attr(target_arch = "aarch64", allow(unused_unsafe, reason = "all of them have NEON"))]
        // SAFETY: the caller has `FourLanes`.
        let squares = unsafe { square_lanes::<N, L, COLUMNS, REST>(a.each_ref().map(limbs::<L>), &n, doubling) };
        for lane in 0..LANES {
            let value = squares.iter().rev().fold(BigUint::ZERO, |sum, limb| (sum << LIMB_BITS) + limb[lane]);
            assert!(squares.iter().all(|limb| limb[lane] >> LIMB_BITS == 0), "round {round}, lane {lane}");
            assert!(a[lane] >= &m[lane] * 3_u32 || value < &m[lane] * 3_u32, "round {round}, lane {lane}");
            let expected = (a[lane].pow(2) << doubling[lane]) % &m[lane];
            assert_eq!(value * &radix % &m[lane], expected, "round {round}, lane {lane}");
        }
    }
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
fn square_lanes<const N: usize, const L: usize, const COLUMNS: usize, const REST: usize>(
    a: [[u64; L]; LANES],
    n: &[Uint<N>; LANES],
    doubling: [u64; LANES],
) -> [[u64; LANES]; L] {
    let mut lanes: [_; L] = split::<N, L>(n);
    for (j, limb) in lanes.iter_mut().enumerate() {
        *limb = load(core::array::from_fn(|lane| a[lane][j]));
    }
    square::<L, COLUMNS, REST>(&mut lanes, &split(&n.map(|n| reducer(&n, LIMB_BITS))), load(doubling));
    lanes.map(|limb| store(limb))
}

#[test]
fn squares_agree_with_num_bigint_and_stay_below_three_moduli() {
    if four_lanes().is_some() {
        for bits in [64, 72, 512, 1000, 1016, 1024] {
            check_squares::<16, 38, 76, 6>(bits);
        }
        for bits in [64, 200, 264, 272] {
            check_squares::<5, 11, 22, 7>(bits);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod in_doubles {
    use super::*;
    use core::arch::x86_64::{__m256d, _mm256_castpd_si256, _mm256_castsi256_pd};
    use num_bigint::BigInt;

    const L: usize = 23;
    const LIMB_BITS: usize = doubles::LIMB_BITS;
    const LARGEST: i64 = (1 << (LIMB_BITS - 1)) + (1 << 6);

    fn words(limbs: &[__m256d; L]) -> [[i64; LANES]; L] {
        // SAFETY: the caller has `FourLanes`.
        limbs.map(|limb| unsafe { store(_mm256_castpd_si256(limb)) }.map(|bits| f64::from_bits(bits) as i64))
    }

    fn value(words: &[[i64; LANES]; L], lane: usize) -> BigInt {
        words.iter().rev().fold(BigInt::ZERO, |sum, limb| (sum << LIMB_BITS) + limb[lane])
    }

    #[target_feature(enable = "avx2,fma")]
    fn check<const N: usize>(bits: usize) {
        let radix = BigInt::from(1) << (LIMB_BITS * L);
        let moduli = moduli::<N>(bits);
        for round in 0..moduli.len() {
            let n: [Uint<N>; LANES] = core::array::from_fn(|lane| moduli[(round + lane) % moduli.len()]);
            let reducers = doubles::split::<N, L>(&n.map(|n| reducer(&n, LIMB_BITS)));
            // limbs as large as they get and numbers of any sign; the highest limb is that of numbers below 2^1072
            let limb = |j: usize, lane: usize| match (round + lane) % 5 {
                _ if j == L - 1 => [0, (1 << 38) - 1, -(1 << 38)][(round + lane) % 3],
                0 => LARGEST,
                1 => -LARGEST,
                2 => [LARGEST, -LARGEST][j % 2],
                3 => 0,
                _ => (j as i64).wrapping_mul(0x1234_5678_9abc_def1).rem_euclid(2 * LARGEST) - LARGEST,
            };
            let mut a: [__m256d; L] = core::array::from_fn(|j| {
                _mm256_castsi256_pd(load(core::array::from_fn(|lane| (limb(j, lane) as f64).to_bits())))
            });
            let before = words(&a);
            let doubling: [u64; LANES] = core::array::from_fn(|lane| ((round >> 1) + lane) as u64 & 1);
            doubles::square::<L, 46, 3>(&mut a, &reducers, load(doubling));
            let after = words(&a);
            assert!(after.iter().flatten().all(|limb| limb.abs() <= LARGEST), "round {round}");
            for lane in 0..LANES {
                let m = BigInt::from(multiple(&n[lane], LIMB_BITS));
                let (square, root) = (value(&after, lane), value(&before, lane));
                assert_eq!((&square * &radix - (root.pow(2) << doubling[lane])) % &m, BigInt::ZERO, "round {round}");
                let small = |a: &BigInt| a.magnitude() < &(m.magnitude() * 2_u32);
                assert!(!small(&root) || small(&square), "round {round}, lane {lane}");
                if small(&square) {
                    let (above, low) = doubles::value::<N, L>(&a, &reducers, lane);
                    let positive = (BigInt::from(above) << (64 * N)) + BigInt::from(big(&low));
                    assert_eq!(positive, square + 2 * m, "round {round}, lane {lane}");
                }
            }
        }
    }

    #[test]
    fn squares_agree_with_num_bigint_also_with_the_largest_limbs() {
        if four_lanes().is_some() {
            for bits in [64, 72, 512, 1000, 1016, 1024] {
                // SAFETY: there are `FourLanes`.
                unsafe { check::<16>(bits) };
            }
        }
    }
}

fn check_passed<const N: usize, A: Arithmetic<N>>(has: FourLanes, numbers: &[Uint<N>], bits: usize) {
    let expected: Vec<bool> = numbers.iter().map(|n| is_strong_probable_prime(&big(n))).collect();
    assert!(expected.contains(&true) && expected.contains(&false), "{bits} bits: both outcomes are wanted");
    // every number in every lane
    for first in 0..numbers.len() {
        let at = |lane: usize| (first + lane) % numbers.len();
        let batch: [Uint<N>; LANES] = core::array::from_fn(|lane| numbers[at(lane)]);
        let passed = strong_tests::<N, A>(has, &batch, bits);
        for lane in 0..LANES {
            assert_eq!(passed >> lane & 1 == 1, expected[at(lane)], "{:x?}, lane {lane}", batch[lane]);
        }
    }
}

#[test]
fn the_strong_test_agrees_with_its_definition_in_every_lane() {
    let Some(has) = four_lanes() else { return };
    // primes, strong pseudoprimes and others of 64 bits; 2^63 + 29 is prime
    let mut numbers: Vec<Uint<5>> = moduli(64);
    numbers.extend(strong_pseudoprimes(2).into_iter().map(Uint::from_word));
    numbers.extend([u64::MAX - 58, u64::MAX - 82, (1 << 63) + 29].map(Uint::from_word));
    numbers.retain(|n| n.bit_length() == 64);
    check_passed::<5, Integers<11, 22, 7>>(has, &numbers, 64);
    // two Mersenne primes and 2^1024 - 105 among odd numbers; 2^(bits - 1) + 1 is one of those, for which n - 1 has
    // bits - 1 trailing zeros
    let below_power =
        |exponent: usize, less: u64| Uint::<16>::ZERO.borrowing_sub(&Uint::from_word(less)).0.shr(1024 - exponent);
    for (bits, prime) in [(521, below_power(521, 1)), (607, below_power(607, 1)), (1024, below_power(1024, 105))] {
        let mut numbers: Vec<Uint<16>> = moduli(bits).into_iter().take(9).collect();
        numbers.push(prime);
        check_passed::<16, Integers<38, 76, 6>>(has, &numbers, bits);
        #[cfg(target_arch = "x86_64")]
        check_passed::<16, Doubles<23, 46, 3>>(has, &numbers, bits);
    }
}
