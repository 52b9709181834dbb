//! Wesolowski's proofs that `y = x^(2^T)`.
//!
//! A proof of depth 0 is `y || pi` with `pi = x^floor(2^T / B)`, B a prime of 264 bits hashed from x and y. A deeper
//! one cuts the squarings into segments, each proved alone. After `y || pi` of the last segment come the earlier ones,
//! latest first, as `squarings (u64, big-endian) || B (33 bytes, big-endian) || pi`. The end of such a segment is not
//! sent: it follows from B and pi.

mod collect;
mod combine;
mod digits;
mod means;
mod plan;
mod pow;
mod proof;
mod prover;
mod verifier;

pub(crate) use means::Means;
pub(crate) use plan::{MAX_DIGIT_BITS, Plan};
pub(crate) use proof::{ProvedSegment, assemble};
pub(crate) use prover::Prover;
pub use verifier::verify;
pub use verifier::{Question, Verifier};
