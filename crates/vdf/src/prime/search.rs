//! The search for the first prime of a sequence.

#[cfg(target_arch = "x86_64")]
use super::ifma;
use super::{is_prime, lucas, trial};
use crate::backend::Backend;
use crate::montgomery::Montgomery;
use crate::uint::Uint;

/// Shortest numbers that are searched, in bits: longer than any small prime, so that none of those is taken for a composite.
pub(crate) const MIN_BITS: usize = 64;

/// The first prime among odd numbers of exactly `bits` bits, at least `MIN_BITS`. Panics should they end: none may be the last.
pub(crate) fn first_prime<const N: usize>(
    backend: Backend,
    mut candidates: impl Iterator<Item = Uint<N>>,
    bits: usize,
) -> Uint<N> {
    debug_assert!((MIN_BITS..=64 * N).contains(&bits));
    let first = search_by_eight(backend, &mut candidates, bits).or_else(|| candidates.find(|n| is_prime(n, backend)));
    first.expect("candidates do not end")
}

/// None where the processor cannot, or the length is one that nothing asks for.
fn search_by_eight<const N: usize>(
    backend: Backend,
    candidates: impl Iterator<Item = Uint<N>>,
    bits: usize,
) -> Option<Uint<N>> {
    #[cfg(target_arch = "x86_64")]
    if let Some(has) = backend.ifma() {
        let candidates = candidates.filter(|n| !trial::has_first_divisor(n));
        let lucas = |n: &Uint<N>| lucas::is_probable_prime(n, &Montgomery::with_backend(n, backend));
        match N {
            // a discriminant, and the Fiat-Shamir prime
            16 => return ifma::strong_probable_primes::<N, 20, 40>(has, candidates, bits).find(lucas),
            5 if bits <= 304 => return ifma::strong_probable_primes::<N, 6, 12>(has, candidates, bits).find(lucas),
            _ => {}
        }
    }
    None
}
