//! A form as 128 bytes: a, then |b|, each 64 bytes little-endian. b is odd, so its lowest bit says nothing, and holds the sign instead.

use crate::discriminant::Discriminant;
use crate::form::{Form, HALF_LIMBS};
use crate::uint::Uint;

/// Bytes of a stored form.
pub(super) const RECORD_BYTES: usize = 16 * HALF_LIMBS;

/// Where b begins.
const B_OFFSET: usize = RECORD_BYTES / 2;

pub(super) fn write(form: &Form) -> [u8; RECORD_BYTES] {
    debug_assert!(form.b.is_odd());
    let mut bytes = [0; RECORD_BYTES];
    let (a, b) = bytes.split_at_mut(B_OFFSET);
    form.a.write_le(a);
    form.b.write_le(b);
    b[0] ^= u8::from(!form.b_negative);
    bytes
}

/// The reduced form that a record stands for, or `None` if it is not one of this discriminant.
pub(super) fn read(bytes: &[u8; RECORD_BYTES], discriminant: &Discriminant) -> Option<Form> {
    let (a, b) = bytes.split_at(B_OFFSET);
    let negative = b[0] & 1 == 1;
    let mut b = Uint::from_le_bytes(b);
    b.0[0] |= 1;
    Form::from_ab(&Uint::from_le_bytes(a), &b, negative, discriminant)
}
