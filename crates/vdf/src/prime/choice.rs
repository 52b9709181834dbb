//! Whether this process tests four numbers at once, or one after another: what is faster here.

use super::{four, miller_rabin};
use crate::backend::{Backend, FourLanes};
use crate::uint::Uint;
use crate::uint::montgomery::Montgomery;
use core::hint::black_box;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Turns of each; the shortest counts, since other work on the machine only ever adds.
const TURNS: u32 = 8;
/// Bits of the numbers tested, which are as wide as a discriminant: a turn takes 0.1 to 0.2 ms.
const BITS: usize = 128;

/// Of `backend`, what a search for primes uses: less than all of it where that is faster, unless it was asked for.
/// Measured once, in one to three milliseconds.
pub(crate) fn for_search(backend: Backend) -> Backend {
    static GAINS: OnceLock<bool> = OnceLock::new();
    match backend.four_lanes() {
        Some(has) if !Backend::is_forced() => {
            let gains = *GAINS.get_or_init(|| are_lanes_faster(has, backend));
            if gains { backend } else { backend.one_by_one() }
        }
        _ => backend,
    }
}

fn are_lanes_faster(has: FourLanes, backend: Backend) -> bool {
    let numbers = [159, 173, 233, 237].map(|less| Uint::<16>::ONE.shl(BITS).sub(&Uint::from_word(less)));
    let lanes = || _ = black_box(four::strong_tests::<16, 38, 76, 6>(has, black_box(&numbers), BITS));
    let one_by_one = || {
        for n in black_box(&numbers) {
            _ = black_box(miller_rabin::is_probable_prime(n, &Montgomery::with_backend(n, backend)));
        }
    };
    let mut shortest = [Duration::MAX; 2];
    for _ in 0..TURNS {
        for (shortest, run) in shortest.iter_mut().zip([&lanes as &dyn Fn(), &one_by_one]) {
            let begun = Instant::now();
            run();
            *shortest = begun.elapsed().min(*shortest);
        }
    }
    shortest[0] < shortest[1]
}

#[cfg(test)]
mod tests {
    use super::for_search;
    use crate::backend::Backend;

    #[test]
    fn a_search_uses_the_backend_or_the_one_without_lanes() {
        for backend in Backend::available() {
            let chosen = for_search(backend);
            assert_eq!(chosen, for_search(backend), "measured once");
            if backend.four_lanes().is_none() || Backend::is_forced() {
                assert_eq!(chosen, backend);
            } else {
                let one_by_one = backend.one_by_one();
                assert!(chosen == backend || chosen == one_by_one);
                assert!(one_by_one.four_lanes().is_none() && one_by_one.native() == backend.native());
            }
        }
    }
}
