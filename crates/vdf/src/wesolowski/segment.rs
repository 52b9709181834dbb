//! Proved segments, and the bytes of a proof.

use crate::discriminant::Discriminant;
use crate::form::Form;
use crate::hash_prime::{B_BYTES, B_LIMBS};
use crate::uint::Uint;

/// A segment with its witness.
pub(crate) struct ProvedSegment {
    pub(crate) squarings: u64,
    pub(crate) prime: Uint<B_LIMBS>,
    pub(crate) end: Form,
    pub(crate) witness: Form,
}

/// The proof that the last segment and those before it, from the first on, make.
pub(crate) fn assemble(earlier: &[ProvedSegment], last: &ProvedSegment, discriminant: &Discriminant) -> Vec<u8> {
    let mut proof = Vec::new();
    proof.extend(last.end.encode(discriminant));
    proof.extend(last.witness.encode(discriminant));
    for segment in earlier.iter().rev() {
        let mut prime = [0; B_BYTES];
        segment.prime.write_be(&mut prime);
        proof.extend(segment.squarings.to_be_bytes());
        proof.extend(prime);
        proof.extend(segment.witness.encode(discriminant));
    }
    proof
}
