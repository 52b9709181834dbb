//! Primality, exactly as chiavdf decides it: trial division, Miller-Rabin to base 2, Lucas-V ("Strengthening the Baillie-PSW
//! primality test", arXiv:2006.14425). Nodes that decided otherwise would derive other discriminants.

#[cfg(target_arch = "x86_64")]
mod batches;
#[cfg(target_arch = "x86_64")]
mod fma;
#[cfg(target_arch = "x86_64")]
mod ifma;
mod jacobi;
#[cfg(target_arch = "x86_64")]
mod limbs;
mod lucas;
mod miller_rabin;
mod search;
mod small_primes;
#[cfg(target_arch = "x86_64")]
mod strong;
mod trial;

use crate::backend::Backend;
use crate::montgomery::Montgomery;
use crate::uint::Uint;
pub(crate) use search::{MIN_BITS, first_prime};

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

#[cfg(test)]
mod tests;
