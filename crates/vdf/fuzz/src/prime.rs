//! Primality by another way than the kernel's: strong tests to many bases. And hashing to a prime, one candidate after
//! another.

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::One;
use sha2::{Digest, Sha256};

/// Bases that do not depend on the number: below 3.4 10^14 they leave no doubt (Jaeschke, On strong pseudoprimes to
/// several bases, 1993).
const BASES: [u32; 7] = [2, 3, 5, 7, 11, 13, 17];

/// Whether an odd number passes the strong test to the small bases and to one hashed from it.
pub fn is_prime(n: &BigUint) -> bool {
    if *n <= BigUint::from(BASES[6]) {
        return BASES.iter().any(|&base| BigUint::from(base) == *n);
    }
    let even = n - 1_u8;
    let twos = even.trailing_zeros().expect("not zero");
    let odd = &even >> twos;
    let hashed = BigUint::from_bytes_be(&Sha256::digest(n.to_bytes_be()));
    let bases = BASES.map(BigUint::from).into_iter().chain([hashed % (n - 3_u8) + 2_u8]);
    bases.into_iter().all(|base| {
        let mut power = base.modpow(&odd, n);
        if power.is_one() || power == even {
            return true;
        }
        (1..twos).any(|_| {
            power = (&power * &power).mod_floor(n);
            power == even
        })
    })
}

/// Below this chiavdf finds no prime (`hash_prime` in the crate says why).
const LEAST: u8 = 234;

/// The first prime that a seed leads to with the bits 0, 1, 2 and the highest set, big-endian.
pub fn from_seed(seed: &[u8], bits: usize) -> Vec<u8> {
    let mut counter = BigUint::from_bytes_be(seed);
    let end = BigUint::one() << (8 * seed.len());
    let mut hash = || {
        counter = (&counter + 1_u8) % &end;
        let bytes = counter.to_bytes_be();
        let padding = vec![0; seed.len() - bytes.len()];
        Sha256::digest([padding, bytes].concat())
    };
    loop {
        let mut candidate = Vec::new();
        while candidate.len() < bits / 8 {
            candidate.extend(hash());
        }
        candidate.truncate(bits / 8);
        candidate[0] |= 0x80;
        candidate[bits / 8 - 1] |= 7;
        let number = BigUint::from_bytes_be(&candidate);
        if number >= BigUint::from(LEAST) && is_prime(&number) {
            return candidate;
        }
    }
}
