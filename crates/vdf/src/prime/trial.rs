//! Trial division by small primes, many at a time.

use super::small_primes;
use crate::uint::{Uint, word};
use std::sync::LazyLock;

/// Primes below this are tried first, and alone where eight numbers at once are divided by the others.
pub(super) const FIRST_LIMIT: usize = 200;

/// Primes below this are tried. At 1024 bits one more prime p saves 1/p of a Miller-Rabin test of 150 to 300 us, and
/// costs 2 to 3 ns. Beyond this the two are about even.
const LIMIT: usize = 1 << 16;

/// Length from which on all primes are tried, in limbs: a discriminant's.
const FULL_LIMBS: usize = 16;

/// Widest number that the table serves, in limbs.
const MAX_LIMBS: usize = 20;

/// Bits of a group's product. Then a sum of `MAX_LIMBS` products with a word stays below 2^(58 + 64 + 5) = 2^127.
const PRODUCT_BITS: u32 = 58;

/// Consecutive primes whose product fits `PRODUCT_BITS`: one residue serves them all.
struct Group {
    product: u64,
    /// `-product^-1` modulo 2^64
    negated_inverse: u64,
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

static FIRST: LazyLock<Vec<Group>> = LazyLock::new(|| groups(0));
static OTHERS: LazyLock<Vec<Group>> = LazyLock::new(|| groups(FIRST_LIMIT));

pub(super) enum Outcome {
    Composite,
    Prime,
    Unknown,
}

/// Divides an odd number by the small primes.
pub(super) fn divide<const N: usize>(n: &Uint<N>) -> Outcome {
    const { assert!(N <= MAX_LIMBS) };
    if n.limb_count() <= 1 && n.0[0] < (LIMIT as u64).pow(2) {
        let small = n.0[0];
        let divisor = (3..).step_by(2).take_while(|d| d * d <= small).find(|d| small.is_multiple_of(*d));
        return if small > 2 && divisor.is_none() { Outcome::Prime } else { Outcome::Composite };
    }
    if has_divisor(n) { Outcome::Composite } else { Outcome::Unknown }
}

/// Whether one of the small primes divides a number larger than they are.
pub(super) fn has_divisor<const N: usize>(n: &Uint<N>) -> bool {
    // a test of n costs as the cube of its length, a residue as the length itself: shorter numbers are divided by fewer
    // primes
    let tried = (OTHERS.len() * n.limb_count().pow(2) / FULL_LIMBS.pow(2)).min(OTHERS.len());
    has_first_divisor(n) || OTHERS[..tried].iter().any(|group| group.divides(n))
}

/// Whether a prime below `FIRST_LIMIT` divides the number.
pub(super) fn has_first_divisor<const N: usize>(n: &Uint<N>) -> bool {
    FIRST.iter().any(|group| group.divides(n))
}

impl Group {
    fn divides<const N: usize>(&self, n: &Uint<N>) -> bool {
        let sum = n.0.iter().zip(self.powers).fold(0, |sum, (&limb, power)| sum + u128::from(limb) * u128::from(power));
        // Montgomery reduction by one word: sum / 2^64 modulo the product, below 2^63 + 2^58
        let multiple = u128::from((sum as u64).wrapping_mul(self.negated_inverse)) * u128::from(self.product);
        let residue = ((sum + multiple) >> 64) as u64;
        self.primes.iter().any(|prime| residue.wrapping_mul(prime.inverse) <= prime.largest)
    }
}

/// The primes below `FIRST_LIMIT`, from 0, or those from there to `LIMIT`.
fn groups(from: usize) -> Vec<Group> {
    let primes = small_primes::below(if from == 0 { FIRST_LIMIT } else { LIMIT });
    let mut groups: Vec<Group> = Vec::new();
    for prime in primes.into_iter().filter(|&prime| prime >= from as u64) {
        if groups.last().is_none_or(|group| group.product.saturating_mul(prime) >> PRODUCT_BITS != 0) {
            groups.push(Group { product: 1, negated_inverse: 0, powers: [0; MAX_LIMBS], primes: Vec::new() });
        }
        if let Some(group) = groups.last_mut() {
            group.product *= prime;
            group.primes.push(Divisor { inverse: word::inverse(prime), largest: u64::MAX / prime });
        }
    }
    for group in &mut groups {
        group.negated_inverse = word::inverse(group.product).wrapping_neg();
        let product = u128::from(group.product);
        let mut power = 1;
        for entry in &mut group.powers {
            *entry = power as u64;
            power = (power << 64) % product;
        }
    }
    groups
}
