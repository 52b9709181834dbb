//! Checkpoints.
//!
//! A state is, integers big-endian, forms as records (see `record`):
//! ```text
//! "CVDF", version u8, |D| length u8, |D|, iterations u64, split u64 (0: none), x, squarings u64, current form,
//! per segment: digit bits u8, passes u64;
//! intermediate count u64, SHA-256 over the intermediates,
//! per segment whose squarings are done: its last form, passes left u64, product of finished passes;
//! operations of proving left at the last squaring f64, SHA-256 over all before
//! ```

use super::record::{self, RECORD_BYTES};
use super::segment::{Proving, Segment};
use super::{Evaluation, Outcome};
use crate::discriminant::Discriminant;
use crate::error::Error;
use crate::form::Form;
use crate::wesolowski::{MAX_DIGIT_BITS, Plan};
use sha2::{Digest, Sha256};

const MAGIC: &[u8; 4] = b"CVDF";
const VERSION: u8 = 2;
const DIGEST_BYTES: usize = 32;

impl Evaluation {
    /// The evaluation's state: with the intermediates, all that [`Evaluation::resume`] needs. About a kilobyte.
    ///
    /// While proving, it resumes at the beginning of the current pass; after a failure, at the beginning of the proof.
    #[must_use]
    pub fn state(&self) -> Vec<u8> {
        let magnitude = self.discriminant.to_be_bytes();
        let mut out = Vec::new();
        out.extend(MAGIC);
        out.extend([VERSION, magnitude.len() as u8]);
        out.extend(magnitude);
        out.extend(self.iterations.to_be_bytes());
        out.extend(self.split().unwrap_or(0).to_be_bytes());
        out.extend(record::write(&self.x));
        out.extend(self.squarings.to_be_bytes());
        out.extend(record::write(&self.current));
        for segment in &self.segments {
            out.push(segment.plan.digit_bits as u8);
            out.extend(segment.plan.passes.to_be_bytes());
        }
        out.extend(self.intermediate_count().to_be_bytes());
        out.extend(self.records_hash.clone().finalize());
        let failed = matches!(self.outcome, Some(Outcome::Failed));
        let identity = Form::identity(&self.discriminant);
        for segment in &self.segments {
            if let Some(Proving { end, prover }) = &segment.proving {
                let (passes_left, power) =
                    if failed { (segment.plan.passes, &identity) } else { prover.resume_point() };
                out.extend(record::write(end));
                out.extend(passes_left.to_be_bytes());
                out.extend(record::write(power));
            }
        }
        out.extend(self.operations_at_end.to_bits().to_be_bytes());
        let digest = Sha256::digest(&out);
        out.extend(digest);
        out
    }

    /// Goes on from a state and the intermediates stored with it, or more of them, on one thread. Everything is
    /// checked.
    ///
    /// With a discriminant given, the state must be of that one, which saves testing it for primality.
    ///
    /// # Errors
    /// [`Error::CheckpointState`] or [`Error::CheckpointIntermediates`].
    pub fn resume(state: &[u8], intermediates: &[u8], discriminant: Option<&Discriminant>) -> Result<Self, Error> {
        let (body, digest) = state.split_last_chunk::<DIGEST_BYTES>().ok_or(Error::CheckpointState)?;
        if Sha256::digest(body) != (*digest).into() {
            return Err(Error::CheckpointState);
        }
        let (mut evaluation, records_digest) = Reader(body).evaluation(discriminant).ok_or(Error::CheckpointState)?;
        evaluation.restore(intermediates, records_digest).ok_or(Error::CheckpointIntermediates)?;
        if evaluation.squarings == evaluation.iterations && !evaluation.segments.iter().any(Segment::to_be_proved) {
            let outcome = evaluation.conclude();
            evaluation.outcome = matches!(outcome, Outcome::Proof(_)).then_some(outcome);
            evaluation.outcome.as_ref().ok_or(Error::CheckpointState)?;
        }
        Ok(evaluation)
    }

