//! Trial division of eight numbers at once by the primes beyond the first.

use super::lanes::LIMB_BITS;
use super::lanes::{LANES, split};
use crate::prime::{small_primes, trial};
use crate::uint::{Uint, word};
use core::arch::x86_64::{
    _mm512_add_epi64, _mm512_cmple_epu64_mask, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64, _mm512_mask_add_epi64,
    _mm512_set1_epi64, _mm512_setzero_si512, _mm512_srli_epi64, _mm512_test_epi64_mask,
};
use std::sync::LazyLock;

/// Primes below this are tried. At 1024 bits one more prime p saves 1/p of a test of some 35 us, and costs 0.5 ns:
/// twice as many primes gain nothing.
const LIMIT: usize = 1 << 15;

/// The first stage's primes are below this.
const FIRST_STAGE: u64 = 1000;

/// Widest number that the table serves, in limbs.
const MAX_LIMBS: usize = 20;

/// Three consecutive primes with a product below 2^47: one residue serves all.
pub(super) struct Group {
    /// 2^(52 i) modulo the product
    powers: [u64; MAX_LIMBS],
    product: u64,
    /// `-product^-1` modulo 2^52
    negated_inverse: u64,
    primes: [Divisor; 3],
    largest_prime: u64,
}

/// A prime p, by which a number n below 2^52 is divisible exactly if `n inverse <= largest` (modulo 2^52; Granlund and
/// Montgomery).
struct Divisor {
    inverse: u64,
    /// floor((2^52 - 1) / p)
    largest: u64,
}

/// Bits of a group's product. A high half gathers `MAX_LIMBS` products with a limb, one more product and a carry of
/// `MAX_LIMBS`. Together they stay below `21 2^47 + 21 < 2^52`.
const PRODUCT_BITS: u32 = 47;

static GROUPS: LazyLock<Vec<Group>> = LazyLock::new(groups);

/// Two slices of the table: after the first, half of the numbers are gone and the rest close ranks. A test of a number
/// costs as the cube of its length, a residue as the length itself: shorter numbers are divided by fewer primes.
pub(super) fn stages(bits: usize) -> [&'static [Group]; 2] {
    let below = |limit| GROUPS.partition_point(|group| group.largest_prime < limit);
    let end = below(((LIMIT * bits.pow(2)) >> 20) as u64);
    let (first, second) = GROUPS[..end].split_at(below(FIRST_STAGE).min(end));
    [first, second]
}

/// A bit a lane: whether a prime of the groups divides its number.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn divisible<const N: usize, const L: usize>(numbers: &[Uint<N>; LANES], groups: &[Group]) -> u8 {
    const { assert!(L <= MAX_LIMBS) };
    let limbs = split::<N, L>(numbers);
    let limb_mask = _mm512_set1_epi64((1 << LIMB_BITS) - 1);
    let mut divisible = 0;
    for group in groups {
        let broadcast = |word: u64| _mm512_set1_epi64(word as i64);
        let (mut low, mut high) = (_mm512_setzero_si512(), _mm512_setzero_si512());
        for (&limb, &power) in limbs.iter().zip(&group.powers) {
            low = _mm512_madd52lo_epu64(low, limb, broadcast(power));
            high = _mm512_madd52hi_epu64(high, limb, broadcast(power));
        }
        // high 2^52 + low divided by 2^52 modulo the product; a low limb that isn't zero carries once it is made so
        let factor = _mm512_madd52lo_epu64(_mm512_setzero_si512(), low, broadcast(group.negated_inverse));
        let carries = _mm512_test_epi64_mask(low, limb_mask);
        high = _mm512_add_epi64(high, _mm512_srli_epi64::<52>(low));
        high = _mm512_madd52hi_epu64(high, factor, broadcast(group.product));
        high = _mm512_mask_add_epi64(high, carries, high, _mm512_set1_epi64(1));
        for prime in &group.primes {
            let quotient = _mm512_madd52lo_epu64(_mm512_setzero_si512(), high, broadcast(prime.inverse));
            divisible |= _mm512_cmple_epu64_mask(quotient, broadcast(prime.largest));
        }
    }
    divisible
}

fn groups() -> Vec<Group> {
    let mut primes = small_primes::below(LIMIT);
    primes.retain(|&prime| prime >= trial::FIRST_LIMIT as u64);
    primes.as_chunks().0.iter().map(group).collect()
}

fn group(primes: &[u64; 3]) -> Group {
    const LIMB_MASK: u64 = (1 << LIMB_BITS) - 1;
    let product = primes.iter().product::<u64>();
    debug_assert!(product >> PRODUCT_BITS == 0);
    let mut power = 1;
    let mut powers = [0; MAX_LIMBS];
    for entry in &mut powers {
        *entry = power as u64;
        power = (power << LIMB_BITS) % u128::from(product);
    }
    let divisor = |prime| Divisor { inverse: word::inverse(prime) & LIMB_MASK, largest: LIMB_MASK / prime };
    Group {
        powers,
        product,
        negated_inverse: word::inverse(product).wrapping_neg() & LIMB_MASK,
        primes: primes.map(divisor),
        largest_prime: primes[2],
    }
}
