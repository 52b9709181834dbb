//! Trial division of eight numbers at once by the primes beyond the first.

#[cfg(target_arch = "x86_64")]
use super::avx2 as vector;
#[cfg(target_arch = "aarch64")]
use super::neon as vector;
use super::sizes::LANES;
use crate::prime::limbs::limb;
use crate::prime::{small_primes, trial};
use crate::uint::{Uint, word};
use std::sync::LazyLock;
use vector::{add_multiple, bits, divides, load, or, zero, zero_limb};

/// Numbers at once: two vectors, so that each of the table's words is loaded for both.
pub(super) const NUMBERS: usize = 2 * LANES;

/// Primes below this are tried.
const LIMIT: usize = 1 << 16;

/// The primes of the first two stages are below these. Beyond the second are four fifths of all primes, but a quarter of
/// the numbers that the first leaves never get there.
const STAGE_LIMITS: [u64; 2] = [1000, 12_000];

/// Limbs of a number here, of 26 bits.
const LIMBS: usize = 40;
const LIMB_BITS: usize = 26;

/// Two primes whose product is below 2^31: one residue serves both. Then a sum of `LIMBS` products with a limb stays
/// below `40 2^26 2^31 < 2^63`.
pub(super) struct Group {
    /// 2^(26 i) modulo the product
    powers: [u32; LIMBS],
    product: u32,
    /// `product^-1` modulo 2^32
    inverse: u32,
    primes: [Divisor; 2],
}

/// A prime p, by which a number n below 2^32 is divisible exactly if `n inverse <= largest` (modulo 2^32; Granlund and
/// Montgomery).
struct Divisor {
    inverse: u32,
    /// floor((2^32 - 1) / p)
    largest: u32,
}

static STAGES: LazyLock<[Vec<Group>; 3]> = LazyLock::new(stages);

/// After each a quarter of the numbers are gone, and the rest close ranks. A test of a number costs as the cube of its
/// length, a residue as the length itself: shorter numbers are divided by fewer primes.
pub(super) fn stages_for(bits: usize) -> [&'static [Group]; 3] {
    let [first, second, third] = &*STAGES;
    [first, second, &third[..(third.len() * bits.pow(2)) >> 20]]
}

/// A bit a number: whether a prime of the groups divides it. All are below 2^1040.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
pub(super) fn divisible<const N: usize>(numbers: &[Uint<N>; NUMBERS], groups: &[Group]) -> u8 {
    const { assert!(64 * N <= LIMBS * LIMB_BITS) };
    let mut limbs = [[zero_limb(); 2]; LIMBS];
    for (j, halves) in limbs.iter_mut().enumerate() {
        for (half, vector) in halves.iter_mut().enumerate() {
            *vector = load(core::array::from_fn(|lane| limb(&numbers[LANES * half + lane], j, LIMB_BITS)));
        }
    }
    let mut divisible = [zero_limb(); 2];
    for group in groups {
        let mut sums = [zero(); 2];
        let (fours, powers) = (limbs.as_chunks::<4>().0, group.powers.as_chunks::<4>().0);
        for (limbs, powers) in fours.iter().zip(powers) {
            for (halves, &power) in limbs.iter().zip(powers) {
                for (sum, &limb) in sums.iter_mut().zip(halves) {
                    *sum = add_multiple(*sum, limb, power);
                }
            }
        }
        let primes = group.primes.each_ref().map(|prime| [prime.inverse, prime.largest]);
        for (divisible, sum) in divisible.iter_mut().zip(sums) {
            *divisible = or(*divisible, divides([group.product, group.inverse], primes, sum));
        }
    }
    let [low, high] = divisible.map(|lanes| bits(lanes));
    low | high << LANES
}

fn stages() -> [Vec<Group>; 3] {
    let mut primes = small_primes::below(LIMIT);
    primes.retain(|&prime| prime >= trial::FIRST_LIMIT as u64);
    let [first, second] = STAGE_LIMITS.map(|limit| primes.partition_point(|&prime| prime < limit));
    [&primes[..first], &primes[first..second], &primes[second..]].map(|primes| {
        // The smallest with the largest, so that no product is long.
        let pairs = primes.iter().zip(primes.iter().rev()).take(primes.len() / 2);
        pairs.map(|(&small, &large)| group([small, large])).collect()
    })
}

fn group(primes: [u64; 2]) -> Group {
    let product = primes.iter().product::<u64>();
    assert!(product >> 31 == 0, "residues are short");
    let mut power = 1;
    let mut powers = [0; LIMBS];
    for entry in &mut powers {
        *entry = power as u32;
        power = (power << LIMB_BITS) % product;
    }
    let divisor =
        |prime| Divisor { inverse: word::inverse(prime) as u32, largest: (u64::from(u32::MAX) / prime) as u32 };
    Group { powers, product: product as u32, inverse: word::inverse(product) as u32, primes: primes.map(divisor) }
}

#[cfg(test)]
mod tests;
