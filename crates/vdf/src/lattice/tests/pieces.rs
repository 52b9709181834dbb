use super::super::FORM_LIMBS;
use super::super::arithmetic::batch::{batch, last_batch};
use super::super::arithmetic::coordinate::{LIMBS, Product};
use super::super::arithmetic::modulus::{MAX_HALVINGS, Modulus};
use super::super::arithmetic::rows::Rows;
use super::super::arithmetic::steps::Steps;
use super::super::arithmetic::word::{inverse, shifted_high};
use super::super::candidate::Candidate;
use super::super::context::Portable;
use super::super::gcds::invert;
use super::reference::{Contexts, Random, limbs, to_big};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

const ROUNDS: u32 = 2_000;

/// An odd number of 449 to 560 bits.
fn odd_modulus(random: &mut Random) -> BigInt {
    let bits = 449 + random.below(112);
    let number = random.number(bits);
    if number.is_even() { number + 1 } else { number }
}

/// A positive odd number below the modulus.
fn odd_below(random: &mut Random, modulus: &BigInt) -> BigInt {
    let bits = 1 + random.below(modulus.bits());
    let number = random.number(bits).mod_floor(modulus);
    if number.is_even() { modulus - number } else { number }
}

fn signed(magnitude: &[u64], negative: bool) -> BigInt {
    let magnitude = to_big(magnitude);
    if negative { -magnitude } else { magnitude }
}

/// `x1 v2 - x2 v1 = +-A` and `2^T x_i = v_i b mod A`.
fn assert_invariants(rows: &Rows, modulus: &BigInt, b: &BigInt, shift: u32) {
    let mut rows = rows.clone();
    rows.clear_unused();
    let x: Vec<BigInt> = rows.x().iter().map(|row| to_big(row)).collect();
    let v: Vec<BigInt> = (0..2).map(|index| signed(&rows.v()[index], rows.v_negative[index])).collect();
    assert_eq!((&x[0] * &v[1] - &x[1] * &v[0]).abs(), *modulus);
    for (x, v) in x.iter().zip(&v) {
        assert!(((x << shift) - v * b).mod_floor(modulus).is_zero());
    }
}

#[test]
fn batches_keep_the_rows_in_the_lattice_whatever_the_numbers() {
    let mut random = Random(21);
    for _ in 0..ROUNDS {
        let modulus = odd_modulus(&mut random);
        // Often so near the modulus, or half of it, that the highest words are equal.
        let b = match random.below(4) {
            0 => &modulus - 2 * (1 + random.below(1 << 20)),
            1 => ((&modulus >> 2) << 1) + 1,
            _ => odd_below(&mut random, &modulus),
        };
        let mut rows = Rows::new(&limbs(&modulus).unwrap(), &limbs(&b).unwrap(), false);
        let mut shift = 0;
        rows.trim(2);
        while rows.x_limbs > 2 && shift < 1600 {
            let Some(taken) = batch(&mut rows, Steps::Compiled) else { break };
            assert!((1..=62).contains(&taken));
            shift += taken;
            assert_invariants(&rows, &modulus, &b, shift);
            rows.trim(2);
        }
    }
}

#[test]
fn a_last_batch_takes_exactly_the_bits_it_is_told() {
    let mut random = Random(22);
    for round in 0..ROUNDS {
        let modulus = odd_modulus(&mut random);
        let b = odd_below(&mut random, &modulus);
        let bits = 1 + round % 62;
        let mut rows = Rows::new(&limbs(&modulus).unwrap(), &limbs(&b).unwrap(), false);
        rows.trim(2);
        last_batch(&mut rows, bits).unwrap();
        assert_invariants(&rows, &modulus, &b, bits);
    }
}

#[test]
fn inverses_are_inverses_and_common_divisors_are_noticed() {
    let mut random = Random(23);
    for _ in 0..ROUNDS {
        let modulus = odd_modulus(&mut random);
        let b = odd_below(&mut random, &modulus);
        let prepared = Modulus::new(&limbs(&modulus).unwrap()).unwrap();
        let inverse = invert(Portable, &prepared, &limbs(&b).unwrap());
        if !modulus.gcd(&b).is_one() {
            assert!(inverse.is_none());
        } else if let Some(inverse) = inverse {
            let v = signed(&inverse.magnitude, inverse.negative);
            assert!((v * &b - (BigInt::one() << inverse.shift)).mod_floor(&modulus).is_zero());
        }
        // The modulus itself, and a multiple of a factor of more than one limb.
        assert!(invert(Portable, &prepared, &limbs(&modulus).unwrap()).is_none());
    }
    let factor = random.number(150) * 2 + 1;
    let modulus = Modulus::new(&limbs(&(&factor * ((BigInt::one() << 320) + 1))).unwrap()).unwrap();
    assert!(invert(Portable, &modulus, &limbs(&(&factor * ((BigInt::one() << 300) + 1))).unwrap()).is_none());
}

