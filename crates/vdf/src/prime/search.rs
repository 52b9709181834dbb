//! The search for the first prime of a sequence.

use super::baillie_psw::is_prime;
#[cfg(target_arch = "x86_64")]
use super::{choice, ifma};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::{four, lucas, trial};
use crate::backend::Backend;
use crate::uint::Uint;

/// Shortest numbers that are searched, in bits: longer than any small prime, so that none of those is taken for a
/// composite.
pub(crate) const MIN_BITS: usize = 64;

/// The first prime among odd numbers of exactly `bits` bits, at least `MIN_BITS`. Panics should they end: none may be
/// the last.
pub(crate) fn first_prime<const N: usize>(
    backend: Backend,
    mut candidates: impl Iterator<Item = Uint<N>>,
    bits: usize,
) -> Uint<N> {
    debug_assert!((MIN_BITS..=64 * N).contains(&bits));
    let first = search_by_lanes(backend, &mut candidates, bits).or_else(|| candidates.find(|n| is_prime(n, backend)));
    first.expect("candidates do not end")
}

/// There is one way to search.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) fn for_search(backend: Backend) -> Backend {
    backend
}

/// None: elsewhere numbers are tested one by one.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn search_by_lanes<const N: usize>(_: Backend, _: impl Iterator<Item = Uint<N>>, _: usize) -> Option<Uint<N>> {
    None
}

/// None where the processor cannot, or the length is one that nothing asks for.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn search_by_lanes<const N: usize>(
    backend: Backend,
    candidates: impl Iterator<Item = Uint<N>>,
    bits: usize,
) -> Option<Uint<N>> {
    let lucas = |n: &Uint<N>| lucas::is_probable_prime(n, backend);
    // a discriminant, or the Fiat-Shamir prime
    #[cfg(target_arch = "x86_64")]
    if let Some(has) = backend.ifma() {
        return match N {
            16 => ifma::strong_probable_primes::<N, 20, 40>(has, candidates, bits).find(lucas),
            5 if bits <= 304 => ifma::strong_probable_primes::<N, 6, 12>(has, candidates, bits).find(lucas),
            _ => None,
        };
    }
    let has = backend.four_lanes()?;
    match N {
        16 => {
            let candidates = four::without_small_divisors(has, candidates, bits);
            #[cfg(target_arch = "x86_64")]
            if choice::are_doubles_faster(has, backend) {
                return four::strong_probable_primes::<N, four::Doubles<23, 46, 3>>(has, candidates, bits).find(lucas);
            }
            four::strong_probable_primes::<N, four::Integers<38, 76, 6>>(has, candidates, bits).find(lucas)
        }
        5 if bits <= 272 => {
            let candidates = candidates.filter(|n| !trial::has_divisor(n));
            four::strong_probable_primes::<N, four::Integers<11, 22, 7>>(has, candidates, bits).find(lucas)
        }
        _ => None,
    }
}
