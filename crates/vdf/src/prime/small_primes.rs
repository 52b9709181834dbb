//! The odd primes that numbers are divided by first.

/// The odd primes below `limit`, in order (Eratosthenes).
pub(super) fn below(limit: usize) -> Vec<u64> {
    let mut composite = vec![false; limit];
    let mut primes = Vec::new();
    for n in (3..limit).step_by(2) {
        if !composite[n] {
            (n * n..limit).step_by(n).for_each(|multiple| composite[multiple] = true);
            primes.push(n as u64);
        }
    }
    primes
}
