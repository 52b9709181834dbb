//! Squaring and composition: by every set of instructions and by the general path, the textbook's result; on forms with
//! structure.

use crate::input::Input;
use crate::oracle::BigForm;
use chronym_vdf::{Backend, Form, fuzzing};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed};

/// One byte chooses the size of |D| and what the form looks like; the second form is a product of powers of the first
/// and the generator.
///
/// # Panics
/// When a result is wrong.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let bits = input.choose(&[1024, 1024, 1024, 1016, 1000, 960, 936, 928, 920, 768, 512, 264, 136, 128, 64, 24]);
    let Some(first) = form(&mut input, bits) else { return };
    assert!(first.is_reduced());
    let magnitude = first.discriminant().magnitude().to_bytes_be();
    let mut second = first.compose(&first);
    let generator = BigForm { a: 2.into(), b: 1.into(), c: (BigInt::one() - first.discriminant()) >> 3 };
    // What they have in common decides which way composition takes.
    for _ in 0..input.u8() % 6 {
        second = match input.u8() % 5 {
            0 => second.compose(&first),
            1 => second.compose(&second),
            2 => BigForm { b: -&second.b, ..second }.reduce(),
            3 => second.compose(&generator),
            _ => first.clone(),
        };
    }
    check_square(&first, &magnitude);
    check_square(&second, &magnitude);
    check_product(&first, &second, &magnitude);
    check_product(&second, &first, &magnitude);
}

fn check_square(big: &BigForm, magnitude: &[u8]) {
    let expected = big.compose(big);
    let form = Form::from(big);
    for backend in Backend::available() {
        let discriminant = fuzzing::discriminant(magnitude, backend);
        let fast = fuzzing::fast_square(&form, &discriminant);
        assert!(fast.is_none_or(|fast| BigForm::from(&fast) == expected), "{}: {big:?}", backend.name());
        // Only with a prime discriminant nothing divides both, and NUDUPL counts on it.
        if big.a.gcd(&big.b).is_one() {
            assert_eq!(BigForm::from(&fuzzing::general_square(&form, &discriminant)), expected, "{big:?}");
        }
    }
}

fn check_product(first: &BigForm, second: &BigForm, magnitude: &[u8]) {
    let expected = first.compose(second);
    let [one, other] = [first, second].map(Form::from);
    for backend in Backend::available() {
        let discriminant = fuzzing::discriminant(magnitude, backend);
        let fast = fuzzing::fast_product(&one, &other, &discriminant);
        assert!(
            fast.is_none_or(|fast| BigForm::from(&fast) == expected),
            "{}: {first:?} and {second:?}",
            backend.name()
        );
        let general = fuzzing::general_product(&one, &other, &discriminant);
        assert_eq!(BigForm::from(&general), expected, "{first:?} and {second:?}");
    }
}

/// A reduced form of a discriminant of `bits` bits that is 1 modulo 8, prime or not, or `None` if the choices lead to
/// none.
fn form(input: &mut Input, bits: u64) -> Option<BigForm> {
    // a <= sqrt(|D| / 3); mostly near it, as all but a few forms are
    let half = bits / 2;
    let shorter = if input.bool() { u64::from(input.u8() % 8) } else { u64::from(input.u8()) };
    let a = BigInt::from(input.number(half.saturating_sub(shorter).max(1)));
    let offset = BigInt::from(input.u8() >> 3);
    let b: BigInt = match input.u8() % 6 {
        0 => BigInt::one() + offset,
        1 => &a - offset,
        2 => (&a >> 1) + offset,
        _ => {
            let length = 1 + u64::from(input.u16()) % a.bits();
            input.number(length).into()
        }
    };
    let b = if b.is_even() { b - 1 } else { b };
    let b = if input.bool() { -b } else { b };
    // 4ac = |D| + b^2, for |D| anywhere from 2^(bits - 1) to 2^bits
    let size = match input.u8() % 4 {
        0 => BigInt::one() << (bits - 1),
        1 => (BigInt::one() << bits) - 1,
        _ => BigInt::from(input.number(bits)),
    };
    let c: BigInt = (size + &b * &b) / (&a << 2) + BigInt::from(input.u8() % 3);
    let c = if a.is_odd() && c.is_odd() { c + 1 } else { c };
    let form = BigForm { a, b, c };
    let discriminant = form.discriminant();
    // ac even, b odd: D = 1 modulo 8; and a primitive form, as all of a prime discriminant are
    let fits = discriminant.is_negative() && discriminant.bits().next_multiple_of(8) == bits;
    (fits && form.a.gcd(&form.b).gcd(&form.c).is_one()).then(|| form.reduce())
}
