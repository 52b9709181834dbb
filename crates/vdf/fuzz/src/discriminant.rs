//! Discriminants: from bytes, exactly the primes of the right kind; from a seed, always one.

use crate::input::Input;
use crate::prime;
use chronym_vdf::{Backend, Discriminant, Error, Form, fuzzing};
use num_bigint::BigUint;
use num_traits::One;

/// Longest discriminants that the oracle derives too: it has hundreds of candidates to test.
const MAX_DERIVED_BITS: usize = 264;

/// One byte chooses the question.
///
/// # Panics
/// When an answer is wrong.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    match input.u8() % 4 {
        0 => from_bytes(input.rest()),
        1 => from_seed(&mut input),
        2 => odd_number(&mut input),
        _ => product(&mut input),
    }
}

fn from_bytes(bytes: &[u8]) {
    let expected = if bytes.is_empty() || bytes.len() > 128 {
        Err(Error::DiscriminantSize(8 * bytes.len()))
    } else {
        let magnitude = BigUint::from_bytes_be(bytes);
        let bits = usize::try_from(magnitude.bits()).expect("at most 1024");
        if bits != 8 * bytes.len() {
            Err(Error::DiscriminantSize(bits))
        } else if bytes.last().is_some_and(|low| low & 7 != 7) {
            Err(Error::DiscriminantResidue)
        } else if !prime::is_prime(&magnitude) {
            Err(Error::DiscriminantNotPrime)
        } else {
            Ok(bytes.to_vec())
        }
    };
    let result = Discriminant::from_be_bytes(bytes);
    if let Ok(discriminant) = &result {
        let x = Form::generator(discriminant);
        assert_eq!(
            Form::decode(discriminant, &x.square(discriminant).encode(discriminant)),
            Ok(x.square(discriminant))
        );
    }
    assert_eq!(result.map(|discriminant| discriminant.to_be_bytes()), expected);
}

/// Sizes up to 512 bits, in most cases: the longest take tens of milliseconds here.
fn from_seed(input: &mut Input) {
    let choice = input.u16();
    let bits = if choice.is_multiple_of(16) { usize::from(choice >> 4) } else { 8 * (usize::from(choice >> 4) % 65) };
    let seed = input.take(70);
    let expected = if !(2..=64).contains(&seed.len()) {
        Err(Error::SeedLength(seed.len()))
    } else if bits == 0 || bits > 1024 || bits % 8 != 0 {
        Err(Error::DiscriminantSize(bits))
    } else {
        Ok(bits)
    };
    let result = Discriminant::from_seed(seed, bits);
    if let Ok(discriminant) = &result {
        let magnitude = discriminant.to_be_bytes();
        from_bytes(&magnitude);
        for backend in Backend::available() {
            assert_eq!(fuzzing::magnitude_from_seed(seed, bits, backend), magnitude, "{}", backend.name());
        }
        if bits <= MAX_DERIVED_BITS {
            assert_eq!(prime::from_seed(seed, bits), magnitude);
        }
    }
    assert_eq!(result.map(|discriminant| 8 * discriminant.to_be_bytes().len()), expected);
}

fn odd_number(input: &mut Input) {
    let bits = 2 + u64::from(input.u16()) % 1023;
    agree(&(input.number(bits) | BigUint::one()));
}

/// Composites that strong tests have been deceived by: products of primes p and m (p - 1) + 1.
fn product(input: &mut Input) {
    let bits = 2 + u64::from(input.u8());
    let multiple = 2 + u64::from(input.u8() % 32);
    let mut factor = input.number(bits) | BigUint::one();
    while !prime::is_prime(&factor) {
        factor += 2_u8;
    }
    agree(&(&factor * ((&factor - 1_u8) * multiple + 1_u8)));
    agree(&(&factor * &factor));
}

fn agree(number: &BigUint) {
    if number.bits() > 1024 || number.is_one() {
        return;
    }
    let expected = prime::is_prime(number);
    for backend in Backend::available() {
        assert_eq!(fuzzing::is_prime(&number.to_bytes_be(), backend), expected, "{number} by {}", backend.name());
    }
}
