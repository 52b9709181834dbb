use super::super::FORM_LIMBS;
use super::super::compose::{SMALL_PRIMES_PRODUCT, small_residue};
use super::super::forms::{OddForm, odd_form, other_odd_form};
use super::reference::{BigForm, Random, to_big};
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

const PAIRS: u32 = 3_000;

#[test]
fn products_are_the_textbooks() {
    let mut random = Random(11);
    let mut first = random.walk(1024);
    let mut second = first.square().square().compose(&first).square();
    let contexts = first.contexts();
    let mut refused = 0;
    for step in 0..PAIRS {
        let product = first.compose(&second);
        match contexts.compose(&first.to_fast().unwrap(), &second.to_fast().unwrap()) {
            Some(fast) => assert_eq!(BigForm::from(&fast), product, "composition {step} of {first:?} and {second:?}"),
            None => refused += 1,
        }
        (first, second) = (product, first);
    }
    // Common divisors with all six choices of A.
    assert!(refused * 100 <= PAIRS, "{refused} of {PAIRS}");
}

/// Powers of a form with a small a share its prime with one another.
#[test]
fn forms_with_common_factors_are_composed_or_refused() {
    let mut random = Random(12);
    let (mut composed, mut pairs) = (0, 0);
    for _ in 0..20 {
        let first = random.walk(1024);
        let contexts = first.contexts();
        for second in [
            first.clone(),
            first.inverse(),
            first.square(),
            first.square().inverse(),
            first.compose(&BigForm::generator(&first.discriminant())),
        ] {
            pairs += 1;
            let product = first.compose(&second);
            if let Some(fast) = contexts.compose(&first.to_fast().unwrap(), &second.to_fast().unwrap()) {
                composed += 1;
                assert_eq!(BigForm::from(&fast), product, "{first:?} and {second:?}");
            }
        }
    }
    assert!(composed * 2 > pairs, "{composed} of {pairs}");
}

/// Forms of one discriminant with b and a of every kind: f, and what f becomes by walking on from it.
#[test]
fn structured_forms_are_composed_or_refused() {
    let mut random = Random(13);
    let (mut composed, mut pairs) = (0, 0);
    for _ in 0..PAIRS / 3 {
        let a_bits = 470 + random.below(43);
        let first = random.form(a_bits);
        let contexts = first.contexts();
        let square = first.square();
        for second in [square.compose(&first), square.square()] {
            let Some(fast_second) = second.to_fast() else { continue };
            pairs += 1;
            for (x, y) in [(first.to_fast().unwrap(), fast_second), (fast_second, first.to_fast().unwrap())] {
                if let Some(fast) = contexts.compose(&x, &y) {
                    composed += 1;
                    assert_eq!(BigForm::from(&fast), first.compose(&second), "{first:?} and {second:?}");
                }
            }
        }
    }
    assert!(composed > pairs, "{composed} of {pairs} twice");
}

#[test]
fn small_residues_are_exact() {
    let mut random = Random(15);
    let numbers = core::iter::repeat_with(|| core::array::from_fn(|_| random.word())).take(100);
    for number in numbers.chain([[u64::MAX; FORM_LIMBS], [0; FORM_LIMBS]]) {
        assert_eq!(BigInt::from(small_residue(&number)), to_big(&number) % SMALL_PRIMES_PRODUCT, "{number:?}");
    }
}

#[test]
fn odd_forms_have_the_discriminant_and_a_large_a() {
    let mut random = Random(14);
    for _ in 0..200 {
        let a_bits = 460 + random.below(52);
        let form = random.form(a_bits);
        let fast = form.to_fast().unwrap();
        let odd_forms = [odd_form(&fast), other_odd_form(&fast, 0), other_odd_form(&fast, 1)];
        let multiples_of_three = odd_forms.iter().filter(|odd| (to_big(&odd.a) % 3_u32).is_zero());
        // these discriminants are not primes: a multiple of 9 may have forms that are multiples of 3
        assert!(multiples_of_three.count() < odd_forms.len() || (form.discriminant() % 9_u32).is_zero());
        for OddForm { a, b, b_negative, c } in odd_forms {
            let (a, b, c) = (to_big(&a), to_big(&b), to_big(&c));
            assert!(a.bit(0) && b.abs() <= a);
            let b: BigInt = if b_negative { -b } else { b };
            let odd = BigForm { a, b, c };
            assert_eq!(odd.discriminant(), form.discriminant());
            assert_eq!(odd.reduce(), form);
        }
    }
}
