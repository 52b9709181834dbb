//! The strong probable-prime test to base 2.

use crate::uint::Uint;
use crate::uint::montgomery::Montgomery;

pub(super) fn is_probable_prime<const N: usize>(n: &Uint<N>, field: &Montgomery<N>) -> bool {
    let even = n.sub(&Uint::ONE);
    let twos = even.trailing_zeros();
    let minus_one = field.sub(&Uint::ZERO, field.one());
    let mut power = field.pow_of_two(&even.shr(twos));
    if power == *field.one() || power == minus_one {
        return true;
    }
    for _ in 1..twos {
        power = field.square(&power);
        if power == minus_one {
            return true;
        }
    }
    false
}
