//! Simultaneous powers.

use crate::discriminant::Discriminant;
use crate::form::Form;
use crate::hash_prime::B_LIMBS;
use crate::uint::Uint;

/// `f^m g^n`, by joint squarings (Straus).
pub(super) fn double_pow(f: &Form, m: &Uint<B_LIMBS>, g: &Form, n: &Uint<B_LIMBS>, discriminant: &Discriminant) -> Form {
    let both = f.compose(g, discriminant);
    let mut power = Form::identity(discriminant);
    for bit in (0..m.bit_length().max(n.bit_length())).rev() {
        power = power.square(discriminant);
        power = match (m.bit(bit), n.bit(bit)) {
            (true, true) => power.compose(&both, discriminant),
            (true, false) => power.compose(f, discriminant),
            (false, true) => power.compose(g, discriminant),
            (false, false) => power,
        };
    }
    power
}
