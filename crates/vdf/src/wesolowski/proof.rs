//! The bytes of a proof, and what can be told of them before the discriminant is known.

use crate::discriminant::Discriminant;
use crate::error::Error;
use crate::form::{Form, is_plausible};
use crate::hash_prime::{B_BITS, B_BYTES, B_LIMBS};
use crate::sizes::FORM_BYTES;
use crate::uint::Uint;

/// Bytes of a segment before the last one: squarings, B and pi.
const RECORD_BYTES: usize = 8 + B_BYTES + FORM_BYTES;

type FormBytes = [u8; FORM_BYTES];

/// The parts of a proof with a sound structure. Lengths agree, numbers of squarings add up, every B can be a challenge
/// and every form an encoding. The check takes microseconds and refuses most invalid bytes.
pub(super) struct Proof<'a> {
    pub(super) y: &'a FormBytes,
    /// The last segment's.
    pub(super) witness: &'a FormBytes,
    /// The last segment's.
    pub(super) squarings: u64,
    records: &'a [u8],
}

/// A segment before the last one.
pub(super) struct Record<'a> {
    pub(super) squarings: u64,
    pub(super) prime: Uint<B_LIMBS>,
    pub(super) witness: &'a FormBytes,
}

impl<'a> Proof<'a> {
    /// Splits a proof of that many squarings and segments into its parts; `bits` is the discriminant's size. Allocates
    /// nothing.
    ///
    /// # Errors
    /// [`Error::ProofLength`], [`Error::SegmentLengths`], [`Error::SegmentPrime`] or [`Error::FormEncoding`].
    pub(super) fn parse(bits: usize, iterations: u64, proof: &'a [u8], depth: u32) -> Result<Self, Error> {
        let length = || usize::try_from(depth).ok()?.checked_mul(RECORD_BYTES)?.checked_add(2 * FORM_BYTES);
        if length() != Some(proof.len()) {
            return Err(Error::ProofLength(proof.len()));
        }
        let (y, rest) = form_bytes(proof);
        let (witness, records) = form_bytes(rest);
        let mut parsed = Self { y, witness, squarings: iterations, records };
        let mut forms_fit = is_plausible(bits, y) && is_plausible(bits, witness);
        for Record { squarings, prime, witness } in parsed.records() {
            parsed.squarings = parsed.squarings.checked_sub(squarings).ok_or(Error::SegmentLengths)?;
            // as every prime that a challenge gives; an even one has no Montgomery form
            if !prime.is_odd() || prime.bit_length() != B_BITS {
                return Err(Error::SegmentPrime);
            }
            forms_fit &= is_plausible(bits, witness);
        }
        if forms_fit { Ok(parsed) } else { Err(Error::FormEncoding) }
    }

    /// The segments before the last one, the earliest first.
    pub(super) fn records(&self) -> impl Iterator<Item = Record<'a>> + use<'a> {
        self.records.rchunks_exact(RECORD_BYTES).map(|record| {
            let (squarings, record) = record.split_at(8);
            let (prime, witness) = record.split_at(B_BYTES);
            Record {
                squarings: squarings.iter().fold(0, |value, &byte| value << 8 | u64::from(byte)),
                prime: Uint::from_be_bytes(prime),
                witness: form_bytes(witness).0,
            }
        })
    }

    /// Squarings of the earliest of two segments; `None` unless there are two.
    pub(super) fn split(&self) -> Option<u64> {
        let mut records = self.records();
        let first = records.next()?.squarings;
        records.next().is_none().then_some(first)
    }
}

/// The first 100 bytes, which the caller knows to be there, and the rest.
fn form_bytes(bytes: &[u8]) -> (&FormBytes, &[u8]) {
    bytes.split_first_chunk().expect("the length is checked first")
}

// Proved segments, and the bytes of a proof.

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
