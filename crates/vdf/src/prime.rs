//! Primality, exactly as chiavdf decides it: trial division, Miller-Rabin to base 2, Lucas-V ("Strengthening the
//! Baillie-PSW primality test", arXiv:2006.14425). Nodes that decided otherwise would derive other discriminants.

mod baillie_psw;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod batches;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod choice;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod four;
#[cfg(target_arch = "x86_64")]
mod ifma;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod limbs;
mod lucas;
mod miller_rabin;
mod search;
mod small_primes;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod strong_tests;
mod trial;

pub(crate) use baillie_psw::is_prime;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) use choice::for_search;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) use search::for_search;
pub(crate) use search::{MIN_BITS, first_prime};

#[cfg(test)]
mod tests;
