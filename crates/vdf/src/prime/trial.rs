//! Trial division by small primes, many at a time.

use crate::uint::{Uint, word};
use std::sync::LazyLock;

/// Primes below this are tried. At 1024 bits one more prime p spares 1/p of a Miller-Rabin test of some 200 us, and costs a few ns:
/// beyond this the two are about even.
const LIMIT: usize = 1 << 14;

/// Length from which on all primes are tried, in limbs: a discriminant's.
const FULL_LIMBS: usize = 16;

/// Groups that are always tried: the primes up to about 400.
const MIN_GROUPS: usize = 10;

/// Widest number that the table serves, in limbs.
const MAX_LIMBS: usize = 20;

/// Bits of a group's product. Then a sum of `MAX_LIMBS` products with a word stays below 2^(59 + 64 + 5) = 2^128.
const PRODUCT_BITS: u32 = 59;

/// Consecutive primes whose product fits `PRODUCT_BITS`: one residue serves them all.
struct Group {
    product: u64,
    /// 2^(64 i) modulo the product
    powers: [u64; MAX_LIMBS],
    primes: Vec<Divisor>,
}

/// A prime p, by which a word n is divisible exactly if `n inverse <= largest` (modulo 2^64; Granlund and Montgomery).
struct Divisor {
    inverse: u64,
    /// floor((2^64 - 1) / p)
    largest: u64,
}

static GROUPS: LazyLock<Vec<Group>> = LazyLock::new(groups);

pub(super) enum Outcome {
    Composite,
    Prime,
    Unknown,
}

/// Divides an odd number by the small primes.
pub(super) fn divide<const N: usize>(n: &Uint<N>) -> Outcome {
    const { assert!(N <= MAX_LIMBS) };
    if n.limb_count() <= 1 && n.0[0] < (LIMIT * LIMIT) as u64 {
        let small = n.0[0];
        let divisor = (3..).step_by(2).take_while(|d| d * d <= small).find(|d| small.is_multiple_of(*d));
        return if small > 2 && divisor.is_none() { Outcome::Prime } else { Outcome::Composite };
    }
    let divides = |group: &Group| {
        let sum =
            n.0.iter().zip(group.powers).fold(0, |sum, (&limb, power)| sum + u128::from(limb) * u128::from(power));
        let residue = (sum % u128::from(group.product)) as u64;
        group.primes.iter().any(|prime| residue.wrapping_mul(prime.inverse) <= prime.largest)
    };
    // a test of n costs as the cube of its length, a residue as the length itself: shorter numbers are divided by fewer primes
    let tried = (GROUPS.len() * n.limb_count().pow(2) / FULL_LIMBS.pow(2)).clamp(MIN_GROUPS, GROUPS.len());
    if GROUPS[..tried].iter().any(divides) { Outcome::Composite } else { Outcome::Unknown }
}

fn groups() -> Vec<Group> {
    let mut composite = vec![false; LIMIT];
    let mut groups: Vec<Group> = Vec::new();
    for prime in (3..LIMIT).step_by(2) {
        if composite[prime] {
            continue;
        }
        (prime * prime..LIMIT).step_by(prime).for_each(|multiple| composite[multiple] = true);
        let prime = prime as u64;
        if groups.last().is_none_or(|group| group.product.saturating_mul(prime) >> PRODUCT_BITS != 0) {
            groups.push(Group { product: 1, powers: [0; MAX_LIMBS], primes: Vec::new() });
        }
        if let Some(group) = groups.last_mut() {
            group.product *= prime;
            group.primes.push(Divisor { inverse: word::inverse(prime), largest: u64::MAX / prime });
        }
    }
    for group in &mut groups {
        let product = u128::from(group.product);
        let mut power = 1;
        for entry in &mut group.powers {
            *entry = power as u64;
            power = (power << 64) % product;
        }
    }
    groups
}
