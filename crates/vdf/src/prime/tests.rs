use super::lucas::jacobi;
use super::{first_prime, lucas, miller_rabin};
use crate::backend::Backend;
use crate::uint::Uint;
use crate::uint::montgomery::Montgomery;
use num_bigint::BigUint;
use num_traits::{One, Zero};

/// The same number.
pub(super) fn big<const N: usize>(value: &Uint<N>) -> BigUint {
    value.0.iter().rev().fold(BigUint::zero(), |sum, &limb| (sum << 64) + limb)
}

/// Random words, all zeros and all ones, equally often each.
pub(super) fn structured_words() -> impl FnMut() -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        match state >> 33 & 3 {
            0 => 0,
            1 => u64::MAX,
            _ => state,
        }
    }
}

/// An odd number of exactly `bits` bits.
pub(super) fn odd<const N: usize>(random: &mut impl FnMut() -> u64, bits: usize) -> Uint<N> {
    let mut n = Uint::<N>(core::array::from_fn(|_| random())).shr(64 * N - bits);
    n.0[0] |= 1;
    n.0[(bits - 1) / 64] |= 1 << ((bits - 1) % 64);
    n
}

/// Odd numbers of exactly `bits` bits: all ones, all zeros between, the lowest, zeros and ones by limbs, and random.
pub(super) fn moduli<const N: usize>(bits: usize) -> Vec<Uint<N>> {
    let power = Uint::<N>::ONE.shl(bits - 1);
    let all_ones = power.sub(&Uint::ONE).carrying_add(&power).0;
    let mut moduli = vec![all_ones, power.carrying_add(&Uint::ONE).0, power.carrying_add(&Uint::from_word(7)).0];
    let mut random = structured_words();
    moduli.extend((0..29).map(|_| odd(&mut random, bits)));
    moduli
}

/// Whether n is a strong probable prime to base 2, by its definition.
pub(super) fn is_strong_probable_prime(n: &BigUint) -> bool {
    let minus_one = n - 1_u32;
    let twos = minus_one.trailing_zeros().unwrap();
    let odd = &minus_one >> twos;
    let mut power = BigUint::from(2_u32).modpow(&odd, n);
    if power.is_one() {
        return true;
    }
    for _ in 0..twos {
        if power == minus_one {
            return true;
        }
        power = power.pow(2) % n;
    }
    false
}

#[test]
fn the_strong_test_agrees_with_its_definition() {
    let mersenne = Uint::<2>(core::array::from_fn(|limb| if limb == 0 { u64::MAX } else { u64::MAX >> 1 }));
    let numbers = [65, 100, 128].into_iter().flat_map(moduli::<2>).chain([mersenne]);
    let verdicts: Vec<bool> = numbers
        .map(|n| {
            let passes = miller_rabin::is_probable_prime(&n, &Montgomery::new(&n));
            assert_eq!(passes, is_strong_probable_prime(&big(&n)), "{n:x?}");
            passes
        })
        .collect();
    assert!(verdicts.contains(&true) && verdicts.contains(&false));
}

/// What every backend says.
fn is_prime<const N: usize>(n: &Uint<N>) -> bool {
    let all: Vec<bool> = Backend::available().into_iter().map(|backend| super::is_prime(n, backend)).collect();
    assert!(all.iter().all(|&verdict| verdict == all[0]), "{n:x?}");
    all[0]
}

/// Strong pseudoprimes to base 2 of 64 bits with two large factors, p (2p - 1): no small prime divides them, only Lucas
/// rejects them.
pub(super) fn strong_pseudoprimes(count: usize) -> Vec<u64> {
    let is_strong = |n: &Uint<1>| miller_rabin::is_probable_prime(n, &Montgomery::new(n));
    let pseudoprime = |p: u64| {
        let n = Uint([p * (2 * p - 1)]);
        (is_strong(&n) && is_prime(&Uint([p])) && is_prime(&Uint([2 * p - 1]))).then_some(n.0[0])
    };
    // p (2p - 1) has 64 bits from p = 2^31 to 2^31 sqrt(2)
    (2_200_000_001..3_000_000_000).step_by(2).filter_map(pseudoprime).take(count).collect()
}

