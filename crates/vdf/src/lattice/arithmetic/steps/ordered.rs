//! Four steps in an order of instructions that suits processors with few units for integers.
//!
//! A step is bound by two chains: shift, subtract, count zeros of the low words; shift, subtract, select of the high
//! ones. Where a processor has few more units than a step has instructions a cycle, what is not on these chains
//! must not come first, and each instruction that is not needed costs. Compilers order by other rules. Wider processors
//! are no faster with these steps, so which are used is measured (`lattice::choice`).

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
pub(super) use aarch64::four;
#[cfg(target_arch = "x86_64")]
pub(super) use x86_64::four;
