//! A form as 128 bytes: a, then |b|, each 64 bytes little-endian, with b's sign in the top bit. Both are below 2^511.3, so the bit is free.

use crate::discriminant::Discriminant;
use crate::form::{Form, HALF_LIMBS};
use crate::uint::Uint;

/// Bytes of a stored form.
pub(super) const RECORD_BYTES: usize = 16 * HALF_LIMBS;

const SIGN: u8 = 0x80;

pub(super) fn write(form: &Form) -> [u8; RECORD_BYTES] {
    let mut bytes = [0; RECORD_BYTES];
    let (a, b) = bytes.split_at_mut(RECORD_BYTES / 2);
    form.a.write_le(a);
    form.b.write_le(b);
    debug_assert!(bytes[RECORD_BYTES - 1] & SIGN == 0);
    if form.b_negative {
        bytes[RECORD_BYTES - 1] |= SIGN;
    }
    bytes
}

/// The reduced form that a record stands for, or `None` if it is not one of this discriminant.
pub(super) fn read(bytes: &[u8; RECORD_BYTES], discriminant: &Discriminant) -> Option<Form> {
    let (a, b) = bytes.split_at(RECORD_BYTES / 2);
    let mut b = Uint::from_le_bytes(b);
    let negative = bytes[RECORD_BYTES - 1] & SIGN != 0;
    b.0[HALF_LIMBS - 1] &= u64::MAX >> 1;
    Form::from_ab(&Uint::from_le_bytes(a), &b, negative, discriminant)
}
