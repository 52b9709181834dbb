//! Decoding of forms: whatever is accepted is a reduced form of the discriminant and encodes to the same bytes.

use crate::edits;
use crate::input::Input;
use crate::oracle::BigForm;
use chronym_vdf::{Discriminant, Error, FORM_BYTES, Form};
use num_bigint::{BigInt, Sign};
use std::sync::LazyLock;

/// Sizes with every number of limbs at which something changes, and odd ones between.
const SIZES: [usize; 14] = [8, 16, 24, 32, 64, 72, 128, 136, 256, 264, 512, 928, 1000, 1024];

static DISCRIMINANTS: LazyLock<Vec<Discriminant>> = LazyLock::new(|| {
    SIZES.iter().map(|&bits| Discriminant::from_seed(b"decoding", bits).expect("a supported size")).collect()
});

/// One byte chooses the size, its highest bit between bytes as they are and a valid encoding with changes.
///
/// # Panics
/// When decoding is wrong.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let choice = usize::from(input.u8());
    let discriminant = &DISCRIMINANTS[choice % SIZES.len()];
    if choice < 128 {
        check(discriminant, input.rest());
        return;
    }
    let length = usize::from(input.u8()) % 17;
    let exponent = input.take(length);
    let form = Form::generator(discriminant).pow(exponent, discriminant);
    let valid = form.encode(discriminant);
    assert_eq!(check(discriminant, &valid), Some(form));
    let mut altered = valid.to_vec();
    edits::apply(&mut altered, &mut input);
    // One form has one encoding.
    assert!(check(discriminant, &altered).is_none_or(|other| other != form || altered == valid));
}

fn check(discriminant: &Discriminant, bytes: &[u8]) -> Option<Form> {
    match Form::decode(discriminant, bytes) {
        Ok(form) => {
            assert_eq!(form.encode(discriminant), bytes);
            let big = BigForm::from(&form);
            assert!(big.is_reduced());
            assert_eq!(-big.discriminant(), BigInt::from_bytes_be(Sign::Plus, &discriminant.to_be_bytes()));
            let inverse = form.inverse();
            assert_eq!(Form::decode(discriminant, &inverse.encode(discriminant)), Ok(inverse));
            Some(form)
        }
        Err(error) => {
            let wrong_length = bytes.len() != FORM_BYTES;
            assert_eq!(error, if wrong_length { Error::FormLength(bytes.len()) } else { Error::FormEncoding });
            None
        }
    }
}