    /// Takes the records that belong to the squarings done; what follows them was appended after the state was taken.
    fn restore(&mut self, bytes: &[u8], digest: [u8; DIGEST_BYTES]) -> Option<()> {
        let (mut records, _) = bytes.as_chunks::<RECORD_BYTES>();
        for segment in &mut self.segments {
            let own;
            (own, records) = records.split_at_checked(usize::try_from(segment.record_count(self.squarings)).ok()?)?;
            for bytes in own {
                record::read(bytes, &self.discriminant)?;
                segment.records.push(bytes);
            }
            self.records_hash.update(own.as_flattened());
        }
        (self.records_hash.clone().finalize() == digest.into()).then_some(())
    }
}

/// What is left of a state.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const LENGTH: usize>(&mut self) -> Option<&[u8; LENGTH]> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(bytes)
    }

    fn slice(&mut self, length: usize) -> Option<&[u8]> {
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take().map(|[byte]| *byte)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(|bytes| u64::from_be_bytes(*bytes))
    }

    fn form(&mut self, discriminant: &Discriminant) -> Option<Form> {
        record::read(self.take::<RECORD_BYTES>()?, discriminant)
    }

    /// The evaluation without its intermediates, and their hash.
    fn evaluation(&mut self, expected: Option<&Discriminant>) -> Option<(Evaluation, [u8; DIGEST_BYTES])> {
        if self.take()? != MAGIC || self.u8()? != VERSION {
            return None;
        }
        let length = self.u8()?;
        let magnitude = self.slice(usize::from(length))?;
        let discriminant = match expected {
            Some(expected) => (expected.to_be_bytes() == magnitude).then(|| expected.clone())?,
            None => Discriminant::from_be_bytes(magnitude).ok()?,
        };
        let iterations = self.u64()?;
        let split = self.u64()?;
        let x = self.form(&discriminant)?;
        let squarings = self.u64().filter(|&squarings| squarings <= iterations)?;
        let current = self.form(&discriminant)?;
        let segments = if split == 0 {
            vec![Segment::new(0, iterations, self.plan()?)]
        } else {
            let rest = iterations.checked_sub(split).filter(|&rest| rest > 0)?;
            vec![Segment::new(0, split, self.plan()?), Segment::new(split, rest, self.plan()?)]
        };
        let count = self.u64()?;
        let digest = *self.take()?;
        let mut evaluation = Evaluation::at_start(discriminant, &x, iterations, segments);
        (evaluation.squarings, evaluation.current) = (squarings, current);
        for index in 0..evaluation.segments.len() {
            self.proving(&mut evaluation, index)?;
        }
        evaluation.operations_at_end = self.u64().map(f64::from_bits).filter(|operations| operations.is_finite())?;
        let expected_count: u64 = evaluation.segments.iter().map(|segment| segment.record_count(squarings)).sum();
        (count == expected_count && self.0.is_empty()).then_some((evaluation, digest))
    }

    fn plan(&mut self) -> Option<Plan> {
        let plan = Plan { digit_bits: u32::from(self.u8()?), passes: self.u64()? };
        let valid = (1..=MAX_DIGIT_BITS).contains(&plan.digit_bits)
            && plan.passes > 0
            && plan.passes.checked_mul(u64::from(plan.digit_bits)).is_some();
        valid.then_some(plan)
    }

    /// How far a segment's proof has come, if its squarings are done.
    fn proving(&mut self, evaluation: &mut Evaluation, index: usize) -> Option<()> {
        let segment = &evaluation.segments[index];
        if evaluation.squarings < segment.end() {
            return Some(());
        }
        let end = self.form(&evaluation.discriminant)?;
        let passes_left = self.u64().filter(|&left| left <= segment.plan.passes)?;
        let power = self.form(&evaluation.discriminant)?;
        let prover = segment.prover(&evaluation.segment_x(index), &end, &evaluation.discriminant);
        evaluation.segments[index].proving = Some(Proving { end, prover: prover.resumed(passes_left, &power) });
        Some(())
    }
}
