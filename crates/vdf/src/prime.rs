//! Primality, exactly as chiavdf decides it: trial division, Miller-Rabin to base 2, Lucas-V ("Strengthening the
//! Baillie-PSW primality test", arXiv:2006.14425). Nodes that decided otherwise would derive other discriminants.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod baillie_psw;
#[cfg(target_arch = "x86_64")]
mod batches;
#[cfg(target_arch = "x86_64")]
mod choice;
#[cfg(target_arch = "x86_64")]
mod ifma;
#[cfg(target_arch = "x86_64")]
mod limbs;
mod lucas;
mod miller_rabin;
mod search;
mod small_primes;
mod trial;

pub(crate) use baillie_psw::is_prime;
#[cfg(target_arch = "x86_64")]
pub(crate) use choice::for_search;
#[cfg(not(target_arch = "x86_64"))]
pub(crate) use search::for_search;
pub(crate) use search::{MIN_BITS, first_prime};

#[cfg(test)]
mod tests;