#[test]
fn the_first_prime_behind_strong_pseudoprimes_is_found_whatever_lane_it_has() {
    let pseudoprimes = strong_pseudoprimes(3);
    let [first, second] = [u64::MAX - 58, u64::MAX - 82];
    // without small factors: every candidate reaches the strong test
    let composite = (u64::from(u32::MAX) - 4) * (u64::from(u32::MAX) - 16);
    for n in &pseudoprimes {
        let n = Uint::<5>::from_word(*n);
        assert!(n.bit_length() == 64 && !lucas::is_probable_prime(&n, Backend::available()[0]));
    }
    for backend in Backend::available() {
        for before in 0..20 {
            for between in 0..9 {
                let mut candidates = vec![composite; before];
                candidates.push(pseudoprimes[before % 3]);
                candidates.extend(vec![composite; between]);
                // two that pass the strong test in one batch, then the prime, then another
                candidates.extend([pseudoprimes[between % 3], first, second]);
                let endless = || candidates.iter().copied().chain(core::iter::repeat(composite));
                let wide = first_prime(backend, endless().map(Uint::<16>::from_word), 64);
                let narrow = first_prime(backend, endless().map(Uint::<5>::from_word), 64);
                assert_eq!((wide.0[0], narrow.0[0]), (first, first), "{backend:?}, {before} before, {between} between");
            }
        }
    }
}

#[test]
fn agrees_with_a_sieve_below_a_hundred_thousand() {
    let mut composite = vec![false; 100_000];
    for n in 2..composite.len() {
        if !composite[n] {
            (n * n..composite.len()).step_by(n).for_each(|multiple| composite[multiple] = true);
        }
        if n % 2 == 1 {
            assert_eq!(is_prime(&Uint::<2>::from_word(n as u64)), !composite[n], "{n}");
        }
    }
}

#[test]
fn refuses_strong_pseudoprimes_and_squares() {
    // strong pseudoprimes to base 2 above the trial-division bound: products of primes p and 2p - 1 or k(p - 1) + 1
    // (OEIS A001262 and A072276)
    for n in
        [3_215_031_751, 3_825_123_056_546_413_051, 6_785_117_u64.pow(2), 1_194_649, 12_327_121, 341_550_071_728_321]
    {
        assert!(!is_prime(&Uint::<3>::from_word(n)), "{n}");
    }
}

#[test]
fn accepts_known_primes_of_every_width() {
    // 2^89 - 1, 2^521 - 1, 2^607 - 1, 2^1279 - 1 (Mersenne)
    for exponent in [89, 521, 607, 1279] {
        assert!(is_prime(&Uint::<20>::ONE.shl(exponent).sub(&Uint::ONE)), "2^{exponent} - 1");
    }
    for exponent in [83, 523, 613, 1277] {
        assert!(!is_prime(&Uint::<20>::ONE.shl(exponent).sub(&Uint::ONE)), "2^{exponent} - 1");
    }
    assert!(is_prime(&Uint([u64::MAX - 58])), "2^64 - 59");
}

#[test]
fn the_jacobi_symbol_of_a_prime_is_eulers_criterion() {
    let p = 1_000_003_u64;
    let power = |base: u64| {
        let (mut result, mut base, mut exponent) = (1, base, (p - 1) / 2);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = result * base % p;
            }
            base = base * base % p;
            exponent >>= 1;
        }
        result
    };
    for d in (1..2000).step_by(2) {
        let expected = if power(d) == 1 { 1 } else { -1 };
        assert_eq!(jacobi(d as i64, &Uint::<1>::from_word(p)), expected, "{d}");
        assert_eq!(jacobi(-(d as i64), &Uint::<1>::from_word(p)), if power(p - d) == 1 { 1 } else { -1 }, "-{d}");
    }
}
