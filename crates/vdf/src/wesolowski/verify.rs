//! Verification.

use super::exponent::power_of_two_mod;
use super::pow::double_pow;
use super::proof::Proof;
use crate::discriminant::Discriminant;
use crate::error::Error;
use crate::form::Form;
use crate::hash_prime::challenge;
use crate::sizes::FORM_BYTES;

/// Checks that `proof` shows `y = x^(2^iterations)` in the class group of `discriminant`, where y is the proof's first
/// 100 bytes.
///
/// `proof` is `y || pi || [squarings || B || pi] depth times`, 200 + 141 `depth` bytes. Costs about a millisecond for
/// each segment; what is malformed is refused in microseconds. `depth` only counts when the length agrees with it.
///
/// # Errors
/// [`Error::FormLength`], [`Error::ProofLength`], [`Error::FormEncoding`], [`Error::SegmentLengths`],
/// [`Error::SegmentPrime`] or [`Error::ProofInvalid`]; any of them means that the proof is to be refused.
pub fn verify(discriminant: &Discriminant, x: &[u8], iterations: u64, proof: &[u8], depth: u32) -> Result<(), Error> {
    let proof = Proof::parse(discriminant.bits(), iterations, proof, depth)?;
    verify_parsed(discriminant, x.try_into().map_err(|_| Error::FormLength(x.len()))?, &proof)
}

/// [`verify`] for a proof taken apart with this discriminant's size.
pub(super) fn verify_parsed(discriminant: &Discriminant, x: &[u8; FORM_BYTES], proof: &Proof) -> Result<(), Error> {
    // every form before the first power: a decoding costs a hundredth of it
    let (y, last) = (Form::decode(discriminant, proof.y)?, Form::decode(discriminant, proof.witness)?);
    let witnesses = proof.records().map(|record| Form::decode(discriminant, record.witness));
    // no more of them than the proof has bytes for
    let witnesses = witnesses.collect::<Result<Vec<_>, _>>()?;
    let (mut x, mut x_bytes) = (Form::decode(discriminant, x)?, *x);
    for (record, witness) in proof.records().zip(&witnesses) {
        let exponent = power_of_two_mod(record.squarings, &record.prime);
        let end = double_pow(witness, &record.prime, &x, &exponent, discriminant);
        let end_bytes = end.encode(discriminant);
        if challenge(&x_bytes, &end_bytes) != record.prime {
            return Err(Error::SegmentPrime);
        }
        (x, x_bytes) = (end, end_bytes);
    }
    let prime = challenge(&x_bytes, proof.y);
    let end = double_pow(&last, &prime, &x, &power_of_two_mod(proof.squarings, &prime), discriminant);
    if end == y { Ok(()) } else { Err(Error::ProofInvalid) }
}
