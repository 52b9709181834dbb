use super::{is_prime, jacobi::jacobi};
use crate::uint::Uint;

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
    // strong pseudoprimes to base 2 above the trial-division bound: products of primes p and 2p - 1 or k(p - 1) + 1 (OEIS A001262 and A072276)
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
