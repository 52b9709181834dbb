//! Powers of two modulo the Fiat-Shamir prime.

use crate::hash_prime::B_LIMBS;
use crate::uint::Uint;
use crate::uint::montgomery::Montgomery;

/// `2^exponent mod b`, for odd `b`.
pub(crate) fn power_of_two_mod(exponent: u64, b: &Uint<B_LIMBS>) -> Uint<B_LIMBS> {
    let field = Montgomery::new(b);
    let power = field.pow_of_two(&Uint::from_word(exponent));
    field.leave(&power)
}
