//! The Baillie-PSW test of one number.

use super::{lucas, miller_rabin, trial};
use crate::backend::Backend;
use crate::uint::Uint;
use crate::uint::montgomery::Montgomery;

/// Whether an odd number passes the Baillie-PSW test. No composite is known that does.
pub(crate) fn is_prime<const N: usize>(n: &Uint<N>, backend: Backend) -> bool {
    match trial::divide(n) {
        trial::Outcome::Composite => false,
        trial::Outcome::Prime => true,
        trial::Outcome::Unknown => {
            let field = Montgomery::with_backend(n, backend);
            miller_rabin::is_probable_prime(n, &field) && lucas::is_probable_prime(n, backend)
        }
    }
}
