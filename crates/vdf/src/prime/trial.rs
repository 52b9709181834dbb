//! Trial division by small primes.

use crate::uint::Uint;

/// Primes below this are tried.
const LIMIT: usize = 2048;

/// Products of consecutive odd primes below `LIMIT`, each product in one word: one long division serves all primes of a group.
const GROUPS: [(u64, [u16; 15]); 64] = groups();

pub(super) enum Outcome {
    Composite,
    Prime,
    Unknown,
}

/// Divides an odd number by the small primes.
pub(super) fn divide<const N: usize>(n: &Uint<N>) -> Outcome {
    if n.limb_count() <= 1 && n.0[0] < (LIMIT * LIMIT) as u64 {
        let small = n.0[0];
        let divisor = (3..).step_by(2).take_while(|d| d * d <= small).find(|d| small % d == 0);
        return if small > 2 && divisor.is_none() { Outcome::Prime } else { Outcome::Composite };
    }
    for (product, primes) in &GROUPS {
        if *product == 1 {
            break;
        }
        let remainder = n.rem_word(*product);
        if primes.iter().take_while(|&&prime| prime != 0).any(|&prime| remainder % u64::from(prime) == 0) {
            return Outcome::Composite;
        }
    }
    Outcome::Unknown
}

const fn groups() -> [(u64, [u16; 15]); 64] {
    let mut groups = [(1u64, [0u16; 15]); 64];
    let (mut group, mut member) = (0, 0);
    let mut candidate = 3;
    while candidate < LIMIT {
        let mut divisor = 3;
        while divisor * divisor <= candidate && candidate % divisor != 0 {
            divisor += 2;
        }
        if divisor * divisor > candidate {
            if groups[group].0.checked_mul(candidate as u64).is_none() {
                group += 1;
                member = 0;
            }
            groups[group].0 *= candidate as u64;
            groups[group].1[member] = candidate as u16;
            member += 1;
        }
        candidate += 2;
    }
    groups
}
