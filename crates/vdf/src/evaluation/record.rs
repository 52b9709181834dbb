//! A form as 128 bytes: a, then |b|, each 64 bytes little-endian. b is odd, so its lowest bit carries no information
//! and holds the sign instead.

use crate::discriminant::Discriminant;
use crate::form::Form;
use crate::sizes::{D_LIMBS, HALF_LIMBS};
use crate::uint::{Uint, word};

/// Bytes of a stored form.
pub(super) const RECORD_BYTES: usize = 16 * HALF_LIMBS;

/// Where b begins.
const B_OFFSET: usize = RECORD_BYTES / 2;

/// Limbs of c in nearly all forms of 1024 bits: a is rarely below `sqrt(|D|) / 2^60`.
const USUAL_LIMBS: usize = HALF_LIMBS + 1;

pub(super) fn write(form: &Form) -> [u8; RECORD_BYTES] {
    debug_assert!(form.b.is_odd());
    let mut bytes = [0; RECORD_BYTES];
    let (a, b) = bytes.split_at_mut(B_OFFSET);
    form.a.write_le(a);
    form.b.write_le(b);
    b[0] ^= u8::from(!form.b_negative);
    bytes
}

/// The reduced form that a record encodes, or `None` if it is not one of this discriminant.
pub(super) fn read(bytes: &[u8; RECORD_BYTES], discriminant: &Discriminant) -> Option<Form> {
    let (a, b, negative) = parts(bytes);
    Form::from_ab(&a, &b, negative, discriminant)
}

/// The form of a record that [`write`] made or [`read`] accepted; what other bytes give is no form.
pub(super) fn read_checked(bytes: &[u8; RECORD_BYTES], discriminant: &Discriminant) -> Option<Form> {
    let (a, b, b_negative) = parts(bytes);
    // |D| = 4ac - b^2 >= 3ac makes c <= |D| / 3a < 2^(bits of D - bits of a)
    let usual = discriminant.bits() <= a.bit_length() + 64 * USUAL_LIMBS;
    let Some(c) = usual.then(|| third_coefficient(&a, &b, &discriminant.magnitude)).flatten() else {
        return read(bytes, discriminant);
    };
    debug_assert_eq!(Form::from_ab(&a, &b, b_negative, discriminant).map(|form| form.c), Some(c));
    Some(Form { a, b, b_negative, c })
}

fn parts(bytes: &[u8; RECORD_BYTES]) -> (Uint<HALF_LIMBS>, Uint<HALF_LIMBS>, bool) {
    let (words, _) = bytes.as_chunks();
    let number = |first: usize| Uint(core::array::from_fn(|i| u64::from_le_bytes(words[first + i])));
    let (a, mut b) = (number(0), number(HALF_LIMBS));
    let negative = b.is_odd();
    b.0[0] |= 1;
    (a, b, negative)
}

/// `(b^2 + |D|) / 4a` modulo `2^576`, for a division that leaves no rest; `None` for an a with more than 61 factors 2.
///
/// By exact division from the lowest limb up (Jebelean), so the upper halves of the square and of |D| play no part. All
/// rows have the same length, whether what is above is used or not: such loops are unrolled, which makes this three
/// times as quick.
fn third_coefficient(a: &Uint<HALF_LIMBS>, b: &Uint<HALF_LIMBS>, magnitude: &Uint<D_LIMBS>) -> Option<Uint<D_LIMBS>> {
    let twos = a.0[0].trailing_zeros() + 2;
    if twos >= 64 {
        return None;
    }
    let mut numerator = [0; 2 * HALF_LIMBS];
    for i in 0..HALF_LIMBS {
        let mut carry = 0;
        for j in 0..HALF_LIMBS {
            (numerator[i + j], carry) = word::carrying_mul_add(b.0[i], b.0[j], numerator[i + j], carry);
        }
        numerator[i + HALF_LIMBS] = carry;
    }
    // one limb more than c has, for the twos to be shifted out
    let mut overflow = false;
    for i in 0..=USUAL_LIMBS {
        (numerator[i], overflow) = word::carrying_add(numerator[i], magnitude.0[i], overflow);
    }
    let rest: [u64; USUAL_LIMBS] = core::array::from_fn(|i| numerator[i] >> twos | numerator[i + 1] << (64 - twos));
    // what is left of the rest, from limb i on
    let mut window: [u64; HALF_LIMBS] = core::array::from_fn(|i| rest[i]);
    let mut highest = rest[HALF_LIMBS];
    let odd = a.shr(twos as usize - 2).0;
    let inverse = word::inverse(odd[0]);
    let mut c = Uint::ZERO;
    for i in 0..USUAL_LIMBS {
        // the digit that makes limb i zero
        let digit = window[0].wrapping_mul(inverse);
        c.0[i] = digit;
        let (_, mut carry) = word::carrying_mul_add(digit, odd[0], 0, 0);
        let mut borrow = false;
        for j in 1..HALF_LIMBS {
            let low;
            (low, carry) = word::carrying_mul_add(digit, odd[j], carry, 0);
            (window[j - 1], borrow) = word::borrowing_sub(window[j], low, borrow);
        }
        window[HALF_LIMBS - 1] = core::mem::take(&mut highest).wrapping_sub(carry).wrapping_sub(u64::from(borrow));
    }
    Some(c)
}

const _: () = assert!(USUAL_LIMBS == HALF_LIMBS + 1 && USUAL_LIMBS < D_LIMBS);

#[cfg(test)]
mod tests {
    use super::{read, read_checked, write};
    use crate::{Discriminant, Form};

    #[test]
    fn records_are_read_as_they_were_written() {
        for bits in [8, 64, 256, 520, 1000, 1024] {
            let d = Discriminant::from_seed(b"records", bits).unwrap();
            // the first forms have a small a and a long c, inverses the other sign
            let mut form = Form::generator(&d);
            for _ in 0..300 {
                for form in [form, form.inverse(), Form::identity(&d)] {
                    let record = write(&form);
                    assert_eq!((read(&record, &d), read_checked(&record, &d)), (Some(form), Some(form)), "{bits}");
                }
                form = form.square(&d);
            }
        }
    }
}
