//! Proved segments, and the bytes of a proof.

use crate::discriminant::Discriminant;
use crate::form::Form;
use crate::hash_prime::{B_BYTES, B_LIMBS};
use crate::uint::Uint;

/// A segment with its witness.
pub(crate) struct Segment {
    pub(crate) squarings: u64,
    pub(crate) prime: Uint<B_LIMBS>,
    pub(crate) end: Form,
    pub(crate) witness: Form,
}

/// The proof of one segment, or of two.
pub(crate) fn assemble(first: Option<&Segment>, last: &Segment, discriminant: &Discriminant) -> Vec<u8> {
    let mut proof = Vec::new();
    proof.extend(last.end.encode(discriminant));
    proof.extend(last.witness.encode(discriminant));
    if let Some(first) = first {
        let mut prime = [0; B_BYTES];
        first.prime.write_be(&mut prime);
        proof.extend(first.squarings.to_be_bytes());
        proof.extend(prime);
        proof.extend(first.witness.encode(discriminant));
    }
    proof
}