#[test]
fn scaled_products_are_reduced_exactly() {
    let mut random = Random(24);
    for _ in 0..ROUNDS {
        let modulus = odd_modulus(&mut random);
        let factor = |random: &mut Random| match random.below(8) {
            0 => BigInt::zero(),
            1 => &modulus - 1,
            2 => (BigInt::one() << 576) - 1,
            _ => {
                let bits = 1 + random.below(576);
                random.number(bits)
            }
        };
        let (x, y) = (factor(&mut random), factor(&mut random));
        let halvings = random.below(u64::from(MAX_HALVINGS) + 1) as u32;
        let prepared = Modulus::new(&limbs(&modulus).unwrap()).unwrap();
        let product = to_big(&prepared.scaled_product(&limbs(&x).unwrap(), &limbs(&y).unwrap(), halvings));
        assert!(product < modulus);
        assert!(((product << halvings) - x * y).mod_floor(&modulus).is_zero());
    }
}

#[test]
fn a_modulus_has_449_to_560_bits() {
    for (bits, accepted) in [(448, false), (449, true), (512, true), (513, true), (560, true), (561, false)] {
        let modulus = (BigInt::one() << (bits - 1)) + 1;
        let prepared = Modulus::new(&limbs(&modulus).unwrap());
        assert_eq!(prepared.map(|modulus| modulus.bits()), accepted.then_some(bits), "{bits}");
    }
}

/// What a slip anywhere in the kernel would have to get past.
#[test]
fn a_form_that_is_wrong_in_any_coefficient_is_refused() {
    let mut random = Random(25);
    let form = random.walk(1024);
    let context = &form.contexts().0[0];
    let product = |value: &BigInt| -> Product { limbs(value).unwrap() };
    let candidate = |a: BigInt, b: BigInt, c: BigInt| Candidate { a: product(&a), b: product(&b), c: product(&c) };
    let (a, b, c) = (form.a.clone(), form.b.abs(), form.c.clone());
    let size = |a: &BigInt| a.to_string().parse::<f64>().unwrap();
    let fast = candidate(a.clone(), b.clone(), c.clone()).check(context, size(&a), form.b.is_negative());
    assert_eq!(fast, form.to_fast());
    // On the discriminant modulo 2^64, but not on it: only the norm tells.
    let far = BigInt::one() << 511;
    assert!(candidate(&a + &far, b.clone(), c.clone()).check(context, size(&a), false).is_none());
    assert!(candidate(a.clone(), b.clone(), c.clone()).check(context, size(&a) * 1.02, false).is_none());
    assert!(candidate(a.clone(), b.clone(), c.clone()).check(context, f64::NAN, false).is_none());
    for (wrong_a, wrong_b, wrong_c) in [(2, 0, 0), (0, 2, 0), (0, 0, 2)] {
        assert!(candidate(&a + wrong_a, &b + wrong_b, &c + wrong_c).check(context, size(&a), false).is_none());
    }
    // Not reduced: the same class with b beyond a, a and c exchanged, and too large.
    let (next_b, next_c) = (&b + (&a << 1), &a + &b + &c);
    assert!(candidate(a.clone(), next_b, next_c).check(context, size(&a), false).is_none());
    assert!(candidate(c.clone(), b.clone(), a.clone()).check(context, size(&c), false).is_none());
    assert!(
        candidate(a.clone(), b, c + (BigInt::one() << (64 * FORM_LIMBS))).check(context, size(&a), false).is_none()
    );
    // Negative a: the sign bit is above the form's limbs.
    let mut negative = Candidate { a: product(&a), b: [0; 2 * LIMBS], c: product(&a) };
    negative.a[2 * LIMBS - 1] = u64::MAX;
    assert!(negative.check(context, size(&a), false).is_none());
}

#[test]
fn words_have_inverses_and_shifts_from_0_to_63() {
    let mut random = Random(26);
    for odd in (0..1000).map(|_| random.word() | 1).chain([1, 3, u64::MAX, 1 << 63 | 1]) {
        assert_eq!(odd.wrapping_mul(inverse(odd)), 1);
    }
    assert_eq!(shifted_high(5, u64::MAX, 0), 5);
    assert_eq!(shifted_high(1, 1 << 63, 1), 3);
    assert_eq!(shifted_high(1, u64::MAX, 63), u64::MAX);
}

#[test]
fn contexts_are_made_for_7_modulo_8_alone() {
    let discriminant = Random(27).discriminant(1024);
    assert!(Contexts::new(&discriminant).is_some());
    for residue in [1, 2, 3, 4, 5, 6, 7] {
        assert!(Contexts::new(&(&discriminant + residue)).is_none());
    }
}
