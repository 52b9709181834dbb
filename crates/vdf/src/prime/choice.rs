//! Whether this process tests four numbers at once, and how, or one after another: what is faster here.

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
/// Measured once, in one to four milliseconds.
pub(crate) fn for_search(backend: Backend) -> Backend {
    match backend.four_lanes() {
        Some(has) if !Backend::is_forced() => {
            let [one_by_one, integers, doubles] = times(has, backend);
            if integers.min(doubles) < one_by_one { backend } else { backend.one_by_one() }
        }
        _ => backend,
    }
}

/// Whether four numbers of 1024 bits are tested faster in doubles than in integers.
#[cfg(target_arch = "x86_64")]
pub(super) fn are_doubles_faster(has: FourLanes, backend: Backend) -> bool {
    let [_, integers, doubles] = times(has, backend);
    doubles < integers
}

/// What four tests take one by one, at once in integers, and in doubles, which aarch64 lacks.
fn times(has: FourLanes, backend: Backend) -> [Duration; 3] {
    static TIMES: OnceLock<[Duration; 3]> = OnceLock::new();
    *TIMES.get_or_init(|| measure(has, backend))
}

fn measure(has: FourLanes, backend: Backend) -> [Duration; 3] {
    let numbers = [159, 173, 233, 237].map(|less| Uint::<16>::ONE.shl(BITS).sub(&Uint::from_word(less)));
    let one_by_one = || {
        for n in black_box(&numbers) {
            _ = black_box(miller_rabin::is_probable_prime(n, &Montgomery::with_backend(n, backend)));
        }
    };
    let integers =
        || _ = black_box(four::strong_tests::<16, four::Integers<38, 76, 6>>(has, black_box(&numbers), BITS));
    #[cfg(target_arch = "x86_64")]
    let doubles = || _ = black_box(four::strong_tests::<16, four::Doubles<23, 46, 3>>(has, black_box(&numbers), BITS));
    let ways: &[&dyn Fn()] = &[
        &one_by_one,
        &integers,
        #[cfg(target_arch = "x86_64")]
        &doubles,
    ];
    let mut shortest = [Duration::MAX; 3];
    for _ in 0..TURNS {
        for (shortest, run) in shortest.iter_mut().zip(ways) {
            let begun = Instant::now();
            run();
            *shortest = begun.elapsed().min(*shortest);
        }
    }
    shortest
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
