//! Checkpoints.
//!
//! A state is, integers big-endian, forms as records (see `record`):
//! ```text
//! "CVDF", version u8, |D| length u8, |D|, iterations u64, split u64 (0: none), digit bits u8, passes u64, x,
//! squarings u64, current form, intermediate count u64, SHA-256 over the intermediates,
//! first segment proved u8 [witness, end], stage u8 (0 squaring; 1 proving [passes left u64, product of finished passes];
//! 2 done [proof length u16, proof]), SHA-256 over all before
//! ```

use super::log::Log;
use super::record::{self, RECORD_BYTES};
use super::{Evaluation, Stage};
use crate::discriminant::Discriminant;
use crate::error::Error;
use crate::form::Form;
use crate::hash_prime::challenge;
use crate::wesolowski::{MAX_DIGIT_BITS, Plan, Prover, Segment, verify};
use sha2::{Digest, Sha256};

const MAGIC: &[u8; 4] = b"CVDF";
const VERSION: u8 = 1;
const DIGEST_BYTES: usize = 32;

const SQUARING: u8 = 0;
const PROVING: u8 = 1;
const DONE: u8 = 2;

impl Evaluation {
    /// The evaluation's state: with the intermediates, all that [`Evaluation::resume`] needs. About a kilobyte.
    ///
    /// While proving, it stands for the beginning of the pass under way. A failed evaluation's state is that of its proof's beginning.
    #[must_use]
    pub fn state(&self) -> Vec<u8> {
        let magnitude = self.discriminant.to_be_bytes();
        let mut out = Vec::new();
        out.extend(MAGIC);
        out.extend([VERSION, magnitude.len() as u8]);
        out.extend(magnitude);
        out.extend(self.iterations.to_be_bytes());
        out.extend(self.split.unwrap_or(0).to_be_bytes());
        out.push(self.plan.digit_bits as u8);
        out.extend(self.plan.passes.to_be_bytes());
        out.extend(record::write(&self.x));
        out.extend(self.squarings.to_be_bytes());
        out.extend(record::write(&self.current));
        out.extend(self.log.count().to_be_bytes());
        out.extend(self.log.digest());
        out.push(u8::from(self.first.is_some()));
        if let Some(first) = &self.first {
            out.extend(record::write(&first.witness));
            out.extend(record::write(&first.end));
        }
        match &self.stage {
            Stage::Squaring => out.push(SQUARING),
            Stage::Proving(prover) => {
                let (passes_left, power) = prover.resume_point();
                out.push(PROVING);
                out.extend(passes_left.to_be_bytes());
                out.extend(record::write(power));
            }
            Stage::Failed => {
                out.push(PROVING);
                out.extend(self.plan.passes.to_be_bytes());
                out.extend(record::write(&Form::identity(&self.discriminant)));
            }
            Stage::Done(proof) => {
                out.push(DONE);
                out.extend((proof.len() as u16).to_be_bytes());
                out.extend(proof);
            }
        }
        let digest = Sha256::digest(&out);
        out.extend(digest);
        out
    }

    /// Goes on from a state and the intermediates stored with it, or more of them. Everything is checked.
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
        let mut reader = Reader(body);
        let (evaluation, count, log_digest) = reader.evaluation(discriminant).ok_or(Error::CheckpointState)?;
        let log = Log::restore(intermediates, count, log_digest, &evaluation.discriminant)?;
        Ok(Self { log, ..evaluation })
    }

    /// Intermediate forms that belong to the squarings done.
    fn expected_count(&self) -> u64 {
        let segment = self.segment();
        segment.first_record + (self.squarings - segment.start).div_ceil(self.plan.stride())
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

    /// The evaluation without its intermediates, their count and their hash.
    fn evaluation(&mut self, expected: Option<&Discriminant>) -> Option<(Evaluation, u64, [u8; DIGEST_BYTES])> {
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
        let split = Some(self.u64()?).filter(|&split| split != 0);
        let plan = Plan { digit_bits: u32::from(self.u8()?), passes: self.u64()? };
        let plan_valid = (1..=MAX_DIGIT_BITS).contains(&plan.digit_bits)
            && plan.passes > 0
            && plan.passes.checked_mul(u64::from(plan.digit_bits)).is_some();
        if !plan_valid || split.is_some_and(|split| split >= iterations) {
            return None;
        }
        let x = self.form(&discriminant)?;
        let squarings = self.u64()?;
        let current = self.form(&discriminant)?;
        let count = self.u64()?;
        let digest = *self.take()?;
        let first = if self.u8()? == 0 { None } else { Some(self.first_segment(split?, &x, &discriminant)?) };
        let log = Log::new();
        let stage = Stage::Squaring;
        let mut evaluation =
            Evaluation { discriminant, x, iterations, split, plan, current, squarings, log, first, stage };
        let segment = evaluation.segment();
        let in_segment = (segment.start..=segment.start + segment.length).contains(&squarings);
        if !in_segment || evaluation.expected_count() != count {
            return None;
        }
        evaluation.stage = self.stage(&evaluation)?;
        self.0.is_empty().then_some((evaluation, count, digest))
    }

    fn first_segment(&mut self, squarings: u64, x: &Form, discriminant: &Discriminant) -> Option<Segment> {
        let witness = self.form(discriminant)?;
        let end = self.form(discriminant)?;
        let prime = challenge(&x.encode(discriminant), &end.encode(discriminant));
        Some(Segment { squarings, prime, end, witness })
    }

    fn stage(&mut self, evaluation: &Evaluation) -> Option<Stage> {
        let discriminant = &evaluation.discriminant;
        let segment = evaluation.segment();
        let finished = evaluation.squarings == segment.start + segment.length;
        match self.u8()? {
            SQUARING => Some(Stage::Squaring),
            PROVING if finished => {
                let passes_left = self.u64()?;
                let power = self.form(discriminant)?;
                if passes_left > evaluation.plan.passes {
                    return None;
                }
                let prime = challenge(&segment.x.encode(discriminant), &evaluation.current.encode(discriminant));
                Some(Stage::Proving(Box::new(Prover::resume(
                    prime,
                    segment.length,
                    evaluation.plan,
                    passes_left,
                    &power,
                ))))
            }
            DONE if finished => {
                let length = u16::from_be_bytes(*self.take()?);
                let proof = self.slice(usize::from(length))?.to_vec();
                let depth = u32::from(evaluation.first.is_some());
                let x = evaluation.x.encode(discriminant);
                verify(discriminant, &x, evaluation.iterations, &proof, depth).ok()?;
                Some(Stage::Done(proof))
            }
            _ => None,
        }
    }
}
