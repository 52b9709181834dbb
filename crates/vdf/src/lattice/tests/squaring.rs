use super::super::forms::odd_form;
use super::reference::{BigForm, Contexts, Random, to_big};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed};

/// Consecutive squarings compared with the reference.
const CONSECUTIVE: u32 = 3_000;

const STRUCTURED: u32 = 1_000;

#[test]
fn squarings_in_a_row_are_the_textbooks_and_hardly_one_is_refused() {
    assert_consecutive(CONSECUTIVE, 1);
}

#[test]
#[ignore = "long: 10 to 20 seconds, nearly all of them the reference's"]
fn twenty_thousand_squarings_in_a_row_are_the_textbooks_and_hardly_one_is_refused() {
    assert_consecutive(20_000, 7);
}

fn assert_consecutive(squarings: u32, seed: u64) {
    let mut random = Random(seed);
    let mut form = random.walk(1024);
    let contexts = form.contexts();
    let mut refused = 0;
    for step in 0..squarings {
        let square = form.square();
        match form.to_fast().and_then(|form| contexts.square(&form)) {
            Some(fast) => assert_eq!(BigForm::from(&fast), square, "squaring {step} of {form:?}"),
            None => refused += 1,
        }
        form = square;
    }
    assert!(refused <= 2, "{refused} of {squarings}");
}

#[test]
fn the_first_squarings_from_the_generator_are_right_or_refused() {
    let mut random = Random(2);
    let discriminant = random.discriminant(1024);
    let contexts = Contexts::new(&discriminant).unwrap();
    let mut form = BigForm::generator(&discriminant);
    for _ in 0..40 {
        let square = form.square();
        let fast = form.to_fast().and_then(|form| contexts.square(&form));
        assert!(fast.is_none_or(|fast| BigForm::from(&fast) == square));
        assert!(form.c.bits() > 560 || fast.is_some());
        form = square;
    }
}

#[test]
fn discriminants_of_928_bits_and_more_are_taken() {
    let mut random = Random(3);
    for bits in [928, 936, 960, 992, 1000, 1016, 1024] {
        let mut form = random.walk(bits);
        let contexts = form.contexts();
        let mut refused = 0;
        for _ in 0..20 {
            let square = form.square();
            match form.to_fast().and_then(|form| contexts.square(&form)) {
                Some(fast) => assert_eq!(BigForm::from(&fast), square),
                None => refused += 1,
            }
            form = square;
        }
        assert!(refused <= 1, "{refused} of 20 with {bits} bits");
    }
    assert!(Contexts::new(&random.discriminant(920)).is_none());
    assert!(Contexts::new(&random.discriminant(512)).is_none());
    assert!(Contexts::new(&BigInt::from(0)).is_none());
    assert!(Contexts::new(&(random.discriminant(1024) + 4)).is_none(), "3 modulo 8");
}

/// Small a and a near the bound `sqrt(|D| / 3)`, b = 1, b at the edges of `+-a`. Also a and c of each parity, c of 8
/// and 9 limbs, long runs of ones and zeros.
#[test]
fn structured_forms_are_squared_or_refused_for_a_reason() {
    let mut random = Random(4);
    let mut unexplained = 0;
    for round in 0..STRUCTURED {
        let a_bits = if round % 2 == 0 { 505 + random.below(8) } else { 460 + random.below(50) };
        let form = random.form(a_bits);
        let fast = form.to_fast().expect("nine limbs");
        let result = form.contexts().square(&fast);
        if let Some(square) = result {
            assert_eq!(BigForm::from(&square), form.square(), "{form:?}");
            continue;
        }
        // Refused: a or A too small, c of the form or its square too large, a common divisor of A and B (so of D). Also
        // a square on the edge of reducedness.
        let odd = odd_form(&fast);
        let (a, b) = (to_big(&odd.a), to_big(&odd.b));
        let square = form.square();
        // Doubles don't tell these from forms beyond the edge.
        let near = |x: &BigInt, y: BigInt| (x - y).bits() + 40 < x.bits();
        let on_the_edge = near(&square.a, square.b.abs()) || near(&square.c, square.a);
        // Short vectors of such forms have coordinates above 2^290, so near the limit that large entries of Gauss's
        // matrix cross it.
        let lopsided = form.c.bits() > 545 || square.c.bits() > 545;
        let reason = lopsided || a.bits() <= 448 || !a.gcd(&b).is_one() || on_the_edge;
        unexplained += u32::from(!reason);
    }
    // Numbers of long runs have differences of many trailing zeros, so vectors of uneven length.
    assert!(unexplained * 50 <= STRUCTURED, "{unexplained} of {STRUCTURED}");
}

#[test]
fn the_identity_and_other_forms_with_short_coefficients_are_refused() {
    let mut random = Random(5);
    let discriminant = random.discriminant(1024);
    let contexts = Contexts::new(&discriminant).unwrap();
    let identity = BigForm::with_ab(BigInt::one(), BigInt::one(), &discriminant);
    assert!(identity.to_fast().is_none());
    // c of nine limbs, but above 2^560
    let form = random.form(470);
    let mut fast = form.to_fast().unwrap();
    fast.c[8] |= 1 << 50;
    assert_eq!(contexts.square(&fast), None);
    assert_eq!(form.contexts().square(&fast), None);
}

#[test]
fn a_form_of_another_discriminant_is_refused() {
    let mut random = Random(6);
    for _ in 0..20 {
        let (form, other) = (random.form(508), random.form(508));
        assert_eq!(other.contexts().square(&form.to_fast().unwrap()), None);
    }
}
