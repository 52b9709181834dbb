//! Sizes that many modules share.

/// Limbs of the largest discriminant, 1024 bits.
pub(crate) const D_LIMBS: usize = 16;

/// Limbs of `a` and `b`: a reduced form has `|b| <= a <= sqrt(|D| / 3)`, which is below 2^512 for 1024 bits.
pub(crate) const HALF_LIMBS: usize = D_LIMBS / 2;

/// Bytes of an encoded form, for discriminants of every size.
pub const FORM_BYTES: usize = 100;
