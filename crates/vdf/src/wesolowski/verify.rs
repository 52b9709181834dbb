//! Verification.

use super::exponent::power_of_two_mod;
use super::pow::double_pow;
use crate::discriminant::Discriminant;
use crate::error::Error;
use crate::form::{FORM_BYTES, Form};
use crate::hash_prime::{B_BYTES, challenge};
use crate::uint::Uint;

/// Bytes of a segment before the last one: squarings, B and pi.
const RECORD_BYTES: usize = 8 + B_BYTES + FORM_BYTES;

/// Checks that `proof` shows `y = x^(2^iterations)` in the class group of `discriminant`, where y is the proof's first 100 bytes.
///
/// `proof` is `y || pi || [squarings || B || pi] depth times`, 200 + 141 `depth` bytes. Costs a millisecond or two for each segment;
/// `depth` only counts when the length agrees with it.
///
/// # Errors
/// [`Error::FormLength`], [`Error::ProofLength`], [`Error::FormEncoding`], [`Error::SegmentLengths`], [`Error::SegmentPrime`] or
/// [`Error::ProofInvalid`]; any of them means that the proof is to be refused.
pub fn verify(discriminant: &Discriminant, x: &[u8], iterations: u64, proof: &[u8], depth: u32) -> Result<(), Error> {
    let expected =
        usize::try_from(depth).ok().and_then(|depth| depth.checked_mul(RECORD_BYTES)?.checked_add(2 * FORM_BYTES));
    if expected != Some(proof.len()) {
        return Err(Error::ProofLength(proof.len()));
    }
    let (last, records) = proof.split_at(2 * FORM_BYTES);
    let (y_bytes, pi) = last.split_at(FORM_BYTES);
    let mut x_bytes: [u8; FORM_BYTES] = x.try_into().map_err(|_| Error::FormLength(x.len()))?;
    let mut x = Form::decode(discriminant, x)?;
    let y = Form::decode(discriminant, y_bytes)?;
    let pi = Form::decode(discriminant, pi)?;
    let mut remaining = iterations;
    for record in records.rchunks_exact(RECORD_BYTES) {
        let (squarings, record) = record.split_at(8);
        let (b_bytes, pi) = record.split_at(B_BYTES);
        let squarings = squarings.iter().fold(0, |value, &byte| value << 8 | u64::from(byte));
        remaining = remaining.checked_sub(squarings).ok_or(Error::SegmentLengths)?;
        let b = Uint::from_be_bytes(b_bytes);
        // every prime that `challenge` gives is odd, and an even one has no Montgomery form
        if !b.is_odd() {
            return Err(Error::SegmentPrime);
        }
        let pi = Form::decode(discriminant, pi)?;
        let end = double_pow(&pi, &b, &x, &power_of_two_mod(squarings, &b), discriminant);
        let end_bytes = end.encode(discriminant);
        if challenge(&x_bytes, &end_bytes) != b {
            return Err(Error::SegmentPrime);
        }
        (x, x_bytes) = (end, end_bytes);
    }
    let y_bytes = y_bytes.try_into().map_err(|_| Error::ProofLength(proof.len()))?;
    let b = challenge(&x_bytes, &y_bytes);
    if double_pow(&pi, &b, &x, &power_of_two_mod(remaining, &b), discriminant) == y {
        Ok(())
    } else {
        Err(Error::ProofInvalid)
    }
}
