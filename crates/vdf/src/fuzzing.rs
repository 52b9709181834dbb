//! Doors to the inside for the fuzz targets (`fuzz/`), which hold what they find there against an oracle of their own.

use crate::backend::Backend;
use crate::discriminant::Discriminant;
use crate::form::{Form, nucomp};
use crate::hash_prime::hash_prime;
use crate::prime;
use crate::sizes::{D_LIMBS, HALF_LIMBS};
use crate::uint::Uint;

/// A form's coefficients, integers little-endian: a and |b| of at most 64 bytes, c of at most 128.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coefficients {
    pub a: Vec<u8>,
    pub b: Vec<u8>,
    pub b_negative: bool,
    pub c: Vec<u8>,
}

impl From<&Form> for Coefficients {
    fn from(form: &Form) -> Self {
        let (mut a, mut b, mut c) = (vec![0; 8 * HALF_LIMBS], vec![0; 8 * HALF_LIMBS], vec![0; 8 * D_LIMBS]);
        form.a.write_le(&mut a);
        form.b.write_le(&mut b);
        form.c.write_le(&mut c);
        Self { a, b, b_negative: form.b_negative, c }
    }
}

/// Unchecked: the coefficients must be those of a reduced form.
impl From<&Coefficients> for Form {
    fn from(coefficients: &Coefficients) -> Self {
        Self {
            a: Uint::from_le_bytes(&coefficients.a),
            b: Uint::from_le_bytes(&coefficients.b),
            b_negative: coefficients.b_negative,
            c: Uint::from_le_bytes(&coefficients.c),
        }
    }
}

/// The discriminant of this magnitude, big-endian, prime or not.
#[must_use]
pub fn discriminant(magnitude: &[u8], backend: Backend) -> Discriminant {
    Discriminant::new(Uint::from_be_bytes(magnitude), 8 * magnitude.len(), backend)
}

/// The square by the fast kernel, `None` where it declines.
#[must_use]
pub fn fast_square(form: &Form, discriminant: &Discriminant) -> Option<Form> {
    let (square, left) = form.square_fast(1, discriminant);
    (left == 0).then_some(square)
}

/// The product by the fast kernel, `None` where it declines.
#[must_use]
pub fn fast_product(first: &Form, second: &Form, discriminant: &Discriminant) -> Option<Form> {
    first.compose_fast(second, discriminant)
}

/// The square by NUDUPL; a and b must have no common divisor.
#[must_use]
pub fn general_square(form: &Form, discriminant: &Discriminant) -> Form {
    nucomp::square(form, discriminant.bits())
}

/// The product by NUCOMP.
#[must_use]
pub fn general_product(first: &Form, second: &Form, discriminant: &Discriminant) -> Form {
    nucomp::compose(first, second, discriminant.bits())
}

/// Whether an odd number, big-endian, of at most 128 bytes, passes the primality test.
#[must_use]
pub fn is_prime(number: &[u8], backend: Backend) -> bool {
    prime::is_prime(&Uint::<D_LIMBS>::from_be_bytes(number), backend)
}

/// |D|, big-endian, of the discriminant of `bits` bits, a multiple of 8 up to 1024, that a seed leads to.
#[must_use]
pub fn magnitude_from_seed(seed: &[u8], bits: usize, backend: Backend) -> Vec<u8> {
    let mut magnitude = vec![0; bits / 8];
    hash_prime::<D_LIMBS>(backend, seed, bits, &[0, 1, 2, bits - 1]).write_be(&mut magnitude);
    magnitude
}
